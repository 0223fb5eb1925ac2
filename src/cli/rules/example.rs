//! The example of a rule, written in the languages of templates.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use crate::diagnostic::RuleInfo;

/// The resource name in each example.
const NAME: &str = "example";

/// The example of a rule in one language.
pub(super) struct LanguageExample {
    /// The name of the language to show.
    pub(super) language: &'static str,
    /// The name of the language on fences in Markdown.
    pub(super) fence: &'static str,
    /// A template that fails the rule.
    pub(super) before: String,
    /// A similar template that passes the rule.
    pub(super) after: String,
}

/// Returns the example in each language in which it can be written. Empty if the rule has no example.
pub(super) fn languages(info: &RuleInfo) -> Vec<LanguageExample> {
    let Some([before, after]) = whole(info) else { return Vec::new() };
    if is_of_aws(info) {
        let write = |value: &Value| {
            let mut text = "Resources:\n".to_owned();
            yaml(&mut text, value, 1);
            text
        };
        return vec![LanguageExample { language: "YAML", fence: "yaml", before: write(&before), after: write(&after) }];
    }
    let (before, after) = (as_items(&before), as_items(&after));
    let mut shown = Vec::new();
    // Template expressions would have to be translated to Bicep.
    if !before.iter().chain(&after).any(has_expression) {
        let write = |all: &[Value]| all.iter().map(bicep_resource).collect::<Vec<_>>().join("\n");
        shown.push(LanguageExample { language: "Bicep", fence: "bicep", before: write(&before), after: write(&after) });
    }
    let write = |all: &[Value]| all.iter().map(|one| format!("{one:#}\n")).collect::<Vec<_>>().join("\n");
    shown.push(LanguageExample { language: "JSON", fence: "json", before: write(&before), after: write(&after) });
    shown
}

fn as_items(value: &Value) -> Vec<Value> {
    value.as_array().cloned().unwrap_or_default()
}

/// Returns the resources of the example of a rule, before and after: an array for Azure, and an object with logical
/// names for AWS. `None` if the rule has no example.
pub(super) fn whole(info: &RuleInfo) -> Option<[Value; 2]> {
    let example = info.details.example.as_ref()?;
    let type_name = info.resource_types.first().map_or("", String::as_str);
    Some([&example.before, &example.after].map(|text| {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        if is_of_aws(info) {
            stack(&value, type_name)
        } else {
            resources(&value, type_name, example.api_version.as_deref())
        }
    }))
}

fn is_of_aws(info: &RuleInfo) -> bool {
    info.resource_types.iter().any(|one| one.contains("::"))
}

/// Returns the resources of an example for Azure. An example that is not an array is part of one resource.
fn resources(value: &Value, type_name: &str, version: Option<&str>) -> Value {
    let part = match value {
        Value::Array(_) => return value.clone(),
        Value::Object(part) => part.clone(),
        _ => Map::new(),
    };
    // The name of a child has one segment more than that of its parent.
    let name = vec![NAME; type_name.split('/').count().saturating_sub(1).max(1)].join("/");
    let mut whole = Map::new();
    whole.insert("type".into(), type_name.into());
    whole.insert("apiVersion".into(), version.unwrap_or_default().into());
    whole.insert("name".into(), name.into());
    whole.extend(part);
    Value::Array(vec![Value::Object(whole)])
}

/// Returns whether a value contains a template expression.
fn has_expression(value: &Value) -> bool {
    match value {
        Value::String(text) => text.starts_with('[') && !text.starts_with("[["),
        Value::Array(items) => items.iter().any(has_expression),
        Value::Object(members) => members.values().any(has_expression),
        _ => false,
    }
}

/// Returns the Bicep declaration of a resource.
fn bicep_resource(resource: &Value) -> String {
    let text = |name: &str| resource.get(name).and_then(Value::as_str).unwrap_or_default();
    let body: Map<String, Value> = resource
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(name, _)| !matches!(name.as_str(), "type" | "apiVersion"))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    let symbol: String =
        text("name").rsplit('/').next().unwrap_or_default().chars().filter(char::is_ascii_alphanumeric).collect();
    let declared = format!("{}@{}", text("type"), text("apiVersion"));
    format!("resource {symbol} {} = {}\n", bicep_string(&declared), bicep(&Value::Object(body), 0))
}

/// Returns the Bicep literal of a value at an indentation of `depth` levels.
fn bicep(value: &Value, depth: usize) -> String {
    let (pad, end) = ("  ".repeat(depth + 1), "  ".repeat(depth));
    match value {
        Value::String(text) => bicep_string(text),
        Value::Array(items) if !items.is_empty() => {
            let mut text = "[\n".to_owned();
            for item in items {
                let _ = writeln!(text, "{pad}{}", bicep(item, depth + 1));
            }
            text + &end + "]"
        }
        Value::Object(members) if !members.is_empty() => {
            let members = members.iter().map(|(name, value)| {
                let name = if is_identifier(name) { name.clone() } else { bicep_string(name) };
                format!("{pad}{name}: {}\n", bicep(value, depth + 1))
            });
            format!("{{\n{}{end}}}", members.collect::<String>())
        }
        other => other.to_string(),
    }
}

