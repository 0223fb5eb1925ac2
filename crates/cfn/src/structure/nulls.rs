//! `null`, which CloudFormation takes nowhere.

use crate::stack::Stack;
use crate::value::{Object, Value};

/// Reports each `null` in a template.
pub(super) fn check(stack: &Stack<'_>, template: &Object) {
    for member in template {
        // A template without resources is reported where they are read.
        if member.value.is_null() && *member.key != *"Resources" {
            stack.refuse_name(member, format!("`{}` has no value, and CloudFormation refuses `null`", member.key));
        }
        find(stack, &member.value);
    }
}

/// The value is not deeper than the limit on nesting.
fn find(stack: &Stack<'_>, value: &Value) {
    for member in value.as_object().into_iter().flatten() {
        // Templates that AWS publishes ask so for the zones of their Region.
        if member.value.is_null() && *member.key != *"Fn::GetAZs" {
            stack.refuse_name(member, format!("`{}` has no value, and CloudFormation refuses `null`", member.key));
        }
        find(stack, &member.value);
    }
    for item in value.as_array().into_iter().flatten() {
        if item.is_null() {
            stack.refuse(item, "CloudFormation refuses `null` in a list".to_owned());
        }
        find(stack, item);
    }
}
