//! Templates that Resource Manager rejects, each next to a similar one that is accepted.

use crate::expand::testing::expanded;

/// Returns the diagnostics of a template: code, and the text that it points at.
fn problems(template: &str) -> Vec<String> {
    let (sources, expansion) = expanded(template);
    let line = |problem: &crate::diagnostic::Diagnostic| {
        let span = problem.primary.span;
        let source = sources.get(span.file);
        format!("{} {}", problem.code.as_str(), source.text().get(span.start as usize..span.end as usize).unwrap())
    };
    expansion.diagnostics.iter().map(line).collect()
}

#[track_caller]
fn refused(template: &str, expected: &str) {
    assert_eq!(problems(template), [expected], "{template}");
}

#[track_caller]
fn accepted(template: &str) {
    assert_eq!(problems(template), [""; 0], "{template}");
}

/// Returns a template with these members of `resources`.
fn template_with(resources: &str) -> String {
    format!(r#"{{"resources": [{resources}]}}"#)
}

/// Returns a template with these `resources` by symbolic name.
fn symbolic(resources: &str) -> String {
    format!(r#"{{"languageVersion": "2.0", "resources": {{{resources}}}}}"#)
}

/// Returns a resource of type `A.B/c` with further members.
fn resource(name: &str, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { ", " };
    format!(r#"{{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "{name}"{comma}{more}}}"#)
}

/// Returns a nested deployment `m` of inner scope.
fn module(arguments: &str, template: &str) -> String {
    template_with(&format!(
        r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m", "properties": {{
            "mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, {arguments}
            "template": {template}}}}}"#
    ))
}

