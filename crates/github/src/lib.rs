//! Support for GitHub Actions workflows: reads the event of the workflow, and publishes a report to its pull request.
//!
//! Publishing compares a finished JSON report with the existing comments and makes a plan before it writes anything. All
//! decisions are therefore free of side effects, and the same command works both in the workflow that runs the check and in
//! a second one that runs after it with a token that may write.

mod event;
#[cfg(any(test, feature = "fuzzing"))]
pub mod invariants;
#[cfg(feature = "publish")]
mod plan;
#[cfg(feature = "publish")]
mod publish;
#[cfg(feature = "publish")]
mod published;
#[cfg(feature = "publish")]
mod wire;

use formwork_model::diagnostic;
#[cfg(feature = "publish")]
use formwork_model::text;
#[cfg(feature = "publish")]
use formwork_report as report;

pub use self::event::{Event, Push};
#[cfg(feature = "publish")]
pub use self::publish::{
    Access, Error, Log, Published, RepositoryName, Task, Token, log_line, notice_command, publish,
};
#[cfg(feature = "publish")]
pub use self::published::Report;

/// Maximum size of a report in bytes. Larger reports are rejected. A smaller report may still have more findings than
/// fit.
pub const MAX_REPORT_BYTES: u64 = 256 * 1024 * 1024;
