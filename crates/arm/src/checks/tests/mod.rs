//! Templates and the issues that the checks raise for them.

mod network;

use arcstr::ArcStr;

use crate::Context;
use crate::checks::names::UNUSED_VARIABLE;
use crate::diagnostic::common_checks::{ORDER_MISSING, UNUSED_PARAMETER};
use crate::expand::testing::{expanded, expanded_in};
use crate::model::Issue;
use crate::syntax::json;
use crate::text::Sources;

/// Returns the issues of a template: ID, path, and the text that the issue points at.
fn issues(template: &str, configuration: &str) -> Vec<String> {
    let (issues, sources) = raised(template, configuration);
    let line = |issue: &Issue| {
        let source = sources.get(issue.span.file);
        let text = source.text().get(issue.span.start as usize..issue.span.end as usize).unwrap();
        format!("{} {} at {text}", issue.check.id(), issue.path)
    };
    issues.iter().map(line).collect()
}

/// Returns the messages of the issues of a template, each with the paths of its further consequences.
fn messages(template: &str) -> Vec<String> {
    let further = |issue: &Issue| issue.further.iter().flat_map(|(path, _)| [" + ", path]).collect::<String>();
    // The templates are made to be short.
    let is_aside = |issue: &&Issue| [UNUSED_PARAMETER, UNUSED_VARIABLE, ORDER_MISSING].contains(&issue.check);
    let issues = raised(template, "{}").0;
    issues.iter().filter(|issue| !is_aside(issue)).map(|issue| format!("{}{}", issue.message, further(issue))).collect()
}

fn raised(template: &str, configuration: &str) -> (Vec<Issue>, Sources) {
    let text: ArcStr = configuration.into();
    let configuration = json::parse(Sources::new().add("settings.json", text.clone()), &text, 256).value.unwrap();
    let (sources, expansion) = expanded_in(template, &Context::from_config(&configuration));
    (expansion.issues, sources)
}

#[track_caller]
fn check(template: &str, expected: &[&str]) {
    assert_eq!(issues(template, "{}"), expected);
}

/// Returns a template that uses everything that it declares.
fn using(sections: &str, value: &str) -> String {
    format!(r#"{{{sections}, "outputs": {{"o": {{"type": "int", "value": "{value}"}}}}}}"#)
}

#[test]
fn unused_names_are_reported() {
    check(
        r#"{"parameters": {"a": {"type": "int"}, "B": {"type": "int"}},
            "variables": {"x": 1, "y": "[variables('X')]", "copy": [{"name": "z", "count": 1, "input": "[parameters('b')]"}]}}"#,
        &[
            "parameter/unused parameters.a at \"a\"",
            "variable/unused variables.y at \"y\"",
            "variable/unused variables.z at \"z\"",
        ],
    );
}

#[test]
fn a_name_may_be_used_in_a_branch_that_is_not_taken_or_be_computed() {
    let parameters = r#""parameters": {"a": {"type": "int"}, "b": {"type": "int"}}"#;
    check(&using(parameters, "[if(true(), parameters('a'), parameters('b'))]"), &[]);
    check(&using(parameters, "[parameters(concat('', 'a'))]"), &[]);
}

#[test]
fn a_nested_template_of_outer_scope_uses_the_names_around_it() {
    let nested = |scope: &str| {
        format!(
            r#"{{"parameters": {{"a": {{"type": "int"}}}}, "resources": [{{
                "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n",
                "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "{scope}"}},
                    "template": {{"resources": [], "outputs": {{"o": {{"type": "int", "value": "[parameters('a')]"}}}}}}}}}}]}}"#
        )
    };
    check(&nested("outer"), &[]);
    assert_eq!(issues(&nested("inner"), "{}")[0], "parameter/unused parameters.a at \"a\"");
}

