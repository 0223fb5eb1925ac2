//! The interface for other programs.

use std::fs;
use std::path::Path;

use formwork::{Check, Checker, Error, Files, Format, Outcome, Report, Rules, Severity, Status, Template};
use serde_json::Value;

use crate::harness::{Folder, is_blessing};

#[path = "wasm/report.rs"]
mod in_both;

const SITE: &str = r#"{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
  "contentVersion": "1.0.0.0",
  "parameters": { "secure": { "type": "bool" } },
  "resources": [{
    "type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app", "location": "westeurope",
    "properties": { "httpsOnly": "[parameters('secure')]" }
  }]
}"#;

const STORE: &str = "Resources:\n  Store:\n    Type: AWS::S3::Bucket\n    Properties: {AccessControl: PublicRead}\n";

fn parameters(secure: bool) -> String {
    format!(
        r#"{{
  "$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentParameters.json#",
  "contentVersion": "1.0.0.0",
  "parameters": {{ "secure": {{ "value": {secure} }} }}
}}"#
    )
}

#[test]
fn a_template_in_memory_is_checked_with_its_parameters() {
    let rules = Rules::builtin();
    let outcome = |secure| {
        let template = Template::new("main.json", SITE).with_parameters("main.parameters.json", &parameters(secure));
        let report = template.keep_passed().check(&rules);
        let finding = report.findings().find(|finding| finding.rule == "AZ-APPSERVICE-001").unwrap();
        assert_eq!(finding.parameters, ["main.parameters.json"]);
        (report.status(), finding.outcome, finding.line)
    };
    assert_eq!(outcome(false), (Status::Failed, Outcome::Failed, 7));
    assert_eq!(outcome(true).1, Outcome::Passed);
}

/// A template in memory has the findings that `formwork check` has without settings.
#[test]
fn the_library_reports_what_the_command_line_reports() {
    let folder = Folder::new();
    for (name, text) in [("main.json", SITE.replace("[parameters('secure')]", "x")), ("stack.yaml", STORE.to_owned())] {
        folder.write(name, &text);
        let report = folder.run(&["check", name, "--format", "json"]).json();
        let of_program: Vec<(String, u64)> = report["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(|result| (result["rule"].as_str().unwrap().to_owned(), result["location"]["line"].as_u64().unwrap()))
            .collect();
        let of_library: Vec<(String, u64)> = Template::new(name, &text)
            .check(&Rules::builtin())
            .findings()
            .map(|finding| (finding.rule, u64::from(finding.line)))
            .collect();
        assert!(!of_program.is_empty());
        assert_eq!(of_library, of_program, "{name}");
    }
}

/// The names and texts of the files in a folder of the tests, at any depth, ordered by name.
fn files_of(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files = Vec::new();
    let mut waiting = vec![root.clone()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            waiting.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let name = path.strip_prefix(&root).unwrap().to_string_lossy().replace('\\', "/");
            files.push((name, fs::read_to_string(path).unwrap()));
        }
    }
    files.sort();
    files
}

/// What a report in JSON says of findings: rule, file, line, column, and message; and of problems: code, file, and message.
fn told(report: &Value) -> Vec<[String; 5]> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let of_item = |item: &Value, id: &str| {
        let place = &item["location"];
        [&item[id], &place["file"], &place["line"], &place["column"], &item["message"]].map(text)
    };
    let list = |name: &str, id| report[name].as_array().unwrap().iter().map(|item| of_item(item, id)).collect();
    let (results, problems): (Vec<_>, Vec<_>) = (list("results", "rule"), list("diagnostics", "code"));
    results.into_iter().chain(problems).collect()
}

/// Files in memory have the findings and the problems that `formwork check` has in a folder with them.
#[test]
fn files_in_memory_are_checked_as_in_a_folder() {
    let rules = Rules::builtin();
    let mut count = 0;
    for set in
        ["azure", "bicep", "explain", "linked", "not-checked", "refused-stack", "sam", "secrets", "../wasm/files"]
    {
        let folder = Folder::new();
        let mut files = Files::new();
        for (name, text) in files_of(&format!("examples/{set}")) {
            folder.write(&name, &text);
            files = files.with(&name, &text);
        }
        let report = files.check(&rules);
        let mut json = Vec::new();
        report.render(Format::Json, &mut json).unwrap();
        let of_library = told(&serde_json::from_slice(&json).unwrap());
        let of_program = told(&folder.run(&["check", "--bicep", "builtin", "--format", "json"]).json());
        assert_eq!(of_library, of_program, "{set}");
        count += of_program.len();
    }
    assert!(count > 30, "{count}");
}

