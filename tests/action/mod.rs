//! The action, as a workflow uses it: `action.yml` and its scripts, run in the environment of a runner.

mod bicep;
mod change;
mod check;
mod checkout;
mod expression;
pub(crate) mod install;
pub(crate) mod job;
mod limits;
mod policy;
mod publish;
mod releases;
mod shards;
mod suppressions;
