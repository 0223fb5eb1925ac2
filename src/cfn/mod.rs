//! AWS CloudFormation templates: evaluating and expanding them into a [`Document`].
//!
//! A template is read with its intrinsic functions in their long form (see [`crate::syntax::yaml::parse_template`]).
//! Expanding it is a walk in the order of the text:
//!
//! 1. **Declare** ([`loops`]): `Fn::ForEach` is unrolled, so that every logical id is known.
//! 2. **Evaluate** ([`evaluator`], [`functions`], [`conditions`]): parameters, mappings and conditions are looked up as
//!    they are needed; what only a deployment can know becomes [`Unknown`](crate::value::Unknown).
//! 3. **Assemble** ([`assemble`], [`nested`]): resources whose condition does not hold are left out, nested stacks are
//!    entered.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html>.

mod assemble;
mod conditions;
mod evaluator;
mod functions;
mod given;
mod loops;
mod nested;
mod order;
mod parameters;
mod pseudo;
mod stack;
mod suppress;
#[cfg(test)]
mod tests;
mod world;

use crate::diagnostic::Diagnostic;
use crate::model::{Document, Limits, Loader};
use crate::text::{FileId, Span};
use crate::value::{Str, Value};

pub(crate) use self::given::is_parameter_file;
pub(crate) use self::suppress::is_suppressed;

/// The key that every template may have, and nothing else has.
pub(crate) const FORMAT_VERSION: &str = "AWSTemplateFormatVersion";

/// What to expand.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The file of the template.
    pub file: FileId,
    /// What to call the stack: nothing in a template says it.
    pub name: &'a str,
    /// The template, with the short forms of functions in their long form.
    pub template: &'a Value,
    /// Parameter files; of several values the last counts.
    pub parameters: &'a [(FileId, &'a Value)],
    /// Values of parameters and pseudo parameters (`AWS::Region`) that win over the files.
    pub overrides: &'a [(Str, Value)],
    /// Whether to leave all values as they are written: no function is evaluated, no condition and no loop.
    pub raw: bool,
    /// Where nested stacks come from.
    pub loader: &'a dyn Loader,
    /// How far to go.
    pub limits: &'a Limits,
}

/// What expanding gave. There is a document unless the template is nothing that can be walked.
#[derive(Debug)]
pub struct Expansion {
    /// The resources.
    pub document: Option<Document>,
    /// Values that break the constraints of their parameters.
    pub breaches: Vec<Breach>,
    /// What is wrong with the template.
    pub diagnostics: Vec<Diagnostic>,
}

/// A value that breaks a constraint of its parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// Path of the parameter in the template.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// The value.
    pub span: Span,
}

/// Expands a template with one set of parameters.
pub fn expand(request: &Request<'_>) -> Expansion {
    let world = world::World::new(request.limits);
    let document = assemble::document(request, &world);
    let (breaches, diagnostics) = world.into_problems();
    Expansion { document, breaches, diagnostics }
}
