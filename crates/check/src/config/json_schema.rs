//! The JSON schema of `formwork.yaml`, for editors.

use serde_json::{Map, Value, json};

use crate::config::suppressions::{self, Form, SuppressionKey};
use crate::config::table::{SETTINGS, SEVERITIES, Setting, Takes};
use crate::config::{keys, limits, parameters};

/// The name of the schema, from which an editor tells versions apart.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// Returns the JSON schema of `formwork.yaml`. It rejects unknown keys, of which a check only warns.
pub fn json_schema() -> Value {
    let mut schema = json!({
        "$schema": DIALECT,
        "title": "Settings of formwork",
        "description": "`formwork.yaml`. See docs/settings.md.",
    });
    if let (Some(schema), Value::Object(members)) = (schema.as_object_mut(), section(SETTINGS)) {
        schema.extend(members);
    }
    schema
}

fn section(settings: &[Setting]) -> Value {
    let property = |setting: &Setting| (setting.key.to_owned(), described(values(setting.takes), setting.summary));
    object(settings.iter().map(property).collect())
}

/// Returns the schema of an object with these keys, of which some are required.
fn entry(keys: &[SuppressionKey], required: &[&str]) -> Value {
    let property = |key: &SuppressionKey| {
        let values = match key.takes {
            Form::Strings => strings(),
            Form::Text => text(),
            Form::Date => json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
        };
        (key.name.to_owned(), described(values, key.summary))
    };
    let mut schema = object(keys.iter().map(property).collect());
    if let Some(members) = schema.as_object_mut() {
        members.insert("required".to_owned(), json!(required));
    }
    schema
}

fn object(properties: Map<String, Value>) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn described(mut values: Value, summary: &str) -> Value {
    if let Some(members) = values.as_object_mut() {
        members.insert("description".to_owned(), summary.into());
    }
    values
}

fn values(takes: Takes) -> Value {
    match takes {
        Takes::Switch(_) => json!({"type": "boolean"}),
        Takes::Word(words, _) => json!({"enum": words}),
        Takes::Globs(..) | Takes::Paths(..) | Takes::Rules(..) | Takes::Names(_) => strings(),
        Takes::File(..) => text(),
        Takes::Severities(_) => json!({"type": "object", "additionalProperties": {"enum": SEVERITIES}}),
        Takes::Configuration => configuration(),
        Takes::Suppressions => json!({"type": "array", "items": entry(suppressions::KEYS, &["rule", "reason"])}),
        Takes::Templates => json!({"type": "array", "items": entry(parameters::KEYS, &["files", "template"])}),
        Takes::Limits => {
            let property =
                |(key, summary, schema): (&str, _, _)| (key.to_owned(), described(schema, &sentence(summary)));
            object(limits::json_schemas().map(property).collect())
        }
        Takes::Section(settings) => section(settings),
    }
}

fn configuration() -> Value {
    let property = |key: &keys::Key| {
        let schema = json!({"type": keys::json_type(key.kind)});
        (key.name.to_owned(), described(schema, &sentence(key.summary)))
    };
    let properties: Map<String, Value> = keys::KEYS.iter().map(property).collect();
    json!({"type": ["object", "null"], "additionalProperties": false, "properties": properties})
}

/// Turns a phrase into a sentence.
fn sentence(phrase: &str) -> String {
    let mut letters = phrase.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

/// Returns the schema of a string or a list of strings.
fn strings() -> Value {
    json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]})
}

fn text() -> Value {
    json!({"type": "string", "minLength": 1})
}
