//! Templates and their expansions.

mod blanks;
mod environment;
mod groups;
mod guards;
mod limits;
mod nulls;
mod scopes;
mod written;

use std::fmt::Write as _;

use arcstr::ArcStr;

use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::expand::testing::expanded;
use crate::expand::{Request, expand};
use crate::model::{Budget, Expansion, Limits, Offline, Presence};
use crate::syntax::json;
use crate::text::Sources;

/// Expands a template and shows it, a line each: resources in order (path, type, name, properties), outputs,
/// diagnostics.
fn show(template: &str, parameters: &str) -> String {
    show_in(&Context::default(), template, parameters)
}

/// Shows an expansion like [`show`], in an environment that the settings describe.
fn show_in(context: &Context, template: &str, parameters: &str) -> String {
    let (sources, expansion) = expansion_in(context, template, parameters);
    let mut out = String::new();
    if let Some(document) = &expansion.document {
        for resource in &document.resources {
            let maybe = match resource.presence {
                Presence::Deployed => "",
                Presence::Maybe(_) => "maybe ",
            };
            let properties =
                resource.body.get("properties").map_or(String::new(), |value| format!(" {}", value.to_json()));
            writeln!(out, "{maybe}{} {} {}{properties}", resource.path, resource.type_name, resource.name).unwrap();
        }
        for member in document.deployments[0].outputs.as_object().unwrap() {
            let value = member.value.get("value").unwrap();
            let known =
                value.first_unknown().map_or_else(|| value.to_json(), |unknown| format!("unknown: {}", unknown.why));
            writeln!(out, "{} = {known}", member.key).unwrap();
        }
    }
    // What these templates lack is tested elsewhere.
    let is_lacking = |problem: &&Diagnostic| {
        ["`apiVersion`", "has no `contentVersion`", "has no `mode`"].iter().any(|part| problem.message.contains(part))
    };
    for problem in expansion.diagnostics.iter().filter(|problem| !is_lacking(problem)) {
        let (at, _) = sources.range(problem.primary.span);
        writeln!(out, "{}:{} {} {}", at.line, at.column, problem.code.as_str(), problem.message).unwrap();
    }
    out
}

/// Returns the expansion of a template with a parameter file, if there is any.
fn expansion_in(context: &Context, template: &str, parameters: &str) -> (Sources, Expansion) {
    let sources = Sources::new();
    let read = |name: &str, text: &str| {
        let text: ArcStr = text.into();
        let file = sources.add(name, text.clone());
        (file, json::parse(file, &text, 256).value.unwrap())
    };
    let (file, template) = read("main.json", template);
    let parameters = (!parameters.is_empty()).then(|| read("parameters.json", parameters));
    // The thread of a test has less of a stack than a worker.
    let limits = Limits { call_depth: 200, ..Limits::default() };
    let request = Request {
        file,
        template: &template,
        parameters: parameters.as_ref().map(|(file, value)| (*file, value)),
        overrides: &[],
        context,
        budget: &Budget::new(&limits),
        states: true,
        explores: false,
        has_unknowns: false,
        loader: &Offline,
    };
    let expansion = expand(&request);
    (sources, expansion)
}

#[track_caller]
fn check(template: &str, expected: &[&str]) {
    let found = show(template, "");
    assert_eq!(found.lines().collect::<Vec<_>>(), expected, "\n{found}");
}

