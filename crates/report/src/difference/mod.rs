//! Differences: the format `formwork/diff/v1`, and pages for people who do not run formwork themselves.
//!
//! A difference may come from a workflow that ran untrusted code. So all input has limits, and all output is escaped.
//! Its author masks secrets.
//!
//! # Invariant
//!
//! Values are masked only where the JSON of a difference is made; the JSON is treated as untrusted here.

mod console;
mod document;
mod html;
mod markdown;
mod wording;

#[cfg(test)]
mod tests;

pub use self::console::text;
pub use self::document::{
    Cause, Change, Deployment, DeploymentCounts, Difference, Fate, MAX_DEPTH, Outcome, Parent, Resource,
    ResourceCounts, Risk, RiskCounts, Severity, Side, Status, Summary, Unlisted, Value, VersionCounts,
};
pub use self::html::page;
pub use self::markdown::{Places, section};
#[cfg(test)]
pub(crate) use self::tests::schema;
