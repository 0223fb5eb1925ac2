//! Reasons why reports cannot be joined.

use crate::diagnostic::Shard;
use crate::files::Unreadable;
use crate::report::ReportError;

/// Reason why reports cannot be joined. A missing part is a reason: without its report, it would be unknown whether its
/// findings are fixed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file of a report cannot be read.
    #[error("cannot read the report `{name}`")]
    Unreadable {
        /// The path that the user gave.
        name: String,
        /// Reason why the file cannot be read.
        source: Unreadable,
    },
    /// There is no report in a folder.
    #[error("`{name}` has no JSON file; expected the reports of `formwork check --output json=FILE`")]
    Empty {
        /// The path that the user gave.
        name: String,
    },
    /// The file is not a report.
    #[error("cannot use `{name}`")]
    Invalid {
        /// The file of the report.
        name: String,
        /// Defect of the report.
        source: ReportError,
    },
    /// Another version wrote the report.
    #[error("`{name}` was not written by formwork {own}; use one version for all parts and for `formwork merge`")]
    Version {
        /// The file of the report.
        name: String,
        /// The version that runs here.
        own: &'static str,
    },
    /// The numbers of a part do not fit to those of the others.
    #[error(
        "`{name}` is not a part of the same run as the reports before it: expected the same N in `--shard I/N`, from 1 to {}",
        Shard::MAX
    )]
    Count {
        /// The file of the report.
        name: String,
    },
    /// Two reports are of the same part.
    #[error("`{name}` and `{other}` are both part {index}; give one report for each part")]
    Twice {
        /// The number of the part.
        index: u32,
        /// The file of one report.
        name: String,
        /// The file of the other.
        other: String,
    },
    /// Some reports are of parts, and this is not.
    #[error("`{name}` is not the report of a part, and others are; check with `--shard` everywhere or nowhere")]
    Whole {
        /// The file of the report.
        name: String,
    },
    /// There is no report for some parts.
    #[error("the report of part {missing} of {count} is missing; its check may have failed")]
    Missing {
        /// The numbers of the parts.
        missing: String,
        /// Number of parts.
        count: u32,
    },
    /// The reports are about different commits.
    #[error("`{name}` and `{other}` are not about the same change; check the same commit everywhere")]
    Change {
        /// The file of one report.
        name: String,
        /// The file of the other.
        other: String,
    },
    /// The reports are of checks with other settings or rules.
    #[error(
        "`{name}` and `{other}` were not checked with the same settings and rules; use the same commit and flags everywhere"
    )]
    Settings {
        /// The file of one report.
        name: String,
        /// The file of the other.
        other: String,
    },
    /// A report about a change that cannot be joined with others.
    #[error("`{name}` is about a change and is not the report of a part; check with `--shard` to join it with others")]
    NotAPart {
        /// The file of the report.
        name: String,
    },
}