#[test]
fn parameters_have_a_value_a_default_or_are_unknown() {
    let template = r#"{
        "parameters": {
            "given": {"type": "int"}, "text": {"type": "int"},
            "default": {"type": "string", "defaultValue": "[format('{0}!', parameters('given'))]"},
            "none": {"type": "string"}
        },
        "resources": [],
        "outputs": {
            "a": {"type": "int", "value": "[parameters('GIVEN')]"},
            "b": {"type": "int", "value": "[parameters('text')]"},
            "c": {"type": "string", "value": "[parameters('default')]"},
            "d": {"type": "string", "value": "[format('a-{0}', parameters('none'))]"},
            "e": {"type": "string", "value": "[parameters('given_')]"}
        }
    }"#;
    let parameters =
        r#"{"parameters": {"given": {"value": 1}, "text": {"value": "2"}, "nine": {"value": 1}, "none": 3}}"#;
    let expected = "a = 1\nb = 2\nc = \"1!\"\nd = unknown: parameter `none` has no value\n\
        e = unknown: its expression fails: there is no parameter `given_`, did you mean `given`?\n\
        1:64 parameter/undefined the template declares no parameter `nine`\n\
        13:48 expression/undefined there is no parameter `given_`, did you mean `given`?\n";
    assert_eq!(show(template, parameters), expected);
}

#[test]
fn the_azure_developer_cli_ignores_values_of_undeclared_parameters() {
    let template = r#"{"parameters": {"a": {"type": "string"}}, "resources": []}"#;
    let levels = |parameters: &str| {
        let (_, expansion) = expansion_in(&Context::default(), template, parameters);
        let of = |problem: &Diagnostic| problem.code == Code::ParameterUndefined;
        expansion.diagnostics.iter().filter(|problem| of(problem)).map(|problem| problem.level).collect::<Vec<_>>()
    };
    assert_eq!(levels(r#"{"parameters": {"a": {"value": "${A}"}, "b": {"value": "1"}}}"#), [Level::Note]);
    assert_eq!(levels(r#"{"parameters": {"a": {"value": "x"}, "b": {"value": "${B=1}"}}}"#), [Level::Note]);
    assert_eq!(levels(r#"{"parameters": {"a": {"value": "x"}, "b": {"value": "${{b}}"}}}"#), [Level::Error]);
    assert_eq!(levels(r#"{"parameters": {"a": {"value": "x"}, "b": {"value": "1"}}}"#), [Level::Error]);
}

#[test]
fn loops_make_resources_properties_variables_and_outputs() {
    check(
        r#"{
        "variables": {"copy": [{"name": "v", "count": 2, "input": "[format('v{0}', copyIndex('v'))]"}]},
        "resources": [{
            "type": "A.B/c", "name": "[format('n{0}', copyIndex())]", "copy": {"name": "loop", "count": 2},
            "properties": {
                "copy": [{"name": "p", "count": 2, "input": {"i": "[copyIndex('p')]", "n": "[copyIndex()]"}}],
                "items": [{"copy": [{"name": "q", "count": 0, "input": 1}], "x": "[copyIndex('loop', 10)]"}]
            }
        }],
        "outputs": {
            "o": {"type": "array", "copy": {"count": 2, "input": "[copyIndex()]"}},
            "v": {"type": "array", "value": "[variables('v')]"}
        }}"#,
        &[
            r#"resources[0] A.B/c n0 {"p":[{"i":0,"n":0},{"i":1,"n":0}],"items":[{"q":[],"x":10}]}"#,
            r#"resources[0] A.B/c n1 {"p":[{"i":0,"n":1},{"i":1,"n":1}],"items":[{"q":[],"x":11}]}"#,
            "o = [0,1]",
            r#"v = ["v0","v1"]"#,
        ],
    );
}

#[test]
fn a_condition_decides_or_leaves_open_whether_a_resource_is_deployed() {
    check(
        r#"{
        "parameters": {"p": {"type": "bool"}},
        "resources": [
            {"type": "A.B/c", "name": "no", "condition": false, "resources": [{"type": "d", "name": "child"}]},
            {"type": "A.B/c", "name": "maybe", "condition": "[parameters('p')]", "resources": [{"type": "d", "name": "x"}]},
            {"type": "A.B/c", "name": "[format('i{0}', copyIndex())]", "condition": "[equals(copyIndex(), 1)]",
             "copy": {"name": "l", "count": 3}}
        ]}"#,
        &["maybe resources[1] A.B/c maybe", "maybe resources[1].resources[0] A.B/c/d maybe/x", "resources[2] A.B/c i1"],
    );
}

#[test]
fn resources_come_in_the_order_of_their_dependencies() {
    check(
        r#"{"languageVersion": "2.0", "resources": {
            "last": {"type": "A.B/c", "name": "last", "dependsOn": ["loop", "[resourceId('A.B/c', 'by-id')]"]},
            "implicit": {"type": "A.B/c", "name": "implicit", "properties": {"x": "[reference('state').y]"}},
            "loop": {"type": "A.B/c", "name": "[format('l{0}', copyIndex())]", "copy": {"name": "loop", "count": 2}},
            "state": {"type": "A.B/c", "name": "state", "properties": {"y": 1}},
            "id": {"type": "A.B/c", "name": "by-id"}
        }}"#,
        &[
            "resources.loop A.B/c l0",
            "resources.loop A.B/c l1",
            "resources.id A.B/c by-id",
            "resources.last A.B/c last",
            r#"resources.state A.B/c state {"y":1}"#,
            r#"resources.implicit A.B/c implicit {"x":1}"#,
        ],
    );
}

#[test]
fn a_dependency_cycle_is_reported_and_its_resources_are_kept() {
    check(
        r#"{"resources": [
            {"type": "A.B/c", "name": "a", "dependsOn": ["b"]},
            {"type": "A.B/c", "name": "b", "dependsOn": ["a"]}
        ]}"#,
        &["resources[1] A.B/c b", "resources[0] A.B/c a", "2:57 template/cycle dependency cycle: `a` -> `b` -> `a`"],
    );
}

#[test]
fn nested_templates_see_their_own_or_the_outer_names() {
    let template = |scope: &str| {
        format!(
            r#"{{
        "parameters": {{"p": {{"type": "string", "defaultValue": "outer"}}}},
        "resources": [{{
            "type": "Microsoft.Resources/deployments", "name": "d",
            "properties": {{
                "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "{scope}"}},
                "parameters": {{"p": {{"value": "inner"}}}},
                "template": {{
                    "parameters": {{"p": {{"type": "string"}}}},
                    "resources": [{{"type": "A.B/c", "name": "[parameters('p')]"}}],
                    "outputs": {{"o": {{"type": "string", "value": "[parameters('p')]"}}}}
                }}
            }}
        }}],
        "outputs": {{"o": {{"type": "string", "value": "[reference('d').outputs.o.value]"}}}}
        }}"#
        )
    };
    for scope in ["inner", "outer"] {
        let found = show(&template(scope), "{}");
        let name = format!("resources[0].properties.template.resources[0] A.B/c {scope}");
        assert!(found.lines().any(|line| line == name), "{found}");
        assert!(found.lines().any(|line| line == format!("o = \"{scope}\"")), "{found}");
    }
}

