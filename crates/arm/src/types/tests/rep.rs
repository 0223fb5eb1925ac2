//! REP 0010, example by example and sentence by sentence.

use super::{Expanded, check};

/// Checks a parameter `p` of type string with a `validate`, and its value.
#[track_caller]
fn check_validate(validate: &str, value: &str, expected: &[&str]) {
    let members = format!("\"parameters\": {{\"p\": {{\"type\": \"string\", \"validate\":\n{validate}}}}}");
    check(&members, &format!("\n\"p\": {{\"value\": {value}}}"), expected);
}

const REJECTED: &str = "parameters.json:2:16 parameters.p: The provided value for the template parameter 'p' is not \
    valid. The value was rejected by a custom validation predicate";

#[test]
fn example_applied_to_a_parameter() {
    let template = r#"{
        "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0",
        "languageVersion": "2.0",
        "parameters": {"p": {"type": "string", "validate": ["[lambda('x', true())]"]}},
        "resources": {}
    }"#;
    let expanded = Expanded::new(template, r#"{"parameters": {"p": {"value": "anything"}}}"#);
    assert!(expanded.issues().is_empty() && expanded.diagnostics().is_empty());
    let never = template.replace("true()", "false()");
    let expanded = Expanded::new(&never, "{\"parameters\": {\n\"p\": {\"value\": \"anything\"}}}");
    assert_eq!(expanded.issues(), [format!("{REJECTED}.")]);
}

#[test]
fn example_applied_to_a_type() {
    let members = r##""definitions": {
            "myType": {"type": "string", "validate": ["[lambda('x', contains(lambdaVariables('x'), 'x'))]"]}
        },
        "parameters": {"p": {"$ref": "#/definitions/myType"}}"##;
    check(members, r#""p": {"value": "a box"}"#, &[]);
    check(members, "\n\"p\": {\"value\": \"a bag\"}", &[&format!("{REJECTED}.")]);
}

#[test]
fn usage_with_the_message_omitted() {
    let validate = r#"["[lambda('x', contains(lambdaVariables('x'), 'foo'))]"]"#;
    check_validate(validate, "\"a foo\"", &[]);
    check_validate(validate, "\"bar\"", &[&format!("{REJECTED}.")]);
}

#[test]
fn usage_with_a_message() {
    let validate =
        r#"["[lambda('x', contains(lambdaVariables('x'), 'foo'))]", "bar must contain the substring 'foo'"]"#;
    check_validate(validate, "\"a foo\"", &[]);
    let message = format!("{REJECTED} with the following message: 'bar must contain the substring 'foo''.");
    check_validate(validate, "\"bar\"", &[&message]);
}

#[test]
fn usage_with_several_lambdas() {
    let validate = r#"[
        "[lambda('x', startsWith(lambdaVariables('x'), 'fo'))]", "baz must start with the letters 'fo'",
        "[lambda('x', endsWith(lambdaVariables('x'), 'd'))]", "baz must end with the letter 'd'",
        "[lambda('x', equals(length(lambdaVariables('x')), 4))]", "baz be exactly 4 letters"]"#;
    check_validate(validate, "\"food\"", &[]);
    let message = |text: &str| format!("{REJECTED} with the following message: '{text}'.");
    check_validate(
        validate,
        "\"foad!\"",
        &[&message("baz must end with the letter 'd'"), &message("baz be exactly 4 letters")],
    );
    check_validate(
        validate,
        "\"x\"",
        &[
            &message("baz must start with the letters 'fo'"),
            &message("baz must end with the letter 'd'"),
            &message("baz be exactly 4 letters"),
        ],
    );
}

#[test]
fn the_overlap_with_fail_can_be_written_as_a_lambda() {
    let validate =
        r#"["[lambda('foo', not(equals(lambdaVariables('foo'), 'foo')))]", "A `foo` value of 'foo' is not allowed"]"#;
    check_validate(validate, "\"bar\"", &[]);
    let message = format!("{REJECTED} with the following message: 'A `foo` value of 'foo' is not allowed'.");
    check_validate(validate, "\"foo\"", &[&message]);
}

