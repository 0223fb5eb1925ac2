//! The names that a template declares.

use crate::loops::{PREFIX, is_computed};
use crate::stack::{MACRO, MAX_NAME, Stack};
use crate::text::Span;
use crate::value::Member;

/// Reports a declared name that is too long, or has other characters than letters and digits, and those in `more`.
/// `what` says what has the name.
pub(super) fn check_declared_name(stack: &Stack<'_>, member: &Member, what: (&str, &str)) {
    // The names in a loop are computed.
    if *member.key != *MACRO && !member.key.starts_with(PREFIX) {
        check_name(stack, &member.key, member.key_span.or(member.value.span), what);
    }
}

/// Reports a declared name that is too long. CloudFormation takes every character in the names of conditions.
pub(super) fn check_length(stack: &Stack<'_>, member: &Member, what: &str) {
    if *member.key != *MACRO && !member.key.starts_with(PREFIX) && member.key.chars().count() > MAX_NAME {
        stack.refuse_name(member, format!("the name of {what} has more than {MAX_NAME} characters"));
    }
}

/// Reports a name, like [`check_declared_name`], that is not computed.
pub(super) fn check_name(stack: &Stack<'_>, name: &str, span: Option<Span>, (what, more): (&str, &str)) {
    if name.chars().count() > MAX_NAME {
        stack.report_shape(span, format!("the name of {what} has more than {MAX_NAME} characters"));
    } else if name.is_empty() || !name.chars().all(|char| char.is_ascii_alphanumeric() || more.contains(char)) {
        stack.report_shape(span, format!("the name of {what}, `{name}`, must have only letters and digits"));
    }
}

/// Reports a condition that is not declared. The names in loops are computed, and so are some of those that refer to
/// them.
pub(super) fn condition(stack: &Stack<'_>, name: &str, span: Option<Span>) {
    let section = stack.section("Conditions");
    let is_declared = section.is_some_and(|section| section.get_exact(name).is_some());
    if !is_declared && !stack.has_open_conditions() && !is_computed(name) {
        stack.report_no_condition(span, name, section.into_iter().flatten().map(|member| &*member.key));
    }
}
