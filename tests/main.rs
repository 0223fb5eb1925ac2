//! The one integration-test binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

#[cfg(unix)]
mod action;
mod api;
mod baseline;
mod bicep;
mod bicep_build;
mod bicep_builtin;
#[cfg(unix)]
mod bombs;
mod changes;
mod cli;
mod delivery;
mod docs;
mod doctor;
mod events;
mod explain;
mod fix;
mod functions;
#[cfg(feature = "github")]
mod github;
mod guard;
mod harness;
mod hook;
#[cfg(unix)]
mod hostile;
#[cfg(target_os = "linux")]
mod isolation;
mod links;
mod problems;
mod prose;
mod readme;
mod repository;
mod rules;
mod rules_cli;
mod sam;
mod secrets;
#[cfg(any(unix, feature = "github"))]
mod server;
mod stacks;
mod tidy;
#[cfg(feature = "types")]
mod types;
mod yaml;
