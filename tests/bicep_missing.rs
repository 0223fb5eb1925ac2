//! What a module that is missing may hide: what depends on it, which is listed, and nothing else. Each case is something
//! with which a pull request could let a check pass.

use crate::harness::{Ended, Folder};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

const MISSING: &str = "import { thing, Thing } from 'br/public:avm/utl/types:1.0.0'\n";

/// Settings with an extension of a registry.
const CONFIG: &str = r#"{
  "extensions": {"other": "br:example.azurecr.io/other:1.0.0"},
  "analyzers": {"core": {"rules": {"no-unused-params": {"level": "error"}}}}
}"#;

/// The exit code, and what is reported, each with its file and line.
#[track_caller]
fn assert_reported(files: &[(&str, &str)], extra: &[&str], code: i32, expected: &[&str]) {
    let folder = Folder::new();
    folder.write("rule.json", RULE);
    for (name, text) in files {
        folder.write(name, *text);
    }
    let base = ["check", ".", "--bicep", "builtin", "--offline", "--no-builtin-rules", "--rules", "rule.json"];
    let ended = folder.run(&[&base[..], &["--format", "json"], extra].concat());
    let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
    assert_eq!((ended.code, reported(&ended)), (code, expected), "{ended:?}");
}

fn reported(ended: &Ended) -> Vec<String> {
    let results = ended.json()["results"].as_array().unwrap().clone();
    let failed = results.iter().filter(|result| result["outcome"] == "failed");
    let shown = failed.map(|result| {
        let place = &result["location"];
        format!("{} {}:{}", result["rule"].as_str().unwrap(), place["file"].as_str().unwrap(), place["line"])
    });
    ended.diagnostics().into_iter().chain(shown).collect()
}

fn site(name: &str, before: &str) -> String {
    format!(
        "resource {name} 'Microsoft.Web/sites@2022-09-01' = {before}{{
  name: '{name}'
  location: 'westeurope'
  properties: {{ httpsOnly: false }}
}}
"
    )
}

#[test]
fn what_is_beside_an_unknown_value_is_checked() {
    let main = [MISSING, "param own Thing\n", &site("a", ""), "output whole Thing = own\n"].concat();
    let files = [("main.bicep", main.as_str())];
    assert_reported(&files, &[], 1, &["bicep/restore main.bicep:1", "T-1 main.bicep:6"]);
    assert_reported(&files, &["--strict"], 3, &["bicep/restore main.bicep:1", "T-1 main.bicep:6"]);
    // A condition, an index and a scope that nobody knows. The argument of a decorator has to be a literal.
    let child = "@batchSize(thing.size)
resource sites 'Microsoft.Web/sites@2022-09-01' = [for name in thing.names: {
  name: name
  location: 'westeurope'
  properties: { httpsOnly: false }
}]
resource slot 'Microsoft.Web/sites/slots@2022-09-01' = if (thing.on) {
  parent: sites[thing.index]
  name: 'slot'
  location: 'westeurope'
  properties: {}
}
module far 'far.bicep' = { name: 'far', scope: resourceGroup(thing.group) }
";
    let main = [MISSING, child].concat();
    let far = site("far", "");
    let files = [("main.bicep", main.as_str()), ("far.bicep", far.as_str())];
    let found = ["bicep/restore main.bicep:1", "bicep/BCP032 main.bicep:2", "T-1 far.bicep:4", "T-1 main.bicep:6"];
    assert_reported(&files, &[], 3, &found);
}

#[test]
fn an_extension_that_is_not_known_has_no_types_of_azure() {
    for name in ["Microsoft.Web/sites", "microsoft.web/sites"] {
        let main = ["extension other\n", &site("a", "").replace("Microsoft.Web/sites", name)].concat();
        let found = ["bicep/restore main.bicep:1", "T-1 main.bicep:5"];
        assert_reported(&[("main.bicep", &main), ("bicepconfig.json", CONFIG)], &[], 1, &found);
    }
}

#[test]
fn what_the_linter_says_of_a_file_needs_no_module() {
    let unused = "param p string\nvar v = 'x'\noutput o string = v\n";
    let check = |before: &str, extra: &[&str], code: i32, expected: &[&str]| {
        let main = [before, unused].concat();
        let folder = Folder::new();
        folder.write("main.bicep", main);
        folder.write("bicepconfig.json", CONFIG);
        let base =
            ["check", ".", "--bicep", "builtin", "--offline", "--rules-include=parameter/unused", "--format", "json"];
        let ended = folder.run(&[&base[..], extra].concat());
        assert_eq!(
            (ended.code, reported(&ended)),
            (code, expected.iter().map(ToString::to_string).collect()),
            "{ended:?}"
        );
    };
    check("", &[], 1, &["parameter/unused main.bicep:1"]);
    for before in [MISSING, "extension other\n"] {
        let found = ["bicep/restore main.bicep:1", "parameter/unused main.bicep:2"];
        check(before, &[], 1, &found);
        check(before, &["--strict"], 3, &found);
    }
}

