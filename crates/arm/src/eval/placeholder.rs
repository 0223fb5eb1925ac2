//! Values that depend on a placeholder, which stands for a part of the environment that the settings do not describe.
//!
//! Names and IDs contain placeholders, so that they can be shown and compared. A placeholder must not decide anything:
//! otherwise a template could choose the parts of it that are checked.
//!
//! # Invariant
//!
//! A value that depends on a part of the environment that the settings do not give has the trait `PLACEHOLDER`, and
//! decides nothing: a resource whose condition depends on one is checked as if it were deployed.

use crate::functions::Function;
use crate::value::{Data, Kind, Member, Traits, Unknown, Value};

/// Returns the value of a condition, a count, or another part that decides about a deployment. Unknown if it was
/// computed from a placeholder.
pub fn decisive(value: Value) -> Value {
    let is_plain = matches!(value.data, Data::Null | Data::Bool(_) | Data::Int(_) | Data::String(_));
    if !is_plain || !value.traits.has(Traits::PLACEHOLDER) {
        return value;
    }
    let why = "it depends on the environment of the deployment, which the settings do not describe";
    let kind = if value.is_null() { Kind::Any } else { value.kind() };
    let (span, via) = (value.span, value.via.clone());
    Value { span, via, ..Value::unknown(Unknown::like(kind, why, value)) }
}

/// Marks the result of a function if it depends on a placeholder among the arguments.
pub(super) fn marked(function: &Function, result: Value, arguments: &[Value]) -> Value {
    let has = |traits: Traits| arguments.iter().any(|value| value.traits.has(traits));
    if !has(Traits::PLACEHOLDER) {
        return result;
    }
    let is_container = |value: &Value| matches!(value.data, Data::Array(_) | Data::Object(_));
    let by_scalar = || arguments.iter().any(|value| !is_container(value) && value.traits.has(Traits::PLACEHOLDER));
    let is_decided = match function.name {
        // What an array or object holds does not change how much that is, nor the names of properties.
        "length" | "empty" => has(Traits::SHAPED) || by_scalar(),
        "contains" if arguments.first().is_some_and(|first| first.as_object().is_some()) => {
            has(Traits::SHAPED) || by_scalar()
        }
        "intersection" => true,
        "createArray" | "array" => has(Traits::SHAPED),
        "createObject" => {
            has(Traits::SHAPED) || arguments.iter().step_by(2).any(|key| key.traits.has(Traits::PLACEHOLDER))
        }
        _ if function.picks || is_container(&result) => has(Traits::SHAPED) || by_scalar(),
        _ => true,
    };
    if is_decided { dependent(result) } else { result }
}

/// Marks `value` and everything in it as computed from a placeholder.
pub fn dependent(value: Value) -> Value {
    let marked = match &value.data {
        Data::Array(items) => Value::array(items.iter().cloned().map(dependent).collect()),
        Data::Object(object) => {
            let marked = |member: &Member| Member { value: dependent(member.value.clone()), ..member.clone() };
            Value::object(object.iter().map(marked).collect())
        }
        _ => return value.with_traits(Traits::PLACEHOLDER),
    };
    let traits = marked.traits | value.traits | Traits::PLACEHOLDER | Traits::SHAPED;
    Value { span: value.span, via: value.via, traits, ..marked }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::lookup;

    #[test]
    fn what_is_made_of_a_placeholder_decides_nothing() {
        #[track_caller]
        fn check(function: &str, result: Value, arguments: &[Value], expected: bool) {
            let function = lookup(function).unwrap();
            let result = marked(function, result, arguments);
            assert_eq!(result.traits.has(Traits::PLACEHOLDER), expected, "{}", function.name);
            assert_eq!(decisive(result.clone()).as_unknown().is_some(), expected && result.as_array().is_none());
        }
        let name = Value::from("rg").with_traits(Traits::PLACEHOLDER);
        let holder = Value::array(vec![name.clone(), Value::from("a")]);
        check("equals", Value::from(true), &[name.clone(), Value::from("rg")], true);
        check("equals", Value::from(true), &[Value::from("a"), Value::from("a")], false);
        check("length", Value::from(2), std::slice::from_ref(&holder), false);
        check("length", Value::from(2), std::slice::from_ref(&name), true);
        check("first", Value::from("a"), std::slice::from_ref(&holder), false);
        check("contains", Value::from(true), &[holder, Value::from("a")], true);
        let object = Value::object(vec![Member::new("a", name.clone())]);
        check("contains", Value::from(true), &[object.clone(), Value::from("a")], false);
        check("contains", Value::from(true), &[object, name.clone()], true);
        let parts = marked(lookup("split").unwrap(), Value::array(vec![Value::from("rg")]), &[name, Value::from("-")]);
        assert!(parts.as_array().unwrap().iter().all(|part| part.traits.has(Traits::PLACEHOLDER)));
        check("length", Value::from(1), std::slice::from_ref(&parts), true);
        assert!(!Value::array(vec![parts]).traits.has(Traits::SHAPED), "it is about the value itself");
    }
}
