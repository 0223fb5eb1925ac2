//! JSON schema of a rule file, for editors.
//!
//! A test compares it with the table of operators. It expects names in the case of the documentation, and rejects
//! unknown ones, of which a run only warns. Only the parser of rules validates patterns, dates and paths.

use serde_json::{Map, Value, json};

use crate::diagnostic::{Category, Framework, Pillar};
use crate::json::operators::{Bounds, OPERATORS};
use crate::tables::Table;

/// Value operators in the order of the table: name, operand, and description.
const VALUE_OPERATORS: &[(&str, Operand, &str)] = &[
    ("exists", Operand::Flag, "Whether there is a value, `null` included."),
    ("hasValue", Operand::Flag, "Whether there is a value that is neither `null` nor the empty string."),
    ("equals", Operand::Any, "The value is this one. Strings are compared case-insensitively."),
    ("notEquals", Operand::Any, "The value is not this one, or there is none."),
    ("regex", Operand::String, "The value is a string that matches this regular expression of .NET, ignoring case."),
    ("in", Operand::List, "The value is one of these."),
    ("less", Operand::Bound, "The value is below this number or date."),
    ("lessOrEquals", Operand::Bound, "The value is this number or date, or below it."),
    ("greater", Operand::Bound, "The value is above this number or date."),
    ("greaterOrEquals", Operand::Bound, "The value is this number or date, or above it."),
    ("is", Operand::Scalar, "The value is this one as Azure reads it: `\"True\"` and 1 are `true`, `\"5\"` is 5."),
    ("versionBelow", Operand::String, "The value is a version or an API version before this one."),
    ("versionAtLeast", Operand::String, "The value is this version or API version, or a later one."),
    ("includesPort", Operand::Ports, "The value is a port, range, list or `*` that includes one of these ports."),
    (
        "includesAction",
        Operand::Actions,
        "The value is an action of IAM, or a list of them, that includes one of these, also with `*` and `?`.",
    ),
    (
        "anyAddress",
        Operand::Flag,
        "Whether the value is an address range of the whole internet, or a large part of it.",
    ),
    ("addressSpan", Operand::Span, "The number of IPv4 addresses from one member to another compares like this."),
    (
        "containsAny",
        Operand::Items,
        "The value is an array, or a string with commas, with one of these in it, ignoring case.",
    ),
    (
        "containsAll",
        Operand::Items,
        "The value is an array, or a string with commas, with all of these in it, ignoring case.",
    ),
    ("endOfLife", Operand::Table, "What the value names is out of support, according to a table with dates."),
    ("secret", Operand::Flag, "Whether the value holds something that derives from a secure parameter or a key."),
];

/// Operators over evaluations, in the same form.
const STRUCTURED: &[(&str, Operand, &str)] = &[
    ("allOf", Operand::Evaluations, "Each of these holds."),
    ("anyOf", Operand::Evaluations, "At least one of these holds."),
    ("not", Operand::Evaluation, "This does not hold."),
    ("evaluate", Operand::Evaluation, "This holds. Its type and path start where this evaluation looks."),
    ("count", Operand::Bounds, "The number of places that the type, the path and `where` select compares like this."),
    ("descendants", Operand::Evaluation, "This holds in every object at or below, as far as its paths lead anywhere."),
    ("refersTo", Operand::Evaluation, "This holds for the resource whose ID is the value."),
    ("referencedBy", Operand::Reference, "A resource of this type refers to this one, and this holds for it."),
];

#[derive(Clone, Copy)]
enum Operand {
    Flag,
    Any,
    String,
    List,
    Bound,
    Scalar,
    Ports,
    Actions,
    Span,
    Items,
    Table,
    Evaluation,
    Evaluations,
    Bounds,
    Reference,
}

impl Operand {
    fn schema(self) -> Map<String, Value> {
        let evaluation = json!({"$ref": "#/$defs/evaluation"});
        let schema = match self {
            Self::Flag => json!({"type": "boolean"}),
            Self::Any => json!({}),
            Self::String => json!({"type": "string"}),
            Self::List => json!({"type": "array"}),
            Self::Scalar => json!({"type": ["boolean", "number", "string"]}),
            Self::Ports => {
                let port = json!({"type": "integer", "minimum": 0, "maximum": 65535});
                json!({"anyOf": [port.clone(), {"type": "array", "minItems": 1, "items": port}]})
            }
            Self::Actions => json!({"type": "array", "minItems": 1, "items": {"type": "string"}}),
            Self::Bounds => bounds(&[]),
            Self::Reference => json!({"$ref": "#/$defs/reference"}),
            Self::Span => bounds(&["from", "to"]),
            Self::Items => json!({"type": "array", "minItems": 1}),
            Self::Table => {
                let name = json!({"enum": Table::names().collect::<Vec<_>>()});
                let fields = json!({"type": "array", "minItems": 1, "items": {"type": "string"}});
                let object = json!({
                    "type": "object",
                    "required": ["table", "fields"],
                    "properties": {"table": name, "fields": fields},
                    "additionalProperties": false,
                });
                json!({"anyOf": [name, object]})
            }
            Self::Bound => json!({"type": ["number", "string"]}),
            Self::Evaluation => evaluation,
            Self::Evaluations => json!({"type": "array", "minItems": 1, "items": evaluation}),
        };
        schema.as_object().cloned().unwrap_or_default()
    }
}

