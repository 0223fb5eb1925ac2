//! `formwork upgrade`, on Bicep files and ARM templates.

use std::fs;

use serde_json::Value;

use crate::harness::{Ended, Folder, parameters, template};
use crate::schemas::assert_described;

const TODAY: &str = "2026-11-01";

fn upgrade(folder: &Folder, arguments: &[&str]) -> Ended {
    folder.run(&[&["upgrade", "--today", TODAY], arguments].concat())
}

/// The versions of a JSON document, as `line outcome from to breaking…`.
#[track_caller]
fn told(ended: &Ended) -> Vec<String> {
    let document = ended.json();
    assert_described("upgrade", std::slice::from_ref(&document));
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let one = |version: &Value| {
        let breaking = version["breaking"].as_array().unwrap().iter();
        let breaking: Vec<String> = breaking.map(|one| format!(" {}", text(&one["path"]))).collect();
        format!(
            "{} {} {} {}{}",
            version["line"],
            text(&version["outcome"]),
            text(&version["from"]),
            text(&version["to"]),
            breaking.concat()
        )
    };
    document["resources"].as_array().unwrap().iter().map(one).collect()
}

fn account(version: &str, properties: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "{version}", "name": "logs", "location": "westeurope",
    "kind": "StorageV2", "sku": {{"name": "Standard_LRS"}}, "properties": {{{properties}}}}}"#
    )
}

fn cosmos(version: &str, properties: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.DocumentDB/databaseAccounts", "apiVersion": "{version}", "name": "orders", "location": "westeurope",
    "properties": {{"databaseAccountOfferType": "Standard", "locations": []{properties}}}}}"#
    )
}

fn resources(all: &[String]) -> String {
    template(&format!("\"resources\": [{}]", all.join(",\n")))
}

const BICEP: &str = "\
resource logs 'Microsoft.Storage/storageAccounts@2021-09-01' = {
  name: 'logs'
  location: 'westeurope'
  kind: 'StorageV2'
  sku: { name: 'Standard_LRS' }

  resource blobs 'blobServices' = { // moves with its parent: 2021-09-01
    name: 'default'
  }
}

resource orders 'Microsoft.DocumentDB/databaseAccounts@2020-03-01' = {
  name: 'orders'
  location: 'westeurope'
  properties: {
    databaseAccountOfferType: 'Standard'
    locations: []
    ipRangeFilter: '192.0.2.0/24'
  }
}
";

#[test]
fn versions_in_bicep_are_raised_where_the_resource_fits() {
    let folder = Folder::new();
    folder.write("main.bicep", BICEP);
    let ended = upgrade(&folder, &[]);
    assert!(
        ended.code == 0 && ended.stdout.contains("main.bicep\n     1  Microsoft.Storage/storageAccounts"),
        "{ended:?}"
    );
    assert!(ended.stdout.contains("has no `properties.ipRangeFilter` (main.bicep:18)"), "{ended:?}");
    assert_eq!(upgrade(&folder, &["--check"]).code, 1);
    let ended = upgrade(&folder, &["--write"]);
    assert!(ended.code == 0 && ended.stdout.ends_with("1 file changed\n"), "{ended:?}");
    let written = fs::read_to_string(folder.path().join("main.bicep")).unwrap();
    let (first, rest) = written.split_once('\n').unwrap();
    let version = first.split_once('@').unwrap().1.split('\'').next().unwrap().to_owned();
    assert!(version.as_str() > "2023-01-01" && version.len() == 10, "{first}");
    // Only the version after `@` is another one.
    assert_eq!(rest, BICEP.split_once('\n').unwrap().1);
    let again = upgrade(&folder, &["--write", "--check"]);
    assert_eq!(again.code, 2, "{again:?}");
    let again = upgrade(&folder, &["--write"]);
    assert!(again.code == 0 && again.stdout.contains("0 safe, 1 stays"), "{again:?}");
    assert_eq!(fs::read_to_string(folder.path().join("main.bicep")).unwrap(), written);
}

