//! What a pre-commit hook relies on: `--force-exclude`, with any split of the list of changed files.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::harness::{Ended, Folder, parameters, template};
use crate::yaml;

const MAIN: &str = r#""parameters": {"https": {"type": "bool"}, "name": {"type": "string"}},
  "resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "[parameters('name')]", "location": "westeurope",
    "properties": {"httpsOnly": "[parameters('https')]", "siteConfig": {"minTlsVersion": "1.2"}}}]"#;

/// A repository with a template, two environments, and files that are none of our business.
fn repository() -> Folder {
    let folder = Folder::new();
    let environment = |name: &str, https: bool| {
        parameters(&format!(r#""name": {{"value": "{name}"}}, "https": {{"value": {https}}}"#))
    };
    folder.write("infra/main.json", template(MAIN));
    folder.write("infra/main.parameters.dev.json", environment("dev", false));
    folder.write("infra/main.parameters.prod.json", environment("prod", true));
    folder.write("infra/other.json", template(r#""variables": {"unused": 1}, "resources": []"#));
    folder.write("package.json", r#"{"name": "x"}"#).write("broken.json", "{").write("notes.md", "text");
    folder.write("compose.yaml", "services: {}\n");
    folder.write("samples/main.json", template(MAIN)).write("formwork.yaml", "exclude: [samples]\n");
    folder
}

/// The arguments of the hooks after the name of the program, without those that the user replaces.
fn entry() -> Vec<String> {
    let hooks = yaml::parse(include_str!("../.pre-commit-hooks.yaml"));
    let entries: BTreeSet<&str> = hooks.as_array().unwrap().iter().map(|it| it["entry"].as_str().unwrap()).collect();
    let hooks = hooks.as_array().unwrap();
    assert!(hooks.iter().all(|it| it["args"] == serde_json::json!(["--"]) && it["files"] == hooks[0]["files"]));
    assert_eq!(entries.len(), 1, "the hooks differ in how the program is installed, and in nothing else");
    let words = entries.first().unwrap().strip_prefix("formwork ").unwrap();
    words.split(' ').map(str::to_owned).collect()
}

fn hook(folder: &Folder, files: &[&str]) -> Ended {
    let entry = entry();
    let arguments: Vec<&str> =
        entry.iter().map(String::as_str).chain(["--format", "json"]).chain(files.iter().copied()).collect();
    folder.run(&arguments)
}

/// Names that are options of `check`. The last is one of a file in a folder.
const OPTIONS: [&str; 8] = [
    "--exclude=*.json",
    "--output=json=x.json",
    "--fail-on=never",
    "--no-builtin-rules",
    "-q",
    "--config",
    "--help",
    "--config=none/main.json",
];

#[test]
fn a_file_whose_name_is_an_option_is_a_file_by_default() {
    for name in OPTIONS {
        let folder = repository();
        folder.write(name, template(MAIN));
        let entry = entry();
        let words = entry.iter().map(String::as_str).chain(["--", name, "infra/main.json"]);
        let ended = folder.run(&words.collect::<Vec<_>>());
        assert!(ended.code == 1 && ended.stdout.contains("infra/main.json"), "{name}: {ended:?}");
        assert!(!folder.path().join("x.json").exists());
    }
}

#[test]
fn a_file_whose_name_is_an_option_stops_the_commit_whatever_the_arguments_are() {
    for name in OPTIONS {
        for arguments in [&[][..], &["--fail-on=never"], &["--rules", "infra"], &[name]] {
            let folder = repository();
            folder.write(name, template(MAIN));
            let entry = entry();
            let words =
                entry.iter().map(String::as_str).chain(arguments.iter().copied()).chain([name, "infra/main.json"]);
            let ended = folder.run(&words.collect::<Vec<_>>());
            assert_eq!(ended.code, 2, "{name}: {ended:?}");
            assert!(ended.stderr.contains(&format!("`{name}` is an option, and also the name of a file")), "{ended:?}");
            assert!(!folder.path().join("x.json").exists());
        }
    }
}

#[test]
fn any_name_of_a_file_is_this_file() {
    for name in
        ["[a].json", "*.json", "{a,b}.json", "!a.json", "a,b.json", "#a.json", " .json", "a=b.json", "A.JSON", "?.Json"]
    {
        let folder = Folder::new();
        folder.write(name, template(MAIN)).write("b.json", template(r#""resources": []"#));
        let ended = hook(&folder, &[name, "b.json"]);
        assert_eq!(ended.json()["summary"]["templates"], 2, "{name}: {ended:?}");
    }
    for name in ["A.Bicep", "A.BICEP"] {
        let folder = Folder::new();
        folder.write(name, "param p string\n");
        let ended = folder.run(&["check", "--force-exclude", "--bicep=builtin", "--format=json", name]);
        assert_eq!(ended.json()["summary"]["templates"], 1, "{name}: {ended:?}");
    }
}

/// What a run found: rule, line, environments.
fn findings(ended: &Ended) -> BTreeSet<String> {
    let report = ended.json();
    let results = report["results"].as_array().unwrap().iter().filter(|it| it["outcome"] == "failed");
    let shown = |it: &Value| {
        format!("{} {}:{} {}", it["rule"], it["location"]["file"], it["location"]["line"], it["parameters"])
    };
    results.map(shown).collect()
}

const CHANGED: [&str; 4] =
    ["infra/main.json", "infra/main.parameters.dev.json", "infra/main.parameters.prod.json", "infra/other.json"];

#[test]
fn any_split_of_the_files_gives_the_same_findings() {
    let folder = repository();
    let together = hook(&folder, &CHANGED);
    let expected = findings(&together);
    assert!(together.code == 1 && expected.iter().any(|it| it.contains("main.parameters.dev.json")), "{together:?}");
    for at in 1..CHANGED.len() {
        let (first, second) = CHANGED.split_at(at);
        let (first, second) = (hook(&folder, first), hook(&folder, second));
        let union: BTreeSet<String> = findings(&first).union(&findings(&second)).cloned().collect();
        assert!(union.is_superset(&expected), "split at {at}: {union:?}");
        assert_eq!(first.code.max(second.code), together.code);
    }
    let single: BTreeSet<i32> = CHANGED.iter().map(|it| hook(&folder, &[it]).code).collect();
    assert_eq!(single.last(), Some(&together.code));
}

#[test]
fn a_template_alone_is_checked_with_the_parameter_files_beside_it() {
    let folder = repository();
    let found = findings(&hook(&folder, &["infra/main.json"]));
    assert!(found.iter().any(|it| it.contains("infra/main.parameters.dev.json")), "{found:?}");
}

/// A template that deploys `modules/site.json`, and says whether its site takes HTTP.
fn user(https: bool) -> String {
    let module = r#"{"relativePath": "modules/site.json"}"#;
    template(&format!(
        r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "site",
    "properties": {{"mode": "Incremental", "templateLink": {module},
      "parameters": {{"name": {{"value": "app"}}, "https": {{"value": {https}}}}}}}}}]"#
    ))
}

#[test]
fn a_changed_module_brings_the_templates_that_use_it() {
    let folder = Folder::new();
    folder.write("infra/modules/site.json", template(MAIN)).write("infra/main.json", user(false));
    folder.write("infra/good.json", user(true)).write("infra/other.json", template(r#""resources": []"#));
    let ended = hook(&folder, &["infra/modules/site.json"]);
    let templates: BTreeSet<String> =
        ended.json()["results"].as_array().unwrap().iter().map(|it| it["template"].to_string()).collect();
    assert!(ended.code == 1 && templates.contains("\"infra/main.json\""), "{ended:?}");
    let shown = folder.run(&["check", "--dependents", "--show-files", "infra/modules/site.json"]);
    let expected = "infra/good.json: links to infra/modules/site.json, which was named
infra/main.json: links to infra/modules/site.json, which was named
infra/modules/site.json: was named
";
    assert_eq!((shown.stdout.as_str(), shown.code), (expected, 0));
}

#[test]
fn settings_and_rules_that_are_named_concern_every_template() {
    let folder = repository();
    let ended = hook(&folder, &["formwork.yaml"]);
    assert_eq!(ended.json()["summary"]["templates"], 2, "{ended:?}");
}

#[test]
fn dependents_of_a_deleted_module_are_checked() {
    let folder = Folder::new();
    folder.write("infra/main.json", user(true));
    let shown = folder.run(&["check", "--dependents", "--show-files", "infra/modules/site.json"]);
    assert_eq!(shown.stdout, "infra/main.json: links to infra/modules/site.json, which was deleted\n", "{shown:?}");
}

#[test]
fn what_is_none_of_our_business_is_passed_over() {
    let folder = repository();
    for file in [
        "package.json",
        "compose.yaml",
        "broken.json",
        "notes.md",
        "samples/main.json",
        "gone.json",
        "gone/main.parameters.json",
    ] {
        let ended = hook(&folder, &[file]);
        assert_eq!((ended.code, ended.json()["summary"]["templates"].as_u64()), (0, Some(0)), "{file}: {ended:?}");
        assert_eq!((ended.stderr.as_str(), ended.diagnostics().len()), ("", 0), "{file}");
    }
    let named = folder.run(&["check", "--format", "json", "package.json"]);
    assert_eq!(named.code, 3, "who names a file by hand is told that it is no template");
}

#[test]
fn a_broken_template_is_an_error() {
    let folder = repository();
    folder.write("infra/main.json", template(MAIN).trim_end_matches('}'));
    assert_eq!(hook(&folder, &["infra/main.json"]).code, 3);
}

#[test]
fn the_hooks_take_the_files_that_the_program_reads() {
    let hooks = yaml::parse(include_str!("../.pre-commit-hooks.yaml"));
    for hook in hooks.as_array().unwrap() {
        let files = regex::Regex::new(hook["files"].as_str().unwrap()).unwrap();
        for (name, expected) in [
            ("a/main.json", true),
            ("main.jsonc", true),
            ("stack.yaml", true),
            ("stack.yml", true),
            ("stack.template", true),
            ("MAIN.JSON", true),
            ("a/Main.Bicep", true),
            ("prod.BICEPPARAM", true),
            ("main.rs", false),
            ("json", false),
        ] {
            assert_eq!(files.is_match(name), expected, "{name}");
        }
        assert_eq!((hook["require_serial"].as_str(), hook.get("pass_filenames")), (Some("true"), None));
        // Otherwise pre-commit skips the hook of a commit that only deletes.
        assert_eq!(hook["always_run"].as_str(), Some("true"));
    }
}