#[test]
fn what_only_azure_knows_is_unknown_and_what_the_template_says_is_known() {
    check(
        r#"{
        "resources": [
            {"type": "A.B/c", "name": "n", "location": "here", "properties": {"known": 1, "object": {"a": 1}}}
        ],
        "outputs": {
            "known": {"type": "int", "value": "[reference('n').object.a]"},
            "location": {"type": "string", "value": "[reference(resourceId('A.B/c', 'n'), '2020-01-01', 'Full').location]"},
            "unknown": {"type": "string", "value": "[reference('n').object.b]"},
            "other": {"type": "string", "value": "[format('x{0}', reference('elsewhere', '2020-01-01').y)]"}
        }}"#,
        &[
            r#"resources[0] A.B/c n {"known":1,"object":{"a":1}}"#,
            "known = 1",
            r#"location = "here""#,
            "unknown = unknown: only Azure knows the whole state of `n`",
            "other = unknown: `elsewhere` is not in this deployment, so its state is known only in Azure",
        ],
    );
}

#[test]
fn secrets_stay_secret_in_whatever_is_made_of_them() {
    check(
        r#"{
        "parameters": {"s": {"type": "secureString", "defaultValue": "hunter2"}},
        "variables": {"v": "[format('x{0}', parameters('s'))]"},
        "resources": [{"type": "A.B/c", "name": "n", "properties": {
            "direct": "[parameters('s')]", "made": "[toUpper(variables('v'))]", "empty": "[empty(parameters('s'))]",
            "split": "[split(variables('v'), 'u')]", "keys": "[listKeys('x', '2020-01-01').keys[0].value]"
        }}]}"#,
        &[concat!(
            r#"resources[0] A.B/c n {"direct":"{{Secret}}","made":"{{Secret}}","empty":false,"#,
            r#""split":["{{Secret}}","{{Secret}}"],"keys":"{{Secret}}"}"#
        )],
    );
}