#[test]
fn the_worst_deployment_decides() {
    let folder = Folder::new();
    let declared = "\"parameters\": {\"filter\": {\"type\": \"object\", \"defaultValue\": {}}},";
    let account = r#"{"type": "Microsoft.DocumentDB/databaseAccounts", "apiVersion": "2020-03-01", "name": "orders",
    "location": "westeurope", "properties": "[union(parameters('filter'), variables('own'))]"}"#;
    let own = r#""variables": {"own": {"databaseAccountOfferType": "Standard", "locations": []}},"#;
    folder.write("main.json", template(&format!("{declared} {own} \"resources\": [{account}]")));
    let ended = upgrade(&folder, &["--format", "json"]);
    assert!(told(&ended)[0].contains(" safe 2020-03-01 "), "{ended:?}");
    folder.write("main.parameters.a.json", parameters(r#""filter": {"value": {}}"#));
    folder.write("main.parameters.b.json", parameters(r#""filter": {"value": {"ipRangeFilter": "192.0.2.1"}}"#));
    let ended = upgrade(&folder, &["--format", "json"]);
    let all = told(&ended);
    assert!(all[0].contains(" stays 2020-03-01 ") && all[0].ends_with(" properties.ipRangeFilter"), "{all:?}");
    assert_eq!(ended.json()["resources"][0]["fits"], Value::Null);
}

#[test]
fn versions_in_variables_move_if_all_that_use_them_do() {
    let folder = Folder::new();
    let both = |variable: &str, others: &str, cosmos_properties: &str| {
        let variables = format!("\"variables\": {{\"version\": \"{variable}\", \"x\": \"{others}\"}},");
        let all = [account("[variables('version')]", ""), account("2021-09-01", "")];
        let all = [&all[..], &[cosmos("2023-11-15", cosmos_properties)]].concat();
        template(&format!("{variables} \"resources\": [{}]", all.join(",\n")))
    };
    folder.write("main.json", both("2021-09-01", "", ""));
    let ended = upgrade(&folder, &["--write"]);
    assert!(ended.code == 0 && ended.stdout.contains("3 safe"), "{ended:?}");
    let text = fs::read_to_string(folder.path().join("main.json")).unwrap();
    assert!(!text.contains("2021-09-01") && text.contains("[variables('version')]"), "{text}");
    // A version that is a part of another value stays.
    folder.write("main.json", both("2021-09-01", "[concat(variables('version'), '!')]", ""));
    let ended = upgrade(&folder, &[]);
    assert!(ended.stdout.contains("skipped: variable `version` is used for something else, too"), "{ended:?}");
}

#[test]
fn what_expressions_read_counts() {
    let folder = Folder::new();
    let read = |path: &str| {
        let outputs =
            format!("\"outputs\": {{\"o\": {{\"type\": \"string\", \"value\": \"[reference('logs'){path}]\"}}}},");
        template(&format!("{outputs} \"resources\": [{}]", cosmos("2020-03-01", "").replace("orders", "logs")))
    };
    folder.write("main.json", read(".documentEndpoint"));
    let all = told(&upgrade(&folder, &["--format", "json"]));
    assert!(all[0].contains(" safe "), "{all:?}");
    folder.write("main.json", read(".ipRangeFilter"));
    let all = told(&upgrade(&folder, &["--format", "json"]));
    assert!(all[0].contains(" stays ") && all[0].ends_with(" properties.ipRangeFilter"), "{all:?}");
}

#[test]
fn versions_in_calls_move_if_their_type_is_named() {
    let folder = Folder::new();
    let outputs = |call: &str| format!("\"outputs\": {{\"o\": {{\"type\": \"object\", \"value\": \"[{call}]\"}}}},");
    let call = "reference(resourceId('Microsoft.Storage/storageAccounts', 'other'), '2021-09-01').primaryEndpoints";
    folder.write("main.json", template(&format!("{} \"resources\": []", outputs(call))));
    let ended = upgrade(&folder, &["--write"]);
    assert!(ended.code == 0 && ended.stdout.contains("1 safe"), "{ended:?}");
    assert!(!fs::read_to_string(folder.path().join("main.json")).unwrap().contains("2021-09-01"));
    let call = "listKeys(resourceId('Microsoft.Storage/storageAccounts', 'other'), '2015-06-15').key1";
    folder.write("main.json", template(&format!("{} \"resources\": []", outputs(call).replace("object", "string"))));
    let ended = upgrade(&folder, &[]);
    assert!(ended.stdout.contains("skipped: since 2016-01-01, the keys are a list"), "{ended:?}");
}

#[test]
fn options_choose_the_versions() {
    let folder = Folder::new();
    folder.write("main.json", resources(&[account("2021-09-01", ""), cosmos("2021-04-15", "")]));
    let to = |arguments: &[&str]| {
        let all = told(&upgrade(&folder, &[arguments, &["--format", "json"]].concat()));
        all.iter().map(|one| one.split(' ').nth(3).unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(to(&["--to", "2023-01-01", "--type", "microsoft.storage/STORAGEACCOUNTS"]), ["2023-01-01"]);
    let oldest = to(&["--min-age", "1200", "--type", "Microsoft.Storage/storageAccounts"]);
    let newest = to(&["--min-age", "0", "--type", "Microsoft.Storage/storageAccounts"]);
    assert!(oldest < newest && oldest[0].as_str() <= "2023-07-20", "{oldest:?} {newest:?}");
    for wrong in ["latest", "2023", "2023-05-01x"] {
        let ended = upgrade(&folder, &["--to", wrong]);
        assert!(ended.code == 2 && ended.stderr.contains("expected `fits`, `newest`, or a version"), "{ended:?}");
    }
    let ended = upgrade(&folder, &["gone.json"]);
    assert!(ended.code == 2 && ended.stderr.contains("`gone.json` does not exist"), "{ended:?}");
}

#[test]
fn hostile_input_is_text_and_is_never_written() {
    let folder = Folder::new();
    let evil = "a</td>|`::error::x`";
    let bad = format!(
        r#"{{"type": "Microsoft.Storage/storageAccounts{evil}", "apiVersion": "2021-09-01", "name": "{evil}"}}"#
    );
    let computed = account("[concat('2021', '-09-01')]", "");
    folder.write("main.json", resources(&[bad, computed, account("{{version}}", "")]));
    folder.write("broken.json", template("\"resources\": [}"));
    folder.write("stack.yaml", "AWSTemplateFormatVersion: '2010-09-09'\nResources: {T: {Type: 'AWS::SNS::Topic'}}\n");
    let before = fs::read(folder.path().join("main.json")).unwrap();
    let ended = upgrade(&folder, &["--write"]);
    assert_eq!(ended.code, 3, "{ended:?}");
    assert!(ended.stdout.contains("skipped: it is computed") && !ended.stdout.contains("\n::error"), "{ended:?}");
    assert_eq!(fs::read(folder.path().join("main.json")).unwrap(), before);
    let page = upgrade(&folder, &["--format", "markdown"]).stdout;
    assert!(!page.contains("</td>"), "{page}");
    let stack = upgrade(&folder, &["stack.yaml"]);
    assert!(stack.code == 0 && stack.stdout.starts_with("Nothing to upgrade"), "{stack:?}");
}

#[test]
fn a_template_that_was_built_is_not_edited() {
    let folder = Folder::new();
    let metadata = r#""metadata": {"_generator": {"name": "bicep", "version": "0.30.0", "templateHash": "1"}},"#;
    folder.write("main.json", template(&format!("{metadata} \"resources\": [{}]", account("2021-09-01", ""))));
    let ended = upgrade(&folder, &["--write"]);
    assert!(ended.code == 0 && ended.stdout.contains("skipped: the template was built from a Bicep file"), "{ended:?}");
}
