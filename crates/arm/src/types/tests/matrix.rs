//! Every constraint in every position, satisfied and violated in every way.

use super::Expanded;
use crate::diagnostic::Outcome;
use crate::diagnostic::common_checks::PARAMETER_CONSTRAINT;
use crate::expand::constraints::OUTPUT_CONSTRAINT;
use crate::model::Issue;

/// A constraint with a value that satisfies it and one that does not.
struct Constraint {
    schema: &'static str,
    holds: &'static str,
    breaks: &'static str,
    /// Path and text of the offending part, or of what a missing part should be in.
    at: (&'static str, &'static str),
    /// Name that the message must contain.
    names: &'static str,
    /// True if the outcome for an unknown value is unknown.
    is_open: bool,
}

const fn constraint(
    schema: &'static str,
    holds: &'static str,
    breaks: &'static str,
    at: (&'static str, &'static str),
    names: &'static str,
) -> Constraint {
    Constraint { schema, holds, breaks, at, names, is_open: false }
}

const fn open(mut constraint: Constraint) -> Constraint {
    constraint.is_open = true;
    constraint
}

const CONSTRAINTS: &[Constraint] = &[
    constraint(r#""type": "Int""#, "1", r#""1""#, ("", r#""1""#), "`type`"),
    constraint(r#""type": "STRING""#, r#""x""#, "1", ("", "1"), "`type`"),
    constraint(r#""type": "bool""#, "true", r#""true""#, ("", r#""true""#), "`type`"),
    constraint(r#""type": "array""#, "[]", "{}", ("", "{}"), "`type`"),
    constraint(r#""type": "object""#, "{}", "[]", ("", "[]"), "`type`"),
    open(constraint(
        r#""type": "string", "allowedValues": ["one", "two"]"#,
        r#""Two""#,
        r#""three""#,
        ("", r#""three""#),
        "`allowedValues`",
    )),
    open(constraint(r#""allowedValues": [1, "two"]"#, "1", r#""1""#, ("", r#""1""#), "`allowedValues`")),
    open(constraint(
        r#""type": "array", "allowedValues": ["a", "b"]"#,
        r#"["b"]"#,
        r#"["a", "c"]"#,
        ("", r#""c""#),
        "`allowedValues`",
    )),
    open(constraint(
        r#""type": "array", "allowedValues": [["a"], ["b"]]"#,
        r#"["b"]"#,
        r#"["a", "b"]"#,
        ("", r#"["a", "b"]"#),
        "`allowedValues`",
    )),
    open(constraint(r#""type": "int", "minValue": 3"#, "3", "2", ("", "2"), "`minValue`")),
    open(constraint(r#""type": "int", "maxValue": 3"#, "3", "4", ("", "4"), "`maxValue`")),
    open(constraint(r#""type": "string", "minLength": 2"#, r#""😀""#, r#""é""#, ("", r#""é""#), "`minLength`")),
    open(constraint(r#""type": "string", "maxLength": 2"#, r#""ab""#, r#""abc""#, ("", r#""abc""#), "`maxLength`")),
    open(constraint(r#""type": "array", "minLength": 1"#, "[1]", "[]", ("", "[]"), "`minLength`")),
    open(constraint(r#""type": "array", "maxLength": 1"#, "[1]", "[1, 2]", ("", "[1, 2]"), "`maxLength`")),
    constraint(
        r#""type": "object", "properties": {"n": {"type": "int"}}"#,
        r#"{"N": 1, "other": 2}"#,
        r#"{"n": "1"}"#,
        (".n", r#""1""#),
        "`type`",
    ),
    constraint(
        r#""type": "object", "properties": {"n": {"type": "int"}, "o": {"type": "int", "nullable": true}}"#,
        r#"{"n": 1}"#,
        r#"{"o": null}"#,
        (".n", r#"{"o": null}"#),
        "required",
    ),
    constraint(
        r#""type": "object", "properties": {"n": {"type": "int"}}, "additionalProperties": false"#,
        r#"{"n": 1}"#,
        r#"{"n": 1, "m": 2}"#,
        (".m", "2"),
        "`additionalProperties`",
    ),
    constraint(
        r#""type": "object", "properties": {"n": {}}, "additionalProperties": {"type": "int"}"#,
        r#"{"n": "x", "m": 2}"#,
        r#"{"m": "x"}"#,
        (".m", r#""x""#),
        "`type`",
    ),
    constraint(r#""type": "array", "items": {"type": "int"}"#, "[1, 2]", r#"[1, "2"]"#, ("[1]", r#""2""#), "`type`"),
    constraint(
        r#""type": "array", "prefixItems": [{"type": "int"}], "items": {"type": "string"}"#,
        r#"[1, "2"]"#,
        r#"["1"]"#,
        ("[0]", r#""1""#),
        "`type`",
    ),
    constraint(
        r#""type": "array", "prefixItems": [{"type": "int"}], "items": false"#,
        "[1]",
        "[1, 2]",
        ("[1]", "2"),
        "`items`",
    ),
    constraint(
        r#""type": "array", "prefixItems": [{"type": "int"}], "items": false"#,
        "[1]",
        "[]",
        ("", "[]"),
        "`items`",
    ),
    open(constraint(
        r#""type": "object", "discriminator": {"propertyName": "is", "mapping": {"a": {}, "b": {"properties": {"n": {"type": "int"}}}}}"#,
        r#"{"is": "b", "n": 1}"#,
        r#"{"is": "c"}"#,
        (".is", r#""c""#),
        "`discriminator`",
    )),
    open(constraint(
        r#""type": "object", "discriminator": {"propertyName": "is", "mapping": {"b": {"properties": {"n": {"type": "int"}}}}}"#,
        r#"{"is": "b", "n": 1}"#,
        r#"{"is": "b", "n": "1"}"#,
        (".n", r#""1""#),
        "`type`",
    )),
    open(constraint(
        r#""type": "object", "discriminator": {"propertyName": "is", "mapping": {"b": {}}}"#,
        r#"{"is": "b"}"#,
        "{}",
        (".is", "{}"),
        "required",
    )),
    open(constraint(
        r#""type": "int", "validate": ["[lambda('x', less(lambdaVariables('x'), 3))]"]"#,
        "2",
        "3",
        ("", "3"),
        "is not valid. The value was rejected by a custom validation predicate.",
    )),
    open(constraint(
        r#""type": "object", "validate": ["[lambda('x', empty(lambdaVariables('x')))]", "leave it empty"]"#,
        "{}",
        r#"{"a": 1}"#,
        ("", r#"{"a": 1}"#),
        "with the following message: 'leave it empty'.",
    )),
];

/// A position that a type may have. `S` stands for the type, `V` for the value.
struct Place {
    definitions: &'static str,
    declaration: &'static str,
    value: &'static str,
    path: &'static str,
    /// The value without the constrained part.
    absent: &'static str,
    /// True if the absence of a value breaks the type unless it is nullable.
    is_required: bool,
}

const fn place(definitions: &'static str, declaration: &'static str) -> Place {
    Place { definitions, declaration, value: "V", path: "", absent: "", is_required: false }
}

const fn inner(
    declaration: &'static str,
    value: &'static str,
    path: &'static str,
    absent: &'static str,
    is_required: bool,
) -> Place {
    Place { definitions: "", declaration, value, path, absent, is_required }
}

const PLACES: &[Place] = &[
    place("", "S"),
    place(r#""d": {S}"#, r##""$ref": "#/definitions/d""##),
    place(r##""d": {"$ref": "#/definitions/e"}, "e": {S}"##, r##""$ref": "#/definitions/d""##),
    place(r#""d": {"type": "object", "properties": {"p/q": {S}}}"#, r##""$ref": "#/definitions/d/properties/p~1q""##),
    place(r#""d": {"type": "array", "prefixItems": [{}, {S}]}"#, r##""$ref": "#/definitions/d/prefixItems/1""##),
    inner(r#""type": "object", "properties": {"k": {S}}"#, r#"{"k": V}"#, ".k", "{}", true),
    inner(r#""type": "array", "items": {S}"#, "[V]", "[0]", "[]", false),
    inner(r#""type": "array", "prefixItems": [{"type": "string"}, {S}]"#, r#"["s", V]"#, "[1]", r#"["s"]"#, false),
    inner(r#""type": "object", "additionalProperties": {S}"#, r#"{"k": V}"#, ".k", "{}", false),
    inner(
        r#""type": "object", "discriminator": {"propertyName": "kind", "mapping": {"m": {"properties": {"k": {S}}}}}"#,
        r#"{"kind": "m", "k": V}"#,
        ".k",
        r#"{"kind": "m"}"#,
        true,
    ),
];

/// Source of the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Giver {
    ParameterFile,
    Default,
    Output,
}

const GIVERS: &[Giver] = &[Giver::ParameterFile, Giver::Default, Giver::Output];

impl Place {
    fn declared(&self, schema: &str) -> (String, String) {
        (self.definitions.replace('S', schema), self.declaration.replace('S', schema))
    }

    /// Returns the expansion of a template with a value of this type.
    fn expand(&self, schema: &str, giver: Giver, value: &str) -> Expanded {
        let (definitions, declaration) = self.declared(schema);
        let (parameters, outputs, file) = match giver {
            Giver::ParameterFile => {
                (format!(r#""v": {{{declaration}}}"#), String::new(), format!(r#""v": {{"value": {value}}}"#))
            }
            Giver::Default => {
                (format!(r#""v": {{{declaration}, "defaultValue": {value}}}"#), String::new(), String::new())
            }
            Giver::Output => (String::new(), format!(r#""v": {{{declaration}, "value": {value}}}"#), String::new()),
        };
        let template = format!(
            r#"{{"languageVersion": "2.0", "definitions": {{{definitions}}}, "parameters": {{{parameters}}}, "resources": {{}},
            "outputs": {{{outputs}}}}}"#
        );
        Expanded::new(&template, &format!(r#"{{"parameters": {{{file}}}}}"#))
    }

    fn with(&self, value: &str) -> String {
        self.value.replace('V', value)
    }
}

/// Returns the only issue of an expansion.
#[track_caller]
fn only(expanded: &Expanded, context: &str) -> Issue {
    assert!(expanded.expansion.diagnostics.is_empty(), "{context}: {:?}", expanded.diagnostics());
    match expanded.expansion.issues.as_slice() {
        [only] => only.clone(),
        _ => panic!("{context}: {:?}", expanded.issues()),
    }
}

#[track_caller]
fn none(expanded: &Expanded, context: &str) {
    assert!(expanded.expansion.diagnostics.is_empty(), "{context}: {:?}", expanded.diagnostics());
    assert!(expanded.expansion.issues.is_empty(), "{context}: {:?}", expanded.issues());
}

fn section(giver: Giver) -> &'static str {
    if giver == Giver::Output { "outputs.v" } else { "parameters.v" }
}

/// Runs a test for every constraint in every position.
fn everywhere(test: impl Fn(&Constraint, &Place)) {
    for constraint in CONSTRAINTS {
        for place in PLACES {
            test(constraint, place);
        }
    }
}

#[test]
fn valid_values_raise_no_issue() {
    everywhere(|constraint, place| {
        for &giver in GIVERS {
            let value = place.with(constraint.holds);
            none(&place.expand(constraint.schema, giver, &value), &format!("{giver:?} {} {value}", constraint.schema));
        }
    });
}

#[test]
fn a_violation_is_reported_at_the_offending_part() {
    everywhere(|constraint, place| {
        for &giver in GIVERS {
            let value = place.with(constraint.breaks);
            let context = format!("{giver:?} {} {value}", constraint.schema);
            let expanded = place.expand(constraint.schema, giver, &value);
            let issue = only(&expanded, &context);
            assert_eq!(issue.outcome, Outcome::Failed, "{context}");
            assert_eq!(issue.path, format!("{}{}{}", section(giver), place.path, constraint.at.0), "{context}");
            assert_eq!(expanded.text(issue.span), constraint.at.1, "{context}");
            assert!(issue.message.contains(constraint.names), "{context}: {}", issue.message);
            let check = if giver == Giver::Output { OUTPUT_CONSTRAINT } else { PARAMETER_CONSTRAINT };
            assert_eq!(issue.check, check, "{context}");
            let declared = issue.related.first().unwrap_or_else(|| panic!("{context}: no constraint"));
            assert!(declared.message.ends_with("is declared here"), "{context}: {}", declared.message);
        }
    });
}

#[test]
fn a_violation_by_a_computed_value_is_reported_at_the_expression() {
    everywhere(|constraint, place| {
        let value = place.with(constraint.breaks).replace('"', "\\\"");
        let expression = format!(r#""[json('{value}')]""#);
        for giver in [Giver::Default, Giver::Output] {
            let context = format!("{giver:?} {} {expression}", constraint.schema);
            let expanded = place.expand(constraint.schema, giver, &expression);
            let issue = only(&expanded, &context);
            assert_eq!(issue.outcome, Outcome::Failed, "{context}");
            assert_eq!(issue.path, format!("{}{}{}", section(giver), place.path, constraint.at.0), "{context}");
            assert_eq!(expanded.text(issue.span), expression, "{context}");
        }
    });
}

#[test]
fn an_unknown_value_violates_nothing() {
    everywhere(|constraint, place| {
        let value = place.with(r#""[json(deployment().properties.templateHash)]""#);
        for giver in [Giver::Default, Giver::Output] {
            let context = format!("{giver:?} {} {value}", constraint.schema);
            let expanded = place.expand(constraint.schema, giver, &value);
            if constraint.is_open {
                assert_eq!(only(&expanded, &context).outcome, Outcome::Unknown, "{context}");
            } else {
                none(&expanded, &context);
            }
        }
    });
}

#[test]
fn null_is_only_valid_for_nullable_types() {
    everywhere(|constraint, place| {
        for &giver in GIVERS {
            let value = place.with("null");
            let context = format!("{giver:?} {} {value}", constraint.schema);
            let expanded = place.expand(constraint.schema, giver, &value);
            let issue = only(&expanded, &context);
            assert_eq!(issue.path, format!("{}{}", section(giver), place.path), "{context}");
            assert!(issue.message.ends_with("is null, but it is not `nullable`"), "{context}: {}", issue.message);
            let nullable = format!(r#"{}, "nullable": true"#, constraint.schema);
            none(&place.expand(&nullable, giver, &value), &context);
        }
    });
}

#[test]
fn a_missing_value_only_violates_required_properties() {
    everywhere(|constraint, place| {
        let nullable = format!(r#"{}, "nullable": true"#, constraint.schema);
        let context = format!("{} {}", constraint.schema, place.declaration);
        if place.absent.is_empty() {
            for schema in [constraint.schema, &nullable] {
                let (definitions, declaration) = place.declared(schema);
                let template = format!(
                    r#"{{"languageVersion": "2.0", "definitions": {{{definitions}}}, "parameters": {{"v": {{{declaration}}}}}, "resources": {{}}}}"#
                );
                none(&Expanded::new(&template, "{}"), &context);
            }
            return;
        }
        for &giver in GIVERS {
            none(&place.expand(&nullable, giver, place.absent), &context);
            let expanded = place.expand(constraint.schema, giver, place.absent);
            if place.is_required {
                let issue = only(&expanded, &context);
                assert_eq!(issue.path, format!("{}{}", section(giver), place.path), "{context}");
                assert!(
                    issue.message.ends_with("is missing the required property `k`"),
                    "{context}: {}",
                    issue.message
                );
            } else {
                none(&expanded, &context);
            }
        }
    });
}
