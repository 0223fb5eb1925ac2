//! The JSON rule language of Template Analyzer.
//!
//! A rule says what it looks at (`resourceType`, `path`), under which condition (`where`), and what it wants (an operator).
//! See <https://github.com/Azure/template-analyzer/blob/main/docs/authoring-json-rules.md>. Where that document leaves room,
//! this is what counts here:
//!
//! - `not` is the plain inverse, also where a value is missing or of another type; twice, it changes nothing.
//! - A path without a wildcard is tested even where it leads nowhere; one with a wildcard finds what is there. A part
//!   without any result has no say in `allOf` and `anyOf`, and a rule without any result gives no verdict.
//! - `where` holds if any of its results does.
//! - `.*` gives the items of a member that is an array, not the array.
//! - Names, types and operators are written in any case.
//! - What only a deployment can know makes a verdict unknown, unless it cannot change it.

mod date;
mod eval;
mod message;
mod operators;
mod outcomes;
mod parse;
mod remedy;
mod rule;
mod schema;
#[cfg(test)]
pub(super) mod testing;
mod verdicts;

pub(crate) use self::parse::parse;
pub(crate) use self::rule::Rule;
pub(crate) use self::schema::schema;

pub(super) use self::verdicts::check;
