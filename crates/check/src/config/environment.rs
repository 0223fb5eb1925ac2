//! `PSRULE_CONFIGURATION_*`: settings from the environment.

use crate::config::{Origin, Settings, keys, reader};
use crate::diagnostic::{Code, Diagnostic};
use crate::syntax;
use crate::text::Sources;
use crate::value::{Kind, Member, Value};

const PREFIX: &str = "PSRULE_CONFIGURATION_";

/// Takes over the variables whose name is the prefix and a known key.
pub(super) fn apply(
    origin: &Origin<'_>,
    sources: &Sources,
    settings: &mut Settings,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut members = Vec::new();
    for (name, text) in origin.environment {
        let Some(key) = key_of(name) else { continue };
        let Some(kind) = keys::kind_of(key) else {
            continue;
        };
        let file = sources.add(format!("environment variable {name}"), text.as_str());
        let value = match kind {
            Kind::Object => {
                let source = sources.get(file);
                let parsed = syntax::json::parse(file, source.text(), origin.limits.nesting);
                parsed.value.filter(|value| value.as_object().is_some())
            }
            _ => scalar(kind, text),
        };
        match value {
            Some(value) => members.push(Member::new(key, value)),
            None => diagnostics.push(Diagnostic::of_file(
                Code::ConfigInvalid,
                file,
                format!("`{key}`: expected {}", reader::with_article(kind)),
            )),
        }
    }
    if !members.is_empty() {
        reader::merge_configuration(settings, &Value::object(members));
    }
}

fn key_of(variable: &str) -> Option<&str> {
    let (prefix, key) = variable.split_at_checked(PREFIX.len())?;
    prefix.eq_ignore_ascii_case(PREFIX).then_some(key)
}

fn scalar(kind: Kind, text: &str) -> Option<Value> {
    match kind {
        Kind::Bool => match text.to_ascii_lowercase().as_str() {
            "true" | "1" => Some(Value::from(true)),
            "false" | "0" => Some(Value::from(false)),
            _ => None,
        },
        Kind::Int => text.parse::<i64>().ok().map(Value::from),
        Kind::Array => {
            let items = text.split(';').filter(|item| !item.is_empty());
            Some(Value::array(items.map(Value::from).collect()))
        }
        _ => Some(Value::from(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: Kind, text: &str, expected: Option<&str>) {
        assert_eq!(scalar(kind, text).map(|value| value.to_json()).as_deref(), expected);
    }

    #[test]
    fn strings_become_values_of_the_kind_of_their_key() {
        check(Kind::Bool, "True", Some("true"));
        check(Kind::Bool, "0", Some("false"));
        check(Kind::Bool, "maybe", None);
        check(Kind::Int, "5", Some("5"));
        check(Kind::Int, "five", None);
        check(Kind::Array, "eastus;westus", Some(r#"["eastus","westus"]"#));
        check(Kind::String, "0.4.451", Some(r#""0.4.451""#));
    }
}