#[test]
fn syntax_errors_in_a_validate_are_reported() {
    const CODE: &str = "main.json:3:1 error template/validate";
    const FIRST: &str = "main.json:3:2 error template/validate element 1 of `validate`";
    let lambda = r#""[lambda('x', true())]""#;
    let cases: &[(&str, &str, String)] = &[
        ("\"x\"", CODE, "`validate` must be an array, found a string".into()),
        ("[]", CODE, "`validate` must have at least one element, found none".into()),
        (
            &format!("[{lambda}, \"m\", {lambda}]"),
            CODE,
            "`validate` must have one element or an even number of them, found 3".into(),
        ),
        ("[1]", FIRST, "must be a `lambda` expression, found an integer".into()),
        ("[\"lambda\"]", FIRST, "must be a `lambda` expression, found a plain string".into()),
        ("[\"[[lambda('x', true())]\"]", FIRST, "must be a `lambda` expression, found a plain string".into()),
        ("[\"['x']\"]", FIRST, "must call `lambda`, found no call".into()),
        ("[\"[true()]\"]", FIRST, "must call `lambda`, found `true`".into()),
        ("[\"[n.f()]\"]", FIRST, "must call `lambda`, found `n.f`".into()),
        ("[\"[lamda('x', true())]\"]", FIRST, "must call `lambda`, found `lamda`".into()),
        ("[\"[lambda('x', true()).y]\"]", FIRST, "must call `lambda`, found no call".into()),
        (
            "[\"[lambda(true())]\"]",
            FIRST,
            "must be a `lambda` of exactly one variable and an expression, found 1 arguments".into(),
        ),
        (
            "[\"[lambda('x', 'i', true())]\"]",
            FIRST,
            "must be a `lambda` of exactly one variable and an expression, found 3 arguments".into(),
        ),
        (
            "[\"[lambda(string('x'), true())]\"]",
            FIRST,
            "must be a `lambda` whose first argument is the name of its variable, a string".into(),
        ),
    ];
    for (validate, place, message) in cases {
        check_validate(validate, "\"x\"", &[&format!("{place} {message}")]);
    }
    let second = format!("main.json:3:{} error template/validate element 2 of `validate`", 4 + lambda.len());
    let with_message = |message: &str| format!("[{lambda}, {message}]");
    for (message, problem) in [
        ("1", "must be a message, a string, found an integer"),
        ("\"[string('x')]\"", "must be a message, a plain string, found an expression"),
    ] {
        check_validate(&with_message(message), "\"x\"", &[&format!("{second} {problem}")]);
    }
}

#[test]
fn a_validate_is_read_where_no_value_meets_it() {
    let expanded = Expanded::new(
        r#"{"languageVersion": "2.0", "resources": {},
            "definitions": {"d": {"type": "object", "properties": {"a": {"type": "array", "items": {"validate": []}}}}}}"#,
        "{}",
    );
    assert_eq!(
        expanded.diagnostics(),
        ["main.json:2:113 error template/validate `validate` must have at least one element, found none"]
    );
}

#[test]
fn a_result_that_is_not_a_bool_is_an_error_of_the_validator() {
    let at = "main.json:3:2 error template/validate the lambda of a `validate` returns";
    let invalid = |found: &str| format!("{at} an invalid value: it must be a Boolean, found {found}");
    for (body, message) in [
        ("lambdaVariables('x')", invalid("a string")),
        ("null()", invalid("null")),
        ("1", invalid("an integer")),
        ("createObject()", invalid("an object")),
        ("createArray('a', 'b')", format!("{at} an array, which is not supported; expected a Boolean")),
    ] {
        check_validate(&format!("[\"[lambda('x', {body})]\", \"m\"]"), "\"v\"", &[&message]);
    }
}

#[test]
fn a_lambda_that_fails_is_reported_in_its_text() {
    check_validate(
        r#"["[lambda('x', equals(div(1, 0), 1))]"]"#,
        "\"v\"",
        &["main.json:3:23 error expression/failed `div` cannot divide by zero"],
    );
    check_validate(
        r#"["[lambda('x', empty(lambdaVariables('y')))]"]"#,
        "\"v\"",
        &["main.json:3:22 error expression/undefined there is no lambda variable `y` here"],
    );
}

