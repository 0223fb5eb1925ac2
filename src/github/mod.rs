//! What formwork does in a workflow of GitHub: it learns from the event what to compare with, and publishes a report to
//! the pull request.
//!
//! A finished JSON report and what the pull request shows already go in, a plan comes out, and only then is anything
//! written. So all decisions are pure, and the same command serves the workflow that checked and one that runs
//! behind it with a token that may write.

mod event;
#[cfg(feature = "github")]
mod plan;
#[cfg(feature = "github")]
mod publish;
#[cfg(feature = "github")]
mod report;
#[cfg(feature = "github")]
mod wire;

pub(crate) use self::event::{Event, Push};
#[cfg(feature = "github")]
pub(crate) use self::publish::{
    Access, Error, Log, Published, RepositoryName, Task, Token, log_line, notice_command, publish,
};
#[cfg(feature = "github")]
pub(crate) use self::report::Report;
