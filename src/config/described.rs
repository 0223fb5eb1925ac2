//! The keys of `formwork.yaml`, described: for its JSON schema, and for the file that `formwork init` writes.

use serde_json::{Map, Value, json};

use crate::config::{Profile, keys, limits};
use crate::diagnostic::FailOn;

/// The name of the schema, from which an editor tells versions apart.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// A key, what it is for, and an example.
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    shape: Shape,
    pub(crate) summary: &'static str,
    /// The key with a value, as it is written in the file.
    pub(crate) example: &'static str,
}

/// The values that a key takes.
#[derive(Clone, Copy)]
enum Shape {
    Flag,
    /// One string, or a list of strings.
    Strings,
    Text,
    /// A day, such as `2027-01-31`.
    Date,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A word for each key.
    Words(&'static [&'static str]),
    Configuration,
    Suppressions,
    Limits,
    Section(&'static [Setting]),
}

/// The severities that a rule can have.
const SEVERITIES: &[&str] = &["high", "medium", "low"];

/// The keys of the file, in the order of its documentation.
pub(crate) const SETTINGS: &[Setting] = &[
    Setting {
        key: "include",
        shape: Shape::Strings,
        summary: "Globs of the files to check in folders. Relative to this file.",
        example: "include: [\"infra/**\"]",
    },
    Setting {
        key: "exclude",
        shape: Shape::Strings,
        summary: "Globs of the files and folders to skip. Relative to this file.",
        example: "exclude: [samples]",
    },
    Setting {
        key: "rules",
        shape: Shape::Section(RULES),
        summary: "The rules that run, and their severities.",
        example: "rules:\n  exclude: [AZ-STORAGE-002]",
    },
    Setting {
        key: "fail-on",
        shape: Shape::Word(&FailOn::WORDS),
        summary: "The least severity that fails a check, or `never`.",
        example: "fail-on: medium",
    },
    Setting {
        key: "fail-on-unknown",
        shape: Shape::Flag,
        summary: "Whether a rule whose result is known only after deployment fails a check.",
        example: "fail-on-unknown: true",
    },
    Setting {
        key: "allow-unreadable",
        shape: Shape::Flag,
        summary: "Whether inputs that cannot be analyzed are only warned of.",
        example: "allow-unreadable: true",
    },
    Setting {
        key: "strict",
        shape: Shape::Flag,
        summary: "Whether what is not checked, such as a remote template, is an error. Overrides `allow-unreadable`.",
        example: "strict: true",
    },
    Setting {
        key: "min-severity",
        shape: Shape::Word(SEVERITIES),
        summary: "Findings of a lower severity are not reported.",
        example: "min-severity: medium",
    },
    Setting {
        key: "baseline",
        shape: Shape::Text,
        summary: "The file with accepted findings, which `--write-baseline` writes. Relative to this file.",
        example: "baseline: formwork-baseline.json",
    },
    Setting {
        key: "suppressions",
        shape: Shape::Suppressions,
        summary: "Findings that are accepted, and why.",
        example: "suppressions:\n  - rule: AZ-STORAGE-003\n    path: samples/**\n    reason: the samples are not deployed\n    until: 2030-01-31",
    },
    Setting {
        key: "bicep",
        shape: Shape::Word(&["auto", "cli", "builtin"]),
        summary: "What builds Bicep files: the Bicep CLI, the built-in compiler, or (`auto`) the CLI where there is one.",
        example: "bicep: builtin",
    },
    Setting {
        key: "deployment-diff",
        shape: Shape::Flag,
        summary: "Whether the action tells what a change deploys, unless its input `deployment-diff` says so.",
        example: "deployment-diff: true",
    },
    Setting {
        key: "configuration",
        shape: Shape::Configuration,
        summary: "What is known of the target environment and of Bicep, by the keys of PSRule for Azure.",
        example: "configuration:\n  AZURE_RESOURCE_GROUP: { name: rg-web, location: westeurope }",
    },
    Setting {
        key: "limits",
        shape: Shape::Limits,
        summary: "How far a check goes. Sizes are bytes, or have the unit `KiB`, `MiB`, or `GiB`.",
        example: "limits: { file-size: 16MiB, copies: 2000 }",
    },
];

/// The keys of `rules`.
const RULES: &[Setting] = &[
    Setting {
        key: "paths",
        shape: Shape::Strings,
        summary: "Rule files, and folders of rule files. Relative to this file.",
        example: "rules:\n  paths: [rules/company]",
    },
    Setting {
        key: "builtin",
        shape: Shape::Flag,
        summary: "Whether the built-in rules run.",
        example: "rules:\n  builtin: false",
    },
    Setting {
        key: "profile",
        shape: Shape::Word(&Profile::WORDS),
        summary: "Which of the built-in rules run: `default`, the part of it about one pillar, or `all`.",
        example: "rules:\n  profile: all",
    },
    Setting {
        key: "include",
        shape: Shape::Strings,
        summary: "If there are any, only these rules run.",
        example: "rules:\n  include: [AZ-STORAGE-001]",
    },
    Setting {
        key: "exclude",
        shape: Shape::Strings,
        summary: "These rules do not run.",
        example: "rules:\n  exclude: [AZ-STORAGE-002]",
    },
    Setting {
        key: "severity",
        shape: Shape::Words(SEVERITIES),
        summary: "Severities that replace those of rules, by ID.",
        example: "rules:\n  severity: { AZ-STORAGE-001: low }",
    },
];

