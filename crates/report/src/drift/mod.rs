//! Drift of resources: the format `formwork/drift/v1`, and the same as text and as Markdown.
//!
//! # Invariant
//!
//! Names, paths, and values come from templates and exports, and are escaped where they are shown.

mod console;
mod document;
mod markdown;
#[cfg(test)]
mod tests;
mod wording;

pub use self::console::text;
pub use self::document::{ComparedResource, ComparedValues, DriftReport, DriftState, DriftSummary};
pub use self::markdown::section;