#[test]
fn a_result_that_depends_on_an_unknown_is_unknown() {
    check_validate(
        r#"["[lambda('x', equals(lambdaVariables('x'), reference('y', '2020-01-01').z))]"]"#,
        "\"v\"",
        &["parameters.json:2:16 unknown parameters.p: cannot check `validate` of parameter `p` before \
         the deployment, because `y` is not in this deployment, so its state is known only in Azure"],
    );
}

#[test]
fn lambdas_are_called_for_defaults_and_not_for_null_or_nothing() {
    let never = r#""validate": ["[lambda('x', false())]"]"#;
    check(
        &format!(
            "\"parameters\": {{\n\"a\": {{\"type\": \"string\", \"nullable\": true, {never}}},\n\
            \"b\": {{\"type\": \"string\", \"nullable\": true, {never}}},\n\"c\": {{\"type\": \"string\", {never}}},\n\
            \"d\": {{\"type\": \"string\", {never}, \"defaultValue\": \"[toLower('X')]\"}}}}"
        ),
        "\"a\": {\"value\": null}",
        &[
            "main.json:6:81 parameters.d: The provided value for the template parameter 'd' is not valid. The value was \
            rejected by a custom validation predicate.",
        ],
    );
}

#[test]
fn lambdas_see_parameters_variables_and_user_functions() {
    let members = |body: &str| {
        format!(
            "\"functions\": [{{\"namespace\": \"__bicep\", \"members\": {{\"isShort\": {{\"parameters\": [{{\"name\": \"s\", \
            \"type\": \"string\"}}], \"output\": {{\"type\": \"bool\", \"value\": \"[less(length(parameters('s')), 4)]\"}}}}}}}}],
            \"variables\": {{\"allowed\": [\"one\", \"two\"]}},
            \"parameters\": {{\"other\": {{\"type\": \"string\", \"defaultValue\": \"one\"}},
            \"p\": {{\"type\": \"string\", \"validate\": [\"[lambda('x', {body})]\", \"m\"]}}}}"
        )
    };
    for body in [
        "contains(variables('allowed'), lambdaVariables('x'))",
        "equals(parameters('other'), lambdaVariables('x'))",
        "__bicep.isShort(lambdaVariables('x'))",
        "equals(parameters('p'), lambdaVariables('x'))",
    ] {
        check(&members(body), "\"p\": {\"value\": \"one\"}", &[]);
        let negated = members(&format!("not({body})"));
        let message = format!("{REJECTED} with the following message: 'm'.");
        check(&negated, "\n\"p\": {\"value\": \"one\"}", &[&message]);
    }
}

#[test]
fn older_language_versions_get_a_warning() {
    let template = |version: &str| {
        format!(
            "{{{version}\"resources\": [], \"parameters\": {{\n\"p\": {{\"type\": \"string\", \"validate\": [\"[lambda('x', false())]\"]}}}}}}"
        )
    };
    let values = "{\"parameters\": {\n\"p\": {\"value\": \"v\"}}}";
    for version in ["1.9-experimental", "1.10-experimental", "2.0", "2.1-experimental", "2.2-experimental"] {
        let expanded = Expanded::new(&template(&format!("\"languageVersion\": \"{version}\", ")), values);
        assert_eq!(expanded.issues().len(), 1, "{version}");
        assert!(expanded.diagnostics().is_empty(), "{version}");
    }
    let told =
        "main.json:2:25 warning template/validate `validate` requires `languageVersion` `2.0` or later; the template";
    for (version, found) in [("", "has none"), ("\"languageVersion\": \"1.0\", ", "has `1.0`")] {
        let expanded = Expanded::new(&template(version), values);
        assert_eq!(expanded.issues().len(), 1);
        assert_eq!(expanded.diagnostics(), [format!("{told} {found}")]);
    }
}
