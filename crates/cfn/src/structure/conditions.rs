//! The declared conditions.
//!
//! Reference:
//! <https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference-conditions.html>.

use crate::loops::Declaration;
use crate::stack::Stack;
use crate::structure::names;
use crate::value::{Member, Value};

/// The functions that give a condition.
const FUNCTIONS: [&str; 5] = ["Condition", "Fn::And", "Fn::Equals", "Fn::Not", "Fn::Or"];

const EXPECTED: &str = "must be one of `Fn::And`, `Fn::Equals`, `Fn::Not`, `Fn::Or`, and `Condition`";

/// Number of conditions that `Fn::And` and `Fn::Or` combine.
const COMBINED: std::ops::RangeInclusive<usize> = 2..=10;

pub(super) fn check_conditions(stack: &Stack<'_>) {
    if stack.declared("Conditions").is_none() {
        return;
    }
    for Declaration { member, variables, .. } in stack.declarations("Conditions") {
        if variables.is_empty() {
            names::check_length(stack, member, "a condition");
        }
        match function(&member.value) {
            Some(_) => condition(stack, &member.value),
            None if member.value.is_null() || is_extended(stack, &member.value) => {}
            None => stack.refuse_name(member, format!("the condition `{}` {EXPECTED}", member.key)),
        }
    }
}

/// Returns the call that a condition consists of.
fn function(value: &Value) -> Option<&Member> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    object.iter().next().filter(|call| FUNCTIONS.contains(&&*call.key))
}

/// Returns `true` if a value is a call that is a condition only with the language extensions.
fn is_extended(stack: &Stack<'_>, value: &Value) -> bool {
    stack.has_extensions && super::call(value).is_some()
}

/// Checks a value that must be a condition. It is not deeper than the limit on nesting.
fn condition(stack: &Stack<'_>, value: &Value) {
    let Some(call) = function(value) else {
        if !is_extended(stack, value) {
            stack.refuse(value, format!("an operand {EXPECTED}"));
        }
        return;
    };
    match (&*call.key, call.value.as_array()) {
        ("Condition", _) => named(stack, call),
        ("Fn::And" | "Fn::Or", Some(parts)) if COMBINED.contains(&parts.len()) => {
            parts.iter().filter(|part| !part.is_null()).for_each(|part| condition(stack, part));
        }
        ("Fn::And" | "Fn::Or", _) => {
            refuse(stack, call, &format!("`{}` takes a list of 2 to 10 conditions", call.key));
        }
        ("Fn::Not", Some([inner])) if !inner.is_null() => condition(stack, inner),
        ("Fn::Not", _) => refuse(stack, call, "`Fn::Not` takes a list of one condition"),
        ("Fn::Equals", Some([_, _])) => {}
        _ => refuse(stack, call, "`Fn::Equals` takes a list of two values"),
    }
}

/// Functions that only the conditions of rules may call.
const OF_RULES: [&str; 6] =
    ["Fn::Contains", "Fn::EachMemberEquals", "Fn::EachMemberIn", "Fn::RefAll", "Fn::ValueOf", "Fn::ValueOfAll"];

/// Checks the condition of a rule, which may call more functions, but no conditions by name.
pub(super) fn of_rule(stack: &Stack<'_>, value: &Value) {
    let is_of_rules = super::call(value).is_some_and(|call| OF_RULES.contains(&&*call.key));
    match function(value) {
        Some(Member { key, value: parts, .. }) if matches!(&**key, "Fn::And" | "Fn::Or" | "Fn::Not") => {
            parts.as_array().into_iter().flatten().for_each(|part| of_rule(stack, part));
        }
        Some(_) => condition(stack, value),
        None if is_of_rules || value.is_null() => {}
        None => stack.refuse(value, "the condition of a rule must be the call of a function".to_owned()),
    }
}

/// Reports the argument of a call, or the call if the argument is `null`, which has no place.
fn refuse(stack: &Stack<'_>, call: &Member, message: &str) {
    if call.value.is_null() {
        stack.refuse_name(call, message.to_owned());
    } else {
        stack.refuse(&call.value, message.to_owned());
    }
}

/// Checks a reference to a condition by its name.
fn named(stack: &Stack<'_>, call: &Member) {
    match call.value.as_str() {
        Some(name) => names::condition(stack, name, call.value.span),
        None => refuse(stack, call, "`Condition` takes the name of a condition"),
    }
}
