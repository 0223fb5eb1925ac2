//! What formwork does in a workflow of GitHub: it learns from the event what to compare with, and publishes a report to
//! the pull request.
//!
//! A finished JSON report and what the pull request shows already go in, a plan comes out, and only then is anything
//! written. So all decisions are pure, and the same command serves the workflow that checked and one that runs
//! behind it with a token that may write.

#[cfg(feature = "github")]
mod anchor;
#[cfg(feature = "github")]
mod body;
#[cfg(feature = "github")]
mod choose;
mod event;
#[cfg(feature = "github")]
mod hunks;
#[cfg(feature = "github")]
mod marker;
#[cfg(feature = "github")]
mod own;
#[cfg(feature = "github")]
mod page;
mod payload;
#[cfg(feature = "github")]
mod plan;
#[cfg(feature = "github")]
mod report;
#[cfg(feature = "github")]
mod summary;
#[cfg(feature = "github")]
mod wire;

#[cfg(all(test, feature = "github"))]
mod sample;

pub use self::event::{Event, Push};
