//! Azure Policy before deployment: what the policies of a repository would do with the resources of a deployment.
//!
//! - [`documents`]: definitions, initiatives, assignments, exemptions and enrollments, read from their JSON.
//! - [`aliases`]: the property of a request that an alias stands for.
//! - [`files`]: the documents in the files of a repository, in all shapes in which they are kept.
//! - [`language`]: conditions and their operators.
//! - [`mod@judge`]: judges requests by the assignments that are in force.
//!
//! Conditions have three values, and a verdict is only given if it holds for whatever the unknown parts turn out to be.
//! The language: <https://learn.microsoft.com/azure/governance/policy/concepts/definition-structure-policy-rule>.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

pub mod aliases;
#[cfg_attr(not(feature = "builtin"), path = "no_builtin.rs")]
pub mod builtin;
mod dates;
pub mod documents;
pub mod files;
mod ids;
pub mod judge;
pub mod language;
pub mod lint;
mod path;
mod problem;

use formwork_model::{model, outcomes, text, value};

/// Returns the sources of the embedded data: the aliases, and the built-in documents.
pub fn sources() -> Vec<String> {
    let aliases = aliases::source().map(ToString::to_string);
    aliases.into_iter().chain(builtin::source().map(ToString::to_string)).collect()
}

pub use self::documents::{Assignment, Definition, Enrollment, Exemption, Initiative, Policies};
pub use self::judge::{
    Change, Effect, Exempting, InForce, Judged, Judgment, Outcome, Request, Standing, Strength, Surroundings, Trouble,
    Verdict,
};
pub use self::path::{Path, Step};
pub use self::problem::{Consequence, Problem};
