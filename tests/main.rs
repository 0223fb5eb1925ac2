//! The one integration-test binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

#[cfg(unix)]
mod action;
mod bicep;
mod bicep_build;
mod changes;
mod cli;
mod delivery;
mod docs;
mod events;
mod explain;
mod fix;
mod functions;
mod guard;
mod harness;
mod hook;
mod readme;
mod repository;
mod rules;
mod stacks;
mod tidy;
mod yaml;