/// The keys of a suppression.
pub(super) const SUPPRESSION: &[Setting] = &[
    Setting {
        key: "rule",
        shape: Shape::Strings,
        summary: "IDs, names, or patterns of rules, such as `secret/*`.",
        example: "rule: [AZ-STORAGE-003, secret/*]",
    },
    Setting {
        key: "path",
        shape: Shape::Strings,
        summary: "Globs of the files in which findings are accepted. Relative to the settings file.",
        example: "path: samples/**",
    },
    Setting {
        key: "resource-type",
        shape: Shape::Strings,
        summary: "Types of resources, or patterns.",
        example: "resource-type: Microsoft.Storage/*",
    },
    Setting {
        key: "resource",
        shape: Shape::Strings,
        summary: "Names of resources, or patterns.",
        example: "resource: \"demo*\"",
    },
    Setting {
        key: "reason",
        shape: Shape::Text,
        summary: "Why the findings are accepted. A suppression without a reason suppresses nothing.",
        example: "reason: the samples are not deployed",
    },
    Setting {
        key: "until",
        shape: Shape::Date,
        summary: "The last day on which the suppression holds.",
        example: "until: 2030-01-31",
    },
];

fn suppression() -> Value {
    let mut schema = section(SUPPRESSION);
    if let Some(members) = schema.as_object_mut() {
        members.insert("required".to_owned(), json!(["rule", "reason"]));
    }
    schema
}

/// The JSON schema of `formwork.yaml`. It rejects unknown keys, of which a check only warns.
pub(crate) fn json_schema() -> Value {
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
    let properties: Map<String, Value> =
        settings.iter().map(|setting| (setting.key.to_owned(), property(setting))).collect();
    object(properties)
}

fn object(properties: Map<String, Value>) -> Value {
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn property(setting: &Setting) -> Value {
    let mut schema = shape(setting.shape);
    if let Some(members) = schema.as_object_mut() {
        members.insert("description".to_owned(), setting.summary.into());
    }
    schema
}

fn shape(shape: Shape) -> Value {
    match shape {
        Shape::Flag => json!({"type": "boolean"}),
        Shape::Strings => json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}),
        Shape::Text => json!({"type": "string", "minLength": 1}),
        Shape::Date => json!({"type": "string", "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"}),
        Shape::Word(words) => json!({"enum": words}),
        Shape::Words(words) => json!({"type": "object", "additionalProperties": {"enum": words}}),
        Shape::Configuration => json!({
            "type": ["object", "null"],
            "additionalProperties": false,
            "properties": keys::KEYS.iter().map(|(key, kind)| {
                ((*key).to_owned(), json!({"type": keys::json_type(*kind)}))
            }).collect::<Map<String, Value>>(),
        }),
        Shape::Suppressions => json!({"type": "array", "items": suppression()}),
        Shape::Limits => object(limits::json_schemas().collect()),
        Shape::Section(settings) => section(settings),
    }
}

/// All keys of the file, and those below them, as `rules.profile`.
#[cfg(test)]
pub(super) fn all_keys() -> Vec<String> {
    fn below(prefix: &str, settings: &[Setting], into: &mut Vec<String>) {
        for Setting { key, shape, .. } in settings {
            let name = format!("{prefix}{key}");
            let mut push = |inner: &str| into.push(format!("{name}.{inner}"));
            match shape {
                Shape::Section(inner) => below(&format!("{name}."), inner, into),
                Shape::Configuration => keys::KEYS.iter().for_each(|(inner, _)| push(inner)),
                Shape::Limits => limits::keys().for_each(push),
                Shape::Words(_) => push("AZ-STORAGE-001"),
                _ => into.push(name),
            }
        }
    }
    let mut keys = Vec::new();
    below("", SETTINGS, &mut keys);
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(settings: &[Setting]) -> Vec<&str> {
        let mut names: Vec<&str> = settings.iter().map(|setting| setting.key).collect();
        names.sort_unstable();
        names
    }

    /// A key that a check reads is described, and so it is in the schema; `tests/settings.rs` looks for it in the page.
    #[test]
    fn every_key_is_described() {
        let sorted = |keys: &[&'static str]| {
            let mut keys = keys.to_vec();
            keys.sort_unstable();
            keys
        };
        assert_eq!(names(SETTINGS), sorted(crate::config::schema::ROOT));
        assert_eq!(names(RULES), sorted(crate::config::schema::RULES));
        assert_eq!(names(SUPPRESSION), sorted(crate::config::suppressions::KEYS));
    }
}
