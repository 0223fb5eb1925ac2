//! `null`, which CloudFormation takes nowhere.

use crate::stack::Stack;
use crate::value::{Object, Value};

/// Reports each `null` in a template. One without resources is reported where they are read.
pub(super) fn check_nulls(stack: &Stack<'_>, template: &Object) {
    members(stack, template, "Resources");
}

/// Reports the members that are `null`, but for one of this name. They are not deeper than the limit on nesting.
fn members(stack: &Stack<'_>, object: &Object, except: &str) {
    for member in object {
        if member.value.is_null() && *member.key != *except {
            stack.refuse_name(member, format!("`{}` has no value, and CloudFormation refuses `null`", member.key));
        }
        within(stack, &member.value);
    }
}

fn within(stack: &Stack<'_>, value: &Value) {
    if let Some(object) = value.as_object() {
        // Templates that AWS publishes ask so for the zones of their Region.
        members(stack, object, "Fn::GetAZs");
    }
    for item in value.as_array().into_iter().flatten() {
        if item.is_null() {
            stack.refuse(item, "CloudFormation refuses `null` in a list".to_owned());
        }
        within(stack, item);
    }
}
