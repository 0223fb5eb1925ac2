//! Built-in checks of the deployment itself. They are about the names, secrets and limits of a template, which no rule
//! file can express: rules see the properties of resources.
//!
//! Violated constraints of parameters and outputs are found during the expansion, where values meet their types. The
//! checks here run on each template once it has been processed.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

pub(crate) mod ambiguous;
mod credentials;
mod expressions;
mod flows;
mod leaks;
mod limits;
mod location;
mod mentions;
mod names;
mod network;
mod placement;
#[cfg(test)]
mod refused;
mod regions;
mod roles;
mod secrets;
mod structure;
#[cfg(test)]
mod tests;
mod unclosed;

pub(super) use self::expressions::{each_call, is_inner_template};
pub(super) use self::leaks::Leak;
pub(super) use self::mentions::resource_type_of;
pub use self::{credentials::CREDENTIAL, names::UNUSED_VARIABLE, secrets::SECRET_IN_NESTED_TEMPLATE};
use crate::diagnostic::Check;
use crate::eval::{Evaluator, World};
use crate::model::{Document, MentionedType, join_key};
use crate::text::Span;
use crate::value::{Member, Value};

/// The checks that the files of this folder declare.
pub(super) const CHECKS: &[&[Check]] = &[
    credentials::CHECKS,
    leaks::CHECKS,
    location::CHECKS,
    names::CHECKS,
    network::CHECKS,
    regions::CHECKS,
    roles::CHECKS,
    secrets::CHECKS,
    unclosed::CHECKS,
];

/// A template that the expansion has processed, which is the subject of a check.
#[derive(Clone, Copy)]
pub(super) struct ProcessedTemplate<'a> {
    /// Sees the same parameters and variables as the expressions of the template.
    pub(super) evaluator: &'a Evaluator<'a>,
    /// The template as its author wrote it.
    pub(super) template: &'a Value,
    /// The template's path in its file.
    pub(super) path: &'a str,
    /// The evaluated `outputs` section.
    pub(super) outputs: &'a Value,
    /// Number of resources that the template deploys. Each iteration of a loop counts.
    pub(super) resources: usize,
    /// True for a nested template with outer scope: its expressions see the names of the enclosing template.
    pub(super) is_outer: bool,
}

impl<'a> ProcessedTemplate<'a> {
    fn world(&self) -> &'a World<'a> {
        self.evaluator.world
    }

    /// Returns the members of a section such as `parameters`, in the order of the text.
    fn section(&self, name: &str) -> impl Iterator<Item = &'a Member> {
        self.template.get(name).and_then(Value::as_object).into_iter().flatten()
    }

    fn path_of(&self, section: &str, name: &str) -> String {
        join_key(&join_key(self.path, section), name)
    }

    /// Returns `true` if a compiler such as Bicep generated the template. Checks that only concern the source are then
    /// left to the compiler's linter.
    fn is_generated(&self) -> bool {
        self.template.get("metadata").and_then(|metadata| metadata.get("_generator")).is_some()
    }
}

/// Runs the checks that depend only on the text of the template. They run once for each text, however often it is
/// deployed.
pub(super) fn check_text(subject: &ProcessedTemplate<'_>) {
    structure::check_structure(subject);
    placement::check_placement(subject);
    limits::check_expressions(subject);
    if subject.is_outer {
        secrets::check_outer_scope(subject);
        return;
    }
    names::check_uses(subject);
    unclosed::check_unclosed(subject);
    secrets::check_defaults(subject);
    secrets::check_parameter_types(subject);
}

/// Runs the checks that depend on the arguments of one deployment of the template. Adds the secrets that it shows to
/// `leaks`, which are reported for all deployments together.
pub(super) fn check_values(subject: &ProcessedTemplate<'_>, leaks: &mut Vec<Leak>) {
    limits::check_counts(subject);
    leaks::in_outputs(subject, leaks);
    if !subject.is_outer {
        leaks::in_arguments(subject, leaks);
    }
}

/// Adds the types of resources that the expressions of a template name. Runs once for each text.
pub(super) fn collect_mentions(subject: &ProcessedTemplate<'_>, mentioned: &mut Vec<MentionedType>) {
    mentions::collect(subject, mentioned);
}

/// Reports the secrets that the deployments show.
pub(super) fn report_leaks(leaks: Vec<Leak>, world: &World<'_>) {
    leaks::report(leaks, world);
}

/// Runs the checks of all expanded resources.
pub(super) fn check_resources(document: &Document, world: &World<'_>) {
    ambiguous::check_ambiguous_names(document, world);
    credentials::check_credentials(document, world);
    location::check_locations(document, world);
    regions::check_regions(document, world);
    network::check_networks(document, world);
    roles::check_role_assignments(document, world);
}

/// Returns the span of a declaration's name, or else of its value.
fn name_span(member: &Member) -> Option<Span> {
    member.key_span.or(member.value.span)
}

/// Returns the span of a section's name, or else of its value. `None` if the template does not have the section.
fn declared_section(subject: &ProcessedTemplate<'_>, name: &str) -> Option<Span> {
    subject.template.as_object()?.member(name).and_then(name_span)
}
