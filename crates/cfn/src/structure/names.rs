//! The names that a template declares.

use crate::loops::PREFIX;
use crate::stack::{MACRO, Stack};
use crate::text::Span;
use crate::value::Member;

/// The greatest length of a name, in characters.
const MAX_LENGTH: usize = 255;

/// Reports a declared name that is too long, or has other characters than letters and digits, and those in `more`. `what` says
/// what has the name.
pub(super) fn check(stack: &Stack<'_>, member: &Member, (what, more): (&str, &str)) {
    let name = &*member.key;
    // The names in a loop are computed.
    if name == MACRO || name.starts_with(PREFIX) {
        return;
    }
    if name.chars().count() > MAX_LENGTH {
        stack.refuse_name(member, format!("the name of {what} has more than {MAX_LENGTH} characters"));
    } else if name.is_empty() || !name.chars().all(|char| char.is_ascii_alphanumeric() || more.contains(char)) {
        stack.refuse_name(member, format!("the name of {what}, `{name}`, must have only letters and digits"));
    }
}

/// Reports a condition that is not declared.
pub(super) fn condition(stack: &Stack<'_>, name: &str, span: Option<Span>) {
    let Some(section) = stack.section("Conditions") else {
        return stack.report_undefined(span, || format!("there is no condition `{name}`"));
    };
    let is_computed = name.contains("${") || name.contains("&{");
    let may_be_in_loop = section.iter().any(|member| member.key.starts_with(PREFIX) || *member.key == *MACRO);
    if section.get_exact(name).is_none() && !is_computed && !may_be_in_loop {
        stack.report_undefined(span, || {
            let names = section.iter().map(|member| &*member.key);
            format!("there is no condition `{name}`{}", stack.world.suggestions.did_you_mean(name, names))
        });
    }
}
