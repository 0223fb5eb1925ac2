//! The documented refusals of Resource Manager: what formwork reports of each, and the page `docs/arm-errors.md`.
//!
//! `tests/golden/arm/refusals.json` has a row for each error code that Microsoft documents, for each limit of templates,
//! and for each test of the ARM template toolkit. A row that is reported has a sample, which must be reported.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::harness::{Folder, TEMPLATE, is_blessing};

const PAGE: &str = "docs/arm-errors.md";

/// Lists by their name in the rows: heading, what a row is, and source.
const LISTS: [(&str, &str, &str, &str); 3] = [
    (
        "errors",
        "Error codes",
        "Error code",
        "[common deployment errors](https://learn.microsoft.com/azure/azure-resource-manager/troubleshooting/common-deployment-errors) \
         (MicrosoftDocs/azure-docs 0af0f2e, June 2024)",
    ),
    (
        "limits",
        "Limits and rules of templates",
        "Limit or rule",
        "[template limits](https://learn.microsoft.com/azure/azure-resource-manager/templates/best-practices#template-limits), \
         [syntax](https://learn.microsoft.com/azure/azure-resource-manager/templates/syntax), \
         [functions](https://learn.microsoft.com/azure/azure-resource-manager/templates/user-defined-functions#limitations), \
         and [nested templates](https://learn.microsoft.com/azure/azure-resource-manager/templates/linked-templates), \
         read in November 2026",
    ),
    (
        "arm-ttk",
        "Tests of the ARM template toolkit",
        "Test",
        "[arm-ttk](https://github.com/Azure/arm-ttk/tree/master/arm-ttk/testcases/deploymentTemplate), MIT",
    ),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn rows() -> Vec<Value> {
    let text = fs::read_to_string(root().join("tests/golden/arm/refusals.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn text<'r>(row: &'r Value, name: &str) -> &'r str {
    row[name].as_str().unwrap_or_default()
}

/// Returns the template of a sample: the sections of a row on those that every template has.
fn template(row: &Value) -> String {
    let sample = &row["sample"];
    let Some(sections) = sample.as_object() else { return sample.as_str().unwrap().to_owned() };
    let mut whole: Map<String, Value> =
        json!({"$schema": TEMPLATE, "contentVersion": "1.0.0.0", "resources": []}).as_object().unwrap().clone();
    for (name, section) in sections {
        if section.is_null() {
            whole.remove(name)
        } else {
            whole.insert(name.clone(), section.clone())
        };
    }
    if let Some(many) = row["many"].as_object() {
        let section = whole.get_mut(many["section"].as_str().unwrap()).unwrap().as_object_mut().unwrap();
        let member = section.values().next().unwrap().clone();
        section.extend((0..many["count"].as_u64().unwrap()).map(|at| (format!("m{at}"), member.clone())));
    }
    let whole = Value::Object(whole).to_string();
    whole.replace("{{24600}}", &"a".repeat(24_600)).replace("{{65}}", &"n".repeat(65))
}

#[test]
fn each_documented_refusal_has_a_state() {
    let mut wrong = Vec::new();
    for row in rows() {
        let name = format!("{} {}", text(&row, "list"), text(&row, "name"));
        let has = |key: &str| !row[key].is_null();
        let is_right = match text(&row, "state") {
            "reported" => has("check") && has("sample") && !has("why"),
            "not needed" | "not yet" => has("why") && !has("check") && !has("sample"),
            _ => false,
        };
        if !is_right || !LISTS.iter().any(|(list, ..)| *list == text(&row, "list")) {
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_reported_refusal_is_reported() {
    let mut wrong = Vec::new();
    for row in rows().iter().filter(|row| text(row, "state") == "reported") {
        let folder = Folder::new();
        folder.write("main.json", template(row));
        let report = folder.run(&["check", "main.json", "--format=json", "--offline", "--profile=all"]).json();
        let results = report["results"].as_array().unwrap().iter().filter(|it| it["outcome"] == "failed");
        let problems = report["diagnostics"].as_array().unwrap().iter().map(|it| text(it, "code"));
        let found: Vec<&str> = results.map(|it| text(it, "rule")).chain(problems).collect();
        if !found.iter().any(|id| id.starts_with(text(row, "check"))) {
            wrong.push(format!("{}: expected {}, found {found:?}", text(row, "name"), text(row, "check")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Returns the page of the refusals, which is written from the rows.
fn page() -> String {
    let rows = rows();
    let mut page = "# Errors of Resource Manager\n\n\
        This page lists what Azure Resource Manager documents as errors and limits, and the tests of the ARM template \
        toolkit, with the checks of formwork that report them before a deployment. Only a deployment knows what is not \
        needed: quotas, rights, existing resources.\n\n\
        The page is written from `tests/golden/arm/refusals.json`. Each reported row has a sample that a test checks.\n"
        .to_owned();
    for (list, heading, noun, source) in LISTS {
        let own: Vec<&Value> = rows.iter().filter(|row| text(row, "list") == list).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for row in &own {
            *counts.entry(text(row, "state")).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(state, count)| format!("{count} {state}")).collect();
        write!(page, "\n## {heading}\n\nSource: {source}. {}.\n\n", counts.join(", ")).unwrap();
        writeln!(page, "| {noun} | state | check, or reason |\n|---|---|---|").unwrap();
        for row in own {
            let detail = match text(row, "check") {
                "" => text(row, "why").to_owned(),
                family if family.ends_with('/') => format!("`{family}*`"),
                check => format!("`{check}`"),
            };
            writeln!(page, "| {} | {} | {detail} |", text(row, "name"), text(row, "state")).unwrap();
        }
    }
    page
}

#[test]
fn the_page_of_errors_is_written_from_the_rows() {
    let (path, wanted) = (root().join(PAGE), page());
    if is_blessing() {
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    assert!(found == wanted, "`INSTA_UPDATE=always cargo test --test main arm_refusals` renews {PAGE}");
}
