//! Support for GitHub Actions workflows: reads the event of the workflow, and publishes a report to its pull request.
//!
//! Publishing compares a finished JSON report with the existing comments and makes a plan before it writes anything. All
//! decisions are therefore free of side effects, and the same command works both in the workflow that runs the check and in
//! a second one that runs after it with a token that may write.

mod event;
#[cfg(feature = "github")]
mod plan;
#[cfg(feature = "github")]
mod publish;
#[cfg(feature = "github")]
mod report;
#[cfg(any(test, fuzzing))]
pub(crate) mod totality;
#[cfg(feature = "github")]
mod wire;

pub(crate) use self::event::{Event, Push};
#[cfg(feature = "github")]
pub(crate) use self::publish::{
    Access, Error, Log, Published, RepositoryName, Task, Token, log_line, notice_command, publish,
};
#[cfg(feature = "github")]
pub(crate) use self::report::Report;

/// A longer report is refused, in bytes. Of a shorter one, as many findings are published as there is room for.
pub(crate) const MAX_REPORT_BYTES: u64 = 256 * 1024 * 1024;