fn is_identifier(name: &str) -> bool {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    name.bytes().all(is_word) && name.bytes().next().is_some_and(|first| !first.is_ascii_digit())
}

fn bicep_string(text: &str) -> String {
    // A template doubles a leading bracket. Bicep does not.
    let text = text.strip_prefix('[').filter(|rest| rest.starts_with('[')).unwrap_or(text);
    let escaped = text.replace('\\', "\\\\").replace('\'', "\\'").replace("${", "\\${").replace('\n', "\\n");
    format!("'{escaped}'")
}

/// Returns the resources of an example for AWS by their logical names. An example that is not an array is part of one
/// resource.
fn stack(value: &Value, type_name: &str) -> Value {
    let mut resources = Map::new();
    if let Value::Array(all) = value {
        for resource in all.iter().filter_map(Value::as_object) {
            let name = resource.get("name").and_then(Value::as_str).unwrap_or(NAME);
            let rest = resource.iter().filter(|(key, _)| *key != "name");
            let rest = rest.map(|(key, value)| (key.clone(), value.clone()));
            resources.insert(name.to_owned(), Value::Object(rest.collect()));
        }
    } else {
        let mut whole = Map::new();
        whole.insert("Type".into(), type_name.into());
        whole.extend(value.as_object().cloned().unwrap_or_default());
        resources.insert("Example".to_owned(), Value::Object(whole));
    }
    Value::Object(resources)
}

/// Writes the members of an object or the items of an array, at an indentation of `depth` levels.
fn yaml(text: &mut String, value: &Value, depth: usize) {
    let pad = "  ".repeat(depth);
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let _ = write!(text, "{pad}{}:", yaml_string(name));
                yaml_value(text, value, depth);
            }
        }
        Value::Array(items) => {
            for item in items {
                let mut inner = String::new();
                match item {
                    Value::Object(members) if !members.is_empty() => yaml(&mut inner, item, depth + 1),
                    _ => yaml_value(&mut inner, item, depth),
                }
                let _ = write!(text, "{pad}- {}", inner.trim_start());
            }
        }
        _ => {}
    }
}

/// Writes the part after the colon of a member.
fn yaml_value(text: &mut String, value: &Value, depth: usize) {
    let is_block = match value {
        Value::Object(members) => !members.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    };
    if is_block {
        text.push('\n');
        yaml(text, value, depth + 1);
    } else {
        let scalar = value.as_str().map_or_else(|| value.to_string(), yaml_string);
        let _ = writeln!(text, " {scalar}");
    }
}

/// Returns a YAML string. It is quoted if it could be read as another value.
fn yaml_string(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./:".contains(&byte));
    let is_word = text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic()) && !text.ends_with(':');
    let is_other = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"]
        .iter()
        .any(|word| text.eq_ignore_ascii_case(word));
    if is_plain && is_word && !is_other { text.to_owned() } else { Value::from(text).to_string() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_resource_of_azure_is_declared_in_bicep() {
        let part = json!({"kind": "it's ${x}", "properties": {"a-b": [1, {"c": true}], "d": {}, "e": null}});
        let resource = &resources(&part, "A.B/c/d", Some("2020-01-01"))[0];
        let expected = "resource example 'A.B/c/d@2020-01-01' = {\n  name: 'example/example'\n  kind: 'it\\'s \\${x}'\n  \
                        properties: {\n    'a-b': [\n      1\n      {\n        c: true\n      }\n    ]\n    d: {}\n    e: null\n  }\n}\n";
        assert_eq!(bicep_resource(resource), expected);
    }

    #[test]
    fn a_resource_of_aws_is_written_in_yaml_that_means_the_same() {
        let part = json!({"Properties": {"A": ["x", {"B": 1, "C": [true]}, []], "D": "yes", "E": "0.0.0.0/0", "F:": {}, "G": "a: b"}});
        let mut text = String::new();
        yaml(&mut text, &stack(&part, "AWS::S3::Bucket"), 1);
        let expected = "  Example:\n    Type: AWS::S3::Bucket\n    Properties:\n      A:\n        - x\n        \
                        - B: 1\n          C:\n            - true\n        - []\n      D: \"yes\"\n      E: \"0.0.0.0/0\"\n      \
                        \"F:\": {}\n      G: \"a: b\"\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn an_expression_is_recognized() {
        assert!(has_expression(&json!({"a": ["[parameters('x')]"]})));
        assert!(!has_expression(&json!({"a": ["[[x]", "x"]})));
    }
}