#[test]
fn computed_nulls_are_dropped_and_written_ones_are_kept() {
    check(
        r#"{"resources": [{"type": "A.B/c", "name": "n", "tags": "[null()]", "properties": {
            "a": null, "b": "[null()]", "c": {"d": "[null()]", "e": ["[null()]", 1]}
        }}]}"#,
        &[r#"resources[0] A.B/c n {"a":null,"c":{"e":[null,1]}}"#],
    );
}

#[test]
fn a_failing_expression_loses_only_itself() {
    check(
        r#"{"variables": {"bad": "[div(1, 0)]", "unused": "[nope()]"},
        "resources": [{"type": "A.B/c", "name": "n", "properties": {"x": "[variables('bad')]", "y": "[add(1, 2)]"}}]}"#,
        &[
            r#"resources[0] A.B/c n {"x":{},"y":3}"#,
            "1:25 expression/failed `div` cannot divide by zero",
            "1:50 expression/unknown-function there is no function `nope`",
        ],
    );
}

#[test]
fn attacks_end_with_a_diagnostic() {
    let doubled = |each: &str| {
        let variables: Vec<String> =
            (1..60).map(|at| format!(r#""v{at}": "{}""#, each.replace('#', &(at - 1).to_string()))).collect();
        format!(r#"{{"variables": {{"v0": "0123456789", {}}}, "resources": []}}"#, variables.join(", "))
    };
    let concat = doubled("[concat(variables('v#'), variables('v#'))]");
    assert!(show(&concat, "{}").contains("expression/limit"), "{}", show(&concat, "{}"));
    let arrays = doubled("[createArray(variables('v#'), variables('v#'))]");
    assert!(show(&arrays, "{}").contains("expression/limit"), "{}", show(&arrays, "{}"));
    check(
        r#"{"variables": {"a": "[variables('b')]", "b": "[variables('a')]"}, "resources": []}"#,
        &["1:48 expression/recursion variable `a` is defined in terms of itself"],
    );
    check(
        r#"{"resources": [{"type": "A.B/c", "name": "n", "copy": {"name": "l", "count": 1000000000}}]}"#,
        &["1:78 template/limit loop `l` has 1000000000 iterations; Resource Manager allows 0 to 800"],
    );
    check(
        r#"{"functions": [{"namespace": "n", "members": {"f": {"parameters": [], "output": {"value": "[n.f()]"}}}}],
            "variables": {"v": "[n.f()]"}, "resources": []}"#,
        &[
            "1:93 expression/limit the evaluation is nested deeper than 200 levels",
            "1:93 expression/placement `n.f()` is not available in a function, which cannot call others of the template",
        ],
    );
}

#[test]
fn shape_errors_are_reported_where_they_are() {
    check("[]", &["1:1 template/shape a template must be an object, found an array"]);
    check(
        r#"{"resources": ["x", {"type": "A.B/c", "name": "n", "condition": 3}], "outputs": {"o": {"type": "int"}}}"#,
        &[
            "resources[1] A.B/c n",
            "o = unknown: output `o` has no value",
            "1:16 template/shape a resource must be an object, found a string",
            "1:65 template/shape `condition` must be a Boolean, found an integer",
            "1:87 template/shape output `o` has neither `value` nor `copy`",
        ],
    );
}

#[test]
fn the_chain_behind_a_value_is_kept() {
    let template = r#"{
        "parameters": {"tls": {"type": "string", "defaultValue": "TLS1_0"}},
        "variables": {"settings": {"tls": "[parameters('tls')]"}},
        "resources": [{"type": "A.B/c", "name": "n", "properties": {"minimum": "[variables('settings').tls]"}}]
    }"#;
    let (sources, expansion) = expanded(template);
    let document = expansion.document.unwrap();
    let value = document.resources[0].body.get("properties").and_then(|value| value.get("minimum")).unwrap();
    assert_eq!(value.as_str(), Some("TLS1_0"));
    let line = |span: Option<crate::text::Span>| span.map(|span| sources.range(span).0.line);
    let mut steps = vec![("written".to_owned(), line(value.span))];
    let mut via = value.via.clone();
    while let Some(step) = via {
        steps.push((step.step.describe(), line(step.span)));
        via = step.earlier.first().cloned();
    }
    let expected = [("written", 4), ("variable `settings`", 3), ("the default of parameter `tls`", 2)];
    let expected: Vec<_> = expected.iter().map(|(what, line)| ((*what).to_owned(), Some(*line))).collect();
    assert_eq!(steps, expected);
}

#[test]
fn the_name_of_what_is_not_deployed_may_fail() {
    check(
        r#"{
        "languageVersion": "2.0",
        "parameters": {"key": {"type": "object", "nullable": true}},
        "resources": {
            "vault": {
                "existing": true, "condition": "[not(empty(parameters('key')))]",
                "type": "Microsoft.KeyVault/vaults", "apiVersion": "2020-01-01",
                "name": "[last(split(tryGet(parameters('key'), 'id'), '/'))]"
            }
        }
    }"#,
        &[],
    );
}

