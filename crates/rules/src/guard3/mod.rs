//! The rule language of cfn-guard 2 and 3.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod ast;
mod cases;
mod document;
mod eval;
mod names;
#[expect(dead_code, reason = "used when rules are loaded")]
mod names_check;
mod parse;
mod statuses;
#[cfg(test)]
mod tests;

pub use self::document::{joined, read};
pub use self::statuses::{Status, Statuses, statuses};
