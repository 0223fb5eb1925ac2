//! Types that all parts of formwork share: source texts, positions, values with their origin, the document between
//! front ends and rules, findings, and paths.

pub mod diagnostic;
pub mod model;
pub mod outcomes;
pub mod parallel;
pub mod path;
pub mod secret_names;
pub mod text;
pub mod value;
