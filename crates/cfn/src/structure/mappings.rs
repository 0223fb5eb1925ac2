//! The mappings.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/mappings-section-structure.html>.

use crate::stack::Stack;
use crate::structure::{call, is_macro, is_scalar, kind, names};
use crate::value::Member;

/// The most mappings of a template.
const MAX: usize = 200;

pub(super) fn check_mappings(stack: &Stack<'_>) {
    let Some((mappings, span)) = stack.declared("Mappings") else { return };
    stack.refuse_more(("mappings", "Mappings"), mappings.len(), MAX, span);
    for mapping in mappings.iter().filter(|member| !is_macro(member)) {
        names::check_declared_name(stack, mapping, ("a mapping", ""));
        for row in rows(stack, mapping) {
            for cell in rows(stack, row) {
                value(stack, cell);
            }
        }
    }
}

/// Returns the members of a mapping, or of a row of it, which must be an object.
fn rows<'v>(stack: &Stack<'_>, member: &'v Member) -> impl Iterator<Item = &'v Member> {
    let object = member.value.as_object();
    if object.is_none() && !member.value.is_null() {
        let message = format!("`{}` in a mapping must be an object, found {}", member.key, kind(&member.value));
        stack.refuse(&member.value, message);
    }
    object.into_iter().flatten().filter(|member| !is_macro(member))
}

/// Checks that a value is a string, a number, or a list. CloudFormation does not look into the items of a list, except
/// for functions, which it does not evaluate here.
fn value(stack: &Stack<'_>, Member { key, value, .. }: &Member) {
    let is_list = value.as_array().is_some();
    let items = value.as_array().unwrap_or(std::slice::from_ref(value));
    for item in items.iter().filter(|item| !item.is_null()) {
        if let Some(call) = call(item) {
            stack.refuse(item, format!("`{key}` in a mapping calls `{}`; mappings cannot call functions", call.key));
        } else if !is_list && !is_scalar(item) {
            let message = format!("`{key}` in a mapping must be a string or a list, found {}", kind(item));
            stack.refuse(item, message);
        }
    }
}
