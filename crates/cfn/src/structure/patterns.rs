//! Patterns of events in rules of `EventBridge`.
//!
//! Reference: <https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-create-pattern.html>.

use crate::loops::Declaration;
use crate::model::{join_index, join_key};
use crate::schema::checks::SERVICE_VALUE;
use crate::stack::Stack;
use crate::structure::{call, is_macro};
use crate::value::Value;

/// Types of resources with a pattern in `EventPattern`.
const TYPES: [&str; 2] = ["AWS::Events::Archive", "AWS::Events::Rule"];

/// Types of events of SAM with a pattern in `Pattern`.
const EVENTS: [&str; 2] = ["CloudWatchEvent", "EventBridgeRule"];

/// The key whose value is a list of patterns, of which one must match.
const OR: &str = "$or";

/// Functions that return a string, whatever their arguments are.
const TEXTS: [&str; 3] = ["Fn::Base64", "Fn::Join", "Fn::Sub"];

pub(super) fn check_patterns(stack: &Stack<'_>) {
    for Declaration { member, path, .. } in stack.declarations("Resources") {
        let Some(resource) = member.value.as_object() else { continue };
        let Some(properties) = resource.get_exact("Properties").and_then(Value::as_object) else { continue };
        let type_name = resource.get_exact("Type").and_then(Value::as_str);
        let path = join_key(&path, "Properties");
        if type_name.is_some_and(|name| TYPES.contains(&name)) {
            if let Some(pattern) = properties.get_exact("EventPattern") {
                check_pattern(stack, pattern, &join_key(&path, "EventPattern"));
            }
        } else if type_name.is_some_and(|name| name.starts_with("AWS::Serverless::")) {
            let path = join_key(&path, "Events");
            for event in properties.get_exact("Events").and_then(Value::as_object).into_iter().flatten() {
                let kind = event.value.get("Type").and_then(Value::as_str);
                let pattern = event.value.get("Properties").and_then(|properties| properties.get("Pattern"));
                if let Some(pattern) = pattern.filter(|_| kind.is_some_and(|kind| EVENTS.contains(&kind))) {
                    let path = join_key(&join_key(&path, &event.key), "Properties");
                    check_pattern(stack, pattern, &join_key(&path, "Pattern"));
                }
            }
        }
    }
}

/// Reports a field whose value is not in a list.
fn check_pattern(stack: &Stack<'_>, pattern: &Value, path: &str) {
    if call(pattern).is_some() {
        return;
    }
    for member in pattern.as_object().into_iter().flatten().filter(|member| !is_macro(member)) {
        let (value, path) = (&member.value, join_key(path, &member.key));
        if *member.key == *OR {
            for (at, item) in value.as_array().into_iter().flatten().enumerate() {
                check_pattern(stack, item, &join_index(&path, at));
            }
        } else if is_single(value) {
            let message = format!("`{}` of an event pattern must be a list of values", member.key);
            stack.breach(SERVICE_VALUE, path, message, value.span.or(member.key_span));
        } else if value.as_object().is_some() {
            check_pattern(stack, value, &path);
        }
    }
}

/// Returns `true` if a value is certainly a string, a number, or a Boolean.
fn is_single(value: &Value) -> bool {
    let is_text = call(value).is_some_and(|call| TEXTS.contains(&&*call.key));
    is_text || value.as_unknown().is_none() && super::is_scalar(value)
}
