//! What the embedded rules say of themselves: metadata, examples, samples, and the pages in `docs/rules`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::harness::{Folder, TEMPLATE, is_blessing};
use crate::rules::{Rule, files_below, rules};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The catalogue as JSON, by the IDs of the rules.
fn catalogue() -> BTreeMap<String, Value> {
    let listed = Folder::new().run(&["rules", "list", "--format", "json", "--map"]).json();
    let rules = listed.as_array().unwrap().iter().map(|rule| (rule["id"].as_str().unwrap().to_owned(), rule.clone()));
    rules.filter(|(id, _)| id.starts_with("AZ-") || id.starts_with("AWS-")).collect()
}

#[test]
fn each_rule_says_what_it_serves() {
    let mut wrong = Vec::new();
    for (id, rule) in catalogue() {
        for key in ["category", "pillar", "recommendation", "help"] {
            if rule[key].as_str().is_none_or(str::is_empty) {
                wrong.push(format!("{id} has no {key}"));
            }
        }
        if rule["example"].is_null() {
            wrong.push(format!("{id} has no example"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn each_rule_has_the_samples_that_can_go_wrong() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let folder = rule.folder();
        let samples = files_below(&root().join("tests/rules").join(&folder));
        for name in ["hit", "clean", "absent", "unknown", "parameter"] {
            let is_there = samples.iter().any(|sample| sample.split('.').next() == Some(name));
            if !is_there {
                wrong.push(format!("{folder}/{name}"));
            }
        }
    }
    assert!(wrong.is_empty(), "samples are missing: {wrong:#?}");
}

#[test]
fn the_example_of_a_rule_fails_and_its_remedy_passes() {
    let folder = Folder::new();
    let catalogue = catalogue();
    let template = |resources: &Value| match resources {
        Value::Object(_) => json!({"AWSTemplateFormatVersion": "2010-09-09", "Resources": resources}),
        _ => json!({"$schema": TEMPLATE, "contentVersion": "1.0.0.0", "resources": resources}),
    };
    for (id, rule) in &catalogue {
        for side in ["before", "after"] {
            folder.write(&format!("{id}.{side}.json"), template(&rule["example"][side]).to_string());
        }
    }
    let report = folder.run(&["check", ".", "--profile", "all", "--format", "json"]).json();
    let mut reported: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for result in report["results"].as_array().unwrap() {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let outcome = format!("{} {}", text(&result["outcome"]), text(&result["rule"]));
        reported.entry(text(&result["location"]["file"])).or_default().push(outcome);
    }
    let mut wrong = Vec::new();
    for id in catalogue.keys() {
        let says = |side: &str, outcome: &str| {
            let all = reported.get(&format!("{id}.{side}.json"));
            all.is_some_and(|all| all.contains(&format!("{outcome} {id}")))
        };
        if !says("before", "failed") {
            wrong.push(format!("{id}: `before` passes"));
        }
        if says("after", "failed") || says("after", "unknown") {
            wrong.push(format!("{id}: `after` does not pass"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_paths_of_the_rules_are_those_of_the_types() {
    let rules = root().join("rules");
    for cloud in ["azure", "aws"] {
        let ended = Folder::new().run(&["rules", "lint", rules.join(cloud).to_str().unwrap()]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{}", ended.stdout);
    }
}

/// Compares a file of `docs/rules` with what it should be.
fn check_page(name: &str, wanted: &str, wrong: &mut Vec<String>) {
    let path = root().join("docs/rules").join(name);
    if is_blessing() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, wanted).unwrap();
    } else if fs::read_to_string(&path).ok().as_deref() != Some(wanted) {
        wrong.push(name.to_owned());
    }
}

#[test]
fn the_pages_of_the_rules_are_those_that_the_program_prints() {
    let folder = Folder::new();
    let print = |arguments: &[&str]| {
        let ended = folder.run(&[&["rules"], arguments, &["--format", "markdown"]].concat());
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{arguments:?}");
        ended.stdout
    };
    let mut pages: BTreeMap<String, (String, String)> = BTreeMap::new();
    for rule in rules() {
        let (service, _) = rule.folder().rsplit_once('/').map(|(one, two)| (one.to_owned(), two.to_owned())).unwrap();
        let (pattern, _) = rule.id.rsplit_once('-').unwrap();
        let title = rule.name.split('.').next().unwrap().to_owned();
        pages.insert(format!("{service}.md"), (title, format!("{pattern}-*")));
    }
    let mut wrong = Vec::new();
    for (page, (title, pattern)) in &pages {
        check_page(page, &format!("# {title}\n\n{}", print(&["show", pattern])), &mut wrong);
    }
    check_page("checks.md", &format!("# Built-in checks\n\n{}", print(&["show", "*/*"])), &mut wrong);
    check_page("README.md", &print(&["list"]), &mut wrong);
    let known = |name: &String| pages.contains_key(name) || name == "checks.md" || name == "README.md";
    wrong.extend(files_below(&root().join("docs/rules")).into_iter().filter(|name| !known(name)));
    assert!(wrong.is_empty(), "`INSTA_UPDATE=always cargo test` renews {wrong:?}");
}

#[test]
fn numbers_of_rules_have_no_gaps() {
    let mut numbers: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for Rule { id, .. } in rules() {
        let (service, number) = id.rsplit_once('-').unwrap();
        numbers.entry(service.to_owned()).or_default().push(number.parse().unwrap());
    }
    for (service, mut of_service) in numbers {
        of_service.sort_unstable();
        assert_eq!(of_service, (1..=of_service.len()).collect::<Vec<_>>(), "{service}");
    }
}

#[test]
fn filters_narrow_the_list() {
    let ids = |arguments: &[&str]| -> Vec<String> {
        let ended = Folder::new().run(&[&["rules", "list"], arguments].concat());
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{arguments:?}");
        ended.stdout.lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    let of_storage = ids(&["--service", "Storage"]);
    assert!(of_storage.iter().all(|id| id.starts_with("AZ-STORAGE-")) && of_storage.len() > 4, "{of_storage:?}");
    assert!(ids(&["--service", "azure"]).len() > of_storage.len());
    let of_type = ids(&["--type", "microsoft.web/sites"]);
    assert!(of_type.iter().all(|id| id.starts_with("AZ-") && !of_storage.contains(id)), "{of_type:?}");
    let is_reported = |id: &str, list: &[String]| list.iter().any(|one| one == id);
    assert!(is_reported("secret/output", &ids(&["--pillar", "security", "--severity", "high"])));
    assert!(!is_reported("secret/output", &ids(&["--pillar", "security", "--severity", "low"])));
    assert!(is_reported("secret/output", &ids(&["--profile", "security"])));
    assert!(!is_reported("parameter/unused", &ids(&["--profile", "security"])));
    assert_eq!(ids(&["--tag", "no-such-tag"]), [""; 0]);
    let ended = Folder::new().run(&["rules", "list", "--control", "mcbs:NS-2"]);
    let expected = "error: `mcbs` is not a framework of controls, did you mean `mcsb`?\n";
    assert_eq!((ended.code, ended.stderr.as_str()), (2, expected));
    let ended = Folder::new().run(&["rules", "list", "--control", "iso:NS-2"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("expected one of `mcsb`"), "{}", ended.stderr);
    let ended = Folder::new().run(&["rules", "list", "--service", "storag"]);
    let expected = "error: no rule is about a service `storag`, did you mean `storage`?\n";
    assert_eq!((ended.code, ended.stderr.as_str()), (2, expected));
    let ended = Folder::new().run(&["rules", "list", "--service", "mainframe"]);
    assert!(ended.code == 2 && ended.stderr.contains("; there are `"), "{}", ended.stderr);
}

#[test]
fn a_new_rule_passes_its_tests() {
    let folder = Folder::new();
    let new = |arguments: &[&str]| folder.run(&[&["rules", "new"], arguments].concat());
    let site = ["ACME-001", "AppService.HttpsOnly", "--type", "Microsoft.Web/sites", "--path", "properties.httpsOnly"];
    let created = new(&[&site[..], &["--value", "true"]].concat());
    assert_eq!((created.code, created.stdout.lines().count()), (0, 6), "{created:?}");
    let bucket = ["ACME-002", "S3.Acl", "--type", "AWS::S3::Bucket", "--path", "Properties.AccessControl"];
    assert_eq!(new(&[&bucket[..], &["--value", "Private"]].concat()).code, 0);
    let cache = ["AZ-REDIS-900", "Redis.SmallCapacity", "--type", "Microsoft.Cache/redis"];
    let created = new(&[&cache[..], &["--path", "properties.sku.capacity", "--value", "7"]].concat());
    assert!(created.stdout.starts_with("rules/azure/redis/small-capacity.json\n"), "{created:?}");
    let tested = folder.run(&["rules", "test", "tests/rules", "--rules", "rules"]);
    assert_eq!(tested.code, 0, "{tested:?}");
    assert!(tested.stdout.ends_with("15 passed, 0 failed\n"), "{tested:?}");
    let again = new(&[&site[..], &["--value", "true"]].concat());
    assert_eq!((again.code, again.stderr.as_str()), (2, "error: `rules/ACME-001.json` is there already\n"));
    let misspelled = |type_name: &str, path: &str, expected: &str| {
        let ended = new(&["X-1", "A.B", "--type", type_name, "--path", path, "--value", "1"]);
        assert!(ended.code == 2 && ended.stderr.contains(expected), "{ended:?}");
    };
    misspelled("Microsoft.Web/site", "properties.httpsOnly", "did you mean `Microsoft.Web/sites`?");
    misspelled("Microsoft.Web/sites", "properties.httpOnly", "did you mean `httpsOnly`?");
    let climbing = new(&["../x", "A.B", "--type", "A.B/c", "--path", "properties.a", "--value", "1"]);
    assert_eq!(climbing.code, 2);
}