#[test]
fn unused_names_in_generated_templates_are_not_reported() {
    check(r#"{"metadata": {"_generator": {"name": "bicep"}}, "parameters": {"a": {"type": "int"}}}"#, &[]);
}

#[test]
fn hard_coded_defaults_of_secure_parameters_are_reported() {
    let default = |default: &str| {
        let parameter = format!(r#""parameters": {{"p": {{"type": "secureString", "defaultValue": {default}}}}}"#);
        issues(&using(&parameter, "[length(parameters('p'))]"), "{}")
    };
    assert_eq!(default(r#""hunter2""#), ["secret/default parameters.p at \"hunter2\""]);
    assert_eq!(default(r#""[concat('hunter', '2')]""#).len(), 1);
    assert_eq!(default(r#""""#), [""; 0]);
    assert_eq!(default(r#""[newGuid()]""#), [""; 0]);
    for absent in ["?", " ", "{}", "n/a", "None"] {
        assert_eq!(default(&format!("\"{absent}\"")), [""; 0], "{absent}");
    }
}

#[test]
fn a_default_of_a_secure_object_is_hard_coded_if_it_has_a_string_that_may_be_a_secret() {
    let found = |default: &str| {
        let parameter = format!(r#""parameters": {{"p": {{"type": "secureObject", "defaultValue": {default}}}}}"#);
        issues(&using(&parameter, "[length(parameters('p'))]"), "{}").len()
    };
    assert_eq!(found(r#"{"enabled": false}"#), 0);
    assert_eq!(found(r#"{"retries": [1, 2], "user": "", "url": "https://contoso.com"}"#), 0);
    assert_eq!(found(r#"{"enabled": false, "settings": {"password": "hunter2"}}"#), 1);
}

#[test]
fn a_referenced_type_may_be_secure() {
    let found = |definition: &str| {
        let template = format!(
            r##"{{"languageVersion": "2.0", "definitions": {{"t": {definition}}},
                "parameters": {{"adminPassword": {{"$ref": "#/definitions/t", "defaultValue": "hunter2"}}}}"##
        );
        let parameter = template.trim_start_matches('{');
        issues(&using(parameter, "[length(parameters('adminPassword'))]"), "{}")
    };
    assert_eq!(found(r#"{"type": "secureString"}"#), ["secret/default parameters.adminPassword at \"hunter2\""]);
    assert_eq!(found(r#"{"type": "string"}"#), ["secret/parameter-type parameters.adminPassword at \"adminPassword\""]);
    assert_eq!(found(r#"{"type": "string", "allowedValues": ["hunter2"]}"#), [""; 0]);
}

#[test]
fn parameters_that_look_like_secrets_need_a_secure_type() {
    let named = |name: &str, type_name: &str, configuration: &str| {
        let parameter = format!(r#""parameters": {{"{name}": {{"type": "{type_name}"}}}}"#);
        issues(&using(&parameter, &format!("[length(parameters('{name}'))]")), configuration).len()
    };
    for name in ["adminPassword", "storageKey", "sas_token", "clientSecret", "accessKeys"] {
        assert_eq!(named(name, "string", "{}"), 1, "{name}");
        assert_eq!(named(name, "secureString", "{}"), 0, "{name}");
        assert_eq!(named(name, "bool", "{}"), 0, "{name}");
    }
    for name in ["passwordLength", "secretName", "sshPublicKey", "keyVaultUri", "usePassword", "partitionKey", "user"] {
        assert_eq!(named(name, "string", "{}"), 0, "{name}");
    }
    let exempt = r#"{"AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES": ["StorageKey"]}"#;
    assert_eq!(named("storageKey", "string", exempt), 0);
}

#[test]
fn outputs_that_expose_secrets_are_reported() {
    let output = |type_name: &str, value: &str| {
        let template = format!(
            r#"{{"parameters": {{"p": {{"type": "secureString"}}}},
                "outputs": {{"o": {{"type": "{type_name}", "value": "{value}"}}}}}}"#
        );
        issues(&template, "{}")
    };
    let value = "[concat('x', parameters('p'))]";
    assert_eq!(output("string", value), [format!("secret/output outputs.o at \"{value}\"")]);
    assert_eq!(output("secureString", value), [""; 0]);
    assert_eq!(output("int", "[length(parameters('p'))]"), [""; 0]);
    let keys = output("object", "[union(listKeys('x', '2020-01-01'), json(concat('{}', parameters('p'))))]");
    assert_eq!(keys.len(), 1);
}

/// Returns a template with a secure and a plain parameter and a nested template with these options and parts.
fn with_nested(options: &str, arguments: &str, template: &str) -> String {
    format!(
        r#"{{"parameters": {{"p": {{"type": "secureString"}}}}, "variables": {{"v": "[parameters('p')]"}}, "resources": [{{
            "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "[take(variables('v'), 0)]",
            "properties": {{"mode": "Incremental", {options} "parameters": {arguments}, "template": {template}}}}}]}}"#
    )
}

#[test]
fn secrets_passed_to_insecure_parameters_are_reported() {
    let inner = r#""expressionEvaluationOptions": {"scope": "inner"},"#;
    let argument = r#"{"q": {"value": "[parameters('p')]"}}"#;
    let template = |type_name: &str| {
        format!(
            r#"{{"resources": [], "parameters": {{"q": {{"type": "{type_name}"}}}},
                "outputs": {{"o": {{"type": "int", "value": "[length(parameters('q'))]"}}}}}}"#
        )
    };
    check(
        &with_nested(inner, argument, &template("string")),
        &["secret/argument resources[0].properties.template.parameters.q at \"[parameters('p')]\""],
    );
    check(&with_nested(inner, argument, &template("secureString")), &[]);
}

#[test]
fn secrets_in_a_nested_template_of_outer_scope_are_reported() {
    let template = r#"{"resources": [], "outputs": {"o": {"type": "int", "value": "[length(parameters('p'))]"}}}"#;
    check(
        &with_nested("", "{}", template),
        &["secret/outer-scope resources[0].properties.template at parameters('p')"],
    );
}

#[test]
fn hard_coded_credentials_are_reported() {
    let server = |properties: &str| {
        let template = format!(
            r#"{{"parameters": {{"plain": {{"type": "string"}}, "safe": {{"type": "secureString"}}}},
                "variables": {{"user": "root", "used": ["[parameters('plain')]", "[parameters('safe')]"]}},
                "resources": [{{"type": "Microsoft.Sql/servers", "apiVersion": "2022-05-01", "name": "s",
                    "tags": {{"t": "[variables('used')[0]]", "u": "[variables('user')]"}}, "properties": {{{properties}}}}}]}}"#
        );
        issues(&template, r#"{"AZURE_PARAMETER_DEFAULTS": {"plain": "x"}}"#)
    };
    let path = "secret/credential resources[0].properties.administratorLogin";
    assert_eq!(server(r#""administratorLogin": "root""#), [format!("{path} at \"root\"")]);
    assert_eq!(server(r#""administratorLogin": "[variables('user')]""#).len(), 1);
    assert_eq!(server(r#""administratorLogin": "[parameters('plain')]""#), [""; 0]);
    assert_eq!(server(r#""administratorLoginPassword": "[parameters('plain')]""#).len(), 1);
    assert_eq!(server(r#""administratorLoginPassword": "[parameters('safe')]""#), [""; 0]);
    assert_eq!(server(r#""administratorLoginPassword": "hunter2""#).len(), 1);
    assert_eq!(server(r#""deep": [{"adminPassword": "hunter2"}]"#).len(), 1);
}

#[test]
fn templates_beyond_the_limits_of_resource_manager_are_reported() {
    let outputs: Vec<String> = (0..65).map(|index| format!(r#""o{index}": {{"type": "int", "value": 1}}"#)).collect();
    check(&format!(r#"{{"outputs": {{{}}}}}"#, outputs.join(",")), &["template/limits outputs at \"outputs\""]);
    check(&format!(r#"{{"outputs": {{{}}}}}"#, outputs[1..].join(",")), &[]);

    let expression = |length: usize| format!("[length('{}')]", "x".repeat(length - 12));
    let long = |length: usize| issues(&using(r#""parameters": {}"#, &expression(length)), "{}").len();
    assert_eq!((long(24_576), long(24_577)), (0, 1));
}

#[test]
fn a_name_in_a_branch_that_is_not_taken_is_a_warning() {
    let (_, expansion) = expanded(&using(r#""parameters": {}"#, "[if(true(), 1, parameters('gone'))]"));
    let found = expansion.diagnostics;
    let found: Vec<_> =
        found.iter().map(|diagnostic| (diagnostic.level.as_str(), diagnostic.message.as_str())).collect();
    assert_eq!(found, [("warning", "there is no parameter `gone`")]);
}

/// Returns a template with a secure parameter `p`, an object `creds` with a secure member, a server with a password,
/// and one output with this value.
fn with_output(value: &str) -> String {
    format!(
        r#"{{"languageVersion": "2.0",
            "parameters": {{"p": {{"type": "secureString"}},
                "creds": {{"type": "object", "defaultValue": {{"user": "u", "word": "[parameters('p')]"}}, "properties": {{"user": {{"type": "string"}}, "word": {{"type": "secureString"}}}}}}}},
            "variables": {{"both": {{"plain": "x", "secret": "[parameters('p')]", "list": ["y", "[parameters('p')]"]}}}},
            "resources": {{"x": {{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "x", "location": "west",
                "properties": {{"s": "[parameters('p')]", "n": "v", "adminPassword": "[parameters('p')]"}}}}}},
            "outputs": {{"o": {{"type": "string", "nullable": true, "value": "{value}"}}}}}}"#
    )
}

#[test]
fn only_the_part_that_is_reached_has_to_be_a_secret() {
    for value in [
        "[tryGet(reference('x'), 'n')]",
        "[tryGet(reference('x'), 'unknown')]",
        "[tryGet(reference('x').unknown, 'deep', 0)]",
        "[reference('x').n]",
        "[reference('x')['n']]",
        "[tryGet(tryGet(reference('x', '2020-01-01', 'Full'), 'identity'), 'principalId')]",
        "[coalesce(tryGet(reference('x'), 'none'), '')]",
        "[reference('x').adminPassword]",
        "[tryGet(variables('both'), 'plain')]",
        "[first(variables('both').list)]",
        "[parameters('creds').user]",
        "[tryGet(parameters('creds'), 'user')]",
    ] {
        assert_eq!(messages(&with_output(value)), [""; 0], "{value}");
    }
    for (value, source) in [
        ("[tryGet(reference('x'), 's')]", "the secret parameter `p`"),
        ("[reference('x').s]", "the secret parameter `p`"),
        ("[tryGet(variables('both'), 'secret')]", "the secret parameter `p`"),
        ("[last(variables('both').list)]", "the secret parameter `p`"),
        ("[string(variables('both'))]", "the secret parameter `p`"),
        ("[concat('x', string(length(parameters('p'))), parameters('creds').word)]", "the secret parameter `p`"),
        ("[tryGet(listKeys('x', '2020-01-01'), 'any', 0)]", "the result of `listKeys()` of `x`"),
        ("[first(listKeys('x', '2020-01-01').keys).value]", "the result of `listKeys()` of `x`"),
        ("[listFoo('/a/b/c', '2020-01-01').x]", "the result of `list*()` of `c`"),
    ] {
        assert_eq!(messages(&with_output(value)), [format!("output `o` contains {source}")], "{value}");
    }
}

#[test]
fn one_secret_is_one_finding_with_all_its_places() {
    let argument = |name: &str| format!(r#""{name}": {{"value": "[parameters('p')]"}}"#);
    let inner = r#"{"parameters": {"q": {"type": "string"}, "r": {"type": "string"}, "s": {"type": "secureString"}},
        "resources": [], "outputs": {"a": {"type": "string", "value": "[parameters('q')]"},
            "b": {"type": "string", "value": "[concat(parameters('r'), 'x')]"},
            "c": {"type": "string", "value": "[parameters('s')]"}}}"#;
    let template = format!(
        r#"{{"parameters": {{"p": {{"type": "secureString"}}, "other": {{"type": "secureString"}}}}, "resources": [{{
            "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n",
            "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}},
                "parameters": {{{}, {}, {}}}, "template": {inner}}}}}],
            "outputs": {{"x": {{"type": "string", "value": "[parameters('p')]"}}, "y": {{"type": "string", "value": "[parameters('other')]"}},
                "z": {{"type": "string", "value": "[concat(parameters('p'), 'x')]"}}}}}}"#,
        argument("q"),
        argument("r"),
        argument("s"),
    );
    let nested = "resources[0].properties.template";
    assert_eq!(
        messages(&template),
        [
            format!(
                "output `x` contains the secret parameter `p`; 2 more outputs contain it + outputs.z + {nested}.outputs.c"
            ),
            "output `y` contains the secret parameter `other`".to_owned(),
            format!(
                "the secret parameter `p` is passed to parameter `q`, which does not have a secure type; \
                 1 more parameter and 2 more outputs contain it \
                 + {nested}.parameters.r + {nested}.outputs.a + {nested}.outputs.b"
            ),
        ]
    );
}

#[test]
fn plain_values_beside_a_secret_in_a_secure_object_are_no_leaks() {
    let nested = |output: &str| {
        let inner = format!(
            r#"{{"parameters": {{"item": {{"type": "secureObject"}}}}, "resources": [],
                "outputs": {{"o": {{"type": "string", "value": "{output}"}}}}}}"#
        );
        let item = r#"{"item": {"value": {"name": "n", "value": "[parameters('p')]"}}}"#;
        messages(&with_nested(r#""expressionEvaluationOptions": {"scope": "inner"},"#, item, &inner))
    };
    assert_eq!(nested("[parameters('item').name]"), [""; 0]);
    assert_eq!(nested("[tryGet(parameters('item'), 'name')]"), [""; 0]);
    assert_eq!(nested("[concat(parameters('item').name, parameters('item').value)]").len(), 1);
    assert_eq!(nested("[parameters('item').value]").len(), 1);
}

#[test]
fn types_defaults_and_flows_decide_which_parameters_hold_secrets() {
    let found = |name: &str, declaration: &str, resource: &str| {
        let template = format!(
            r#"{{"parameters": {{"{name}": {{{declaration}}}}},
                "resources": [{{"apiVersion": "2020-01-01", {resource}}}]}}"#
        );
        messages(&template).len()
    };
    let site =
        r#""type": "Microsoft.Web/sites", "name": "x", "properties": {"x": "[parameters('P')]"}"#.replace('P', "{}");
    let uses = |name: &str| site.replace("{}", name);
    for (name, declaration, expected) in [
        ("apiToken", r#""type": "string""#, 1),
        ("azureOpenAIMaxTokens", r#""type": "string", "defaultValue": "1000""#, 0),
        ("apiToken", r#""type": "string", "defaultValue": "1000""#, 0),
        ("apiToken", r#""type": "string", "defaultValue": "[uniqueString(resourceGroup().id)]""#, 0),
        ("apiToken", r#""type": "string", "defaultValue": "[newGuid()]""#, 1),
        ("apiToken", r#""type": "object""#, 0),
        ("password", r#""type": "string", "defaultValue": "1234""#, 1),
        ("password", r#""type": "string", "defaultValue": "[uniqueString(resourceGroup().id)]""#, 1),
        ("password", r#""type": "string", "defaultValue": "https://vault.azure.net/secrets/x""#, 0),
        ("password", r#""type": "string", "defaultValue": "https://x/?sig=abc""#, 1),
        ("passwordSettings", r#""type": "object", "defaultValue": {"enabled": false, "days": [1]}"#, 0),
        ("passwordSettings", r#""type": "object", "defaultValue": {"value": "x"}"#, 1),
        ("passwordSettings", r#""type": "object", "properties": {"value": {"type": "string"}}"#, 0),
        ("password", r#""type": "bool""#, 0),
        ("password", r#""type": "int""#, 0),
    ] {
        assert_eq!(found(name, declaration, &uses(name)), expected, "{name}: {declaration}");
    }
    let string = r#""type": "string""#;
    let tagged = r#""type": "A.B/c", "name": "x", "tags": {"t": "[parameters('buildToken')]"}"#;
    assert_eq!(found("buildToken", string, tagged), 0);
    let volume = r#""type": "A.B/c", "name": "[parameters('rootSecret')]""#;
    assert_eq!(found("rootSecret", string, volume), 0);
    let connection =
        r#""type": "Microsoft.Network/connections", "name": "x", "properties": {"sharedKey": "[parameters('psk')]"}"#;
    assert_eq!(found("psk", string, connection), 1);
    assert_eq!(found("psk", r#""type": "secureString""#, connection), 0);
}

#[test]
fn role_assignments_have_a_role_and_a_guid() {
    let found = |name: &str, role: &str, more: &str| {
        messages(&format!(
            r#"{{"parameters": {{"p": {{"type": "string"}}}}, "resources": [{more}{{"type": "Microsoft.Authorization/roleAssignments",
                "apiVersion": "2022-04-01", "name": "{name}", "properties": {{"roleDefinitionId":
                "[subscriptionResourceId('Microsoft.Authorization/roleDefinitions', '{role}')]"}}}}]}}"#
        ))
    };
    let (guid, reader, slip) =
        ("[guid(resourceGroup().id)]", "acdd72a7-3385-48ef-bd42-f606fba81ae7", "acdd72a7-3385-48ef-bd42-f606fba81ae1");
    assert_eq!(found(guid, reader, ""), [""; 0]);
    assert_eq!(found("[parameters('p')]", "11111111-2222-3333-4444-555555555555", ""), [""; 0]);
    let expected = format!("Azure has no built-in role `{slip}`; did you mean `{reader}`, which is Reader?");
    assert_eq!(found(guid, slip, ""), [expected]);
    let role = format!(
        r#"{{"type": "Microsoft.Authorization/roleDefinitions", "apiVersion": "2022-04-01", "name": "{slip}", "properties": {{}}}},"#
    );
    assert_eq!(found(guid, slip, &role), [""; 0]);
    let expected = "the name `owner` of a role assignment is not a GUID; write `guid(…)` of what it is for";
    assert_eq!(found("owner", reader, ""), [expected]);
}

#[test]
fn zones_need_a_location_that_has_some() {
    let of = |location: &str, zones: &str| {
        messages(&format!(
            r#"{{"resources": [{{"type": "A.B/c", "apiVersion": "2020-01-01", "name": "x", "location": "{location}",
                "zones": {zones}}}]}}"#
        ))
    };
    let none = "the location `West US` has no availability zones; remove `zones`, or use another location";
    assert_eq!(of("West US", r#"["1", "2"]"#), [none]);
    for (location, zones) in [("westus", "[]"), ("westeurope", r#"["1"]"#), ("[resourceGroup().location]", r#"["1"]"#)]
    {
        assert!(of(location, zones).is_empty(), "{location}");
    }
}

#[test]
fn a_string_that_begins_like_an_expression_ends_like_one() {
    let of =
        |value: &str| format!(r#"{{"resources": [], "outputs": {{"o": {{"type": "string", "value": "{value}"}}}}}}"#);
    let unclosed = of("[resourceGroup().id]/providers");
    check(&unclosed, &[r#"expression/unclosed outputs.o.value at "[resourceGroup().id]/providers""#]);
    let nested = format!(
        r#"{{"resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "n",
            "properties": {{"mode": "Incremental", "expressionEvaluationOptions": {{"scope": "inner"}}, "template": {unclosed}}}}}]}}"#
    );
    let inner = "expression/unclosed resources[0].properties.template.outputs.o.value";
    check(&nested, &[&format!(r#"{inner} at "[resourceGroup().id]/providers""#)]);
    check(&of("[See the reference](https://a.b)"), &[]);
    // Text for people.
    check(
        &unclosed
            .replace(r#""value""#, r#""metadata": {"description": "[concat('a') is a call"}, "value""#)
            .replace("[resource", "resource"),
        &[],
    );
    // A compiler writes text as it is.
    let generated = r#"{"metadata": {"_generator": {"name": "bicep"}}, "resources": []"#;
    check(&unclosed.replace(r#"{"resources": []"#, generated), &[]);
}

#[test]
fn keys_of_accounts_have_the_form_of_their_version() {
    let keys = |version: &str, property: &str| {
        let call = format!("[listKeys(resourceId('Microsoft.Storage/storageAccounts', 's'), '{version}').{property}]");
        let output = format!(r#"{{"outputs": {{"o": {{"type": "securestring", "value": "{call}"}}}}}}"#);
        let (_, expansion) = expanded(&output);
        expansion.diagnostics.into_iter().map(|diagnostic| diagnostic.message).collect::<Vec<_>>()
    };
    assert_eq!(keys("2023-05-01", "keys[0].value"), [""; 0]);
    assert_eq!(keys("2015-06-15", "key1"), [""; 0]);
    assert_eq!(keys("2023-05-01", "key1"), ["the keys of `2023-05-01` have no `key1`; write `keys[0].value`"]);
    assert_eq!(keys("2023-05-01", "key2"), ["the keys of `2023-05-01` have no `key2`; write `keys[1].value`"]);
    assert_eq!(
        keys("2015-06-15", "keys[0].value"),
        ["the keys of `2015-06-15` are not a list; write `key1`, or use a newer API version"]
    );
    assert_eq!(keys("${version}", "key1"), [""; 0]);
}

#[test]
fn expressions_name_types() {
    let mentioned = |expression: &str| {
        let template = format!(r#"{{"outputs": {{"o": {{"type": "object", "value": "[{expression}]"}}}}}}"#);
        let document = expanded(&template).1.document.unwrap();
        document.mentioned.iter().map(|mentioned| mentioned.name.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(mentioned("resourceId('a', 'b', 'Microsoft.Web/sites', 'x')"), ["Microsoft.Web/sites"]);
    assert_eq!(mentioned("reference('Microsoft.Web/sites/x/slots/y', '2023-12-01')"), ["Microsoft.Web/sites/slots"]);
    assert_eq!(mentioned("providers('Microsoft.Web', 'sites')"), ["Microsoft.Web/sites"]);
    assert_eq!(
        mentioned("extensionResourceId(resourceGroup().id, 'Microsoft.Authorization/locks', 'l')"),
        ["Microsoft.Authorization/locks"]
    );
    for expression in
        ["resourceId(concat('Microsoft.Web', '/sites'), 'x')", "reference('symbol')", "reference('a/b/c')"]
    {
        assert_eq!(mentioned(expression), [""; 0], "{expression}");
    }
}
