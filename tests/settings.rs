//! The page about settings: each key of the schema has an example there, and does what the page says.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::harness::{Folder, TEMPLATE, template};

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/settings.md");
    fs::read_to_string(path).unwrap().replace("\r\n", "\n")
}

/// The examples of the page in YAML.
fn examples(page: &str) -> Vec<&str> {
    page.split("```yaml\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect()
}

/// The example of a key, such as `fail-on` or `rules.exclude`.
fn example<'a>(page: &'a str, key: &str) -> &'a str {
    let (start, inner) = key.split_once('.').map_or((key, None), |(section, inner)| (section, Some(inner)));
    let begins = |text: &str, key: &str| text.strip_prefix(key).is_some_and(|rest| rest.starts_with(':'));
    let is_of_key = |example: &&str| {
        begins(example, start) && inner.is_none_or(|inner| example.lines().any(|line| begins(line.trim(), inner)))
    };
    examples(page).into_iter().find(is_of_key).unwrap_or_else(|| panic!("docs/settings.md has no example of `{key}`"))
}

/// The rows of tables whose first cell is a key: the key and the other cells.
fn rows(page: &str) -> Vec<(&str, Vec<&str>)> {
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix(" |"));
    rows.filter_map(|row| {
        let (key, rest) = row.split_once("` | ")?;
        Some((key, rest.split(" | ").map(|cell| cell.trim_matches('`')).collect()))
    })
    .collect()
}

fn schema(subject: &str) -> Value {
    let ended = Folder::new().run(&["schema", subject]);
    assert_eq!(ended.code, 0, "{ended:?}");
    ended.json()
}

/// The storage account of a template, with some properties.
fn store(properties: &str) -> String {
    template(&format!(
        r#""resources": [{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2019-06-01", "name": "demo1",
  "location": "westeurope", "sku": {{"name": "Standard_LRS"}}, "kind": "StorageV2", "properties": {{{properties}}}}}]"#
    ))
}

/// Breaks AZ-STORAGE-001, AZ-STORAGE-002 and AZ-STORAGE-003.
const OPEN: &str = r#""supportsHttpsTrafficOnly": false, "minimumTlsVersion": "TLS1_0", "allowBlobPublicAccess": true"#;

/// A storage account whose version of TLS is a parameter.
fn of_parameter() -> String {
    let properties = r#""supportsHttpsTrafficOnly": true, "minimumTlsVersion": "[parameters('tls')]""#;
    store(properties).replacen("\"resources\"", "\"parameters\": {\"tls\": {\"type\": \"string\"}}, \"resources\"", 1)
}

/// An unused variable, which is a finding of low severity.
const UNUSED: &str = r#""variables": {"v": 1}, "resources": []"#;

const RULE: &str = r#"{"id": "T-1", "name": "N", "shortDescription": "use gold", "fullDescription": "use gold", "severity": 1,
  "evaluation": {"resourceType": "Microsoft.Storage/storageAccounts", "path": "sku.name", "equals": "Gold"}}"#;

/// What the example of a key changes.
struct Case {
    key: &'static str,
    files: Vec<(&'static str, String)>,
    arguments: &'static [&'static str],
    /// What a check prints without the example and not with it.
    gone: &'static str,
    /// What it prints only with the example.
    new: &'static str,
}

fn case(key: &'static str, gone: &'static str, new: &'static str) -> Case {
    Case { key, files: vec![("main.json", store(OPEN))], arguments: &[], gone, new }
}

impl Case {
    fn with(mut self, name: &'static str, text: impl Into<String>) -> Self {
        self.files.retain(|(other, _)| *other != "main.json");
        self.files.push((name, text.into()));
        self
    }

    /// The exit code and the output of a check, with these settings.
    #[expect(clippy::items_after_statements, reason = "a list stands where it is used")]
    fn run(&self, settings: &str) -> String {
        let folder = Folder::new();
        for (name, text) in &self.files {
            folder.write(name, text);
        }
        if self.key == "baseline" {
            folder.run(&["check", "--write-baseline", "formwork-baseline.json"]);
        }
        folder.write("formwork.yaml", settings);
        // Findings of low severity are listed only if they fail a run.
        const ABOUT_LOW: &[&str] =
            &["parameters", "min-severity", "suppressions", "rules.profile", "rules.include", "rules.exclude"];
        let listed: &[&str] = if ABOUT_LOW.contains(&self.key) { &["--fail-on", "low"] } else { &[] };
        let ended = folder.run(&[&["check", "--format", "concise"], listed, self.arguments].concat());
        format!("exit {}\n{}\n{}", ended.code, ended.stdout, ended.stderr)
    }
}

