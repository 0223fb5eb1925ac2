//! What all parts of formwork share: texts and positions in them, values that know where they come from, the document that
//! front ends produce and rules read, findings, and paths.

pub mod diagnostic;
pub mod model;
pub mod parallel;
pub mod path;
pub mod secret_names;
pub mod text;
pub mod value;
