//! `formwork check --new-only`: findings that the base does not have.

use serde_json::Value;

use crate::changes::Repository;
use crate::harness::{Ended, template};

fn run(repository: &Repository, arguments: &[&str]) -> Ended {
    let mut command = repository.command(env!("CARGO_BIN_EXE_formwork"), "");
    let output = command.arg("check").args(arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// A template of sites, of which rules want `httpsOnly`.
fn sites(sites: &[(&str, bool)]) -> String {
    let site = |(name, https): &(&str, bool)| {
        format!(
            r#"{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "{name}", "location": "westeurope", "properties": {{"httpsOnly": {https}}}}}"#
        )
    };
    template(&format!("\"resources\": [{}]", sites.iter().map(site).collect::<Vec<_>>().join(",\n")))
}

/// The resources of the findings of one rule, and the exit code.
fn found(repository: &Repository, arguments: &[&str]) -> (Vec<String>, i32) {
    let only = ["--rules-include=AZ-APPSERVICE-001", "--format=json"];
    let ended = run(repository, &[&only[..], arguments].concat());
    let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
    let results = document["results"].as_array().unwrap().iter().filter(|it| it["outcome"] == "failed");
    let mut names: Vec<String> = results.map(|it| it["resource"]["name"].as_str().unwrap().to_owned()).collect();
    names.sort();
    (names, ended.code)
}

/// A repository with a finding in its only commit.
fn repository() -> Repository {
    Repository::with(&[("infra/main.json", &sites(&[("a", true), ("b", false)]))])
}

#[test]
fn only_what_the_change_brings_is_reported_and_counts() {
    let repository = repository();
    let both = || (vec!["a".to_owned(), "b".to_owned()], 1);
    let only = |name: &str| (vec![name.to_owned()], 1);
    assert_eq!(found(&repository, &["--new-only"]), (vec![], 0));
    repository.put(&[("infra/main.json", &sites(&[("a", false), ("b", false)]))]);
    assert_eq!(found(&repository, &[]), both());
    assert_eq!(found(&repository, &["--new-only"]), only("a"));
    assert_eq!(found(&repository, &["--new-only", "--changed"]), only("a"));
    repository.git(&["add", "--all"]);
    assert_eq!(found(&repository, &["--new-only", "--staged"]), only("a"));
    repository.git(&["tag", "first"]);
    repository.commit();
    assert_eq!(found(&repository, &["--new-only"]), (vec![], 0));
    assert_eq!(found(&repository, &["--new-only=first"]), only("a"));
    assert_eq!(found(&repository, &["--new-only", "--changed=first"]), only("a"));
    let ended = run(&repository, &["--new-only=first", "--rules-include=AZ-APPSERVICE-001"]);
    assert!(ended.stderr.contains("1 finding that the base has too, not shown"), "{ended:?}");
    let ended = run(&repository, &["--new-only=first", "--format=sarif", "--rules-include=AZ-APPSERVICE-001"]);
    let sarif: Value = serde_json::from_str(&ended.stdout).unwrap();
    let states: Vec<&Value> =
        sarif["runs"][0]["results"].as_array().unwrap().iter().map(|it| &it["baselineState"]).collect();
    assert_eq!(states, ["new"]);
}

#[test]
fn lines_orders_and_names_of_files_make_nothing_new() {
    let repository = repository();
    repository.put(&[("infra/main.json", &format!("\n\n{}", sites(&[("b", false), ("a", true)])))]);
    assert_eq!(found(&repository, &["--new-only"]), (vec![], 0));
    repository.git(&["mv", "infra", "deploy"]);
    repository.git(&["add", "--all"]);
    assert_eq!(found(&repository, &["--new-only", "--staged"]), (vec![], 0));
    assert_eq!(found(&repository, &["--new-only"]), (vec![], 0));
}

#[test]
fn it_works_with_the_filter_of_lines_and_with_a_baseline() {
    let repository = repository();
    let text = sites(&[("a", true), ("b", false)]).replace("\"westeurope\"", "\"northeurope\"");
    repository.put(&[("infra/main.json", &text)]);
    // The line of `b` changed, and its finding was there before.
    assert_eq!(found(&repository, &["--changed", "--filter-mode=file"]), (vec!["b".to_owned()], 1));
    assert_eq!(found(&repository, &["--changed", "--filter-mode=file", "--new-only"]), (vec![], 0));
    let accepted = ["--write-baseline=accepted.json", "--rules-include=AZ-APPSERVICE-001"];
    run(&repository, &accepted);
    repository.put(&[("infra/main.json", &sites(&[("a", false), ("b", false)]))]);
    let ended = run(&repository, &["--baseline=accepted.json", "--new-only", "--rules-include=AZ-APPSERVICE-001"]);
    assert!(ended.code == 1 && !ended.stderr.contains("baseline/stale"), "{ended:?}");
}

#[test]
fn a_base_that_cannot_be_read_is_told() {
    let repository = Repository::with(&[("main.json", &sites(&[]).replace(']', ""))]);
    repository.put(&[("main.json", &sites(&[("b", false)]))]);
    let ended = run(&repository, &["--new-only", "--format=markdown", "--rules-include=AZ-APPSERVICE-001"]);
    assert!(ended.code == 1 && ended.stdout.contains("not everything could be checked at the base"), "{ended:?}");
    let ended = run(&repository, &["--new-only=nowhere"]);
    assert!(ended.code == 2 && ended.stderr.contains("there is no commit `nowhere`"), "{ended:?}");
    assert_eq!(run(&repository, &["--new-only", "--fix"]).code, 2);
}

/// More files than git compares with each other on its own.
#[test]
fn many_files_may_be_renamed_and_edited() {
    let text = |number: usize| {
        let lines = (0..30).map(|line| format!("    \"line{line}\": \"a description of template {number}\""));
        let lines = lines.collect::<Vec<_>>().join(",\n");
        let metadata = format!("\"metadata\": {{\n{lines}}},\n  \"resources\"");
        let region = format!("region{number}");
        sites(&[("a", false)]).replace("westeurope", &region).replace("\"resources\"", &metadata)
    };
    let it = Repository::new();
    let name = |folder: &str, number: usize| format!("{folder}/{}{number}.json", folder.len());
    for number in 0..1001 {
        it.put(&[(&name("old", number), &text(number))]);
    }
    it.commit().git(&["mv", "old", "renamed"]);
    for number in 0..1001 {
        let moved = it.root.join(name("renamed", number));
        std::fs::rename(it.root.join("renamed").join(format!("3{number}.json")), moved).unwrap();
        it.put(&[(&name("renamed", number), &text(number).replace("2022-09-01", "2023-12-01"))]);
    }
    it.git(&["add", "--all"]);
    let ended = run(&it, &["--changed", "--show-files"]);
    assert_eq!(ended.stderr, "");
    let renamed = ended.stdout.lines().filter(|line| line.contains(": was renamed from old/")).count();
    assert_eq!(renamed, 1001);
}

#[cfg(unix)]
#[test]
fn a_notice_tells_that_there_are_too_many_to_tell_which_were_renamed() {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use crate::changes::search_path;

    let it = repository();
    it.put(&[("infra/other.json", &sites(&[("c", false)]))]).commit();
    it.git(&["mv", "infra/main.json", "infra/moved.json"]);
    it.git(&["mv", "infra/other.json", "infra/turned.json"]);
    it.put(&[
        ("infra/moved.json", &sites(&[("a", true), ("b", false)]).replace("2022-09-01", "2023-12-01")),
        ("infra/turned.json", &sites(&[("c", false)]).replace("2022-09-01", "2023-12-01")),
    ]);
    it.git(&["add", "--all"]);
    assert_eq!(found(&it, &["--new-only"]), (vec![], 0));
    // A git with lower limits.
    let folder = tempfile::tempdir().unwrap();
    let git = search_path().split(':').map(|folder| format!("{folder}/git")).find(|git| fs::exists(git).unwrap());
    let script = format!(
        "#!/bin/sh\nfor word do\n  case $word in -l?*) word=-l1 ;; esac\n  set -- \"$@\" \"$word\"\n  shift\ndone\nexec '{}' \"$@\"\n",
        git.unwrap()
    );
    fs::write(folder.path().join("git"), script).unwrap();
    fs::set_permissions(folder.path().join("git"), fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), search_path());
    for arguments in [&["--new-only"][..], &["--new-only", "--changed=HEAD"], &["--new-only=HEAD", "--staged"]] {
        let mut command = it.command(env!("CARGO_BIN_EXE_formwork"), "");
        let always = ["check", "--rules-include=AZ-APPSERVICE-001", "--format=json"];
        let output = command.args(always).args(arguments).env("PATH", &path).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let notices = report["notices"].to_string();
        assert!(notices.contains("too many files were deleted and added"), "{arguments:?}: {notices}");
        assert_eq!(report["results"].as_array().unwrap().len(), 2);
    }
}

/// The resources of what is new in the working tree, with and without `--changed`, and the same for a change that is staged.
#[track_caller]
fn check_new(it: &Repository, arguments: &[&str], expected: &[&str]) {
    let expected: (Vec<String>, i32) =
        (expected.iter().map(ToString::to_string).collect(), i32::from(!expected.is_empty()));
    for of_change in [&["--new-only"][..], &["--new-only", "--changed"]] {
        assert_eq!(found(it, &[of_change, arguments].concat()), expected, "{of_change:?}");
    }
    it.git(&["add", "--all"]);
    assert_eq!(found(it, &[&["--new-only", "--staged"], arguments].concat()), expected);
}

/// What a run on the base does not report is new, wherever it comes from.
#[test]
fn what_the_base_does_not_check_is_new() {
    let text = sites(&[("a", true), ("b", false)]);
    let base = [
        ("drafts/main.json", text.as_str()),
        ("formwork.yaml", "exclude: [drafts]\n"),
        ("main.txt", &text),
        ("b.json", &text),
    ];
    let moved = |from: &str, to: &str| {
        let it = Repository::with(&base);
        it.put(&[("infra/x.json", &sites(&[]))]).commit().git(&["mv", from, to]);
        it
    };
    check_new(&moved("main.txt", "main.json"), &[], &["b"]);
    check_new(&moved("drafts/main.json", "infra/main.json"), &[], &["b"]);
    check_new(&moved("b.json", "infra/main.json"), &["infra"], &["b"]);
    check_new(&moved("b.json", "infra/main.json"), &["--exclude=/*.json"], &["b"]);
    check_new(&moved("b.json", "infra/main.json"), &[], &[]);
}

#[test]
fn what_the_base_accepts_is_new_once_it_is_not_accepted() {
    let text = sites(&[("a", true), ("b", false)]);
    let suppressed = "suppressions:\n  - rule: AZ-APPSERVICE-001\n    path: legacy/**\n    reason: old\n";
    let it =
        Repository::with(&[("legacy/main.json", &text), ("formwork.yaml", suppressed), ("infra/x.json", &sites(&[]))]);
    it.git(&["mv", "legacy/main.json", "infra/main.json"]);
    check_new(&it, &[], &["b"]);
    let comment = format!("// formwork:ignore AZ-APPSERVICE-001 -- known\n{text}").replace(
        "{\"type\": \"Microsoft.Web/sites\", \"apiVersion\": \"2022-09-01\", \"name\": \"b\"",
        "// formwork:ignore AZ-APPSERVICE-001 -- known\n{\"type\": \"Microsoft.Web/sites\", \"apiVersion\": \"2022-09-01\", \"name\": \"b\"",
    );
    let it = Repository::with(&[("main.json", &comment)]);
    it.put(&[("main.json", &text)]);
    check_new(&it, &[], &["b"]);
    let it = Repository::with(&[("main.json", &text)]);
    it.put(&[("main.json", &comment)]);
    check_new(&it, &[], &[]);
    let it = Repository::with(&[("main.json", &text)]);
    run(&it, &["--write-baseline=accepted.json", "--rules-include=AZ-APPSERVICE-001"]);
    let accepted = std::fs::read_to_string(it.root.join("accepted.json")).unwrap();
    it.commit().put(&[("accepted.json", &empty(&accepted)), ("main.json", &format!("{text}\n"))]);
    check_new(&it, &["--baseline=accepted.json"], &["b"]);
}

/// A baseline without its entries.
fn empty(baseline: &str) -> String {
    let mut document: Value = serde_json::from_str(baseline).unwrap();
    document["findings"] = serde_json::json!([]);
    document.to_string()
}

#[test]
fn the_settings_of_each_side_count_for_it() {
    let text = sites(&[("b", false)]);
    for (before, after) in [
        ("exclude: [infra]\n", ""),
        ("min-severity: high\n", ""),
        ("rules:\n  exclude: [AZ-APPSERVICE-001]\n", ""),
        ("suppressions:\n  - rule: AZ-APPSERVICE-001\n    path: '**'\n    reason: old\n", "fail-on: low\n"),
    ] {
        let it = Repository::with(&[("infra/main.json", &text), ("formwork.yaml", before)]);
        it.put(&[("formwork.yaml", after), ("infra/main.json", &format!("{text}\n"))]);
        let found = |arguments: &[&str]| {
            let ended = run(&it, &[&["--new-only", "--format=json"], arguments].concat());
            let document: Value = serde_json::from_str(&ended.stdout).unwrap_or_else(|_| panic!("{ended:?}"));
            let results = document["results"].as_array().unwrap();
            results.iter().any(|it| it["rule"] == "AZ-APPSERVICE-001" && it["outcome"] == "failed")
        };
        assert!(found(&[]), "{before}");
        it.git(&["add", "--all"]);
        assert!(found(&["--staged"]), "{before}");
        // With the settings of the base, nothing is reported on either side.
        assert!(!found(&["--staged", "--config-from=base"]), "{before}");
    }
}

#[test]
fn more_copies_and_more_deployments_are_new() {
    let copies = |count: usize| {
        sites(&[("[concat('b', copyIndex())]", false)])
            .replace("\"name\"", &format!("\"copy\": {{\"name\": \"c\", \"count\": {count}}}, \"name\""))
    };
    let it = Repository::with(&[("main.json", &copies(3))]);
    it.put(&[("main.json", &copies(2))]);
    assert_eq!(found(&it, &["--new-only"]).1, 0);
    it.put(&[("main.json", &copies(4))]);
    assert_eq!(found(&it, &["--new-only"]).1, 1);
}
