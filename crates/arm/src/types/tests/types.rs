//! References, secrets, and what strangers write.

use std::fmt::Write as _;

use super::{Expanded, check};
use crate::model::Limits;

#[test]
fn nullable_false_next_to_a_reference_overrides_its_target() {
    let members = |beside: &str| {
        format!(
            r##""definitions": {{"d": {{"type": "string", "nullable": true}}}}, "parameters": {{"p": {{"$ref": "#/definitions/d"{beside}}}}}"##
        )
    };
    let null = "\n\"p\": {\"value\": null}";
    check(&members(""), null, &[]);
    check(
        &members(r#", "nullable": false"#),
        null,
        &["parameters.json:2:16 parameters.p: parameter `p` is null, but it is not `nullable`"],
    );
}

#[test]
fn constraints_next_to_a_reference_add_to_those_of_its_target() {
    let members = r##""definitions": {"d": {"type": "string", "minLength": 3}},
        "parameters": {"p": {"$ref": "#/definitions/d", "allowedValues": ["a", "abc"]}}"##;
    check(members, "\"p\": {\"value\": \"abc\"}", &[]);
    check(
        members,
        "\n\"p\": {\"value\": \"x\"}",
        &[
            "parameters.json:2:16 parameters.p: parameter `p` is `\"x\"`; its `allowedValues` are `\"a\"`, `\"abc\"`",
            "parameters.json:2:16 parameters.p: parameter `p` has 1 character; its `minLength` is 3",
        ],
    );
}

#[test]
fn a_type_may_be_recursive() {
    let members = r##""definitions": {"tree": {"type": "object", "properties": {
            "name": {"type": "string", "minLength": 1},
            "children": {"type": "array", "items": {"$ref": "#/definitions/tree"}, "nullable": true}}}},
        "parameters": {"p": {"$ref": "#/definitions/tree"}}"##;
    let value =
        r#""p": {"value": {"name": "a", "children": [{"name": "b"}, {"name": "c", "children": [{"name": ""}]}]}}"#;
    check(
        members,
        &format!("\n{value}"),
        &[
            "parameters.json:2:94 parameters.p.children[1].children[0].name: parameter `p.children[1].children[0].name` has \
         0 characters; its `minLength` is 1",
        ],
    );
}

#[test]
fn unresolved_and_circular_references_are_reported() {
    check(
        "\"definitions\": {\n\"a\": {\"$ref\": \"#/definitions/b\"},\n\"b\": {\"$ref\": \"#/definitions/a\"}},\n\
         \"parameters\": {\"p\": {\"$ref\": \"#/definitions/none\"}, \"q\": {\"$ref\": \"https://elsewhere\"}}",
        "\"p\": {\"value\": 1}",
        &[
            "main.json:3:15 error template/shape `$ref` is part of a cycle: `#/definitions/a`",
            "main.json:4:15 error template/shape `$ref` is part of a cycle: `#/definitions/b`",
            "main.json:5:30 error template/shape `$ref` does not resolve to anything in this template: `#/definitions/none`",
            "main.json:5:67 error template/shape `$ref` does not resolve to anything in this template: `https://elsewhere`",
        ],
    );
}

#[test]
fn resource_derived_types_are_not_validated() {
    let members = r#""parameters": {"p": {"type": "object", "metadata": {"__bicep_resource_derived_type!":
        {"source": "Microsoft.Storage/storageAccounts@2023-01-01#properties/sku"}}}}"#;
    check(members, "\"p\": {\"value\": {\"name\": 1}}", &[]);
}

