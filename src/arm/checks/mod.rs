//! Built-in checks of the deployment itself: what no rule file could say, because it is about names, secrets and limits
//! of the template and not about a property of a resource.
//!
//! What breaks a constraint is found where values get their types (see [`Issue`](crate::model::Issue)); everything else is
//! found here, when a template has been processed.

mod credentials;
mod expressions;
mod limits;
mod names;
mod secrets;
#[cfg(test)]
mod tests;

use crate::arm::eval::{Evaluator, World};
use crate::model::{Document, join_key};
use crate::text::Span;
use crate::value::{Member, Value};

/// One template of a document, processed.
#[derive(Clone, Copy)]
pub(super) struct Subject<'a> {
    /// Sees what the expressions of the template see.
    pub(super) evaluator: &'a Evaluator<'a>,
    /// The template as it is written.
    pub(super) template: &'a Value,
    /// Its path in the file.
    pub(super) path: &'a str,
    /// Its outputs, evaluated.
    pub(super) outputs: &'a Value,
    /// How many resources it deploys, those of its loops included.
    pub(super) resources: usize,
    /// Whether its expressions are evaluated in the template around it.
    pub(super) is_outer: bool,
}

impl<'a> Subject<'a> {
    fn world(&self) -> &'a World<'a> {
        self.evaluator.world
    }

    /// The declarations of a section, `parameters` or `variables`.
    fn section(&self, name: &str) -> impl Iterator<Item = &'a Member> {
        self.template.get(name).and_then(Value::as_object).into_iter().flatten()
    }

    fn path_of(&self, section: &str, name: &str) -> String {
        join_key(&join_key(self.path, section), name)
    }

    /// Whether a compiler wrote it, such as Bicep. What only concerns the source is for that compiler to say.
    fn is_generated(&self) -> bool {
        self.template.get("metadata").and_then(|it| it.get("_generator")).is_some()
    }
}

/// Checks what is written, which is the same however often the template is used.
pub(super) fn check_text(subject: &Subject<'_>) {
    limits::check_expressions(subject);
    if subject.is_outer {
        secrets::check_outer_scope(subject);
        return;
    }
    names::check(subject);
    secrets::check_defaults(subject);
    secrets::check_parameter_names(subject);
}

/// Checks what one use of the template makes of it.
pub(super) fn check_values(subject: &Subject<'_>) {
    limits::check_counts(subject);
    secrets::check_outputs(subject);
    if !subject.is_outer {
        secrets::check_arguments(subject);
    }
}

/// Checks the resources of a document.
pub(super) fn check_resources(document: &Document, world: &World<'_>) {
    credentials::check(document, world);
}

/// The name of a declaration, or all of it.
fn name_span(member: &Member) -> Option<Span> {
    member.key_span.or(member.value.span)
}

/// The place of a section, by its name where that is known.
fn declared_section(subject: &Subject<'_>, name: &str) -> Option<Span> {
    subject.template.as_object()?.member(name).and_then(name_span)
}
