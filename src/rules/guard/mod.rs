//! The rule language of cfn-guard 1.0.
//!
//! A ruleset has one rule a line: `AWS::EC2::Volume Size <= 100 << too large`. Its grammar is that of
//! <https://github.com/aws-cloudformation/cloudformation-guard/blob/Guard1.0/cfn-guard/GRAMMAR.md>; where cfn-guard 1.0
//! leaves its grammar or what it documents, this is what counts here:
//!
//! - A ruleset is checked as a whole before anything runs, whether or not a template has what a rule is about.
//! - `let` and `WHEN` stand where the grammar has them, nowhere else. Tabs separate as blanks do.
//! - A wildcard is expanded for each resource by itself. Under `==` and `IN` one element is enough, under the other
//!   operators all count. An element without the property is not counted, or fails under strict checks.
//! - In `|OR|`, a missing property and a condition that does not hold satisfy nothing. Without any branch that has
//!   something to say, the rule is silent. Branches about several types are about the template as a whole.
//! - Texts are compared without the blanks at their ends and without line feeds; two numbers by value; truth values in
//!   any case; arrays and objects by structure.
//! - A pattern is searched in a text as it is, and in the JSON of any other value.
//! - What is no number breaks `<`, `>`, `<=` and `>=`.
//! - What only a deployment can know makes a verdict unknown, unless it cannot change it.
//!
//! Messages are those of cfn-guard 1.0, word for word.

mod answer;
mod ast;
mod eval;
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

pub(crate) use self::generate::generate;
pub use self::parse::parse;
pub(crate) use self::rule::Rule;

pub(super) use self::index::Rules;
