//! Upgrades of API versions: the format `formwork/upgrade/v1`, and the same as text and as Markdown.
//!
//! # Invariant
//!
//! Names, paths, and messages come from templates, and are escaped where they are shown.

mod console;
mod document;
mod markdown;
#[cfg(test)]
mod tests;

pub use self::console::text;
pub use self::document::{BreakingDifference, UpgradeSummary, UpgradedVersion, Upgrades, VersionOutcome};
pub use self::markdown::section;
