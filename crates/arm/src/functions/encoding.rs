//! Functions that convert between strings, Base64 and JSON.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string#base64>.

use ::base64::prelude::{BASE64_STANDARD, Engine as _};
use arcstr::ArcStr;
use foldhash::HashSet;

use crate::dotnet::base64;
use crate::fault::Fault;
use crate::functions::{Args, Function, exactly, pure};
use crate::syntax::json;
use crate::value::{Data, Kind, Member, Traits, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("base64", exactly(1), Kind::String, to_base64),
    pure("base64ToJson", exactly(1), Kind::Any, base64_to_json),
    pure("base64ToString", exactly(1), Kind::String, base64_to_string),
    pure("json", exactly(1), Kind::Any, json),
];

/// `base64(inputString)`: encodes the UTF-8 bytes of a string.
fn to_base64(args: Args<'_>) -> Result<Value, Fault> {
    let text: &str = args.at(0)?;
    Ok(Value::from(BASE64_STANDARD.encode(text)))
}

/// `base64ToString(base64Value)`: bytes that are not UTF-8 become replacement characters.
fn base64_to_string(args: Args<'_>) -> Result<Value, Fault> {
    decoded(args).map(Value::from)
}

/// `base64ToJson(base64Value)`: decodes Base64 and parses the result as JSON.
fn base64_to_json(args: Args<'_>) -> Result<Value, Fault> {
    parsed(args, &decoded(args)?)
}

/// `json(arg1)`: parses any JSON value, in the lenient dialect that templates are written in.
fn json(args: Args<'_>) -> Result<Value, Fault> {
    parsed(args, args.at(0)?)
}

fn decoded(args: Args<'_>) -> Result<String, Fault> {
    match base64::decode(args.at(0)?) {
        Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        None => Err(Fault::failed(format!("the argument of `{}` is not Base64", args.function()))),
    }
}

fn parsed(args: Args<'_>, text: &str) -> Result<Value, Fault> {
    let depth = args.limits().nesting;
    let read = |text: &str| json::parse_computed(&ArcStr::from(text), depth);
    let value = read(text).or_else(|problem| {
        // Templates that double the quotes of a string once too often are read as they are meant.
        let halved = text.contains("''").then(|| read(&text.replace("''", "'")).ok()).flatten();
        halved.ok_or(problem)
    });
    let value = value.map_err(|problem| {
        let function = args.function();
        // The problem quotes a part of the string.
        let secret = args.values().iter().any(|argument| argument.traits.has(Traits::SECRET));
        let detail = if secret { String::new() } else { format!(": {problem}") };
        Fault::failed(format!("the argument of `{function}` is not JSON{detail}"))
    })?;
    Ok(without_duplicates(&value))
}

/// Removes duplicate members from all objects: the last value overrides the others, at the position of the first.
fn without_duplicates(value: &Value) -> Value {
    match &value.data {
        Data::Array(items) => Value::array(items.iter().map(without_duplicates).collect()),
        Data::Object(object) => {
            let mut seen = HashSet::default();
            let first = object.iter().filter(|member| seen.insert(&*member.key));
            let settled = first.map(|member| {
                let last = object.get_exact(&member.key).unwrap_or(&member.value);
                Member::new(member.key.clone(), without_duplicates(last))
            });
            Value::object(settled.collect())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::{call, fails};

    #[test]
    fn json_is_read_leniently() {
        for (text, expected) in [
            (r#"{a: 'b', "c": [1, ], /* d */}"#, r#"{"a":"b","c":[1]}"#),
            (r"{''a'': ''''}", r#"{"a":""}"#),
            ("0x1F", "31"),
            ("010", "8"),
            (".5e1", "5.0"),
            ("-01", "-1"),
        ] {
            assert_eq!(call("json", &[text.into()]), expected);
        }
        for text in ["08", "0x", "+1", "1_0", "--1", "1e", ".", "-", "0xG", "1-2"] {
            fails("json", &[text.into()]);
        }
    }

    #[test]
    fn the_last_of_several_members_counts() {
        let text = r#"[{"b": 1, "a": {"x": 1, "x": 2}, "b": 3, "B": 4}]"#;
        assert_eq!(call("json", &[text.into()]), r#"[{"b":3,"a":{"x":2},"B":4}]"#);
    }

    #[test]
    fn a_failure_does_not_reveal_a_secret() {
        let secret = Value::from("hunter2").with_traits(Traits::SECRET);
        assert_eq!(fails("json", &[secret]), "the argument of `json` is not JSON");
        assert_eq!(fails("json", &["x".into()]), "the argument of `json` is not JSON: expected a value, found `x`");
    }
}
