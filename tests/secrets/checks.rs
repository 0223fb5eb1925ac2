//! Every check is made to report something about a secret, from every source of one, and none of them prints it.

use std::collections::BTreeSet;

use crate::harness::{Folder, PARAMETERS, TEMPLATE};
use crate::secrets::{FORMATS, has_secret, run};

/// Expressions whose value is a secret: from a parameter file, `--set`, a default value, an object, and computed from them.
const SOURCES: [&str; 5] = [
    "parameters('file')",
    "parameters('default')",
    "parameters('object').a",
    "concat(parameters('set'), '/x')",
    "split(toUpper(parameters('default')), '-')[1]",
];

const PARAMETER_FILE: &str = r#""file": {"value": "S3CRET-file"}, "object": {"value": {"a": "S3CRET-object"}}"#;

/// The parameters of each template.
const DECLARED: &str = r#""file": {"type": "securestring"}, "set": {"type": "securestring"},
    "default": {"type": "securestring", "defaultValue": "x-S3CRET-default"}, "object": {"type": "secureObject"}"#;

/// What makes a check report: further parameters, and the other members of the template. `SECRET` stands for one of
/// [`SOURCES`].
const CASES: &[(&str, &str, &str)] = &[
    ("parameter/constraint", r#""p": {"type": "securestring", "maxLength": 3, "defaultValue": "[SECRET]"}"#, NOTHING),
    (
        "output/constraint",
        "",
        r#""resources": [], "outputs": {"o": {"type": "securestring", "maxLength": 1, "value": "[SECRET]"}}"#,
    ),
    ("template/assert", "", r#""languageVersion": "2.0", "resources": {}, "asserts": {"a": "[equals(SECRET, 'x')]"}"#),
    ("template/unknown-property", "", r#""resources": [], "resorces": "[SECRET]""#),
    ("template/name-segments", "", r#""resources": [{TYPE, "name": "[concat(SECRET, '/b/c')]"}]"#),
    ("template/name-segments", "", r#""resources": [{"type": "[SECRET]", "apiVersion": "2022-09-01", "name": "a/b"}]"#),
    ("template/dependency", "", r#""resources": [{SITE, "dependsOn": ["[SECRET]"]}]"#),
    (
        "parameter/required",
        "",
        r#""resources": [{DEPLOYMENT, "name": "[SECRET]", "properties": {INNER, "template": {"resources": [],
        "parameters": {"p": {"type": "string"}}}}}]"#,
    ),
    ("expression/placement", "", r#""resources": [{TYPE, "name": "[reference(SECRET).x]"}]"#),
    ("secret/default", r#""p": {"type": "securestring", "defaultValue": "S3CRET-literal"}"#, NOTHING),
    ("secret/parameter-type", r#""password": {"type": "string"}"#, NOTHING),
    (
        "secret/argument",
        "",
        r#""resources": [{DEPLOYMENT, "name": "m", "properties": {INNER, "parameters": {"p": {"value": "[SECRET]"}},
        "template": {"resources": [], "parameters": {"p": {"type": "string"}}, "outputs": {"o": {"type": "string", "value": "[parameters('p')]"}}}}}]"#,
    ),
    ("secret/output", "", r#""resources": [], "outputs": {"o": {"type": "string", "value": "[SECRET]"}}"#),
    (
        "secret/outer-scope",
        "",
        r#""resources": [{DEPLOYMENT, "name": "m", "properties": {"mode": "Incremental", "template": {
        "resources": [{TYPE, "name": "n", "tags": {"a": "[SECRET]"}}]}}}]"#,
    ),
    (
        "network/group-id",
        "",
        r#""resources": [{"type": "Microsoft.Network/privateEndpoints", "apiVersion": "2023-04-01", "name": "[SECRET]",
        "location": "w", "properties": {"privateLinkServiceConnections": [{"name": "[SECRET]", "properties": {
        "privateLinkServiceId": "[resourceId('Microsoft.Storage/storageAccounts', SECRET)]", "groupIds": ["wrong", "[SECRET]"]}}]}}]"#,
    ),
    (
        "service/value",
        "",
        r#""resources": [{"type": "Microsoft.KeyVault/vaults", "apiVersion": "2023-07-01", "name": "[SECRET]", "location": "w",
        "properties": {"tenantId": "[SECRET]", "sku": {"family": "A", "name": "[SECRET]"}, "enablePurgeProtection": false}}]"#,
    ),
    (
        "secret/credential",
        r#""name": {"type": "string"}"#,
        r#""resources": [{"type": "Microsoft.Sql/servers", "apiVersion": "2022-05-01",
        "name": "[SECRET]", "location": "w", "properties": {"administratorLogin": "admin", "administratorLoginPassword": "[parameters('name')]"}}]"#,
    ),
    (
        "secret/property",
        "",
        r#""resources": [{"type": "Microsoft.Network/connections", "apiVersion": "2022-07-01", "name": "[SECRET]",
        "location": "[SECRET]", "properties": {"connectionType": "IPsec", "sharedKey": "abc", "virtualNetworkGateway1": {"id": "[SECRET]"}}}]"#,
    ),
    ("parameter/unused", r#""p": {"type": "securestring", "defaultValue": "[SECRET]"}"#, NOTHING),
    ("variable/unused", "", r#""resources": [], "variables": {"v": "[SECRET]"}"#),
    ("template/shape", "", r#""resources": [{SITE, "copy": {"name": "[SECRET]", "count": "[SECRET]"}}]"#),
    (
        "template/shape",
        "",
        r#""resources": [], "variables": {"copy": [{"name": "v", "count": "[SECRET]", "input": 1}]}, "outputs": {"o": {"type": "array", "value": "[variables('v')]"}}"#,
    ),
    (
        "template/validate",
        r#""p": {"type": "securestring", "defaultValue": "[SECRET]", "validate": [["[SECRET]", "[SECRET]"]]}"#,
        NOTHING,
    ),
    (
        "template/link",
        "",
        r#""resources": [{DEPLOYMENT, "name": "m", "properties": {"mode": "Incremental", "templateLink": {"relativePath": "[SECRET]"}}}]"#,
    ),
    ("template/cycle", "", r#""resources": [{TYPE, "name": "[SECRET]", "dependsOn": ["[SECRET]"]}]"#),
    ("template/duplicate", "", r#""resources": [{TYPE, "name": "[SECRET]"}, {TYPE, "name": "[SECRET]"}]"#),
    (
        "expression/syntax",
        r#""p": {"type": "securestring", "defaultValue": "[concat(SECRET, 'S3CRET-literal']"}"#,
        NOTHING,
    ),
    (
        "expression/unknown-function",
        "",
        r#""resources": [], "outputs": {"o": {"type": "string", "value": "[nope(SECRET)]"}}"#,
    ),
    (
        "expression/undefined",
        "",
        r#""resources": [], "outputs": {"o": {"type": "string", "value": "[variables(SECRET)]"}, "p": {"type": "string", "value": "[parameters(SECRET)]"}}"#,
    ),
    (
        "expression/arguments",
        "",
        r#""resources": [], "outputs": {"o": {"type": "string", "value": "[first(1, SECRET)]"}, "p": {"type": "string", "value": "[add(SECRET, 1)]"}}"#,
    ),
    (
        "expression/failed",
        "",
        r#""resources": [], "outputs": {"o": {"type": "string", "value": "[fail(SECRET)]"}, "p": {"type": "int", "value": "[int(SECRET)]"}, "q": {"type": "object", "value": "[json(SECRET)]"}, "r": {"type": "string", "value": "[createObject('x', 1)[SECRET]]"}, "s": {"type": "string", "value": "[cidrSubnet(SECRET, 8, 1)]"}}"#,
    ),
    (
        "expression/not-deployed",
        r#""p": {"type": "bool"}"#,
        r#""resources": [{TYPE, "name": "[SECRET]", "condition": "[parameters('p')]"}], "outputs": {"o": {"type": "string", "value": "[reference(SECRET).x]"}}"#,
    ),
    (
        "expression/recursion",
        "",
        r#""resources": [], "variables": {"a": "[concat(SECRET, variables('a'))]"}, "outputs": {"o": {"type": "string", "value": "[variables('a')]"}}"#,
    ),
    (
        "schema/resource-type",
        "",
        r#""resources": [{"type": "Microsoft.Web/sitess", "apiVersion": "2022-09-01", "name": "[SECRET]", "location": "[SECRET]"}]"#,
    ),
    (
        "schema/api-version",
        "",
        r#""resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-02", "name": "[SECRET]", "location": "[SECRET]"}]"#,
    ),
    ("schema/unknown-property", "", r#""resources": [{SITE, "properties": {"httpOnly": "[SECRET]"}}]"#),
    (
        "schema/missing-property",
        "",
        r#""resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "[SECRET]", "kind": "[SECRET]"}]"#,
    ),
    ("schema/read-only", "", r#""resources": [{SITE, "properties": {"state": "[SECRET]"}}]"#),
    (
        "schema/type",
        "",
        r#""resources": [{SITE, "properties": {"httpsOnly": "yes", "siteConfig": "[SECRET]", "enabled": "[SECRET]"}}]"#,
    ),
    (
        "schema/value",
        "",
        r#""resources": [{SITE, "properties": {"clientCertMode": "Maybe", "keyVaultReferenceIdentity": "[SECRET]", "redundancyMode": "[SECRET]"}}]"#,
    ),
    (
        "schema/length",
        "",
        r#""resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "ab", "location": "w", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}, "tags": {"a": "[SECRET]"}},
        {"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "[SECRET]", "location": "w", "kind": "StorageV2", "sku": {"name": "Standard_LRS"}}]"#,
    ),
    (
        "schema/old-api-version",
        "",
        r#""resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2016-08-01", "name": "[SECRET]", "location": "w"}]"#,
    ),
    (
        "schema/scope",
        "",
        r#""resources": [{"type": "Microsoft.Management/managementGroups", "apiVersion": "2021-04-01", "name": "[SECRET]"}]"#,
    ),
    (
        "template/limits",
        "",
        r#""resources": [], "outputs": {"o": {"type": "string", "value": "[concat(SECRET, 'LONG')]"}}"#,
    ),
    (
        "template/ambiguous-name",
        "",
        r#""resources": [{SITE, "properties": {"siteConfig": {"alwaysOn": "[SECRET]", "AlwaysOn": "[SECRET]"}}}]"#,
    ),
    (
        "template/type",
        "",
        r#""resources": [{"type": " Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "[SECRET]", "location": "w"}]"#,
    ),
    (
        "suppression/unknown-rule",
        r#""p": {"type": "securestring", "defaultValue": "[SECRET]", "metadata": {"formwork": {"suppress": [{"rule": "NOPE", "reason": "r"}]}}}"#,
        NOTHING,
    ),
    (
        "suppression/expired",
        r#""p": {"type": "securestring", "defaultValue": "S3CRET-literal", "metadata": {"formwork": {"suppress": [{"rule": "secret/default", "reason": "r", "until": "2001-01-01"}]}}}"#,
        NOTHING,
    ),
    (
        "suppression/no-reason",
        r#""p": {"type": "securestring", "defaultValue": "S3CRET-literal", "metadata": {"formwork": {"suppress": [{"rule": "secret/default"}]}}}"#,
        NOTHING,
    ),
    (
        "suppression/invalid",
        r#""p": {"type": "securestring", "defaultValue": "S3CRET-literal", "metadata": {"formwork": {"suppress": [1]}}}"#,
        NOTHING,
    ),
];

const NOTHING: &str = r#""resources": []"#;

/// Checks of parameter files and of whole files, which are not about a value: what the parameter file has instead.
const FILES: &[(&str, &str)] = &[
    (
        "parameter/format",
        r#""file": "S3CRET-shape", "set": {"value": "S3CRET-set"}, "object": {"value": {"a": "S3CRET-object"}}"#,
    ),
    (
        "parameter/format",
        r#""file": {"valeu": "S3CRET-misspelled"}, "set": {"value": "S3CRET-set"}, "object": {"value": {"a": "S3CRET-object"}}"#,
    ),
    (
        "parameter/undefined",
        r#""file": {"value": "S3CRET-file"}, "set": {"value": "S3CRET-set"}, "object": {"value": {"a": "S3CRET-object"}}, "other": {"value": 1}"#,
    ),
    (
        "secret/parameter-file",
        r#""file": {"value": "S3CRET-file"}, "set": {"value": "S3CRET-set"}, "object": {"value": {"a": "S3CRET-object"}}"#,
    ),
    ("parameter/missing", r#""set": {"value": "S3CRET-set"}, "object": {"value": {"a": "S3CRET-object"}}"#),
];

/// Why a check of CloudFormation's types says nothing of a secret.
const IN_STACKS: &str = "only types of AWS have it, and it says nothing of a value with the trait of a secret";

/// Why a rule of Bicep's linter says nothing of a secret.
const IN_BICEP: &str = "it knows no value of a parameter, and shows only names and what the file itself has";

/// Checks that cannot be about a secret, with the reason.
const NEVER: &[(&str, &str)] = &[
    ("azure-policy/deny", "it needs policies, which `policies` has"),
    ("azure-policy/audit", "it needs policies, which `policies` has"),
    ("azure-policy/modify", "it needs policies, which `policies` has"),
    ("azure-policy/related", "it needs policies, which `policies` has"),
    ("azure-policy/undecided", "it needs policies, which `policies` has"),
    ("template/schema", "the schema is a literal"),
    ("resource/location", "a location that is a secret is skipped"),
    ("resource/region", "a location that is a secret is skipped"),
    ("network/priority", "a number is not a secret, and the names of rules hide secrets"),
    ("network/subnet", "a prefix that is a secret is skipped"),
    ("schema/misspelled-value", "a value that is a secret is skipped"),
    ("network/range", "a prefix or a port that is a secret is skipped"),
    ("order/missing", "a name that is a secret is skipped"),
    ("resource/name", "a name that is a secret is skipped"),
    ("service/combination", "a value that is a secret is skipped"),
    ("service/duplicate", "a value that is a secret is skipped"),
    ("service/limit", "a value that is a secret is skipped"),
    ("service/required", "a value that is a secret is skipped"),
    ("role/definition", "the ID of a role that is a secret is skipped"),
    ("role/assignment", "a name that is a secret is skipped"),
    ("parameter/empty", "the value is empty, and the label shows the problem of an expression, which hides secrets"),
    ("bicep/stale-output", "it compares two files, and shows no value"),
    ("bicep/warning", IN_BICEP),
    ("bicep/max-asserts", IN_BICEP),
    ("bicep/outputs-should-not-contain-secrets", IN_BICEP),
    ("bicep/secure-parameter-default", IN_BICEP),
    ("bicep/secure-secrets-in-params", IN_BICEP),
    ("bicep/use-recognized-resource-type", IN_BICEP),
    ("bicep/use-resource-id-functions", IN_BICEP),
    ("template/metadata", "only CloudFormation has it; it shows names of parameters"),
    ("template/trailing-comma", "it shows no value"),
    ("expression/unused-variable", "it shows the name of a variable, which is a literal"),
    ("policy/action", IN_STACKS),
    ("bicep/artifacts-parameters", IN_BICEP),
    ("bicep/decompiler-cleanup", IN_BICEP),
    ("bicep/explicit-values-for-loc-params", IN_BICEP),
    ("bicep/nested-deployment-template-scoping", IN_BICEP),
    ("bicep/no-conflicting-metadata", IN_BICEP),
    ("bicep/no-deployments-resources", IN_BICEP),
    ("bicep/no-explicit-any", IN_BICEP),
    ("bicep/no-hardcoded-env-urls", IN_BICEP),
    ("bicep/no-hardcoded-location", IN_BICEP),
    ("bicep/no-hardcoded-outputs", IN_BICEP),
    ("bicep/no-loc-expr-outside-params", IN_BICEP),
    ("bicep/no-module-name", IN_BICEP),
    ("bicep/no-unnecessary-dependson", IN_BICEP),
    ("bicep/no-unused-existing-resources", IN_BICEP),
    ("bicep/no-unused-imports", IN_BICEP),
    ("bicep/no-unused-types", IN_BICEP),
    ("bicep/prefer-interpolation", IN_BICEP),
    ("bicep/prefer-unquoted-property-names", IN_BICEP),
    ("bicep/protect-commandtoexecute-secrets", IN_BICEP),
    ("bicep/simplify-interpolation", IN_BICEP),
    ("bicep/simplify-json-null", IN_BICEP),
    ("bicep/use-description-outputs", IN_BICEP),
    ("bicep/use-description-params", IN_BICEP),
    ("bicep/use-description-type-properties", IN_BICEP),
    ("bicep/use-description-types", IN_BICEP),
    ("bicep/use-description-vars", IN_BICEP),
    ("bicep/use-parent-property", IN_BICEP),
    ("bicep/use-recent-az-powershell-version", IN_BICEP),
    ("bicep/use-resource-symbol-reference", IN_BICEP),
    ("bicep/use-safe-access", IN_BICEP),
    ("bicep/use-stable-resource-identifiers", IN_BICEP),
    ("bicep/use-stable-vm-image", IN_BICEP),
    ("bicep/use-user-defined-types", IN_BICEP),
    (
        "schema/pattern",
        "no type of Azure has a pattern for a value that may be computed, and `stacks` has those of AWS",
    ),
    ("schema/range", "a number is not a secret"),
    ("expression/unclosed", "it is about a literal, and shows the name of a function"),
    ("expression/sub-missing", "it is about a literal, and shows the name of a pseudo parameter"),
    ("schema/format", IN_STACKS),
    ("schema/combination", IN_STACKS),
    ("schema/duplicate", IN_STACKS),
    ("schema/conflict", IN_STACKS),
    ("schema/retired", IN_STACKS),
    ("condition/unused", "it shows the name of a condition"),
    ("condition/constant", "it shows no value"),
    ("mapping/unused", "it shows the name of a mapping"),
    ("secret/exposed", "only CloudFormation has it; it names a parameter, and shows no value"),
    ("secret/setting", "a value that is a secret is skipped, and `written` has those that are written"),
    ("secret/token", "it names a format, and `written` has tokens"),
    ("sam/invalid", "it names properties and types of AWS SAM, and shows no value of a parameter"),
    ("policy/grammar", "it names the elements of a policy, and shows no value"),
    ("suppression/unused", "it names rules and no value, and is not reported with `--set`"),
];

/// The folder of a case for a source.
fn place(case: usize, source: usize) -> String {
    format!("{case}/{source}")
}

fn template(parameters: &str, members: &str, source: &str) -> String {
    let deployment = r#""type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01""#;
    let declared = if parameters.is_empty() { DECLARED.to_owned() } else { format!("{DECLARED},\n    {parameters}") };
    let text = format!(
        "{{\n  \"$schema\": \"{TEMPLATE}\",\n  \"contentVersion\": \"1.0.0.0\",\n  \"parameters\": {{{declared}}},\n  {members}\n}}\n"
    );
    let text = text
        .replace("{SITE", "{\"name\": \"site\", \"location\": \"w\", TYPE")
        .replace("{DEPLOYMENT", &format!("{{{deployment}"));
    let text = text.replace("TYPE", r#""type": "Microsoft.Web/sites", "apiVersion": "2022-09-01""#);
    let text = text.replace("INNER", r#""mode": "Incremental", "expressionEvaluationOptions": {"scope": "inner"}"#);
    text.replace("SECRET", source).replace("LONG", &"a".repeat(25_000))
}

fn folder() -> Folder {
    let folder = Folder::new();
    let parameters = |values: &str| {
        format!(r#"{{"$schema": "{PARAMETERS}", "contentVersion": "1.0.0.0", "parameters": {{{values}}}}}"#)
    };
    for (case, (_, declared, members)) in CASES.iter().enumerate() {
        for (number, source) in SOURCES.iter().enumerate() {
            let place = place(case, number);
            folder.write(&format!("{place}/main.json"), template(declared, members, source));
            folder.write(&format!("{place}/main.parameters.json"), parameters(PARAMETER_FILE));
        }
    }
    for (case, (_, values)) in FILES.iter().enumerate() {
        let place = format!("files/{case}");
        let used = r#""resources": [], "outputs": {"o": {"type": "string", "value": "[SECRET]"}}"#;
        folder.write(&format!("{place}/main.json"), template("", used, SOURCES[0]));
        folder.write(&format!("{place}/main.parameters.json"), parameters(values));
    }
    folder
}

const CHECK: [&str; 6] = ["check", ".", "--profile", "all", "--set", "set=S3CRET-set"];

#[test]
fn no_message_of_any_check_contains_a_secret() {
    let folder = folder();
    for format in FORMATS {
        run(&folder, &[&CHECK[..], &["--format", format]].concat());
        run(&folder, &["check", "files", "--profile", "all", "--format", format]);
    }
    let of_files = run(&folder, &["check", "files", "--profile", "all", "--format", "json"]).json();
    let report = run(&folder, &[&CHECK[..], &["--format", "json"]].concat()).json();
    let reported: BTreeSet<(&str, &str)> = report["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["template"].as_str().unwrap_or_default(), it["rule"].as_str().unwrap()))
        .collect();
    let mut silent = Vec::new();
    for (case, (id, ..)) in CASES.iter().enumerate() {
        let of_source = |number| reported.contains(&(format!("{}/main.json", place(case, number)).as_str(), *id));
        if !(0..SOURCES.len()).any(of_source) {
            silent.push(*id);
        }
    }
    let all = ["results", "diagnostics"].map(|key| of_files[key].as_array().unwrap().as_slice()).concat();
    let any: BTreeSet<&str> = all.iter().filter_map(|it| it["rule"].as_str().or(it["code"].as_str())).collect();
    silent.extend(FILES.iter().map(|(id, _)| *id).filter(|id| !any.contains(id)));
    assert_eq!(silent, [""; 0], "these checks report nothing: {any:?}");
}

#[test]
fn the_table_has_all_checks() {
    let listed = Folder::new().run(&["rules", "list", "--format", "json"]).json();
    let ids = listed.as_array().unwrap().iter().map(|rule| rule["id"].as_str().unwrap());
    let all: BTreeSet<&str> = ids.filter(|id| id.contains('/')).collect();
    let forced = CASES.iter().map(|(id, ..)| *id).chain(FILES.iter().map(|(id, _)| *id));
    let known: BTreeSet<&str> = forced.chain(NEVER.iter().map(|(id, _)| *id)).collect();
    assert_eq!(known, all);
    assert!(NEVER.iter().all(|(_, why)| !why.is_empty()));
}

#[test]
fn no_other_command_prints_what_a_check_reports() {
    let folder = folder();
    for (name, is_new) in [("old", false), ("new", true)] {
        for (case, (_, declared, members)) in CASES.iter().enumerate() {
            let source = if is_new { "concat(parameters('default'), parameters('file'))" } else { SOURCES[0] };
            folder.write(&format!("{name}/{case}.json"), template(declared, members, source));
        }
    }
    for format in ["console", "json", "markdown", "html"] {
        run(&folder, &["diff", "old", "new", "--format", format]);
    }
    for case in 0..CASES.len() {
        let file = format!("{}/main.json", place(case, 0));
        let parameters = format!("{}/main.parameters.json", place(case, 0));
        let given = ["--parameters", parameters.as_str(), "--set", "set=S3CRET-set"];
        for arguments in [vec!["expand", &file], vec!["explain", &file, "parameters.file"]] {
            let ended = folder.run(&[&arguments, &given[..]].concat());
            assert!(!has_secret(&ended.stdout) && !has_secret(&ended.stderr), "{arguments:?}: {ended:?}");
        }
        for path in ["resources[0]", "resources[0].name", "outputs.o"] {
            let ended = folder.run(&[&["explain", &file, path, "--format", "json"], &given[..]].concat());
            assert!(!has_secret(&ended.stdout) && !has_secret(&ended.stderr), "{file} {path}: {ended:?}");
        }
    }
    for flag in ["--diff", "--fix"] {
        let ended = folder.run(&[&CHECK[..], &[flag]].concat());
        assert!(!has_secret(&ended.stdout) && !has_secret(&ended.stderr), "{flag}: {ended:?}");
    }
}

/// What makes a check of CloudFormation report. `SECRET` stands for a reference to a parameter with `NoEcho`.
const STACKS: &[(&str, &str)] = &[
    (
        "parameter/constraint",
        r#""N": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": "child.json", "Parameters": {"Plain": SECRET}}}"#,
    ),
    (
        "schema/pattern",
        r#""B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": {"Fn::Sub": [SECRET, {"a": SECRET}]}}}"#,
    ),
    ("expression/undefined", r#""B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": {"Ref": SECRET}}}"#),
    (
        "expression/undefined",
        r#""B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": {"Fn::FindInMap": ["M", SECRET, SECRET]}}}"#,
    ),
    (
        "expression/failed",
        r#""B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": {"Fn::Cidr": [SECRET, 2, 3]}}}"#,
    ),
    ("template/remote", r#""N": {"Type": "AWS::CloudFormation::Stack", "Properties": {"TemplateURL": SECRET}}"#),
    (
        "AWS-S3-004",
        r#""Fn::ForEach::L": ["X", [SECRET], {"B&{X}": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": {"Fn::Sub": "b-${X}"}}}}]"#,
    ),
];

#[test]
fn no_check_of_a_stack_prints_a_secret() {
    let folder = Folder::new();
    let sources = [
        r#"{"Ref": "Set"}"#,
        r#"{"Ref": "Default"}"#,
        r#"{"Fn::Sub": "${Default}-x"}"#,
        r#"{"Fn::Join": ["-", [{"Ref": "Set"}, "x"]]}"#,
        r#"{"Fn::Select": [0, {"Ref": "List"}]}"#,
    ];
    let mut expected: BTreeSet<&str> = BTreeSet::new();
    for (case, (id, resources)) in STACKS.iter().enumerate() {
        expected.insert(*id);
        for (number, source) in sources.iter().enumerate() {
            let resources = resources.replace("SECRET", source);
            let stack = format!(
                r#"{{"AWSTemplateFormatVersion": "2010-09-09", "Transform": "AWS::LanguageExtensions", "Parameters": {{
  "Set": {{"Type": "String", "NoEcho": true}},
  "Default": {{"Type": "String", "NoEcho": true, "Default": "S3CRET-default"}},
  "List": {{"Type": "CommaDelimitedList", "NoEcho": true, "Default": "S3CRET-a,S3CRET-b"}}
}},
"Mappings": {{"M": {{"a": {{"k": "v"}}}}}},
"Resources": {{{resources}}}}}"#
            );
            folder.write(&format!("{case}/{number}/main.json"), stack);
            let child = r#"{"AWSTemplateFormatVersion": "2010-09-09", "Parameters": {"Plain": {"Type": "String", "AllowedPattern": "^q$"}},
  "Resources": {"B": {"Type": "AWS::S3::Bucket", "Properties": {"BucketName": {"Ref": "Plain"}}}}}"#;
            folder.write(&format!("{case}/{number}/child.json"), child);
        }
    }
    for format in FORMATS {
        run(&folder, &["check", ".", "--set", "Set=S3CRET-set", "--show-passed", "--format", format]);
    }
    let report = run(&folder, &["check", ".", "--set", "Set=S3CRET-set", "--format", "json"]).json();
    let all = ["results", "diagnostics"].map(|key| report[key].as_array().unwrap().clone()).concat();
    let found: BTreeSet<&str> = all.iter().filter_map(|it| it["rule"].as_str().or(it["code"].as_str())).collect();
    let silent: Vec<&&str> = expected.difference(&found).collect();
    assert!(silent.is_empty(), "{silent:?} report nothing: {found:?}");
    for number in 0..sources.len() {
        for case in 0..STACKS.len() {
            let file = format!("{case}/{number}/main.json");
            let ended = folder.run(&["expand", &file, "--set", "Set=S3CRET-set"]);
            assert!(!has_secret(&ended.stdout) && !has_secret(&ended.stderr), "{file}: {ended:?}");
        }
    }
}
