//! The JSON rule language of Template Analyzer.
//!
//! A rule says what it looks at (`resourceType`, `path`), under which condition (`where`), and what must hold (an
//! operator). See <https://github.com/Azure/template-analyzer/blob/main/docs/authoring-json-rules.md>. Where that
//! document is ambiguous, formwork decides:
//!
//! - `not` is the plain inverse, even if a value is missing or of another type. Twice, it changes nothing.
//! - A path without a wildcard is tested even if it leads to nothing; one with a wildcard finds only what exists. A part
//!   without any result does not count in `allOf` and `anyOf`, and a rule without any result has no verdict.
//! - `where` holds if any of its results does.
//! - `.*` selects the items of a member that is an array, not the array itself.
//! - Names, types and operators are case-insensitive.
//! - A value that only a deployment can know makes a verdict unknown, unless no value could change the verdict.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod date;
mod eval;
mod lint;
mod message;
mod operators;
mod parse;
mod pattern_words;
mod relations;
mod rule;
mod schema;
#[cfg(test)]
pub(super) mod testing;
mod value_fix;
mod verdicts;

pub use self::lint::{declarations, lint};
pub use self::parse::parse;
pub use self::rule::Rule;
pub use self::schema::schema;

pub(super) use self::verdicts::check_rule;
