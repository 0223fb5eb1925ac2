//! The rule language of cfn-guard 1.0.
//!
//! A ruleset has one rule per line: `AWS::EC2::Volume Size <= 100 << too large`. Its grammar is that of
//! <https://github.com/aws-cloudformation/cloudformation-guard/blob/Guard1.0/cfn-guard/GRAMMAR.md>; where cfn-guard 1.0
//! differs from its grammar or documentation, formwork decides:
//!
//! - A ruleset is validated completely before anything runs, whether or not a template has what a rule is about.
//! - `let` and `WHEN` are allowed only where the grammar has them. Tabs separate words like blanks.
//! - A wildcard is expanded for each resource separately. Under `==` and `IN` one element is enough, under the other
//!   operators all must pass. An element without the property does not count, or fails under strict checks.
//! - In `|OR|`, a branch with a missing property or a condition that does not hold is skipped. If all branches are skipped,
//!   there is no verdict. Branches about several types are about the template as a whole.
//! - Strings are compared without the blanks at their ends and without line feeds; numbers by value; Booleans
//!   case-insensitively; arrays and objects by structure.
//! - A pattern is searched in a string itself, and in the JSON of any other value. Patterns are those of the `regex` crate.
//! - A value that is not a number fails `<`, `>`, `<=` and `>=`.
//! - A value that only a deployment can know makes a verdict unknown, unless no value could change the verdict.
//!
//! Messages are those of cfn-guard 1.0, word for word.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod ast;
mod eval;
mod except;
mod generate;
mod index;
mod json_text;
mod literal;
mod message;
mod parse;
mod path;
mod piece;
mod rule;
mod select;
mod test;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod variables;
mod verdicts;

pub use self::generate::generate;
pub use self::parse::is_valid;
pub use self::parse::lint;
pub use self::parse::parse;
pub use self::rule::Rule;

pub(super) use self::index::{Applicable, Rules, rule_type};
pub(super) use self::parse::{Fault, Metadata};
pub(super) use self::piece::Piece;
