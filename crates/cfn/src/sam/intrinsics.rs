//! Reads and resolves intrinsic functions without evaluating the template, as the transform does.

use sha1_smol::Sha1;

use crate::functions::text_of;
use crate::pseudo;
use crate::stack::Stack;
use crate::value::{JsonStyle, Member, Str, Traits, Value};

/// Returns the function that a value calls: an object with one member.
pub(super) fn call(value: &Value) -> Option<&Member> {
    let object = value.as_object().filter(|object| object.len() == 1)?;
    let member = object.iter().next()?;
    (matches!(&*member.key, "Ref" | "Condition") || member.key.starts_with("Fn::")).then_some(member)
}

pub(super) fn is_intrinsic(value: &Value) -> bool {
    call(value).is_some()
}

/// Returns the condition and the two values of `Fn::If`.
pub(super) fn choice(value: &Value) -> Option<(&Str, &Value, &Value)> {
    let member = call(value).filter(|member| *member.key == *"Fn::If")?;
    match member.value.as_array()? {
        [condition, then, otherwise] => Some((condition.as_shared_str()?, then, otherwise)),
        _ => None,
    }
}

pub(super) fn is_no_value(value: &Value) -> bool {
    call(value).is_some_and(|call| *call.key == *"Ref" && call.value.as_str() == Some("AWS::NoValue"))
}

/// Returns the name in `Ref`, or the string itself.
pub(super) fn name_of(value: &Value) -> Option<&Str> {
    value.as_shared_str().or_else(|| ref_of(value))
}

/// Returns the name in `Ref`.
pub(super) fn ref_of(value: &Value) -> Option<&Str> {
    call(value).filter(|call| *call.key == *"Ref")?.value.as_shared_str()
}

/// Returns the logical ID in `Ref` or `Fn::GetAtt`.
pub(super) fn target_of(value: &Value) -> Option<Str> {
    let call = call(value)?;
    match &*call.key {
        "Ref" => call.value.as_shared_str().cloned(),
        "Fn::GetAtt" => match call.value.as_array() {
            Some([id, _]) => id.as_shared_str().cloned(),
            Some(_) => None,
            None => Some(Str::from(call.value.as_str()?.split_once('.')?.0)),
        },
        _ => None,
    }
}

/// Returns `${X}` or `${X.Y}`: what stands for `Ref` or `Fn::GetAtt` in `Fn::Sub`.
pub(super) fn shorthand(value: &Value) -> String {
    let Some(call) = call(value) else { return String::new() };
    match call.value.as_array() {
        Some(parts) => {
            let parts: Vec<&str> = parts.iter().filter_map(Value::as_str).collect();
            format!("${{{}}}", parts.join("."))
        }
        None => format!("${{{}}}", call.value.as_str().unwrap_or_default()),
    }
}

/// Returns the value with references to parameters replaced by their known values, also in `Fn::Sub`.
pub(super) fn resolved(stack: &Stack<'_>, value: &Value) -> Value {
    if let Some(call) = call(value) {
        let known = match &*call.key {
            "Ref" => call.value.as_str().and_then(|name| parameter(stack, name)),
            "Fn::FindInMap" => find_in_map(stack, call),
            _ => None,
        };
        if let Some(known) = known {
            return known;
        }
        if let (true, Some(text)) = (*call.key == *"Fn::Sub", call.value.as_str()) {
            let text = Value { span: call.value.span, ..Value::from(substituted(stack, text)) };
            let member = Member { value: text, ..call.clone() };
            return Value { span: value.span, ..Value::object(vec![member]) };
        }
    }
    if let Some(items) = value.as_array() {
        let items = items.iter().map(|item| resolved(stack, item)).collect();
        return Value { span: value.span, via: value.via.clone(), ..Value::array(items) };
    }
    let Some(object) = value.as_object() else { return value.clone() };
    let member = |member: &Member| Member { value: resolved(stack, &member.value), ..member.clone() };
    Value { span: value.span, via: value.via.clone(), ..Value::object(object.iter().map(member).collect()) }
}

/// Returns the known value of a parameter or a pseudo parameter. Names are made of it, which are shown, so that of a
/// secret is not taken.
fn parameter(stack: &Stack<'_>, name: &str) -> Option<Value> {
    pseudo::value(name, &stack.arguments)
        .or_else(|| stack.parameter(name))
        .filter(|value| !value.traits.has(Traits::UNKNOWN) && !value.traits.has(Traits::SECRET))
}

fn find_in_map(stack: &Stack<'_>, call: &Member) -> Option<Value> {
    let [name, first, second] = call.value.as_array()? else { return None };
    let [name, first, second] = [name, first, second].map(|key| resolved(stack, key));
    let mapping = stack.section("Mappings")?.get_exact(name.as_str()?)?;
    mapping.as_object()?.get_exact(&text_of(&first)?)?.as_object()?.get_exact(&text_of(&second)?).cloned()
}

/// Returns the text with `${Parameter}` replaced by the known values of parameters.
fn substituted(stack: &Stack<'_>, text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        result.push_str(before);
        let Some((name, after)) = after.split_once('}') else {
            result.push_str("${");
            rest = after;
            continue;
        };
        let known = parameter(stack, name);
        match known.as_ref().and_then(text_of).filter(|known| stack.world.spend(known.len(), None)) {
            Some(known) => result.push_str(&known),
            None => result.extend(["${", name, "}"]),
        }
        rest = after;
    }
    result.push_str(rest);
    result
}

/// Returns the hash at the end of generated logical IDs: the start of the SHA-1 of the string, or of the sorted JSON.
pub(super) fn hash(value: &Value) -> String {
    match value.as_str() {
        Some(text) => digest(text),
        None => digest(&value.to_json_as(JsonStyle::SORTED)),
    }
    .chars()
    .take(10)
    .collect()
}

/// Returns the SHA-1 of a text, in hexadecimal digits.
pub(super) fn digest(text: &str) -> String {
    Sha1::from(text).digest().to_string()
}

/// Returns a logical ID that ends with a stage, or with the hash of a stage that has other characters.
pub(super) fn id_with(prefix: &str, suffix: &str) -> Str {
    let is_plain = !suffix.is_empty() && suffix.chars().all(char::is_alphanumeric);
    match suffix {
        "" => Str::from(prefix),
        _ if is_plain => Str::from(format!("{prefix}{suffix}")),
        _ => Str::from(format!("{prefix}{}", hash(&Value::from(suffix)))),
    }
}
