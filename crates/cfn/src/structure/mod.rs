//! Checks for errors for which CloudFormation refuses a template whatever the values of its parameters are: in
//! sections, declarations, calls of functions, and references. Evaluation visits only the branches that are selected;
//! these checks visit all branches as written.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/template-anatomy.html>.
//!
//! # Invariant
//!
//! Where a macro may change a template, or an include may declare names, nothing is reported that they could still
//! correct.

mod actions;
mod arns;
mod calls;
mod conditions;
mod dynamic;
mod globals;
mod machines;
mod mappings;
mod metadata;
mod names;
pub(crate) mod nested;
mod nulls;
mod outputs;
mod parameters;
mod patterns;
mod policies;
mod principals;
mod resources;
mod rules;
mod sections;
#[cfg(test)]
mod tests;
mod unused;
#[cfg(test)]
mod value_tests;

use crate::Breach;
use crate::diagnostic::common_checks::{TEMPLATE_LIMITS, TEMPLATE_PROPERTY};
use crate::diagnostic::{Check, Severity};
use crate::model::join_key;
use crate::stack::{MACRO, Stack};
use crate::text::{Span, cut};
use crate::value::{Member, Object, Value};

/// The checks that the files of this folder declare.
pub(crate) const CHECKS: &[&[Check]] = &[calls::CHECKS, metadata::CHECKS, policies::CHECKS, unused::CHECKS];

/// The greatest length of a name in a message, in bytes.
const MAX_SHOWN: usize = 100;

/// Reports what CloudFormation refuses of a template as its author wrote it. A macro may change anything, so such a
/// template is left alone.
pub(super) fn check_structure(stack: &Stack<'_>) {
    let Some(template) = stack.template.as_object() else { return };
    sections::transform(stack, template);
    if stack.has_macros {
        return;
    }
    sections::check_sections(stack, template);
    parameters::check_parameters(stack);
    mappings::check_mappings(stack);
    metadata::check_metadata(stack);
    rules::check_rules(stack);
    conditions::check_conditions(stack);
    resources::check_resources(stack);
    globals::check_globals(stack);
    outputs::check_outputs(stack);
    policies::check_policies(stack);
    machines::check_state_machines(stack);
    patterns::check_patterns(stack);
    // The functions of a service may use a name, too.
    if stack.made.is_none() {
        unused::check_unused(stack, template);
    }
    // The transform of SAM reads `null` where it makes nothing of it.
    if !stack.is_serverless {
        nulls::check_nulls(stack, template);
    }
}

/// Reports calls that CloudFormation refuses, and names that nothing declares. The logical IDs are known, and
/// transforms are applied.
pub(super) fn check_calls(stack: &Stack<'_>, outputs: &nested::Outputs) {
    if !stack.has_macros && !stack.may_include_names() {
        calls::check_calls(stack, outputs);
    }
}

/// Reports the name of a resource that a loop computes.
pub(super) fn check_name(stack: &Stack<'_>, name: &str, span: Option<Span>) {
    if !stack.has_macros {
        resources::check_name(stack, name, span);
    }
}

/// Reports the name of an output that a loop computes.
pub(super) fn check_output_name(stack: &Stack<'_>, name: &str, span: Option<Span>) {
    if !stack.has_macros {
        outputs::check_name(stack, name, span);
    }
}