fn cases() -> Vec<Case> {
    let https = r#""supportsHttpsTrafficOnly": "[reference(resourceId('Microsoft.Web/sites', 'x'), '2022-09-01').https]", "minimumTlsVersion": "TLS1_2", "allowBlobPublicAccess": false"#;
    let tls = r#""supportsHttpsTrafficOnly": false, "minimumTlsVersion": "TLS1_2", "allowBlobPublicAccess": false"#;
    vec![
        case("include", "other/main.json", "").with("infra/main.json", store(OPEN)).with("other/main.json", store(OPEN)),
        case("exclude", "samples/main.json", "").with("samples/main.json", store(OPEN)).with("a.json", store(OPEN)),
        case("check-tests", "in a folder of tests", "testdata/main.json").with("testdata/main.json", store(OPEN)),
        case("parameters", "no template belongs", "\"TLS1_0\"")
            .with("infra/network.json", of_parameter())
            .with("environments/dev/network.json", r#"{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#", "contentVersion": "1.0.0.0", "parameters": {"tls": {"value": "TLS1_0"}}}"#),
        Case { arguments: &["--rules-include", "AZ-STORAGE-001"], ..case("fail-on", "exit 1", "exit 0") }
            .with("a.json", store(tls)),
        Case { arguments: &["--rules-include", "AZ-STORAGE-001"], ..case("fail-on-unknown", "exit 0", "exit 1") }
            .with("a.json", store(https)),
        case("allow-unreadable", "exit 3", "exit 0")
            .with("a.json", format!("{{\"$schema\": \"{TEMPLATE}\", \"resources\": [")),
        case("strict", "exit 0", "exit 3").with(
            "a.json",
            template(
                r#""resources": [{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "a", "properties": {"mode": "Incremental", "templateLink": {"uri": "https://example.com/a.json"}}}]"#,
            ),
        ),
        case("bicep", "the built-in compiler", "").with("a.bicep", "output x string = 'a'\n"),
        case("min-severity", "variable/unused", "").with("a.json", template(UNUSED)),
        case("baseline", "exit 1", "exit 0"),
        // Only the action looks at it.
        case("deployment-diff", "", ""),
        Case { arguments: &["--today", "2030-01-31"], ..case("suppressions", "AZ-STORAGE-003", "") }
            .with("samples/main.json", store(OPEN)),
        Case { arguments: &["--today", "2030-02-01"], ..case("suppressions", "", "suppression/expired") }
            .with("samples/main.json", store(OPEN)),
        case("rules.paths", "", "T-1").with("a.json", store(OPEN)).with("rules/company/T-1.json", RULE),
        case("rules.builtin", "AZ-STORAGE-001", ""),
        case("rules.profile", "variable/unused", "").with("a.json", template(UNUSED)),
        case("rules.include", "AZ-STORAGE-002", ""),
        case("rules.exclude", "AZ-STORAGE-002", ""),
        Case {
            arguments: &["--fail-on", "medium", "--rules-include", "AZ-STORAGE-001"],
            ..case("rules.severity", "exit 1", "exit 0")
        }
        .with("a.json", store(tls)),
        case("limits", "template/limit]", "").with(
            "a.json",
            template(
                r#""resources": [{"copy": {"name": "c", "count": 1000}, "type": "Microsoft.Insights/components",
  "apiVersion": "2020-02-02", "name": "[format('i{0}', copyIndex())]", "location": "westeurope", "kind": "web", "properties": {}}]"#,
            ),
        ),
    ]
}

#[test]
fn each_example_does_what_the_page_says() {
    let page = page();
    for case in cases() {
        let example = example(&page, case.key);
        let (without, with) = (case.run(""), case.run(example));
        let shown = format!("{}\n--- without\n{without}\n--- with\n{with}", case.key);
        assert!(!with.contains("config/"), "{shown}");
        assert!(without.contains(case.gone) && (case.gone.is_empty() || !with.contains(case.gone)), "{shown}");
        assert!(with.contains(case.new) && (case.new.is_empty() || !without.contains(case.new)), "{shown}");
    }
}

