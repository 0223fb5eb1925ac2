//! What formwork does in a workflow of GitHub: it learns from the event what to compare with, and publishes a report to
//! the pull request.
//!
//! A finished JSON report and what the pull request shows already go in, a plan comes out, and only then is anything
//! written. So all decisions are pure, and the same command serves the workflow that checked and one that runs
//! behind it with a token that may write.

#[cfg(feature = "github")]
mod anchor;
#[cfg(feature = "github")]
mod api;
#[cfg(feature = "github")]
mod body;
#[cfg(feature = "github")]
mod choose;
#[cfg(feature = "github")]
mod client;
#[cfg(feature = "github")]
mod error;
mod event;
#[cfg(feature = "github")]
mod failure;
#[cfg(feature = "github")]
mod graphql;
#[cfg(feature = "github")]
mod hunks;
#[cfg(feature = "github")]
mod marker;
#[cfg(feature = "github")]
mod notice;
#[cfg(feature = "github")]
mod own;
#[cfg(feature = "github")]
mod page;
#[cfg(feature = "github")]
mod patience;
mod payload;
#[cfg(feature = "github")]
mod plan;
#[cfg(feature = "github")]
mod publish;
#[cfg(feature = "github")]
mod report;
#[cfg(feature = "github")]
mod request;
#[cfg(all(test, feature = "github"))]
mod sample;
#[cfg(feature = "github")]
mod steps;
#[cfg(feature = "github")]
mod summary;
#[cfg(feature = "github")]
mod tally;
#[cfg(feature = "github")]
mod target;
#[cfg(feature = "github")]
mod wire;

pub use self::event::{Event, Push};
#[cfg(feature = "github")]
pub use self::{
    api::{Log, RepositoryName},
    client::{Access, Token},
    error::Error,
    notice::{command as notice_command, line as log_line},
    publish::{Published, Task, publish},
    report::Report,
};