/// Returns the schema of an object with comparisons of a number, and with members of these names.
fn bounds(names: &[&str]) -> Value {
    let name = json!({"type": "string", "minLength": 1});
    let number = json!({"type": "integer"});
    let of_names = names.iter().map(|known| ((*known).to_owned(), name.clone()));
    let properties: Map<String, Value> =
        of_names.chain(Bounds::names().map(|known| (known.to_owned(), number.clone()))).collect();
    json!({
        "type": "object",
        "required": names,
        "minProperties": names.len() + 1,
        "properties": properties,
        "additionalProperties": false,
    })
}

/// Returns the schema of a rule file: JSON Schema, draft 2020-12.
pub fn schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules of formwork",
        "description": "One rule, or a list of rules, in the language of Template Analyzer, or an object of rules and constants. Names are case-insensitive; this schema expects them as documented.",
        "type": ["object", "array"],
        "if": {"type": "array"},
        "then": {"items": {"$ref": "#/$defs/rule"}},
        "else": {
            "if": {"required": ["rules"]},
            "then": {"$ref": "#/$defs/file"},
            "else": {"$ref": "#/$defs/rule"},
        },
        "$defs": {
            "file": file(),
            "rule": rule(),
            "evaluation": or_constant(evaluation()),
            "reference": reference(),
            "constant": constant(),
        },
    })
}

/// Returns the schema of a file with constants.
fn file() -> Value {
    json!({
        "type": "object",
        "required": ["rules"],
        "properties": {
            "$schema": {"description": "For editors."},
            "constants": {
                "description": "Values that evaluations, and the constants below, name as `{\"constant\": \"name\"}`.",
                "type": "object",
            },
            "rules": {"description": "The rules of the file.", "type": "array", "items": {"$ref": "#/$defs/rule"}},
        },
        "additionalProperties": false,
    })
}

/// Returns the schema of a reference to a constant.
fn constant() -> Value {
    json!({
        "type": "object",
        "required": ["constant"],
        "properties": {
            "constant": {"description": "The name of a value in `constants`, beside `rules`.", "type": "string"},
        },
        "additionalProperties": false,
    })
}