/// The settings among files in memory mean what those in a folder mean.
#[test]
fn settings_in_memory_are_those_of_a_folder() {
    let site = |name: &str| {
        format!(
            "resource {name} 'Microsoft.Web/sites@2022-09-01' = {{\n  name: '{name}'\n  location: 'westeurope'\n  properties: {{ httpsOnly: false }}\n}}\n"
        )
    };
    let rule = r#"[{"id": "T-1", "name": "Kind", "shortDescription": "a kind", "fullDescription": "a kind", "severity": 2,
        "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "kind", "exists": true}}]"#;
    let policy = r#"{"name": "no-sites", "properties": {"mode": "Indexed", "policyRule": {
        "if": {"field": "type", "equals": "Microsoft.Web/sites"}, "then": {"effect": "deny"}}}}"#;
    let settings = "min-severity: medium
rules: { paths: [rules], exclude: [AZ-APPSERVICE-006], severity: { AZ-APPSERVICE-001: low } }
policy: { paths: [policies] }
files: { exclude: ['old/**'] }
suppressions:
  - { rule: T-1, path: other.bicep, reason: it has none }
";
    let mut sets = vec![("formwork.yaml", settings.to_owned()), ("rules/kind.json", rule.to_owned())];
    sets.extend([("policies/no-sites.json", policy.to_owned()), ("old/main.bicep", site("c"))]);
    sets.extend([("main.bicep", site("a")), ("other.bicep", site("b"))]);
    let folder = Folder::new();
    let mut files = Files::new();
    for (name, text) in &sets {
        folder.write(name, text);
        files = files.with(name, text);
    }
    let check = ["check", "--bicep", "builtin", "--format", "json"];
    let compared = |files: &Files| {
        let report = files.check(&files.rules().unwrap());
        let mut json = Vec::new();
        report.render(Format::Json, &mut json).unwrap();
        let ended = folder.run(&check);
        let of_program = told(&ended.json());
        assert_eq!(told(&serde_json::from_slice(&json).unwrap()), of_program);
        (report.status(), ended.code, of_program.len())
    };
    let (status, code, count) = compared(&files);
    assert!((status, code) == (Status::Failed, 1) && count > 4, "{status:?} {code} {count}");

    // The findings are accepted, and then the baseline has an entry too many.
    assert_eq!(folder.run(&["check", "--bicep", "builtin", "--write-baseline", "accepted.json"]).code, 0);
    let settings = format!("{settings}baseline: accepted.json\n");
    let accepted = fs::read_to_string(folder.path().join("accepted.json")).unwrap();
    for (name, text) in [("formwork.yaml", settings.as_str()), ("accepted.json", accepted.as_str())] {
        folder.write(name, text);
        files = files.with(name, text);
    }
    let (status, code, accepted) = compared(&files);
    assert_eq!((status, code), (Status::Passed, 0));
    let fixed = site("b").replace("false", "true");
    folder.write("other.bicep", &fixed);
    let (_, _, stale) = compared(&files.with("other.bicep", &fixed));
    assert_eq!(stale, accepted, "a finding less, and a stale entry more");
}

