//! Expressions that a file has escaped because a template deploys its text.
//!
//! Enterprise-Scale writes `[[parameters('effect')]` in its definitions, which the deployment turns into
//! `[parameters('effect')]`.

use crate::value::{Data, Member, Str, Value};

/// Removes the escapes from a document, if it has any where policies have expressions.
pub(super) fn resolve(document: &Value) -> Value {
    if is_escaped(document, "") { unescaped(document) } else { document.clone() }
}

/// True if the effect, a field, a value, or a parameter is an escaped expression. The template that a definition
/// deploys has its own escapes and is skipped.
fn is_escaped(value: &Value, name: &str) -> bool {
    if name.eq_ignore_ascii_case("deployment") {
        return false;
    }
    match &value.data {
        Data::String(text) => {
            let is_expression = ["effect", "field", "value"].iter().any(|known| known.eq_ignore_ascii_case(name));
            is_expression && text.starts_with("[[")
        }
        Data::Array(items) => items.iter().any(|item| is_escaped(item, name)),
        Data::Object(object) => object.iter().any(|member| is_escaped(&member.value, &member.key)),
        _ => false,
    }
}

fn unescaped(value: &Value) -> Value {
    match &value.data {
        Data::String(text) => match text.strip_prefix('[').filter(|rest| rest.starts_with('[')) {
            Some(rest) => Value { data: Data::String(Str::from(rest)), ..value.clone() },
            None => value.clone(),
        },
        Data::Array(items) => with_place(Value::array(items.iter().map(unescaped).collect()), value),
        Data::Object(object) => {
            let members = object.iter().map(|member| Member { value: unescaped(&member.value), ..member.clone() });
            with_place(Value::object(members.collect()), value)
        }
        _ => value.clone(),
    }
}

fn with_place(value: Value, written: &Value) -> Value {
    Value { span: written.span, ..value }
}