#[test]
fn the_keys_of_a_suppression_restrict_it() {
    let page = page();
    let rows = rows(&page);
    let value = |key: &str| rows.iter().find(|(name, _)| *name == key).unwrap().1[0];
    let is_accepted = |keys: &str| {
        let folder = Folder::new();
        folder.write("samples/main.json", store(OPEN)).write("formwork.yaml", format!("suppressions:\n  - {keys}\n"));
        let ended = folder.run(&["check", "--format", "concise", "--today", "2030-01-31"]);
        assert!(!ended.stderr.contains("config/"), "{keys}: {ended:?}");
        !ended.stdout.contains("[AZ-STORAGE-003]")
    };
    let base = format!("rule: {}\n    reason: {}", value("rule"), value("reason"));
    assert!(is_accepted(&base));
    for key in ["path", "resource-type", "resource", "until"] {
        assert!(is_accepted(&format!("{base}\n    {key}: {}", value(key))), "{key}");
    }
    for other in ["path: other/**", "resource-type: Microsoft.Web/*", "resource: other", "until: 2030-01-30"] {
        assert!(!is_accepted(&format!("{base}\n    {other}")), "{other}");
    }
    assert!(!is_accepted(&format!("rule: AZ-STORAGE-002\n    reason: {}", value("reason"))));
    assert!(!is_accepted(&format!("rule: {}", value("rule"))));
}

/// What a command prints with one key of `configuration`.
fn printed(key: &str, value: &str, arguments: &[&str], files: &[(&str, &str)]) -> String {
    let folder = Folder::new();
    for (name, text) in files {
        folder.write(name, text);
    }
    let settings = if key.is_empty() { String::new() } else { format!("configuration:\n  {key}: {value}\n") };
    let ended = folder.write("formwork.yaml", settings).run(arguments);
    assert!(!ended.stderr.contains("config/"), "{key}: {ended:?}");
    format!("{}{}", ended.stdout, ended.stderr)
}

