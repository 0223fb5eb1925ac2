//! The one integration-test binary.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod bicep;
mod bicep_build;
mod changes;
mod cli;
mod docs;
mod explain;
mod functions;
mod guard;
mod harness;
mod readme;
mod repository;
mod rules;
mod stacks;
mod tidy;