#[test]
fn the_same_resource_twice_in_one_template_is_refused() {
    check(
        r#"{
        "resources": [
            {"type": "A.B/c", "apiVersion": "2020-01-01", "name": "x"},
            {"type": "a.b/C", "apiVersion": "2020-01-01", "name": "X"}
        ]
    }"#,
        &[
            "resources[0] A.B/c x",
            "resources[1] a.b/C X",
            "4:13 template/duplicate `a.b/C` named `X` is declared twice",
        ],
    );
}

#[test]
fn what_is_deployed_with_the_expressions_of_the_outer_template_may_read_its_earlier_state() {
    check(
        r#"{
        "resources": [{
            "type": "Microsoft.Resources/deployments", "apiVersion": "2020-01-01", "name": "d",
            "properties": {"mode": "Incremental", "template": {"resources": [{
                "type": "A.B/c", "apiVersion": "2020-01-01", "name": "x",
                "properties": {"y": "[reference(resourceId('A.B/c', 'x')).y]"}
            }]}}
        }]
    }"#,
        &[
            r#"resources[0] Microsoft.Resources/deployments d {"mode":"Incremental"}"#,
            r#"resources[0].properties.template.resources[0] A.B/c x {"y":{}}"#,
        ],
    );
}

#[test]
fn a_part_is_secret_only_where_it_is_one_itself() {
    let template = r#"{
        "resources": [{
            "type": "Microsoft.Resources/deployments", "apiVersion": "2020-01-01", "name": "d",
            "properties": {
                "mode": "Incremental", "expressionEvaluationOptions": {"scope": "inner"},
                "template": {"resources": [], "outputs": {
                    "key": {"type": "secureString", "value": "k"},
                    "name": {"type": "string", "value": "n"}
                }}
            }
        }],
        "outputs": {
            "a": {"type": "string", "value": "[tryGet(reference('d').outputs, 'name', 'value')]"},
            "b": {"type": "string", "value": "[tryGet(reference('d').outputs, 'key', 'value')]"},
            "c": {"type": "string", "value": "[listOutputsWithSecureValues('d', '1').name]"},
            "d": {"type": "string", "value": "[listOutputsWithSecureValues('d', '1').key]"}
        }
    }"#;
    let shown = show(template, "{}");
    let outputs: Vec<&str> = shown.lines().filter(|line| line.contains(" = ")).collect();
    assert_eq!(outputs, [r#"a = "n""#, r#"b = "{{Secret}}""#, r#"c = "n""#, r#"d = "{{Secret}}""#]);
}

#[test]
fn what_is_not_deployed_may_have_a_name_that_fails() {
    check(
        r#"{
        "variables": {"none": "[null()]"},
        "resources": [{
            "type": "A.B/c", "condition": "[not(empty(variables('none')))]", "name": "[split(variables('none'), '/')[0]]",
            "scope": "[split(variables('none'), '/')[1]]"
        }]}"#,
        &[],
    );
}

