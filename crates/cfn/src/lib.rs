//! Expands AWS CloudFormation templates into a [`Document`].
//!
//! A template is read with its intrinsic functions in their long form (see [`crate::syntax::yaml::parse_template`]).
//! Expansion has these steps:
//!
//! 0. **Read a service** ([`serverless_framework`]): `resources` of a service is the template, and what the framework
//!    adds is unknown.
//! 1. **Transform** ([`sam`]): resources of AWS SAM are replaced by those that they generate.
//! 2. **Declare** ([`loops`]): `Fn::ForEach` is unrolled, so that every logical ID is known.
//! 3. **Evaluate** ([`evaluator`], [`functions`], [`conditions`]): parameters, mappings and conditions are looked up as
//!    they are needed; what only a deployment can know becomes [`Unknown`](crate::value::Unknown).
//! 4. **Assemble** ([`assemble`], [`nested`]): resources whose condition does not hold are dropped, nested stacks are
//!    expanded.
//!
//! What the given values leave out is found by expanding the template again with others ([`scenarios`]).
//!
//! What CloudFormation refuses whatever the values of the parameters are is found in the template as it is written
//! ([`structure`]).
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html>.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod assemble;
mod assumed;
mod conditions;
mod dynamic;
mod evaluator;
mod fragments;
mod functions;
mod given;
mod include;
mod loops;
mod macros;
mod made;
mod nested;
mod order;
mod parameters;
mod pseudo;
mod sam;
mod samconfig;
mod scenarios;
mod secrets;
mod serverless_framework;
mod settings;
mod stack;
mod structure;
#[cfg(test)]
mod tests;
mod world;

use formwork_model::{diagnostic, model, outcomes, secret_names, text, value};
use formwork_pattern as pattern;
use formwork_schema as schema;
use formwork_syntax as syntax;

use crate::assemble::Assembled;
use crate::diagnostic::common_checks::PARAMETER_CONSTRAINT;
use crate::diagnostic::{Check, Diagnostic, Severity};
use crate::model::{Budget, Document, Loader};
use crate::text::{FileId, Span};
use crate::value::{Str, Value};

pub use self::assumed::{Assumed, Difference, Scenario};
pub use self::fragments::{Fragment, framed, logical_ids};
pub use self::given::{TEMPLATE_PATH, is_parameter_file, parameter_names};
pub use self::include::include_location;
pub use self::samconfig::{Environment, SAM_CONFIGS, SAM_TEMPLATES, environments, has_defaults, leaves_defaults};
pub use self::serverless_framework::is_service;

/// A key that only templates have. It is optional.
pub const FORMAT_VERSION: &str = "AWSTemplateFormatVersion";

/// A template and everything that its expansion depends on.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The file of the template.
    pub file: FileId,
    /// The name of the stack, which is not in the template.
    pub name: &'a str,
    /// The template, with the short forms of functions in their long form.
    pub template: &'a Value,
    /// The contents of parameter files. Later files override earlier ones.
    pub parameters: &'a [(FileId, &'a Value)],
    /// Values of parameters and pseudo parameters (`AWS::Region`) that override the files.
    pub overrides: &'a [(Str, Value)],
    /// True to keep all values as written: functions, conditions and loops are not evaluated.
    pub raw: bool,
    /// A scenario from [`Expansion::scenarios`]; `None` for the given values and defaults.
    pub scenario: Option<&'a Scenario>,
    /// Loads the templates of nested stacks.
    pub loader: &'a dyn Loader,
    /// Limit on the work of the expansion.
    pub budget: &'a Budget<'a>,
}

/// The result of expanding a template.
#[derive(Debug)]
pub struct Expansion {
    /// The resources of the stack. `None` if the template or its `Resources` is not an object.
    pub document: Option<Document>,
    /// The literals that are secret, if there is no document to hide them.
    pub secrets: Vec<Span>,
    /// Values that break a constraint of their parameter, and SAM resources that lack what their expansion needs.
    pub breaches: Vec<Breach>,
    /// Problems of the template and the parameter files.
    pub diagnostics: Vec<Diagnostic>,
    /// Scenarios in which resources or branches are deployed that the given values leave out. None for a request of
    /// one.
    pub scenarios: Vec<Scenario>,
    /// Assumptions of the request's scenario.
    pub assumed: Assumed,
}

/// A violation that a built-in check reports in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The built-in check that finds it.
    pub check: Check,
    /// Path of the parameter or the property in the template.
    pub path: String,
    /// The problem in one sentence.
    pub message: String,
    /// The text of the value.
    pub span: Span,
    /// True if the violation is reported only when all checks are enabled.
    pub is_pedantic: bool,
    /// The severity, if it differs from that of the check.
    pub severity: Option<Severity>,
    /// Path and span of each further place with the same cause.
    pub further: Vec<(String, Span)>,
}

/// Returns the checks that this crate declares.
pub fn checks() -> impl Iterator<Item = Check> {
    structure::CHECKS.iter().chain([&sam::CHECKS, &secrets::CHECKS]).copied().flatten().copied()
}

/// Expands a template with one set of parameters.
pub fn expand(request: &Request<'_>) -> Expansion {
    let world = world::World::new(request.budget);
    let service = serverless_framework::service(request.template);
    let of_service = service.as_ref().map(|service| Request { template: &service.template, ..*request });
    let request = of_service.as_ref().unwrap_or(request);
    let assembled = assemble::document(request, service.as_ref().map(|service| &service.made), &world);
    let (mut breaches, diagnostics) = world.into_problems();
    if request.scenario.is_some() {
        // Nobody gave the values of a scenario.
        breaches.retain(|breach| breach.check != PARAMETER_CONSTRAINT);
    }
    let Assembled { document, secrets, scenarios, assumed } = assembled;
    Expansion { document, secrets, breaches, diagnostics, scenarios, assumed }
}
