//! `formwork drift`, on templates and exports.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Ended, Folder, parameters, template};
use crate::schemas::assert_described;

const GROUP: &str = "/subscriptions/s/resourceGroups/g";

/// The resources of a JSON document, as `outcome name path…`.
#[track_caller]
fn told(ended: &Ended) -> Vec<String> {
    let document = ended.json();
    assert_described("drift", std::slice::from_ref(&document));
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let one = |resource: &Value| {
        let changes = resource["changes"].as_array().unwrap().iter();
        let changes: Vec<String> = changes.map(|one| format!(" {}", text(&one["path"]))).collect();
        format!("{} {}{}", text(&resource["outcome"]), text(&resource["name"]), changes.concat())
    };
    document["resources"].as_array().unwrap().iter().map(one).collect()
}

fn account(name: &str, members: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "{name}", {members}}}"#
    )
}

fn live(name: &str, members: &str) -> String {
    format!(r#"{{"id": "{GROUP}/providers/Microsoft.Storage/storageAccounts/{name}", "name": "{name}", {members}}}"#)
}

/// A folder with a template of these resources, and an export of others.
fn folder(resources: &[String], exported: &[String]) -> Folder {
    let folder = Folder::new();
    folder.write("main.json", template(&format!("\"resources\": [{}]", resources.join(",\n"))));
    folder.write("live.json", format!("[{}]", exported.join(",\n")));
    folder
}

fn drift(folder: &Folder, arguments: &[&str]) -> Ended {
    folder.run(&[&["drift", "--against", "live.json"], arguments].concat())
}

#[test]
fn what_differs_is_shown_at_its_line() {
    let folder = folder(
        &[
            account("logs", r#""kind": "StorageV2""#),
            account("gone", r#""kind": "x""#),
            account("same", r#""kind": "y""#),
        ],
        &[live("logs", r#""kind": "BlobStorage""#), live("same", r#""kind": "Y""#), live("new", r#""kind": "z""#)],
    );
    let ended = drift(&folder, &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
    for line in [
        "~ Microsoft.Storage/storageAccounts logs (main.json:",
        r#"kind: "StorageV2" in the template, "BlobStorage" in Azure"#,
        "- Microsoft.Storage/storageAccounts gone (main.json:",
        "+ Microsoft.Storage/storageAccounts new: in no template",
        "1 resource drifted, 1 missing, 1 in no template, 1 as declared",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {ended:?}");
    }
    let expected = ["drifted logs kind", "missing gone", "same same", "unmanaged new"];
    assert_eq!(told(&drift(&folder, &["--format", "json"])), expected);
    let page = drift(&folder, &["--format", "markdown"]);
    assert!(page.stdout.starts_with("### Drift of resources\n"), "{page:?}");
}

#[test]
fn exit_codes_are_chosen() {
    let same =
        folder(&[account("logs", r#""kind": "x""#)], &[live("logs", r#""kind": "x""#), live("new", r#""kind": "z""#)]);
    assert_eq!(drift(&same, &["--exit-code"]).code, 0);
    assert_eq!(drift(&same, &["--exit-code", "--unmanaged"]).code, 1);
    let other = folder(&[account("logs", r#""kind": "x""#)], &[live("logs", r#""kind": "y""#)]);
    assert_eq!((drift(&other, &[]).code, drift(&other, &["--exit-code"]).code), (0, 1));
    other.write("broken.json", template("\"resources\": [}"));
    assert_eq!(drift(&other, &["--exit-code"]).code, 3);
}

#[test]
fn an_export_against_its_own_template_shows_nothing() {
    let bicep = "param kind string\nresource a 'Microsoft.Storage/storageAccounts@2023-01-01' = {\n  name: 'logs'\n  kind: kind\n}\n";
    let folder = Folder::new();
    folder.write("main.bicep", bicep);
    folder.write("main.parameters.dev.json", parameters(r#""kind": {"value": "a"}"#));
    folder.write("main.parameters.prod.json", parameters(r#""kind": {"value": "b"}"#));
    folder.write("live.json", format!("[{}]", live("logs", r#""kind": "b", "etag": "x", "properties": {"state": 1}"#)));
    // One of the deployments fits.
    assert_eq!(told(&drift(&folder, &["--format", "json"])), ["same logs"]);
    let arguments = ["main.bicep", "--parameters", "main.parameters.dev.json", "--format", "json"];
    assert_eq!(told(&drift(&folder, &arguments)), ["drifted logs kind"]);
    let arguments = ["main.bicep", "--set", "kind=c", "--format", "json"];
    assert_eq!(told(&drift(&folder, &arguments)), ["drifted logs kind"]);
}

#[test]
fn several_exports_are_joined() {
    let folder = folder(&[account("logs", r#""kind": "x", "location": "y""#)], &[live("logs", r#""kind": "x""#)]);
    let document = drift(&folder, &["--format", "json"]).json();
    assert_eq!(document["resources"][0]["unseen"], serde_json::json!(["location"]));
    folder.write("more.json", live("LOGS", r#""location": "z""#));
    let ended = drift(&folder, &["--against", "more.json", "--format", "json"]);
    assert_eq!(told(&ended), ["drifted logs location"]);
    // `xargs` runs a command several times.
    let two = ["logs", "more"].map(|name| format!("[\n  {}\n]\n", live(name, r#""kind": "x""#)));
    folder.write("live.json", two.concat());
    assert_eq!(told(&drift(&folder, &["--format", "json"])), ["same logs", "unmanaged more"]);
}

#[test]
fn everything_is_listed_on_demand() {
    let folder = folder(
        &[account("logs", r#""kind": "x", "location": "[resourceGroup().location]", "properties": {"password": "p"}"#)],
        &[live("logs", r#""kind": "x", "location": "y", "properties": {"minimumTlsVersion": "TLS1_2"}"#)],
    );
    let ended = drift(&folder, &[]);
    assert!(ended.stdout.contains("1 as declared; 2 values cannot be compared (`--all` lists them)"), "{ended:?}");
    let all = drift(&folder, &["--all"]).stdout;
    for line in
        ["properties.password: is not returned", "location: is known only", "properties.minimumTlsVersion: is not set"]
    {
        assert!(all.contains(line), "{all}");
    }
}

#[test]
fn secrets_of_exports_are_masked() {
    let folder = folder(
        &[account("logs", r#""properties": {"adminPassword": "Tr0ub4dor", "settings": {"x": 1}}"#)],
        &[live(
            "logs",
            r#""properties": {"adminPassword": "hunter22", "settings": "AccountKey=hunter33;SharedAccessKey=hunter33"}"#,
        )],
    );
    for format in ["console", "markdown", "json"] {
        let ended = drift(&folder, &["--format", format, "--all"]);
        assert!(ended.stdout.contains("adminPassword") && ended.stdout.contains("(secret)"), "{ended:?}");
        assert!(!ended.stdout.contains("hunter22") && !ended.stdout.contains("Tr0ub4dor"), "{ended:?}");
    }
}

#[test]
fn a_file_that_is_not_an_export_is_refused_with_advice() {
    let folder = folder(&[account("logs", r#""kind": "x""#)], &[]);
    for (text, why) in [("{}", "found another form"), ("{\"value\": [1]}", "found another form"), ("[", "expected")] {
        folder.write("live.json", text);
        let ended = drift(&folder, &[]);
        assert!(ended.code == 2 && ended.stderr.contains("`--against live.json`"), "{ended:?}");
        assert!(ended.stderr.contains(why) && ended.stderr.contains("az resource show"), "{ended:?}");
    }
    let ended = folder.run(&["drift", "--against", "gone.json"]);
    assert!(ended.code == 2 && ended.stderr.contains("there is no such file"), "{ended:?}");
    let ended = folder.run(&["drift", "gone", "--against", "live.json"]);
    assert!(ended.code == 2 && ended.stderr.contains("`gone` does not exist"), "{ended:?}");
    assert_eq!(folder.run(&["drift"]).code, 2);
    // A list without resources is an export.
    folder.write("live.json", "[]");
    assert_eq!(told(&drift(&folder, &["--format", "json"])), ["missing logs"]);
}

#[test]
fn names_with_markup_stay_texts() {
    let evil = r"a</td>|`\n::error::x";
    let folder = folder(
        &[account("logs", r#""kind": "x""#)],
        &[live(evil, r#""kind": "x""#), live("logs", &format!("\"kind\": \"{evil}\""))],
    );
    let ended = drift(&folder, &[]);
    assert!(!ended.stdout.contains("\n::error") && ended.stdout.contains(r"\n::error"), "{ended:?}");
    let page = drift(&folder, &["--format", "markdown"]).stdout;
    assert!(!page.contains("</td>") && !page.contains("\n::error"), "{page}");
}

#[test]
fn the_example_has_one_of_each() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/examples/drift");
    let (main, export) = (example.join("main.bicep"), example.join("live.json"));
    let arguments = ["drift", main.to_str().unwrap(), "--against", export.to_str().unwrap(), "--format", "json"];
    let told = told(&Folder::new().run(&arguments));
    let outcomes: Vec<&str> = told.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(outcomes, ["same", "drifted", "missing", "unmanaged"], "{told:?}");
}
