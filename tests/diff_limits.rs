//! `formwork diff`: whose settings count, what is no difference, and what it makes of hostile input.

use std::fs;

use crate::changes::Repository;
use crate::diff::{SITE, check_same, compared, resources, run_in};
use crate::harness::template;

#[test]
fn the_settings_may_be_those_of_the_base() {
    let hides = |name: &str| format!("exclude: [{name}.json]\n");
    let repository = Repository::with(&[("main.json", &resources(SITE)), ("formwork.yaml", &hides("other"))]);
    repository.git(&["branch", "first"]);
    repository.put(&[("main.json", &resources(&SITE.replace("true", "false"))), ("formwork.yaml", &hides("main"))]);
    let count = |arguments: &[&str]| {
        let ended = run_in(&repository, "", &[arguments, &["--format", "json"]].concat());
        ended.json()["summary"]["resources"]["change"].as_u64().unwrap()
    };
    // What is not committed hides itself, unless the settings of the last commit count.
    assert_eq!((count(&[]), count(&["--config-from", "base"])), (0, 1));
    repository.commit();
    for base in ["first", "first..HEAD", "first...HEAD"] {
        assert_eq!((count(&[base]), count(&[base, "--config-from", "base"])), (0, 1), "{base}");
    }
}

/// A module that computes a tag from its parameter, which comes from one of the deployment with these allowed values.
fn module(allowed: &str, passed: &str, tag: &str) -> String {
    let account = format!(
        r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "logs", "tags": {{"x": "[{tag}]"}}}}"#
    );
    let inner = template(&format!(r#""parameters": {{"in": {{"type": "string"}}}}, "resources": [{account}]"#));
    template(&format!(
        r#""parameters": {{"env": {{"type": "string"{allowed}}}, "other": {{"type": "string"}}}}, "resources": [
            {{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m", "properties": {{"mode": "Incremental",
            "expressionEvaluationOptions": {{"scope": "inner"}}, "parameters": {{"in": {{"value": "[{passed}]"}}}}, "template": {inner}}}}}]"#
    ))
}

#[test]
fn another_list_of_allowed_values_makes_no_difference() {
    let lists = [
        "",
        r#", "allowedValues": ["dev", "prod"]"#,
        r#", "allowedValues": ["dev", "prod", "test"]"#,
        r#", "allowedValues": ["prod", "live"]"#,
        r#", "allowedValues": ["prod"]"#,
    ];
    let tags = ["parameters('in')", "concat('a-', parameters('in'))", "toUpper(parameters('in'))"];
    for (old, new) in lists.iter().flat_map(|old| lists.iter().map(move |new| (old, new))) {
        for tag in tags {
            let passed = "parameters('env')";
            check_same(&module(old, passed, tag), &module(new, passed, tag));
        }
    }
    // The last two lists decide what this is.
    let tag = "if(equals(parameters('in'), 'dev'), 'one', 'two')";
    for (old, new) in [(0, 1), (1, 2), (2, 0)] {
        check_same(&module(lists[old], "parameters('env')", tag), &module(lists[new], "parameters('env')", tag));
    }
}

#[test]
fn what_is_made_of_a_parameter_differs_whatever_its_list_is() {
    let [list, longer] = [r#", "allowedValues": ["dev", "prod"]"#, r#", "allowedValues": ["dev", "prod", "test"]"#];
    let upper = "toUpper(parameters('in'))";
    let cases = [
        // With one list and with two, another function or another parameter.
        (module(list, "parameters('env')", upper), module(list, "parameters('env')", "parameters('in')")),
        (module(list, "parameters('env')", upper), module(longer, "parameters('env')", "parameters('in')")),
        (module(longer, "parameters('env')", upper), module(list, "parameters('env')", "parameters('in')")),
        (module(list, "parameters('env')", upper), module(longer, "parameters('other')", upper)),
        // A value that was fixed, or is now.
        (module(list, "'dev'", upper), module(longer, "parameters('env')", upper)),
        (module(list, "parameters('env')", upper), module(longer, "'dev'", upper)),
    ];
    for (old, new) in cases {
        let ended = compared(&old, &new, &[]);
        assert!(ended.code == 1 && ended.stdout.contains("tags.x"), "{ended:?}\n{old}\n{new}");
    }
}

#[test]
fn only_some_of_many_parameters_are_listed() {
    let declared = |value: &str| {
        let all = (0..30).map(|at| format!(r#""p{at}": {{"type": "string", "defaultValue": "{value}{at}"}}"#));
        all.collect::<Vec<_>>().join(", ")
    };
    let tags: Vec<String> = (0..30).map(|at| format!(r#""t{at}": "[parameters('p{at}')]""#)).collect();
    let with = |value: &str| {
        let site = SITE.replace("\"kind\"", &format!("\"tags\": {{{}}}, \"kind\"", tags.join(", ")));
        template(&format!("\"parameters\": {{{}}}, \"resources\": [{site}]", declared(value)))
    };
    let lines = |format: &str| compared(&with("a"), &with("b"), &["--format", format]).stdout;
    let console = lines("console");
    assert_eq!(console.lines().filter(|line| line.starts_with("  parameter `")).count(), 20, "{console}");
    assert!(console.contains("  … and 10 more parameters"), "{console}");
    assert!(lines("markdown").contains("- … and 22 more parameters"));
}

/// Git itself would not write such a tree, but it reads one.
#[cfg(unix)]
#[test]
fn a_link_of_a_crafted_commit_leads_no_file_out_of_the_copy() {
    let outside = tempfile::tempdir().unwrap();
    let repository =
        Repository::with(&[("main.json", &resources(SITE)), ("target", &outside.path().to_string_lossy())]);
    let tree = |rows: &[String]| {
        repository.put(&[("rows", &rows.concat())]);
        let mut command = repository.command("git", "");
        let rows = fs::File::open(repository.root.join("rows")).unwrap();
        let output = command.args(["mktree"]).stdin(rows).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let [target, main] = ["target", "main.json"].map(|name| repository.git(&["hash-object", "-w", name]));
    let inner = tree(&[format!("120000 blob {main}\tlink\n")]);
    let rows = [("120000 blob", &target, "a"), ("040000 tree", &inner, "a"), ("100644 blob", &main, "main.json")];
    let root = tree(&rows.map(|(kind, id, name)| format!("{kind} {id}\t{name}\n")));
    let crafted = repository.git(&["commit-tree", &root, "-m", "x"]);
    let ended = run_in(&repository, "", &[&format!("{crafted}..HEAD"), "--format", "json"]);
    assert_eq!((ended.code, &ended.json()["summary"]["untouched"]), (0, &1.into()), "{ended:?}");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "{ended:?}");
}