/// `.ci/wasm` compares what the library says in WebAssembly with the same text.
#[test]
fn the_text_for_web_assembly_is_that_of_other_targets() {
    let files = files_of("wasm/files");
    let found = in_both::report(files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/wasm/expected.txt");
    if is_blessing() {
        fs::write(&path, &found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(path).unwrap().replace("\r\n", "\n"));
}

#[test]
fn a_file_in_memory_names_its_fix() {
    let site =
        "resource app 'Microsoft.Web/sites@2022-09-01' = {\n  name: 'app'\n  properties: { httpsOnly: false }\n}\n";
    let files = Files::new().with("infra/main.bicep", site);
    let report = files.check(&Rules::builtin());
    let finding = report.findings().find(|finding| finding.rule == "AZ-APPSERVICE-001").unwrap();
    let [fix] = finding.fixes() else { panic!("{:?}", finding.fixes()) };
    assert_eq!((fix.description.as_str(), fix.is_safe), ("set `httpsOnly` to `true`", true));
    let [edit] = fix.edits.as_slice() else { panic!("{:?}", fix.edits) };
    let range = (edit.start.line, edit.start.column, edit.end.line, edit.end.column);
    assert_eq!((edit.file.as_str(), range, edit.new_text.as_str()), ("infra/main.bicep", (3, 28, 3, 33), "true"));
}

/// What was parsed before counts as what is parsed now.
#[test]
fn a_check_after_a_change_is_one_from_scratch() {
    let rules = Rules::builtin();
    let mut checker = Checker::new(&rules);
    let mut files = Files::new();
    let told = |report: Report| {
        let mut json = Vec::new();
        report.render(Format::Json, &mut json).unwrap();
        String::from_utf8(json).unwrap()
    };
    for (name, text) in files_of("wasm/files") {
        files = files.with(&name, &text);
        assert_eq!(told(checker.check(&files)), told(files.check(&rules)), "with {name}");
    }
    for (name, text) in files_of("wasm/files") {
        files = files.with(&name, &text.replace("1.0", "1.1").replace("false", "true").replace('a', "b"));
        assert_eq!(told(checker.check(&files)), told(files.check(&rules)), "after {name}");
    }
}

/// Neither a file of the machine nor a module of a registry gets into a check in memory.
#[test]
fn files_in_memory_have_nothing_around_them() {
    let folder = Folder::new();
    folder.write("module.bicep", "param a string");
    let outside = folder.path().join("module.bicep");
    let main = format!(
        "module a '{}' = {{ name: 'a' }}\nmodule b 'br/public:avm/res/web/site:0.1.0' = {{ name: 'b' }}\n",
        outside.display()
    );
    let report = Files::new().with("main.bicep", &main).check(&Rules::builtin());
    let problems: Vec<String> = report.problems().map(|problem| problem.to_string()).collect();
    assert_eq!(report.status(), Status::Incomplete);
    assert!(problems.iter().any(|problem| problem.contains("module cache")), "{problems:?}");
    assert_eq!(problems.len(), 2, "{problems:?}");
}

#[test]
fn a_set_without_a_template_has_nothing_to_check() {
    let report = Files::new().with("readme.md", "# x").with("package.json", "{}").check(&Rules::builtin());
    assert_eq!((report.status(), report.templates(), report.problems().count()), (Status::Passed, 0, 0));
    assert_eq!(Files::new().check(&Rules::builtin()).templates(), 0);
}

#[test]
fn later_parameter_files_override_earlier_ones() {
    let template = Template::new("main.json", SITE)
        .with_parameters("a.json", &parameters(false))
        .with_parameters("b.json", &parameters(true));
    let report = template.check(&Rules::builtin());
    assert!(report.findings().all(|finding| finding.rule != "AZ-APPSERVICE-001"));
}

#[test]
fn a_stack_in_yaml_is_checked_in_memory() {
    let stack = "Resources:\n  Volume:\n    Type: AWS::EC2::Volume\n    Properties:\n      Encrypted: false\n";
    let rule = "# id: OWN-1\nAWS::EC2::Volume Encrypted == true << the volume is not encrypted\n";
    let rules = Rules::only([("own.guard", rule)]).unwrap();
    let report = Template::new("stack.yaml", stack).check(&rules);
    let found: Vec<_> = report.findings().map(|finding| (finding.rule, finding.file, finding.line)).collect();
    assert_eq!(found, [("OWN-1".to_owned(), "stack.yaml".to_owned(), 5)]);
    assert_eq!(report.resources(), 1);
}

#[test]
fn a_text_that_is_not_a_template_is_a_problem_and_no_panic() {
    let rules = Rules::builtin();
    for (text, code) in
        [("", "syntax/json"), ("{\"a\": 1}", "file/not-a-template"), (&parameters(true), "template/link")]
    {
        let report = Template::new("main.json", text).check(&rules);
        assert_eq!(report.status(), Status::Incomplete, "{text}");
        assert_eq!(report.problems().map(|problem| problem.code).collect::<Vec<_>>(), [code], "{text}");
    }
}

#[test]
fn nesting_up_to_the_limits_fits_the_stack() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let report = Template::new("main.json", &deep).check(&Rules::builtin());
    assert_eq!(report.status(), Status::Incomplete);
}

#[test]
fn a_rule_that_is_wrong_is_an_error_with_its_place() {
    let error = Rules::builtin_and([("own.json", "{ \"id\": 1 }")]).unwrap_err();
    let Error::Unusable(problems) = &error else { panic!("{error}") };
    assert_eq!((problems[0].file.as_str(), problems[0].line), ("own.json", 1));
    assert!(error.to_string().contains("own.json:1:"), "{error}");
}

#[test]
fn files_are_checked_as_the_command_line_does() {
    let folder = Folder::new();
    folder.write("infra/main.json", SITE);
    folder.write("infra/main.parameters.json", parameters(false));
    folder.write("other/main.json", "{ broken");
    let report = Check::new(folder.path()).path("infra").run().unwrap();
    let finding = report.findings().find(|finding| finding.rule == "AZ-APPSERVICE-001").unwrap();
    assert_eq!((finding.file.as_str(), finding.line, finding.severity), ("infra/main.json", 7, Severity::Medium));
    assert_eq!(report.templates(), 1);
    let hidden = Check::new(folder.path()).path("infra").fail_on(Severity::High).run().unwrap();
    assert_eq!(hidden.findings().count(), report.findings().count());
    assert_eq!(hidden.status(), Status::Passed);
    let mut text = Vec::new();
    report.render(Format::Concise, &mut text).unwrap();
    assert!(String::from_utf8(text).unwrap().contains("infra/main.json:7:"));
}

#[test]
fn settings_that_are_wrong_are_an_error_with_their_place() {
    let folder = Folder::new();
    folder.write("formwork.yaml", "fail-on: always\n");
    let error = Check::new(folder.path()).run().unwrap_err();
    let Error::Unusable(problems) = error else { panic!("{error}") };
    assert_eq!((problems[0].file.as_str(), problems[0].line), ("formwork.yaml", 1));
}