#[test]
fn each_key_of_the_configuration_does_what_the_page_says() {
    let page = page();
    let evaluated = [
        ("AZURE_RESOURCE_GROUP", "[resourceGroup().location]", "northeurope"),
        ("AZURE_SUBSCRIPTION", "[subscription().subscriptionId]", "11111111"),
        ("AZURE_TENANT", "[tenant().tenantId]", "22222222"),
        ("AZURE_MANAGEMENT_GROUP", "[managementGroup().name]", "mg-web"),
        ("AZURE_DEPLOYER", "[deployer().objectId]", "33333333"),
        ("AZURE_DEPLOYMENT", "[deployment().name]", "release-12"),
        ("AZURE_ENVIRONMENT", "[environment().name]", "AzureUSGovernment"),
    ];
    let size = template(
        r#""parameters": {"size": {"type": "string"}}, "resources": [], "outputs": {"o": {"type": "string", "value": "[parameters('size')]"}}"#,
    );
    let secret = template(r#""parameters": {"passwordOfDay": {"type": "string"}}, "resources": []"#);
    let literal = store(r#""joinPhrase": "abc""#);
    let check: &[&str] = &["check", "--format", "concise", "--fail-on", "low"];
    let mut seen = 0;
    for (key, cells) in rows(&page).into_iter().filter(|(key, _)| key.starts_with("AZURE_")) {
        let with = |arguments: &[&str], files: &[(&str, &str)]| {
            (printed("", "", arguments, files), printed(key, cells[0], arguments, files))
        };
        seen += 1;
        if let Some((_, expression, expected)) = evaluated.iter().find(|(name, ..)| *name == key) {
            let (without, with) = with(&["eval", expression], &[]);
            assert!(with.contains(expected) && !without.contains(expected), "{key}: {without} {with}");
            continue;
        }
        match key {
            "AZURE_PARAMETER_DEFAULTS" => {
                let (without, with) = with(&["explain", "main.json", "outputs.o"], &[("main.json", &size)]);
                assert!(with.contains("large") && !without.contains("large"), "{without} {with}");
            }
            "AZURE_DEPLOYMENT_SENSITIVE_PROPERTY_NAMES" => {
                let (without, with) = with(check, &[("main.json", &literal)]);
                assert!(with.contains("secret/") && !without.contains("secret/"), "{without} {with}");
            }
            "AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES" => {
                let (without, with) = with(check, &[("main.json", &secret)]);
                let id = "secret/parameter-type";
                assert!(without.contains(id) && !with.contains(id), "{without} {with}");
            }
            "AZURE_BICEP_FILE_EXPANSION" => {
                let (without, with) = with(check, &[("main.bicep", "param a string\n")]);
                assert!(without.contains("bicep/tool") && !with.contains("bicep/tool"), "{without} {with}");
            }
            // The others are about the Bicep CLI, whose tests try them, or have no effect.
            _ => {
                let (without, with) = with(check, &[("main.json", &literal)]);
                assert_eq!(without, with, "{key}");
            }
        }
    }
    assert_eq!(seen, 19);
}

#[test]
fn limits_have_the_defaults_and_bounds_of_the_page() {
    let page = page();
    let keys = schema("settings")["properties"]["limits"]["properties"].as_object().unwrap().clone();
    let rows: Vec<_> = rows(&page).into_iter().filter(|(key, _)| keys.contains_key(*key)).collect();
    assert_eq!(rows.len(), keys.len(), "docs/settings.md has a row for each limit");
    let run = |key: &str, value: &str| {
        let folder = Folder::new();
        folder.write("main.json", template(UNUSED)).write("formwork.yaml", format!("limits: {{ {key}: {value} }}\n"));
        folder.run(&["check", "--fail-on", "low"]).code
    };
    for (key, cells) in rows {
        assert_eq!([run(key, cells[0]), run(key, cells[1]), run(key, "0")], [1, 1, 2], "{key}");
        let beyond = cells[1].replacen(|first: char| first.is_ascii_digit(), "9", 1);
        assert_eq!(run(key, &format!("9{beyond}")), 2, "{key}");
    }
}

/// The keys of a schema of an object, and of objects in it, as paths.
fn paths(schema: &Value, prefix: &str, found: &mut Vec<String>) {
    for (key, inner) in schema["properties"].as_object().into_iter().flatten() {
        let path = format!("{prefix}{key}");
        paths(inner, &format!("{path}."), found);
        paths(&inner["items"], &format!("{path}."), found);
        found.push(path);
    }
}

#[test]
fn the_page_has_every_key_of_the_schema() {
    let page = page();
    let mut keys = Vec::new();
    paths(&schema("settings"), "", &mut keys);
    assert!(keys.len() > 40, "{keys:?}");
    let rows = rows(&page);
    for key in keys {
        let (section, last) = key.rsplit_once('.').unwrap_or(("", &key));
        if ["", "rules"].contains(&section) {
            example(&page, &key);
        } else {
            assert!(rows.iter().any(|(name, _)| *name == last), "docs/settings.md has no row for `{key}`");
        }
        let is_tested = cases().iter().any(|case| case.key == key);
        assert!(
            !["", "rules"].contains(&section) || ["rules", "policy", "configuration"].contains(&&*key) || is_tested,
            "{key}"
        );
    }
}

#[test]
fn the_schemas_in_the_repository_are_current() {
    for subject in
        ["settings", "report", "diff", "baseline", "expand", "explain", "policy-explain", "rules-list", "doctor"]
    {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("schemas/{subject}.schema.json"));
        let current = format!("{:#}\n", schema(subject));
        if crate::harness::is_blessing() {
            fs::write(&path, &current).unwrap();
        }
        assert!(
            fs::read_to_string(&path).unwrap() == current,
            "`INSTA_UPDATE=always cargo test` renews {}",
            path.display()
        );
    }
}

/// What a schema says against a value.
fn refused(schema: &Value, value: &Value) -> Vec<String> {
    let validator = jsonschema::validator_for(schema).unwrap();
    validator.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

#[test]
fn the_schema_of_settings_takes_what_a_check_takes() {
    let schema = schema("settings");
    let cases: &[(&str, bool)] = &[
        (r#"{"fail-on": "medium", "include": "infra/**", "exclude": ["a", "b"], "min-severity": "low"}"#, true),
        (
            r#"{"rules": {"paths": ["r"], "builtin": false, "profile": "all", "severity": {"AZ-STORAGE-001": "low"}}}"#,
            true,
        ),
        (
            r#"{"suppressions": [{"rule": ["AZ-STORAGE-001", "secret/*"], "path": "x/**", "reason": "r", "until": "2030-01-31"}]}"#,
            true,
        ),
        (
            r#"{"configuration": {"AZURE_TENANT": {"tenantId": "x"}, "AZURE_ENVIRONMENT": null}, "limits": {"steps": 5, "memory": "1 GiB"}}"#,
            true,
        ),
        (r#"{"fail-on": "always"}"#, false),
        (r#"{"min-severity": "never"}"#, false),
        (r#"{"exlude": ["x"]}"#, false),
        (r#"{"rules": {"builtin": "no"}}"#, false),
        (r#"{"limits": {"nesting": 513}}"#, false),
        (r#"{"limits": {"file-size": "16MB"}}"#, false),
        (r#"{"configuration": {"AZURE_TENANT": "x"}}"#, false),
        (r#"{"suppressions": [{"rule": "a"}]}"#, false),
    ];
    for (text, is_valid) in cases {
        let problems = refused(&schema, &serde_json::from_str(text).unwrap());
        assert_eq!(problems.is_empty(), *is_valid, "{text}: {problems:?}");
        let folder = Folder::new();
        let ended = folder.write("formwork.json", text).run(&["check", "--format", "concise"]);
        let is_taken = !ended.stderr.contains("config/") && !ended.stdout.contains("suppression/no-reason");
        assert_eq!(is_taken, *is_valid, "{text}: {ended:?}");
    }
}

#[test]
fn reports_follow_their_schema_and_say_nothing_else() {
    let mut schema = schema("report");
    close(&mut schema);
    let folder = Folder::new();
    folder
        .write("main.json", store(OPEN))
        .write(
            "unknown.json",
            store(
                r#""supportsHttpsTrafficOnly": "[reference(resourceId('Microsoft.Web/sites', 'x'), '2022-09-01').y]""#,
            ),
        )
        .write("broken.json", format!("{{\"$schema\": \"{TEMPLATE}\","))
        .write("formwork.yaml", "suppressions: [{rule: AZ-STORAGE-002, reason: r}]\n");
    let ended = folder.run(&["check", "--format", "json", "--show-passed"]);
    let report = ended.json();
    for outcome in ["failed", "passed", "unknown", "suppressed"] {
        assert!(report["summary"][outcome].as_u64().unwrap() > 0, "{outcome}");
    }
    assert!(!report["diagnostics"].as_array().unwrap().is_empty());
    assert_eq!(refused(&schema, &report), [""; 0]);
    assert_ne!(refused(&schema, &serde_json::json!({"schema": "other"})), [""; 0]);
}

/// Lets the objects of a schema have no other members, except where a flattened one adds some.
fn close(schema: &mut Value) {
    if let Some(object) = schema.as_object_mut() {
        if object.get("type").is_some_and(|kind| kind == "object") && object.contains_key("properties") {
            object.insert("additionalProperties".to_owned(), false.into());
        }
        object.values_mut().for_each(close);
    } else if let Some(items) = schema.as_array_mut() {
        items.iter_mut().for_each(close);
    }
}

/// Checks are not rules: what the platform would reject does not depend on which rules run.
#[test]
fn errors_of_the_platform_are_reported_without_the_built_in_rules() {
    let folder = Folder::new();
    let resources = r#""parameters": {"unused": {"type": "string", "defaultValue": "a"},
        "n": {"type": "int", "defaultValue": 9, "maxValue": 3}, "s": {"type": "securestring", "defaultValue": "hunter22"}},
      "resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "storage1",
        "location": "westeurope", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2",
        "properties": {"supportsHttpsTrafficOnly": "no", "networkAcls": {"defaultAction": "[parameters('n')]"}}}]"#;
    folder.write("main.json", template(resources));
    let api = "Type: AWS::Serverless::Function\n    Properties: {Handler: a, Runtime: python3.12, InlineCode: a, FunctionUrlConfig: {}}\n";
    folder.write("sam.yaml", format!("Transform: AWS::Serverless-2016-10-31\nResources:\n  A:\n    {api}"));
    let found = |arguments: &[&str]| {
        let ended = folder.run(&[&["check", ".", "--format", "json"], arguments].concat());
        let report = ended.json();
        let ids = report["results"].as_array().unwrap().iter().map(|it| it["rule"].as_str().unwrap().to_owned());
        ids.collect::<std::collections::BTreeSet<String>>()
    };
    let (all, platform) = (found(&[]), found(&["--no-builtin-rules"]));
    assert!(all.contains("secret/default") && all.contains("parameter/unused"), "{all:?}");
    let kept = |id: &String| ["schema/", "sam/", "parameter/constraint"].iter().any(|start| id.starts_with(start));
    assert!(platform.iter().all(kept), "{platform:?}");
    for id in ["schema/type", "parameter/constraint"] {
        assert!(platform.contains(id), "{id}: {platform:?}");
    }
    assert!(platform.iter().any(|id| id.starts_with("sam/")), "{platform:?}");
    assert!(found(&["--no-builtin-rules", "--rules-exclude", "schema/*"]).len() < platform.len());
    let help = folder.run(&["check", "--help"]).stdout;
    let (_, help) = help.split_once("--no-builtin-rules").unwrap();
    let help = help.split_once("--rules <").map_or(help, |(help, _)| help);
    for word in ["secret/default", "parameter/unused", "schema/type", "sam/invalid"] {
        assert!(help.contains(word), "{word}: {help}");
    }
}