#[test]
fn names_that_differ_only_in_case_are_one() {
    const CODE: &str = "template/ambiguous-name";
    let check = |template: &str, name: &str| refused(template, &format!("{CODE} \"{name}\""));
    let one = resource("x", r#""properties": {}"#);
    check(&format!(r#"{{"resources": [{one}], "Resources": []}}"#), "Resources");
    check(
        r#"{"resources": [], "variables": {"a": 1, "A": 2}, "outputs": {"o": {"type": "int", "value": "[variables('a')]"}}}"#,
        "A",
    );
    check(&template_with(&resource("x", r#""properties": {"httpsOnly": true, "HttpsOnly": false}"#)), "HttpsOnly");
    check(&template_with(&resource("x", r#""properties": {"a": [{"b": {"c": 1, "C": 1}}]}"#)), "C");
    check(&template_with(&resource("x", r#""properties": {}, "Properties": {}"#)), "Properties");
    check(&template_with(&resource("x", r#""condition": false, "CONDITION": true"#)), "CONDITION");
    check(&template_with(&resource("x", r#""copy": {"name": "l", "count": 1, "Count": 1}"#)), "Count");
    check(&symbolic(&format!(r#""a": {one}, "A": {}"#, resource("y", ""))), "A");
    let members: Vec<String> = (0..20).map(|at| format!(r#""m{at}": 1"#)).collect();
    check(&template_with(&resource("x", &format!(r#""properties": {{{}, "M7": 1}}"#, members.join(", ")))), "M7");
    for map in ["tags", "metadata"] {
        accepted(&template_with(&resource("x", &format!(r#""{map}": {{"a": 1, "A": 2}}"#))));
    }
    accepted(&template_with(&resource("x", r#""properties": {"environmentVariables": {"a": 1, "A": 2}}"#)));
    accepted(&template_with(
        &resource("s/appsettings", r#""properties": {"a": 1, "A": 2}"#).replace("A.B/c", "A.B/c/d"),
    ));
    accepted(
        r#"{"resources": [], "variables": {"v": {"a": 1, "A": 2}}, "outputs": {"o": {"type": "object", "value": "[variables('v')]"}}}"#,
    );
}

#[test]
fn resources_under_each_spelling_are_checked() {
    let twins = format!(
        r#"{{"resources": [{}], "Resources": [{}]}}"#,
        resource("x", r#""condtion": true"#),
        resource("y", r#""condtion": true"#)
    );
    let found = problems(&twins);
    assert_eq!(found.iter().filter(|problem| problem.contains("condtion")).count(), 2, "{found:?}");
}

#[test]
fn a_type_has_nothing_but_names() {
    const CODE: &str = "template/type";
    for name in [" A.B/c", "A.B/c ", "A.B//c", "A.B/c/", "A.B/ c"] {
        let template = template_with(&resource("x", "").replace("A.B/c", name));
        refused(&template, &format!("{CODE} \"{name}\""));
    }
}

#[test]
fn sections_and_properties_have_fixed_names() {
    const CODE: &str = "template/unknown-property";
    let check = |template: &str, name: &str| refused(template, &format!("{CODE} \"{name}\""));
    check(r#"{"resources": [], "resorces": []}"#, "resorces");
    check(
        r#"{"resources": [], "parameters": {"p": {"type": "int", "defaultVaule": 1}}, "variables": {"v": "[parameters('p')]"}}"#,
        "defaultVaule",
    );
    check(r#"{"resources": [], "outputs": {"o": {"type": "int", "value": 1, "conditon": true}}}"#, "conditon");
    check(&template_with(&resource("x", r#""condtion": false"#)), "condtion");
    check(&template_with(&resource("x", r#""copy": {"name": "l", "count": 1, "batchsizes": 1}"#)), "batchsizes");
    check(
        &template_with(&resource("x", &format!(r#""resources": [{}]"#, resource("y", r#""dependson_": []"#)))),
        "dependson_",
    );
    check(&module(r#""paramters": {},"#, r#"{"resources": []}"#), "paramters");
    check(&module("", r#"{"resources": [], "outptus": {}}"#), "outptus");
    check(r#"{"resources": [], "functions": [{"namespace": "n", "members": {}, "member": {}}]}"#, "member");
    check(
        r#"{"resources": [], "languageVersion": "2.0", "definitions": {"d": {"type": "object", "properties": {"a": {"type": "int", "minValu": 1}}}}}"#,
        "minValu",
    );
    // Names are case-insensitive, and a computed name is not known here.
    accepted(
        r#"{"RESOURCES": [], "Parameters": {"p": {"TYPE": "int", "DefaultValue": 1}}, "variables": {"v": "[parameters('p')]"}}"#,
    );
    accepted(&template_with(&resource(
        "x",
        r#""DependsOn": [], "sku": {"nmae": "x"}, "[format('tags')]": {}, "zones": [], "scale": null"#,
    )));
}

#[test]
fn a_resource_may_have_properties_that_only_its_type_knows() {
    accepted(&template_with(&resource("x", r#""certificate": "c", "contents": {}, "description": "d""#)));
}

#[test]
fn parameters_and_outputs_have_a_type_that_exists() {
    let parameter = |declaration: &str| {
        format!(
            r#"{{"resources": [], "parameters": {{"p": {declaration}}}, "variables": {{"v": "[parameters('p')]"}}}}"#
        )
    };
    refused(&parameter(r#"{"type": "integer"}"#), "template/shape \"integer\"");
    refused(&parameter("{}"), "template/shape \"p\"");
    refused(&parameter(r#"{"type": 5}"#), "template/shape 5");
    refused(&parameter(r#""int""#), "template/shape \"int\"");
    refused(&parameter(r#"{"type": "string", "allowedValues": []}"#), "template/shape []");
    accepted(&parameter(r#"{"type": "SecureString"}"#));
    let output = |declaration: &str| format!(r#"{{"resources": [], "outputs": {{"o": {declaration}}}}}"#);
    refused(&output(r#"{"type": "strng", "value": "x"}"#), "template/shape \"strng\"");
    refused(&output(r#"{"value": "x"}"#), "template/shape \"o\"");
    accepted(&output(r#"{"type": "string", "value": "x"}"#));
    let second = r#"{"languageVersion": "2.0", "resources": {}, "outputs": {"o": {"value": "x"}}}"#;
    accepted(second);
    refused(
        r#"{"resources": [], "languageVersion": "2.0", "definitions": {"d": {"type": "array", "items": {"type": "text"}}}}"#,
        "template/shape \"text\"",
    );
}

#[test]
fn the_schema_is_one_of_a_template() {
    let template = |version: &str, name: &str| {
        format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/{version}/{name}", "contentVersion": "1.0.0.0", "resources": []}}"#
        )
    };
    accepted(&template("2019-04-01", "deploymentTemplate.json#"));
    accepted(&template("2014-04-01-preview", "DEPLOYMENTTEMPLATE.JSON"));
    assert_eq!(problems(&template("2020-01-01", "deploymentTemplate.json#")).len(), 1);
    assert_eq!(problems(&template("2019-04-01", "deploymentTemplates.json#")).len(), 1);
}

#[test]
fn a_resource_has_a_type_a_name_and_a_version() {
    let check = |resource: &str| refused(&template_with(resource), "template/shape {");
    check(r#"{"apiVersion": "2020-01-01", "name": "x"}"#);
    check(r#"{"type": "A.B/c", "apiVersion": "2020-01-01"}"#);
    check(r#"{"type": "A.B/c", "name": "x"}"#);
    accepted(r#"{"apiProfile": "2020-09-01-hybrid", "resources": [{"type": "A.B/c", "name": "x"}]}"#);
    accepted(
        r#"{"languageVersion": "2.1-experimental", "imports": {"k": {"provider": "Kubernetes", "version": "1.0.0"}},
        "resources": {"a": {"import": "k", "type": "core/Secret@v1", "properties": {}}}}"#,
    );
    refused(
        &template_with(r#"{"type": "[format('A.B/{0}', 'c')]", "apiVersion": "2020-01-01", "name": "x"}"#),
        "template/shape \"[format('A.B/{0}', 'c')]\"",
    );
}

#[test]
fn sections_and_properties_have_the_right_kind() {
    refused(r#"{"resources": [], "parameters": []}"#, "template/shape []");
    refused(r#"{"resources": [], "outputs": "x"}"#, "template/shape \"x\"");
    accepted(r#"{"resources": [], "outputs": null, "variables": {}}"#);
    refused(&template_with(&resource("x", r#""dependsOn": "a""#)), "template/shape \"a\"");
    refused(&template_with(&resource("x", r#""copy": {"count": 1}"#)), "template/shape {");
    refused(
        &template_with(&resource("x", r#""copy": {"name": "l", "count": 1, "mode": "paralel"}"#)),
        "template/shape \"paralel\"",
    );
    accepted(&template_with(&resource("x", r#""copy": {"name": "l", "count": 1, "mode": "Serial", "batchSize": 1}"#)));
    accepted(&template_with(&resource("x", r#""dependsOn": "[createArray()]""#)));
    let nested = module("", r#"{"resources": []}"#);
    refused(&nested.replace("Incremental", "Increment"), "template/shape \"Increment\"");
    for right in ["Incremental", "complete", "${MODE}", "[if(true(), 'Complete', 'Incremental')]"] {
        accepted(&nested.replace("Incremental", right));
    }
}

#[test]
fn a_name_has_a_segment_for_each_type() {
    let typed = |type_name: &str, name: &str, more: &str| {
        template_with(&format!(r#"{{"type": "{type_name}", "apiVersion": "2020-01-01", "name": "{name}"{more}}}"#))
    };
    refused(&typed("A.B/c/d", "x", ""), "template/name-segments \"x\"");
    refused(&typed("A.B/c", "x/y", ""), "template/name-segments \"x/y\"");
    refused(&typed("c", "x", ""), "template/name-segments \"x\"");
    refused(&typed("A.B/c/providers/locks", "x/l", ""), "template/name-segments \"x/l\"");
    accepted(&typed("A.B/c/d", "x/y", ""));
    accepted(&typed("A.B/c/providers/locks", "x/Microsoft.Authorization/l", ""));
    let child = |type_name: &str, name: &str| {
        let child =
            format!(r#", "resources": [{{"type": "{type_name}", "apiVersion": "2020-01-01", "name": "{name}"}}]"#);
        typed("A.B/c", "x", &child)
    };
    accepted(&child("d", "y"));
    accepted(&child("A.B/c/d", "x/y"));
    accepted(&child("providers/locks", "Microsoft.Authorization/l"));
    accepted(&child("E.F/g", "y"));
    refused(&child("d", "y/z/u"), "template/name-segments \"y/z/u\"");
    // What is not known has any number of segments, and what is not deployed may have a broken name.
    accepted(
        r#"{"parameters": {"p": {"type": "string"}}, "resources": [
        {"type": "A.B/c/d", "apiVersion": "2020-01-01", "name": "[parameters('p')]"}]}"#,
    );
    accepted(&typed("A.B/c/d", "x", r#", "condition": false"#));
}

#[test]
fn dependencies_are_on_resources_of_the_template() {
    let two = |target: &str| {
        let dependent = resource("b", &format!(r#""dependsOn": ["{target}"]"#));
        template_with(&format!(
            "{}, {}, {dependent}",
            resource("a", ""),
            resource("l", r#""copy": {"name": "loop", "count": 1}"#)
        ))
    };
    let code = |target: &str| format!("template/dependency \"{target}\"");
    for undeclared in ["typo", "A.B/c/typo", "[resourceId('A.B/c', 'typo')]", "[resourceId('A.B/d', 'a')]"] {
        refused(&two(undeclared), &code(undeclared));
    }
    for declared in [
        "a",
        "A",
        "A.B/c/a",
        "[resourceId('A.B/c', 'a')]",
        "[resourceId('other', 'A.B/c', 'a')]",
        "loop",
        "[resourceId('A.B/c', 'l')]",
        "[deployment().properties.templateHash]",
        "A.B/c/",
    ] {
        accepted(&two(declared));
    }
    let child = r#"{"type": "A.B/c/d", "apiVersion": "2020-01-01", "name": "x/y"}"#;
    accepted(&two("loop").replace("\"count\": 1", "\"count\": 0"));
    accepted(&template_with(&format!("{child}, {}", resource("b", r#""dependsOn": ["y"]"#))));
    accepted(&template_with(&format!("{child}, {}", resource("b", r#""dependsOn": ["A.B/c/x/d/y", "A.B/c/d/x/y"]"#))));
}

#[test]
fn dependencies_may_be_on_what_is_not_known_or_not_deployed() {
    let with_parameter = |resources: &str| {
        format!(
            r#"{{"parameters": {{"p": {{"type": "string"}}, "n": {{"type": "int"}}}}, "resources": [{resources}]}}"#
        )
    };
    let dependent = resource("b", r#""dependsOn": ["[resourceId('A.B/c', 'a3')]"]"#);
    accepted(&with_parameter(&format!(
        "{}, {dependent}, {}",
        resource("[parameters('p')]", ""),
        resource("[string(parameters('n'))]", "")
    )));
    let many = resource("[format('a{0}', copyIndex())]", r#""copy": {"name": "l", "count": "[parameters('n')]"}"#);
    accepted(&with_parameter(&format!("{many}, {dependent}, {}", resource("[parameters('p')]", ""))));
    accepted(&template_with(&format!("{}, {dependent}", resource("a3", r#""condition": false"#))));
    accepted(&symbolic(&format!(
        r#""s": {}, "t": {}"#,
        resource("a", r#""existing": true"#),
        resource("b", r#""dependsOn": ["s"]"#)
    )));
    accepted(&symbolic(&format!(
        r#""s": {}, "t": {}"#,
        resource("[format('a{0}', copyIndex())]", r#""copy": {"name": "s", "count": 2}"#),
        resource("b", r#""dependsOn": ["s[0]", "[format('s[{0}]', 1)]"]"#)
    )));
    refused(&symbolic(&format!(r#""t": {}"#, resource("b", r#""dependsOn": ["s"]"#))), "template/dependency \"s\"");
}

#[test]
fn a_resource_does_not_depend_on_itself() {
    let own = |entry: &str| template_with(&resource("a", &format!(r#""dependsOn": ["{entry}"]"#)));
    for entry in ["a", "[resourceId('A.B/c', 'a')]"] {
        refused(&own(entry), &format!("template/cycle \"{entry}\""));
    }
    refused(&symbolic(&format!(r#""s": {}"#, resource("a", r#""dependsOn": ["s"]"#))), "template/cycle \"s\"");
    let of_loop = |entry: &str| {
        template_with(&resource(
            "[format('a{0}', copyIndex())]",
            &format!(r#""copy": {{"name": "l", "count": 2}}, "dependsOn": ["{entry}"]"#),
        ))
    };
    refused(&of_loop("l"), "template/cycle [\"l\"]");
    refused(&of_loop("l").replace("\"count\": 2", "\"count\": 1"), "template/cycle \"l\"");
    accepted(&of_loop("[if(equals(copyIndex(), 0), 'A.B/c/', 'a0')]"));
    // Another resource has the same name.
    let other = r#"{"type": "A.B/d", "apiVersion": "2020-01-01", "name": "a"}"#;
    accepted(&template_with(&format!("{other}, {}", resource("a", r#""dependsOn": ["a"]"#))));
}

#[test]
fn reference_is_to_a_resource_of_the_template_or_has_a_version() {
    let using = |expression: &str| {
        let user = resource("b", &format!(r#""properties": {{"p": "[{expression}]"}}"#));
        template_with(&format!("{}, {user}", resource("a", r#""condition": false"#)))
    };
    for undeclared in ["reference('typo').x", "reference(resourceId('A.B/c', 'typo')).x", "references('typo').x"] {
        let call = undeclared.trim_end_matches(".x");
        refused(&using(undeclared), &format!("expression/undefined {call}"));
    }
    for declared in [
        "reference('a').x",
        "reference(resourceId('A.B/c', 'a')).x",
        "reference(resourceId('A.B/c', 'typo'), '2020-01-01').x",
        "if(true(), 'x', reference('typo').x)",
    ] {
        accepted(&using(declared));
    }
    let user = resource("x", r#""properties": {"a": "[reference('typo').b]"}"#);
    refused(&symbolic(&format!(r#""x": {user}"#)), "expression/undefined reference('typo')");
}

#[test]
fn functions_of_the_runtime_are_in_properties_and_outputs() {
    let call = "reference('n', '2020-01-01').p";
    let check = |template: &str| refused(template, "expression/placement reference('n', '2020-01-01')");
    for member in ["location", "condition", "scope", "sku", "dependsOn"] {
        check(&template_with(&resource("x", &format!(r#""{member}": "[{call}]""#))));
    }
    check(&template_with(&resource(&format!("[{call}]"), "")));
    check(&template_with(&resource("x", &format!(r#""copy": {{"name": "l", "count": "[{call}]"}}"#))));
    check(&template_with(&resource(
        "x",
        &format!(r#""properties": {{"copy": [{{"name": "q", "count": "[{call}]", "input": 1}}]}}"#),
    )));
    check(&format!(
        r#"{{"resources": [], "variables": {{"v": "[{call}]"}}, "outputs": {{"o": {{"type": "string", "value": "[variables('v')]"}}}}}}"#
    ));
    check(&format!(
        r#"{{"resources": [], "parameters": {{"p": {{"type": "string", "defaultValue": "[{call}]"}}}}, "outputs": {{"o": {{"type": "string", "value": "[parameters('p')]"}}}}}}"#
    ));
    refused(
        &template_with(&resource("x", r#""tags": {"k": "[listKeys('id', '2020-01-01').x]"}"#)),
        "expression/placement listKeys('id', '2020-01-01')",
    );
    accepted(&template_with(&resource(
        "x",
        &format!(
            r#""properties": {{"copy": [{{"name": "q", "count": 1, "input": "[{call}]"}}]}}, "comments": "[{call}]""#
        ),
    )));
    accepted(&format!(r#"{{"resources": [], "outputs": {{"o": {{"type": "string", "value": "[{call}]"}}}}}}"#));
    accepted(&module(
        &format!(r#""parameters": {{"p": {{"value": "[{call}]"}}}},"#),
        r#"{"resources": [], "parameters": {"p": {"type": "string"}}, "outputs": {"o": {"type": "string", "value": "[parameters('p')]"}}}"#,
    ));
    // The template of a deployment with outer scope is evaluated with the properties of the deployment.
    let inside = template_with(&resource(&format!("[{call}]"), ""));
    accepted(&module("", &inside).replace("inner", "outer"));
    check(&module("", &inside));
}

#[test]
fn new_values_are_made_only_in_default_values() {
    for (function, call) in [("newGuid", "newGuid()"), ("utcNow", "utcNow('yyyy')")] {
        let check = |template: &str| refused(template, &format!("expression/placement {call}"));
        check(&template_with(&resource(&format!("[{call}]"), "")));
        check(&template_with(&resource("x", &format!(r#""properties": {{"p": "[{call}]"}}"#))));
        check(&format!(r#"{{"resources": [], "outputs": {{"o": {{"type": "string", "value": "[{call}]"}}}}}}"#));
        check(&format!(
            r#"{{"resources": [], "variables": {{"v": "[{call}]"}}, "outputs": {{"o": {{"type": "string", "value": "[variables('v')]"}}}}}}"#
        ));
        let default = format!(
            r#"{{"resources": [], "parameters": {{"p": {{"type": "string", "defaultValue": "[{call}]"}}}}, "outputs": {{"o": {{"type": "string", "value": "[parameters('p')]"}}}}}}"#
        );
        accepted(&default);
        for scope in ["inner", "outer"] {
            accepted(
                &module("", &default.replace("\"value\": \"[parameters('p')]\"", "\"value\": \"x\""))
                    .replace("inner", scope),
            );
        }
        accepted(&template_with(&resource("x", &format!(r#""properties": {{"p": "{function}"}}"#))));
    }
}

#[test]
fn functions_of_a_scope_are_available_only_there() {
    let scoped = |scope: &str, call: &str| {
        format!(
            r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-08-01/{scope}eploymentTemplate.json#", "contentVersion": "1.0.0.0", "resources": [],
            "outputs": {{"o": {{"type": "object", "value": "[{call}]"}}}}}}"#
        )
    };
    for (scope, functions) in [
        ("d", "managementGroup"),
        ("subscriptionD", "resourceGroup managementGroup"),
        ("managementGroupD", "resourceGroup subscription"),
        ("tenantD", "resourceGroup subscription managementGroup"),
    ] {
        for function in ["resourceGroup", "subscription", "managementGroup", "tenant"] {
            let call = format!("{function}()");
            if functions.split(' ').any(|name| name == function) {
                refused(&scoped(scope, &call), &format!("expression/placement {call}"));
            } else {
                accepted(&scoped(scope, &call));
            }
        }
    }
}

#[test]
fn a_nested_deployment_sets_the_parameters_of_its_template() {
    let template = |declaration: &str| {
        format!(
            r#"{{"resources": [], "parameters": {{"size": {declaration}}}, "outputs": {{"o": {{"type": "object", "value": "[createObject('a', parameters('size'))]"}}}}}}"#
        )
    };
    let required = template(r#"{"type": "int"}"#);
    refused(&module(r#""parameters": {},"#, &required), "parameter/required \"parameters\"");
    refused(&module("", &required), "parameter/required {");
    refused(
        &module(r#""parameters": {"size": {"value": 1}, "sise": {"value": 1}},"#, &required),
        "parameter/undefined \"sise\"",
    );
    accepted(&module(r#""parameters": {"SIZE": {"value": 1}},"#, &required));
    accepted(&module("", &template(r#"{"type": "int", "defaultValue": 1}"#)));
    let nullable = template(r##"{"$ref": "#/definitions/d"}"##).replacen(
        '{',
        r#"{"languageVersion": "2.0", "definitions": {"d": {"type": "int", "nullable": true}}, "#,
        1,
    );
    accepted(&module("", &nullable.replace(r#""resources": []"#, r#""resources": {}"#)));
    // What is computed from an unknown value may set it, and a template of outer scope has no parameters of its own.
    let unknown = module(r#""parameters": "[json(deployment().properties.templateHash)]","#, &required);
    accepted(&unknown);
    accepted(&module("", &required.replace("parameters('size')", "1")).replace("inner", "outer"));
}

#[test]
fn resources_of_an_extension_have_no_id_and_are_no_duplicates() {
    let template = |configuration: &str| {
        format!(
            r#"{{"languageVersion": "2.2-experimental", "extensions": {{"k": {{"name": "Kubernetes", "version": "1.0.0"}}}},
            "resources": {{
                "a": {{"extension": "k", "type": "core/Secret@v1", "properties": {{"metadata": {{"name": "s"}}}}}},
                "b": {{"extension": "k", "type": "core/Secret@v1", "properties": {{"metadata": {{"name": "t"}}}}, "dependsOn": ["a"]}}}},
            "outputs": {{"o": {{"type": "string", "value": "[{configuration}]"}}}}}}"#
        )
    };
    accepted(&template("extensions('k').version"));
    accepted(&template("extensions('k').config.kubeConfig.value"));
    refused(&template("extensions('l').version"), "expression/undefined extensions('l')");
}