#[test]
fn messages_do_not_reveal_secrets() {
    let members = r##""definitions": {"secret": {"type": "secureString", "minLength": 20}},
        "parameters": {
            "s": {"type": "SecureString", "minLength": 20, "allowedValues": ["x"], "validate": ["[lambda('x', false())]"]},
            "o": {"type": "secureObject", "additionalProperties": false, "properties": {"n": {"type": "int"}}},
            "r": {"$ref": "#/definitions/secret"},
            "i": {"type": "object", "properties": {"key": {"$ref": "#/definitions/secret"}, "d": {"type": "string"}},
                  "discriminator": {"propertyName": "d", "mapping": {"x": {}}}, "maxLength": 1, "validate": ["[lambda('x', false())]"]},
            "a": {"type": "array", "items": {"type": "secureString"}, "allowedValues": ["x"], "maxLength": 0}
        },
        "outputs": {"o": {"type": "secureString", "maxLength": 1, "value": "hunter2"},
            "made": {"type": "string", "maxLength": 1, "value": "[toUpper(parameters('s'))]"},
            "in": {"type": "string", "maxLength": 1, "value": "[parameters('i').key]"}}"##;
    let template = format!("{{\"languageVersion\": \"2.0\", \"resources\": {{}},\n{members}}}");
    let expanded = Expanded::new(
        &template,
        r#"{"parameters": {"s": {"value": "hunter2"}, "o": {"value": {"hunter2": "hunter2", "n": "hunter2"}},
            "r": {"value": "hunter2"}, "i": {"value": {"key": "hunter2", "d": "q"}}, "a": {"value": ["hunter2"]}}}"#,
    );
    let shown = format!("{:?} {:?}", expanded.expansion.issues, expanded.diagnostics()).to_lowercase();
    assert!(!shown.contains("hunter2"), "{shown}");
    let broken: Vec<_> = expanded.expansion.issues.iter().map(|issue| issue.path.as_str()).collect();
    assert_eq!(
        broken,
        [
            "parameters.s",
            "parameters.s",
            "parameters.s",
            "parameters.o.n",
            "parameters.o",
            "parameters.r",
            "parameters.i.key",
            "parameters.i.d",
            "parameters.i",
            "parameters.a",
            "parameters.a",
            "outputs.o",
            "outputs.made",
            "outputs.in",
        ]
    );
}

#[test]
fn what_a_type_makes_secure_is_secret_in_whatever_reads_it() {
    let expanded = Expanded::new(
        r##"{"languageVersion": "2.0", "resources": {}, "definitions": {
            "secret": {"type": "secureString"},
            "user": {"type": "object", "properties": {"name": {"type": "string"}, "key": {"$ref": "#/definitions/secret"}}},
            "either": {"type": "object", "discriminator": {"propertyName": "is", "mapping": {"user": {"$ref": "#/definitions/user"}}}}
        },
        "parameters": {"s": {"$ref": "#/definitions/secret"}, "e": {"$ref": "#/definitions/either"},
            "l": {"type": "array", "prefixItems": [{"type": "string"}], "items": {"$ref": "#/definitions/secret"}}},
        "outputs": {
            "s": {"type": "string", "value": "[format('a {0}', parameters('s'))]"},
            "e": {"type": "object", "value": "[parameters('e')]"},
            "l": {"type": "array", "value": "[parameters('l')]"},
            "o": {"$ref": "#/definitions/user", "value": {"name": "n", "key": "k"}}
        }}"##,
        r#"{"parameters": {"s": {"value": "x"}, "e": {"value": {"is": "user", "name": "n", "key": "x"}}, "l": {"value": ["a", "x"]}}}"#,
    );
    let document = expanded.expansion.document.as_ref().unwrap();
    let outputs = document.deployments[0].outputs.as_object().unwrap();
    let values = outputs.iter().map(|output| output.value.get("value").unwrap().to_json());
    assert_eq!(
        values.collect::<Vec<_>>(),
        [
            r#""{{Secret}}""#,
            r#"{"is":"user","name":"n","key":"{{Secret}}"}"#,
            r#"["a","{{Secret}}"]"#,
            r#"{"name":"n","key":"{{Secret}}"}"#,
        ]
    );
}

#[test]
fn a_type_outside_the_definitions_makes_secure_too() {
    for (members, pointer) in [
        (r#""metadata": {"t": {"type": "secureString"}}, "#, "#/metadata/t"),
        (r#""parameters": {"s": {"type": "secureString"}, "#, "#/parameters/s"),
    ] {
        let start = if members.contains("parameters") { "" } else { r#""parameters": {"# };
        let template = format!(
            r#"{{"languageVersion": "2.0", "resources": {{}}, {members}{start}
                "p": {{"type": "object", "properties": {{"key": {{"$ref": "{pointer}"}}}}}}}},
                "outputs": {{"o": {{"type": "object", "value": "[parameters('p')]"}}}}}}"#
        );
        let parameters = r#"{"parameters": {"s": {"value": "s"}, "p": {"value": {"key": "hunter2"}}}}"#;
        let expanded = Expanded::new(&template, parameters);
        let document = expanded.expansion.document.as_ref().unwrap();
        let output = document.deployments[0].outputs.get("o").and_then(|output| output.get("value")).unwrap();
        assert_eq!(output.to_json(), r#"{"key":"{{Secret}}"}"#, "{pointer}");
    }
}

