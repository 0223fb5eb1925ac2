//! Tests of reads of resources that are not deployed.

use crate::context::Context;
use crate::diagnostic::common_checks::EXPRESSION_NOT_DEPLOYED;
use crate::expand::{Request, expand};
use crate::model::{Budget, Limits, Offline};
use crate::syntax::json;
use crate::text::Sources;

/// Returns the severity and the text of each read that is reported.
#[track_caller]
fn reads_with(template: &str, parameters: Option<&str>) -> Vec<String> {
    let sources = Sources::new();
    let parse = |name: &str, text: &str| {
        let text = arcstr::ArcStr::from(text);
        let file = sources.add(name, text.clone());
        (file, json::parse(file, &text, 256).value.unwrap())
    };
    let (file, value) = parse("main.json", template);
    let parameters = parameters.map(|text| parse("p.json", &format!(r#"{{"parameters": {{{text}}}}}"#)));
    let limits = Limits::default();
    let expansion = expand(&Request {
        file,
        template: &value,
        parameters: parameters.as_ref().map(|(file, value)| (*file, value)),
        overrides: &[],
        context: &Context::default(),
        budget: &Budget::new(&limits),
        states: true,
        explores: false,
        has_unknowns: false,
        loader: &Offline,
    });
    let issues = expansion.issues.iter().filter(|issue| issue.check == EXPRESSION_NOT_DEPLOYED);
    issues
        .map(|issue| {
            let text = template.get(issue.span.start as usize..issue.span.end as usize).unwrap();
            format!("{:?} {} {text}", issue.severity.unwrap(), issue.path)
        })
        .collect()
}

/// Returns a template of symbolic names with a resource `a` under a condition, and `b`, with these members.
fn template(parameters: &str, condition: &str, b: &str, outputs: &str) -> String {
    format!(
        r#"{{"languageVersion": "2.0", "parameters": {{{parameters}}}, "resources": {{
            "a": {{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "a", "condition": "{condition}"}},
            "b": {{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "b", {b}}}}},
            "outputs": {{{outputs}}}}}"#
    )
}

const PARAMETERS: &str = r#""on": {"type": "bool"}, "env": {"type": "string", "allowedValues": ["dev", "test", "prod"]},
    "name": {"type": "string", "defaultValue": ""}, "list": {"type": "array"}"#;