#[test]
fn a_nested_template_has_its_shape_whatever_is_missing() {
    let nested = "resource d 'Microsoft.Resources/deployments@2022-09-01' = {
  name: 'd'
  properties: {
    mode: 'Incremental'
    template: {
      '$schema': 'https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#'
      contentVersion: '1.0.0.0'
      resources: 'x'
      outputs: []
      parameters: { p: 1 }
    }
  }
}
";
    // What the compiler leaves out of its own declarations, because their types are not known, is no defect.
    let own = "param own Thing\n@description('x')\nparam named string = thing.name\noutput o Thing = own\noutput p string = named\n";
    for (before, line) in [("", 1), (&[MISSING, own].concat(), 7), ("extension other\n", 2)] {
        let main = [before, nested].concat();
        let mut found = vec![format!("template/shape main.bicep:{line}"); 3];
        if line > 1 {
            found.insert(0, "bicep/restore main.bicep:1".to_owned());
        }
        let found: Vec<&str> = found.iter().map(String::as_str).collect();
        let files = [("main.bicep", main.as_str()), ("bicepconfig.json", CONFIG)];
        assert_reported(&files, &[], 1, &found);
        assert_reported(&files, &["--strict"], if line > 1 { 3 } else { 1 }, &found);
    }
}

#[test]
fn a_template_beside_a_file_with_a_missing_module_is_checked_too() {
    let written = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "metadata": {"_generator": {"name": "bicep", "version": "0.30.0", "templateHash": "1"}},
  "resources": [{
    "type": "Microsoft.Web/sites",
    "apiVersion": "2022-09-01",
    "name": "b",
    "location": "westeurope",
    "properties": {"httpsOnly": false}
  }]
}"#;
    let main = [MISSING, &site("a", "")].concat();
    let found = ["bicep/restore main.bicep:1", "T-1 main.bicep:5", "T-1 main.json:10"];
    assert_reported(&[("main.bicep", &main), ("main.json", written)], &[], 1, &found);
}

#[test]
fn only_the_compiler_says_what_is_unknown() {
    let template = |resource: &str| {
        format!(
            r#"{{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "resources": [{resource}]
}}"#
        )
    };
    let link = template(
        r#"{
    "type": "Microsoft.Resources/deployments",
    "apiVersion": "2022-09-01",
    "name": "web",
    "properties": {"mode": "Incremental", "templateLink": {"uri": "bicep:web"}}
  }"#,
    );
    assert_reported(&[("main.json", &link)], &[], 0, &["template/remote main.json:8"]);
    let input = template(
        r#"{
    "type": "Microsoft.Web/sites",
    "apiVersion": "2022-09-01",
    "name": "web",
    "location": "westeurope",
    "properties": {"httpsOnly": "[externalInputs('bicep:it')]"}
  }"#,
    );
    assert_reported(&[("main.json", &input)], &[], 1, &["expression/failed main.json:9"]);
}

#[test]
fn an_error_is_not_hidden_behind_notes() {
    let extensions: Vec<String> = (0..120).map(|at| format!("extension e{at}\n")).collect();
    let main = [&extensions.concat(), "resource a 'Microsoft.Web/sites@2022-09-01' = {\n  location: 'westeurope'\n}\n"]
        .concat();
    let named: Vec<String> = (0..120).map(|at| format!(r#""e{at}": "br:example.azurecr.io/e{at}:1.0.0""#)).collect();
    let folder = Folder::new();
    folder.write("main.bicep", main);
    folder.write("bicepconfig.json", format!(r#"{{"extensions": {{{}}}}}"#, named.join(", ")));
    let ended = folder.run(&["check", ".", "--bicep", "builtin", "--offline", "--format", "json"]);
    let is_error = |problem: &String| problem.starts_with("bicep/BCP");
    assert_eq!(
        (ended.code, ended.diagnostics().iter().filter(|problem| is_error(problem)).count()),
        (3, 1),
        "{ended:?}"
    );
}

#[test]
fn a_parameter_file_that_cannot_be_computed_is_listed() {
    let main = site("a", "").replace("false", "https");
    let main = ["param https bool\n", &main].concat();
    let parameters =
        "using 'main.bicep'\nimport { thing } from 'br/public:avm/utl/types:1.0.0'\nparam https = thing.https\n";
    let files = [("main.bicep", main.as_str()), ("main.bicepparam", parameters)];
    let found = ["bicep/restore main.bicepparam:1", "bicep/restore main.bicepparam:2"];
    assert_reported(&files, &[], 0, &found);
    assert_reported(&files, &["--strict"], 3, &found);
}