#[test]
fn a_secret_of_a_key_vault_is_unknown() {
    check(
        r#""parameters": {"p": {"type": "secureString", "minLength": 8}}"#,
        "\n\"p\": {\"reference\": {\"keyVault\": {\"id\": \"x\"}, \"secretName\": \"s\"}}",
        &["parameters.json:2:20 unknown parameters.p: cannot check `minLength` of parameter `p` before \
            the deployment, because parameter `p` is a secret in a key vault"],
    );
}

#[test]
fn escaped_brackets_of_allowed_values_are_removed() {
    let members = r#""parameters": {"p": {"type": "string", "allowedValues": ["[[x]", "[y"]}}"#;
    check(members, r#""p": {"value": "[x]"}"#, &[]);
    check(members, r#""p": {"value": "[y"}"#, &[]);
    check(
        members,
        "\n\"p\": {\"value\": \"[[x]\"}",
        &[
            "parameters.json:2:16 parameters.p: parameter `p` is `\"[[x]\"`; its `allowedValues` are `\"[x]\"`, `\"[y\"`",
        ],
    );
}

#[test]
fn a_part_from_a_variable_is_labeled_next_to_the_expression() {
    let expanded = Expanded::new(
        r#"{"languageVersion": "2.0", "resources": {}, "variables": {
            "v": {"n": 1}},
            "outputs": {"o": {"type": "object", "properties": {"n": {"type": "string"}}, "value":
                "[variables('v')]"}}}"#,
        "{}",
    );
    assert_eq!(expanded.issues(), ["main.json:4:17 outputs.o.n: output `o.n` is an integer; its `type` is `string`"]);
    let related = &expanded.expansion.issues[0].related;
    let related =
        related.iter().map(|label| format!("{} {}", expanded.place(label.span), label.role.text(&label.message)));
    assert_eq!(
        related.collect::<Vec<_>>(),
        ["main.json:3:70 `type` is declared here", "main.json:2:24 value comes from variable `v`",]
    );
}

#[test]
fn keywords_with_invalid_values_do_not_constrain() {
    let members = r#""parameters": {"p": {"type": 3, "minLength": "x", "allowedValues": "y", "properties": [], "items": 1,
        "prefixItems": {}, "discriminator": "d", "nullable": "n", "additionalProperties": null, "$ref": 5}}"#;
    let invalid = [
        "main.json:2:30 error template/shape `type` must be a string, found an integer",
        "main.json:2:68 error template/shape `allowedValues` must be an array, found a string",
        "main.json:2:46 error template/shape `minLength` must be an integer, found a string",
    ];
    check(members, r#""p": {"value": {"a": [1]}}"#, &invalid);
}

/// Returns a template whose definitions are `count` of `each`, with the number of the next in place of `#`.
fn chained(count: usize, each: &str, value: &str) -> Expanded {
    let mut definitions = String::new();
    for at in 0..count {
        let next = ((at + 1) % count).to_string();
        write!(definitions, r#"{}"d{at}": {}"#, if at == 0 { "" } else { ", " }, each.replace('#', &next)).unwrap();
    }
    let template = format!(
        r#"{{"languageVersion": "2.0", "resources": {{}}, "definitions": {{{definitions}}}, "parameters": {{"p": {{"$ref": "%/definitions/d0", "defaultValue": {value}}}}}}}"#
    );
    Expanded::within(&template.replace('%', "#"), "{}", &Limits::default())
}

#[test]
fn pathological_types_end_with_a_diagnostic() {
    let long = chained(20_000, r#"{"$ref": "%/definitions/d#"}"#, "1");
    assert!(long.diagnostics()[0].contains("resolves through more than 64 definitions"), "{}", long.diagnostics()[0]);
    // Two ways on at every step, and both over the same value.
    let each = r#"{"discriminator": {"propertyName": "k", "mapping": {"a": {"$ref": "%/definitions/d#"}}}}"#;
    let cycle = chained(2, each, r#"{"k": "a"}"#);
    assert!(cycle.diagnostics().iter().any(|message| message.contains("limit")), "{:?}", cycle.diagnostics());
    let each = r#"{"type": "array", "items": {"$ref": "%/definitions/d#"}}"#;
    let deep = chained(3, each, &format!("{}{}", "[".repeat(250), "]".repeat(250)));
    assert!(deep.diagnostics().is_empty(), "{:?}", deep.diagnostics());
    let many = format!("[{}1]", "1, ".repeat(20_000));
    let broken = chained(1, r#"{"type": "array", "items": {"type": "string"}}"#, &many);
    assert_eq!(broken.expansion.issues.len(), 1_000);
    assert!(
        broken.diagnostics()[0].contains("one value violates more than 1000 constraints"),
        "{:?}",
        broken.diagnostics()
    );
}