/// Extends a schema to allow a constant instead.
fn or_constant(schema: impl Into<Value>) -> Map<String, Value> {
    let is_constant = json!({"type": "object", "required": ["constant"]});
    let parts = [("if", is_constant), ("then", json!({"$ref": "#/$defs/constant"})), ("else", schema.into())];
    parts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

fn rule() -> Value {
    let text = |description: &str| json!({"description": description, "type": "string", "pattern": r"\S"});
    let optional = |description: &str| json!({"description": description, "type": ["string", "null"]});
    let frameworks: Vec<String> = Framework::ALL.iter().map(|framework| format!("{}:", framework.as_str())).collect();
    let fix = fix();
    json!({
        "type": "object",
        "required": ["id", "name", "shortDescription", "fullDescription", "evaluation"],
        "properties": {
            "$schema": {"description": "For editors."},
            "id": text("What reports, settings and suppressions call the rule. It should never change."),
            "name": text("A name for people, for example `Storage.MinimumTls`."),
            "shortDescription": text("What should be, in one sentence; findings begin with it."),
            "fullDescription": text("Why it should be."),
            "recommendation": optional("What to do about a finding."),
            "helpUri": optional("A page with more."),
            "severity": {
                "description": "1 or `high`, 2 or `medium`, 3 or `low`.",
                "default": 2,
                "anyOf": [
                    {"enum": [1, 2, 3]},
                    {"type": "string", "pattern": "^([Hh][Ii][Gg][Hh]|[Mm][Ee][Dd][Ii][Uu][Mm]|[Ll][Oo][Ww])$"},
                ],
            },
            "evaluation": {"$ref": "#/$defs/evaluation", "description": "What the rule looks at, and what must hold."},
            "category": one_of("What the rule is about.", Category::ALL.iter().map(|category| category.as_str())),
            "pillar": one_of(
                "The pillar of the well-architected frameworks that it serves.",
                Pillar::ALL.iter().map(|pillar| pillar.as_str()),
            ),
            "optional": {"description": "Whether it is outside of the default profile.", "type": "boolean"},
            "production": production(),
            "platformDefault": text("What the platform does if the author says nothing, and since when."),
            "controls": {
                "description": "The controls that it helps to meet, for example `mcsb:NS-2`.",
                "type": "array",
                "items": {"type": "string", "pattern": format!(r"^({})\S+$", frameworks.join("|"))},
                "uniqueItems": true,
            },
            "tags": {
                "description": "Words to search by.",
                "type": "array",
                "items": {"type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"},
                "uniqueItems": true,
            },
            "example": example(),
            "fix": {
                "description": "The one answer to a finding; of several, all are written. If the list is empty, there is none.",
                "anyOf": [fix.clone(), {"type": "array", "items": fix}],
            },
        },
        "additionalProperties": false,
    })
}

fn production() -> Value {
    let description = "Whether following the rule needs another architecture: its severity is low unless the profile is \
                       `production` or `all`.";
    json!({"description": description, "type": "boolean"})
}

/// Returns the schema of a choice of words.
fn one_of(description: &str, words: impl Iterator<Item = &'static str>) -> Value {
    json!({"description": description, "enum": words.collect::<Vec<_>>()})
}

fn example() -> Value {
    let resources =
        json!({"anyOf": [{"type": "object"}, {"type": "array", "minItems": 1, "items": {"type": "object"}}]});
    json!({
        "description": "A resource before and after its author did what the rule recommends: its members, or an array of whole resources.",
        "type": "object",
        "required": ["before", "after"],
        "properties": {
            "apiVersion": {"description": "The API version of the resource.", "type": "string"},
            "before": resources,
            "after": resources,
        },
        "additionalProperties": false,
    })
}

fn fix() -> Value {
    json!({
        "type": "object",
        "required": ["path", "value"],
        "properties": {
            "path": {"description": "The property, from the resource.", "type": "string", "minLength": 1},
            "value": {"description": "What it should be.", "not": {"type": "string", "pattern": r"^\["}},
            "unsafe": {
                "description": "Whether it can break what works, so that only `--unsafe-fixes` writes it.",
                "type": "boolean",
            },
        },
        "additionalProperties": false,
    })
}

fn evaluation() -> Value {
    let mut properties = json!({
        "resourceType": {
            "description": "The type of the resources to look at, for example `Microsoft.Web/sites` or `AWS::S3::Bucket`; `*` for all types.",
            "type": ["string", "null"],
            "minLength": 1,
        },
        "where": {
            "description": "Only look where this holds.",
            "anyOf": [{"type": "null"}, {"$ref": "#/$defs/evaluation"}],
        },
    });
    let described = |description: &str, schema: Map<String, Value>| {
        let description = ("description".to_owned(), Value::from(description));
        Value::Object([description].into_iter().chain(schema).collect())
    };
    let path = described(
        "Where to look: names with dots between them. `*` stands for any name, `[*]` for any item of an array; `['a.b']` is a name with a dot.",
        or_constant(json!({"type": ["string", "null"]})),
    );
    let operands = VALUE_OPERATORS.iter().chain(STRUCTURED).map(|(name, operand, description)| {
        let schema = operand.schema();
        // An evaluation may be a constant anyway.
        let schema = if matches!(operand, Operand::Evaluation) { schema } else { or_constant(schema) };
        (*name, described(description, schema))
    });
    if let Some(properties) = properties.as_object_mut() {
        properties.extend([("path", path)].into_iter().chain(operands).map(|(name, schema)| (name.to_owned(), schema)));
    }
    let choices: Vec<Value> =
        VALUE_OPERATORS.iter().chain(STRUCTURED).map(|(name, ..)| json!({"required": [name]})).collect();
    // Without a path there is no value to compare.
    let needs_path = json!({"required": ["path"], "properties": {"path": {"not": {"type": "null"}}}});
    let dependent: Map<String, Value> =
        OPERATORS.iter().map(|operator| (operator.name.to_owned(), needs_path.clone())).collect();
    json!({
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "oneOf": choices,
        "dependentSchemas": dependent,
    })
}

/// Returns the schema of `referencedBy`'s operand, which may be an evaluation, too.
fn reference() -> Value {
    let evaluation = evaluation();
    let part = |name: &str| evaluation.get(name).and_then(Value::as_object).cloned().unwrap_or_default();
    let mut properties = part("properties");
    properties.insert(
        "resourceType".to_owned(),
        json!({
            "description": "The type of the resource that refers to this one.",
            "type": "string",
            "minLength": 1,
        }),
    );
    properties.insert("through".to_owned(), json!({
        "description": "Where it has the ID of this one: a path, or `scope` for a resource that extends this one or is its child.",
        "type": "string",
        "minLength": 1,
    }));
    json!({
        "type": "object",
        "required": ["resourceType", "through"],
        "properties": properties,
        "additionalProperties": false,
        "dependentSchemas": part("dependentSchemas"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse::STRUCTURED as PARSED;

    #[test]
    fn every_operator_of_the_language_is_described() {
        let described: Vec<&str> = VALUE_OPERATORS.iter().map(|(name, ..)| *name).collect();
        assert_eq!(described, OPERATORS.iter().map(|operator| operator.name).collect::<Vec<_>>());
        assert_eq!(STRUCTURED.iter().map(|(name, ..)| *name).collect::<Vec<_>>(), PARSED);
    }
}
