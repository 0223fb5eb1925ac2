//! The rule language of cfn-guard 2 and 3.
//!
//! A rules file has named rules with blocks of clauses: `rule r { Resources.*.Properties.Name exists }`. Reference:
//! <https://github.com/aws-cloudformation/cloudformation-guard/tree/main/docs>, and cfn-guard 3.2.1 where it differs.
//!
//! - A template is seen as it would be deployed: with evaluated functions, conditions, and transforms. With `is_raw`, it is
//!   seen as it is written, and all verdicts are those of cfn-guard, defects included.
//! - A result is a set of PASS, FAIL and SKIP ([`eval::results`]), which has several elements if it depends on a value
//!   that only a deployment can know. For known values it is what cfn-guard answers.
//! - Names are checked before anything runs.
//!
//! # Invariant
//!
//! With `--guard-raw`, rules of Guard 3 have the verdicts of cfn-guard 3.2.1, defects included; where they differ,
//! `is_raw` decides.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod ast;
mod cases;
mod document;
mod eval;
mod header;
mod hooks;
mod limits;
mod mapping;
mod message;
mod names;
mod names_check;
mod parse;
mod recognize;
mod rule;
mod statuses;
mod suspicious;
#[cfg(test)]
mod tests;
mod types;
mod units;
mod verdicts;
mod walk;

pub use self::document::{joined, read};
pub use self::mapping::{Mapped, mapping, may_be_mapping};
pub use self::recognize::is_guard3;
pub use self::rule::{Rule, parse};
pub use self::statuses::{Program, Status, Statuses};
pub use self::units::{UnitTest, may_have_units, units};

pub(super) use self::limits::limits_for;
pub(super) use self::verdicts::{Exceeding, Group, Rules, SeenDeployment};
