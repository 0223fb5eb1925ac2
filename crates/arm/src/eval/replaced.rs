//! Strings of parameter files and default values with placeholders, which a tool replaces before the deployment.
//!
//! A default, as in `${NAME=default}`, is used as the Azure Developer CLI uses it: it converts the string to the declared
//! type of the parameter, and ignores one that it cannot convert. Reference: `armParameterFileValue` in
//! <https://github.com/Azure/azure-dev/blob/main/cli/azd/pkg/infra/provisioning/bicep/bicep_provider.go>.

use std::sync::Arc;

use arcstr::ArcStr;

use crate::syntax::json;
use crate::text::placeholders;
use crate::value::{Data, Ends, Kind, Member, Str, Unknown, Value};

/// Maximum depth of the JSON of a default.
const MAX_DEPTH: u32 = 64;

/// Returns `true` if `value` is a string with a placeholder.
pub fn has_placeholder(value: &Value) -> bool {
    value.as_str().is_some_and(|text| !placeholders(text).is_empty())
}

/// Returns `true` if all placeholders in the string have defaults.
pub(super) fn is_settled(value: &Value) -> bool {
    placeholders(value.as_str().unwrap_or_default()).iter().all(|found| found.default.is_some())
}

/// Returns the value that a string with placeholders gives to the parameter with this name and kind. `None` if the tool
/// passes no value. Unknown if a placeholder has no default.
pub(super) fn replaced_value(value: &Value, name: &str, kind: Kind, has_default: bool) -> Option<Value> {
    let filled = filled(value, &format!("the value of parameter `{name}`"));
    let Some(text) = filled.as_str() else {
        let as_declared = |unknown: &Arc<Unknown>| match kind {
            Kind::String | Kind::Any => Unknown::clone(unknown),
            _ => Unknown::new(kind, unknown.why.clone()),
        };
        let unknown = filled.as_unknown().map(as_declared).map(Value::unknown);
        return unknown.map(|unknown| Value { span: filled.span, via: filled.via.clone(), ..unknown });
    };
    let data = match kind {
        Kind::String | Kind::Any => return (!text.is_empty() || has_default).then_some(filled),
        Kind::Bool => truth(text).map(Data::Bool),
        Kind::Int => text.trim().parse().ok().map(Data::Int),
        _ => json::parse_computed(&ArcStr::from(text), MAX_DEPTH).ok().map(|parsed| parsed.data),
    };
    data.map(|data| Value { span: filled.span, via: filled.via.clone(), ..Value::new(data) })
}

/// Parses a Boolean like Go's `strconv.ParseBool`.
fn truth(text: &str) -> Option<bool> {
    match text {
        "1" | "t" | "T" | "true" | "TRUE" | "True" => Some(true),
        "0" | "f" | "F" | "false" | "FALSE" | "False" => Some(false),
        _ => None,
    }
}

/// Replaces placeholders by their defaults, and strings with a placeholder that has no default by unknown strings.
pub fn settled(value: &Value) -> Value {
    let settled = match &value.data {
        Data::String(_) if has_placeholder(value) => return filled(value, "the parameter file"),
        Data::Array(items) => Value::array(items.iter().map(settled).collect()),
        Data::Object(object) => {
            let member = |member: &Member| Member { value: settled(&member.value), ..member.clone() };
            Value::object(object.iter().map(member).collect())
        }
        _ => return value.clone(),
    };
    if settled.same(value) {
        return value.clone();
    }
    Value { span: value.span, via: value.via.clone(), ..settled }
}

/// Replaces the placeholders in a string by their defaults. Unknown between the first placeholder without a default and
/// the last; the reason says that `holder` has it.
fn filled(value: &Value, holder: &str) -> Value {
    let text = value.as_str().unwrap_or_default();
    let mut filled = String::with_capacity(text.len());
    let mut unknown: Option<(usize, usize, &str)> = None;
    let mut at = 0;
    for found in placeholders(text) {
        filled.push_str(text.get(at..found.range.start).unwrap_or_default());
        at = found.range.end;
        if let Some(default) = found.default {
            filled.push_str(default);
            continue;
        }
        let name = text.get(found.range).unwrap_or_default();
        let (start, _, first) = unknown.unwrap_or((filled.len(), 0, name));
        filled.push_str(name);
        unknown = Some((start, filled.len(), first));
    }
    filled.push_str(text.get(at..).unwrap_or_default());
    let result = match unknown {
        None => Value::from(filled),
        Some((start, end, name)) => {
            let part = |range: Option<&str>| range.unwrap_or_default().to_owned();
            let ends = Ends {
                start: part(filled.get(..start)),
                end: part(filled.get(end..)),
                is_filled: false,
                ..Ends::default()
            };
            let why = format!("{holder} has the placeholder `{name}`");
            Value::unknown(Unknown::like(Kind::String, why, Value::from(Str::from(filled))).between(ends))
        }
    };
    Value { span: value.span, via: value.via.clone(), ..result }
}
