//! Functions between texts, Base64 and JSON.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string#base64>.

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::arm::dotnet::base64;
use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Function, exactly, pure};
use crate::model::Limits;
use crate::syntax::json;
use crate::value::{Data, Kind, Member, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("base64", exactly(1), Kind::String, to_base64),
    pure("base64ToJson", exactly(1), Kind::Any, base64_to_json),
    pure("base64ToString", exactly(1), Kind::String, base64_to_string),
    pure("json", exactly(1), Kind::Any, json),
];

/// `base64(text)`. Of its UTF-8.
fn to_base64(args: Args<'_>) -> Result<Value, Fault> {
    let text: &str = args.at(0)?;
    Ok(Value::from(base64::encode(text.as_bytes())))
}

/// `base64ToString(text)`. What is not UTF-8 becomes replacement characters.
fn base64_to_string(args: Args<'_>) -> Result<Value, Fault> {
    decoded(args).map(Value::from)
}

/// `base64ToJson(text)`
fn base64_to_json(args: Args<'_>) -> Result<Value, Fault> {
    parsed(args, &decoded(args)?)
}

/// `json(text)`. Any JSON value, read as leniently as a template is.
fn json(args: Args<'_>) -> Result<Value, Fault> {
    parsed(args, args.at(0)?)
}

fn decoded(args: Args<'_>) -> Result<String, Fault> {
    match base64::decode(args.at(0)?) {
        Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        None => Err(Fault::failed(format!("the text for `{}` is not Base64", args.function()))),
    }
}

fn parsed(args: Args<'_>, text: &str) -> Result<Value, Fault> {
    let depth = Limits::default().nesting;
    let read = |text: &str| json::parse_computed(&Arc::from(text), depth);
    let value = read(text).or_else(|problem| {
        // Authors who double the quotes once too often get what they meant.
        read(&text.replace("''", "'")).map_err(|_| problem)
    });
    let value = value.map_err(|it| Fault::failed(format!("the text for `{}` is not JSON: {it}", args.function())))?;
    Ok(without_duplicates(&value))
}

/// The same value without members that recur: the last value counts, in the place of the first.
fn without_duplicates(value: &Value) -> Value {
    match &value.data {
        Data::Array(items) => Value::array(items.iter().map(without_duplicates).collect()),
        Data::Object(object) => {
            let mut seen = FxHashSet::default();
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
