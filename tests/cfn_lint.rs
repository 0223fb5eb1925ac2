//! The table of the rules of cfn-lint: its samples, its command, and its page.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use formwork_rules::cfn_lint::{Coverage, rules};

use crate::harness::{Folder, is_blessing};

#[test]
fn each_rule_that_is_reported_has_a_sample_that_shows_it() {
    let folder = Folder::new();
    for rule in rules() {
        for (name, text) in rule.files() {
            folder.write(&format!("{}/{name}", rule.id), text);
        }
    }
    let options = ["check", ".", "--profile", "all", "--format", "json", "--quiet", "--offline", "--allow-unreadable"];
    let report = folder.run(&options).json();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (list, key) in [("results", "rule"), ("diagnostics", "code")] {
        for entry in report[list].as_array().unwrap().iter().filter(|entry| entry["outcome"] != "passed") {
            let place = if entry["location"].is_object() { &entry["location"] } else { entry };
            let file = place["file"].as_str().or_else(|| place["path"].as_str()).unwrap_or_default();
            let folder = file.split('/').next().unwrap_or_default();
            found.entry(folder.to_owned()).or_default().insert(entry[key].as_str().unwrap_or_default().to_owned());
        }
    }
    let mut wrong = Vec::new();
    for rule in rules() {
        let Coverage::Reported { by, .. } = rule.coverage else { continue };
        let found = found.remove(rule.id).unwrap_or_default();
        if !found.contains(by) {
            wrong.push(format!("{}: expected {by}, found {found:?}", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_command_lists_all_rules() {
    let folder = Folder::new();
    let listed = folder.run(&["rules", "list", "--map", "cfn-lint"]).stdout;
    assert_eq!(listed.lines().count(), rules().len());
    let first = listed.lines().next().unwrap_or_default();
    assert!(first.starts_with("E0000"), "{first}");
    let json = folder.run(&["rules", "list", "--map", "cfn-lint", "--format", "json"]).json();
    assert_eq!(json.as_array().map(Vec::len), Some(rules().len()));
}

#[test]
fn the_page_is_written_from_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/cfn-lint.md");
    let wanted = Folder::new().run(&["rules", "list", "--map", "cfn-lint", "--format", "markdown"]).stdout;
    if is_blessing() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        found == wanted,
        "`INSTA_UPDATE=always cargo test --all-features --test main cfn_lint` renews docs/cfn-lint.md"
    );
}