#[test]
fn resource_info_is_known_before_the_resource() {
    check(
        r#"{
        "languageVersion": "2.0",
        "resources": {
            "child": {"type": "A.B/c/d", "apiVersion": "2020-01-01", "name": "[format('{0}/x', resourceInfo('parent').name)]"},
            "parent": {"type": "A.B/c", "apiVersion": "2020-01-01", "name": "[concat('p', resourceInfo('other').apiVersion)]"},
            "other": {"existing": true, "type": "A.B/e", "apiVersion": "2020-01-02", "name": "o"}
        },
        "outputs": {"id": {"type": "string", "value": "[last(split(resourceInfo('child').id, 'providers/'))]"}}}"#,
        &[
            "resources.child A.B/c/d p2020-01-02/x",
            "resources.parent A.B/c p2020-01-02",
            r#"id = "A.B/c/p2020-01-02/d/x""#,
        ],
    );
}

#[test]
fn a_module_is_handed_the_configuration_of_an_extension() {
    check(
        r#"{
        "extensions": {"k": {"name": "K", "version": "1", "config": {
            "given": {"type": "string", "defaultValue": "x"}, "later": {"type": "string"}}}},
        "resources": [{"type": "Microsoft.Resources/deployments", "name": "d", "properties": {
            "expressionEvaluationOptions": {"scope": "inner"},
            "extensionConfigs": {"m": {"a": "[extensions('k').config.given]", "b": "[extensions('k').config.later]"}},
            "template": {
                "extensions": {"m": {"name": "M", "version": "2", "config": {"a": {"type": "string"}}}},
                "resources": [],
                "outputs": {
                    "a": {"type": "string", "value": "[extensions('m').config.a.value]"},
                    "b": {"type": "string", "value": "[extensions('m').config.b.value]"}}}}}],
        "outputs": {
            "a": {"type": "string", "value": "[reference('d').outputs.a.value]"},
            "b": {"type": "string", "value": "[reference('d').outputs.b.value]"}}}"#,
        &[
            r#"resources[0] Microsoft.Resources/deployments d {"expressionEvaluationOptions":{"scope":"inner"},"extensionConfigs":{"m":{"a":{"value":"x"},"b":{"value":{}}}}}"#,
            r#"a = "x""#,
            "b = unknown: `later` of extension `k` is supplied at deployment",
        ],
    );
}

#[test]
fn a_group_whose_name_is_unknown_is_a_group_all_the_same() {
    let template = r#"{
        "$schema": "https://schema.management.azure.com/schemas/2018-05-01/subscriptionDeploymentTemplate.json#",
        "parameters": {"group": {"type": "string"}},
        "resources": [{"type": "Microsoft.Resources/deployments", "name": "d", "resourceGroup": "[parameters('group')]",
            "properties": {"expressionEvaluationOptions": {"scope": "inner"}, "template": {
                "resources": [{"type": "A.B/c", "name": "[resourceGroup().name]"}]}}}]}"#;
    assert!(show(template, "").contains(" A.B/c ps-rule-test-rg"), "{}", show(template, ""));
}