impl Stack<'_> {
    /// Reports a value that is not what CloudFormation expects in its place.
    fn refuse(&self, value: &Value, message: String) {
        self.report_shape(value.span, message);
    }

    /// Reports a name that CloudFormation refuses.
    fn refuse_name(&self, member: &Member, message: String) {
        self.report_shape(member.key_span.or(member.value.span), message);
    }

    /// Reports members that CloudFormation does not know as findings of a check. `what` is what they are members of,
    /// and `path` its path.
    fn refuse_unknown(&self, check: Check, object: &Object, (what, path): (&str, &str), known: &[&str]) {
        for (member, message) in self.unknown_members(object, what, known) {
            self.breach(check, join_key(path, &member.key), message, member.span());
        }
    }

    /// Reports members that CloudFormation ignores, in a part of the template that only its console reads.
    fn report_ignored(&self, object: &Object, (what, path): (&str, &str), known: &[&str]) {
        for (member, message) in self.unknown_members(object, what, known) {
            let path = join_key(path, &member.key);
            self.breach_with(Severity::Medium, (TEMPLATE_PROPERTY, path), message, member.span());
        }
    }

    /// Returns the members of an object that are not among the known ones, each with a message.
    fn unknown_members<'o>(
        &self,
        object: &'o Object,
        what: &str,
        known: &[&str],
    ) -> impl Iterator<Item = (&'o Member, String)> {
        object.iter().filter(|member| !known.contains(&&*member.key) && !is_macro(member)).map(move |member| {
            let hint = self.world.suggestions.did_you_mean(&member.key, known.iter().copied());
            (member, format!("{what} has no `{}`{hint}", cut(&member.key, MAX_SHOWN)))
        })
    }

    /// Reports that there is more of something than CloudFormation takes.
    fn refuse_more(&self, (what, path): (&str, &str), count: usize, most: usize, span: Option<Span>) {
        if count > most {
            let message = format!("the template has {count} {what}; CloudFormation takes at most {most}");
            self.breach(TEMPLATE_LIMITS, path.to_owned(), message, span);
        }
    }

    fn breach(&self, check: Check, path: String, message: String, span: Option<Span>) {
        if let Some(span) = span {
            self.world.report_breach(Breach {
                check,
                path,
                message,
                span,
                is_pedantic: false,
                severity: None,
                further: Vec::new(),
            });
        }
    }

    /// Reports a finding with another severity than that of its check.
    fn breach_with(&self, severity: Severity, (check, path): (Check, String), message: String, span: Option<Span>) {
        if let Some(span) = span {
            let (severity, further) = (Some(severity), Vec::new());
            self.world.report_breach(Breach { check, path, message, span, is_pedantic: false, severity, further });
        }
    }

    /// Reports what CloudFormation takes, but people may not want.
    pub(super) fn remark(&self, check: Check, path: String, message: String, span: Option<Span>) {
        if let Some(span) = span {
            self.world.report_breach(Breach {
                check,
                path,
                message,
                span,
                is_pedantic: true,
                severity: None,
                further: Vec::new(),
            });
        }
    }

    /// Returns the members of a section that must be an object, with the span of its key.
    fn declared(&self, name: &str) -> Option<(&Object, Option<Span>)> {
        let section = self.template.as_object()?.member(name).filter(|member| *member.key == *name)?;
        if let Some(object) = section.value.as_object() {
            return Some((object, section.key_span));
        }
        // What is wrong with `Resources` is reported where they are read, and `null` with all other `null`s.
        if name != "Resources" && !section.value.is_null() {
            let message = format!("`{name}` must be an object, found {}", kind(&section.value));
            self.refuse_name(section, message);
        }
        None
    }
}

/// Returns `true` if a member is a call of a macro, which CloudFormation replaces.
fn is_macro(member: &Member) -> bool {
    *member.key == *MACRO
}

/// Returns the only member of an object, if it can be the call of a function.
fn call(value: &Value) -> Option<&Member> {
    crate::functions::called(value.as_object()?)
}

/// Returns the kind of a value for messages: "a value of kind `array`".
fn kind(value: &Value) -> String {
    format!("a value of kind `{}`", value.kind().as_str())
}

/// Returns `true` if a value is a string, a number, or a Boolean.
fn is_scalar(value: &Value) -> bool {
    !value.is_null() && value.as_array().is_none() && value.as_object().is_none()
}

/// Returns `true` if a value is a string or a number. YAML reads some strings, such as dates, as numbers.
fn is_text(value: &Value) -> bool {
    is_scalar(value) && value.as_bool().is_none()
}