/// Returns the severities of the reads of `a`, by `b` with this condition, through this expression.
#[track_caller]
fn reads(a: &str, b: &str, expression: &str) -> Vec<String> {
    let members = format!(r#""condition": "{b}", "properties": {{"x": "[{expression}]"}}"#);
    let found = reads_with(&template(PARAMETERS, a, &members, ""), None);
    found.iter().map(|read| read.split(' ').next().unwrap().to_owned()).collect()
}

const READ: &str = "reference('a').x";

#[test]
fn a_read_of_a_resource_that_may_not_be_deployed_is_reported() {
    let b = format!(r#""properties": {{"x": "[{READ}]"}}"#);
    let output = r#""o": {"type": "string", "value": "[string(listKeys('a', '2020-01-01'))]"}"#;
    let found = reads_with(&template(PARAMETERS, "[parameters('on')]", &b, output), None);
    assert_eq!(
        found,
        ["Medium resources.b.properties.x reference('a')", "Medium outputs.o.value listKeys('a', '2020-01-01')"]
    );
}

#[test]
fn conditions_that_imply_each_other_are_seen() {
    for (a, b) in [
        ("[parameters('on')]", "[parameters('on')]"),
        ("[parameters('on')]", "[and(parameters('on'), equals(parameters('env'), 'prod'))]"),
        ("[not(empty(parameters('name')))]", "[greater(length(parameters('name')), 0)]"),
        (
            "[not(equals(parameters('env'), 'dev'))]",
            "[or(equals(parameters('env'), 'prod'), equals(parameters('env'), 'test'))]",
        ),
        ("[contains(createArray('prod', 'test'), parameters('env'))]", "[equals(parameters('env'), 'test')]"),
        ("[greater(length(parameters('list')), 0)]", "[not(empty(parameters('list')))]"),
        ("[true()]", "[parameters('on')]"),
    ] {
        assert_eq!(reads(a, b, READ), [""; 0], "{a} {b}");
    }
    for (a, b, severity) in [
        ("[parameters('on')]", "[not(parameters('on'))]", "High"),
        ("[parameters('on')]", "[equals(parameters('env'), 'prod')]", "Medium"),
        ("[equals(parameters('env'), 'prod')]", "[not(equals(parameters('env'), 'dev'))]", "Medium"),
        ("[equals(parameters('env'), 'prod')]", "[equals(parameters('env'), 'dev')]", "High"),
        ("[not(empty(parameters('name')))]", "[true()]", "High"),
        ("[empty(parameters('name'))]", "[true()]", "Medium"),
        ("[equals(parameters('name'), 'x')]", "[not(empty(parameters('name')))]", "Medium"),
        ("[not(empty(parameters('list')))]", "[parameters('on')]", "Medium"),
        ("[false()]", "[parameters('on')]", "High"),
    ] {
        assert_eq!(reads(a, b, READ), [severity], "{a} {b}");
    }
}

#[test]
fn branches_and_tolerant_functions_are_guards() {
    let (a, b) = ("[parameters('on')]", "[true()]");
    for guarded in [
        "if(parameters('on'), reference('a').x, '')",
        "if(not(parameters('on')), '', reference('a').x)",
        "if(and(parameters('on'), equals(parameters('env'), 'x')), reference('a').x, '')",
        "and(parameters('on'), reference('a').x)",
        "or(not(parameters('on')), reference('a').x)",
        "coalesce(reference('a').x, '')",
        "tryGet(reference('a'), 'x')",
        "resourceId('A.B/c', 'a')",
        "resourceInfo('a').id",
    ] {
        assert_eq!(reads(a, b, guarded), [""; 0], "{guarded}");
    }
    for (read, severity) in [
        ("if(parameters('on'), '', reference('a').x)", "High"),
        ("if(equals(parameters('env'), 'dev'), reference('a').x, '')", "Medium"),
        ("coalesce('', reference('a').x)", "Medium"),
        ("and(reference('a').x, parameters('on'))", "Medium"),
    ] {
        assert_eq!(reads(a, b, read), [severity], "{read}");
    }
}

#[test]
fn the_values_of_a_parameter_file_are_those_that_are_given() {
    let b = format!(r#""properties": {{"x": "[{READ}]"}}"#);
    let text = template(PARAMETERS, "[parameters('on')]", &b, "");
    let severity = |value: &str| {
        let found = reads_with(&text, Some(&format!(r#""on": {{"value": {value}}}"#)));
        found.iter().map(|read| read.split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(severity("true"), ["Medium"]);
    assert_eq!(severity("false"), ["High"]);
}

#[test]
fn an_id_with_a_version_may_mean_what_exists_already() {
    let template = |call: &str, generator: &str| {
        format!(
            r#"{{{generator}"parameters": {{"on": {{"type": "bool"}}}}, "resources": [
            {{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "a", "condition": "[parameters('on')]"}},
            {{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "b", "properties": {{"x": "[{call}.x]"}}}}]}}"#
        )
    };
    let with_version = "reference(resourceId('A.B/c', 'a'), '2020-01-01')";
    let bicep = r#""metadata": {"_generator": {"name": "bicep"}}, "#;
    assert_eq!(reads_with(&template(with_version, ""), None), [""; 0]);
    assert_eq!(reads_with(&template(with_version, bicep), None).len(), 1);
    assert_eq!(reads_with(&template("reference(resourceId('A.B/c', 'a'))", ""), None).len(), 1);
    assert_eq!(reads_with(&template("reference('a')", ""), None).len(), 1);
    // Where it is read, it is never deployed: the template means an existing resource of the same name.
    let other = format!("if(parameters('on'), '', {with_version})");
    assert_eq!(reads_with(&template(&other, bicep), None), [""; 0]);
    assert_eq!(reads_with(&template(&format!("if(parameters('on'), {with_version}, '')"), bicep), None), [""; 0]);
    // The condition selects what is read.
    let chosen = "reference(if(parameters('on'), 'a', 'c'))";
    assert_eq!(reads_with(&template(chosen, ""), Some(r#""on": {"value": true}"#)), [""; 0]);
    // Two declarations of one resource exclude each other.
    let twin = r#"{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "a", "condition": "[not(parameters('on'))]"},"#;
    let twins = template(with_version, bicep).replacen(r#""resources": ["#, &format!(r#""resources": [{twin}"#), 1);
    assert_eq!(reads_with(&twins, None), [""; 0]);
}

#[test]
fn nested_templates_have_the_arguments_that_are_passed() {
    let inner = |argument: &str| {
        let inner = template(
            r#""in": {"type": "bool"}"#,
            "[parameters('in')]",
            &format!(r#""properties": {{"x": "[{READ}]"}}"#),
            "",
        );
        format!(
            r#"{{"parameters": {{"on": {{"type": "bool"}}}}, "resources": [{{
            "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m", "properties": {{
            "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}},
            "parameters": {{"in": {{"value": {argument}}}}}, "template": {inner}}}}}]}}"#
        )
    };
    let path = "resources[0].properties.template.resources.b.properties.x reference('a')";
    assert_eq!(reads_with(&inner("true"), None), [""; 0]);
    assert_eq!(reads_with(&inner("false"), None), [format!("High {path}")]);
    assert_eq!(reads_with(&inner(r#""[parameters('on')]""#), None), [format!("Medium {path}")]);
}
