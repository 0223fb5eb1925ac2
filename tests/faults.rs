//! A fault in a module that many templates use: every report for people shows it once.

use serde_json::Value;

use crate::harness::{Ended, Folder, standin, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 1,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// The module, in which the fault is on line 4.
pub(crate) const MODULE: &str = "resource site 'Microsoft.Web/sites@2022-09-01' = {
  name: 'app'
  properties: {
    httpsOnly: false
  }
}
";

/// A template that deploys the module, this often.
fn user(calls: usize) -> String {
    let call = |at: usize| format!("module m{at} 'm.bicep' = {{\n  name: 'm{at}'\n}}\n");
    (0..calls).map(call).collect()
}

/// What the compiler makes of such a template.
fn compiled(calls: usize) -> String {
    let site = template(
        r#""resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app", "properties": {"httpsOnly": false}}]"#,
    );
    let call = |at: usize| {
        format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m{at}", "properties": {{"expressionEvaluationOptions": {{"scope": "inner"}}, "mode": "Incremental", "template": {site}}}}}"#
        )
    };
    let calls: Vec<String> = (0..calls).map(call).collect();
    template(&format!(r#""resources": [{}]"#, calls.join(",\n")))
}

/// Writes the module, and templates that deploy it, each this often.
pub(crate) fn write(folder: &Folder, users: &[(&str, usize)]) {
    folder.write("rules.json", RULE).write("m.bicep", MODULE);
    for (name, calls) in users {
        folder.write(name, user(*calls)).write(&format!("{name}.twin"), compiled(*calls));
    }
}

/// Checks a folder with the stand-in for the Bicep CLI.
pub(crate) fn check(folder: &Folder, arguments: &[&str]) -> Ended {
    let cli = standin();
    let mut all = vec!["check", "--no-builtin-rules", "--rules", "rules.json", "--no-cache"];
    all.extend(arguments);
    folder.run_with(&all, &[("PSRULE_AZURE_BICEP_PATH", cli.to_str().unwrap())], b"")
}

/// The names of twelve templates that deploy the module once.
pub(crate) fn twelve() -> Vec<String> {
    (1..=12).map(|number| format!("app{number:02}.bicep")).collect()
}

/// A folder with twelve templates that deploy the module once.
fn shared() -> Folder {
    let folder = Folder::new();
    let names = twelve();
    write(&folder, &names.iter().map(|name| (name.as_str(), 1)).collect::<Vec<_>>());
    folder
}

#[test]
fn at_many_paths_of_a_template_is_listed_a_hundred_times_and_all_are_counted() {
    let folder = Folder::new();
    folder.write("rules.json", RULE).write("m.bicep", MODULE).write("main.bicep", user(250));
    let run = |format: &str| {
        let rules = ["--no-builtin-rules", "--rules", "rules.json"];
        folder.run(&[&["check", "main.bicep", "--bicep=builtin", "--format", format], &rules[..]].concat())
    };
    let report = run("json").json();
    let results = report["results"].as_array().unwrap();
    let listed: Vec<_> = results.iter().map(|result| result["more_places"].as_u64()).collect();
    assert_eq!((listed.len(), listed[99]), (100, Some(150)));
    assert!(listed[..99].iter().all(Option::is_none));
    assert_eq!((&report["summary"]["failed"], &report["summary"]["faults"]), (&250.into(), &1.into()));
    for format in ["console", "concise", "sarif", "html", "markdown", "github", "gitlab", "junit", "azure", "rdjson"] {
        let ended = run(format);
        assert_eq!(ended.code, 1, "{format}");
        assert!(ended.stdout.contains("at 150 further places that no report lists"), "{format}: {}", ended.stdout);
    }
    // What suppresses one resource does not suppress the places that its finding stands for; what suppresses the text does.
    folder.write("formwork.yaml", "suppressions:\n  - rule: T-1\n    resource: app\n    reason: x\n");
    let summary = &run("json").json()["summary"];
    assert_eq!((&summary["failed"], &summary["suppressed"]), (&151.into(), &99.into()));
    folder.write("m.bicep", MODULE.replace("    httpsOnly", "    // formwork:ignore T-1 -- x\n    httpsOnly"));
    let summary = &run("json").json()["summary"];
    assert_eq!((&summary["failed"], &summary["suppressed"]), (&0.into(), &250.into()));
}

const ALSO: &str = "also in 11 other deployments";

#[test]
fn is_one_item_of_the_console_and_both_numbers_are_told() {
    let ended = check(&shared(), &["--color", "never"]);
    assert_eq!((ended.code, ended.stdout.matches("high[T-1]").count()), (1, 1), "{ended:?}");
    let note = format!("= note: {ALSO}: app02.bicep, app03.bicep, app04.bicep and 8 more");
    assert!(ended.stdout.contains(&note), "{ended:?}");
    assert!(ended.stdout.contains("12 findings (12 high) from 1 fault in 12 templates, 12 deployments"), "{ended:?}");
    let concise = check(&shared(), &["--format", "concise"]);
    let [line] = concise.stdout.lines().collect::<Vec<_>>()[..] else { panic!("one line: {concise:?}") };
    assert!(line.starts_with("m.bicep:4:") && line.ends_with(&format!(" ({ALSO})")), "{line}");
}

#[test]
fn is_one_annotation() {
    let ended = check(&shared(), &["--format", "github"]);
    let annotations: Vec<&str> = ended.stdout.lines().filter(|line| line.starts_with("::error ")).collect();
    let [annotation] = annotations[..] else { panic!("one annotation: {ended:?}") };
    assert!(annotation.contains("file=m.bicep,") && annotation.contains(&format!("%0A{ALSO}: app02")), "{annotation}");
    assert!(ended.stdout.ends_with("from 1 fault in 12 templates, 12 deployments, 24 resources\n"), "{ended:?}");
}

#[test]
fn is_one_alert_of_code_scanning() {
    let report = check(&shared(), &["--format", "sarif"]).json();
    let [result] = &report["runs"][0]["results"].as_array().unwrap()[..] else { panic!("one result: {report}") };
    assert_eq!(result["occurrenceCount"], 12);
    assert!(result["message"]["text"].as_str().unwrap().contains(ALSO), "{result}");
}

#[test]
fn is_one_row_of_the_summary() {
    let page = check(&shared(), &["--format", "markdown"]).stdout;
    assert_eq!(page.matches("| high ").count(), 1, "{page}");
    assert!(page.starts_with("## formwork: 12 findings from 1 fault\n") && page.contains(ALSO), "{page}");
}

#[test]
fn is_a_finding_of_each_template_in_the_json_report() {
    let report = check(&shared(), &["--format", "json"]).json();
    let results = report["results"].as_array().unwrap();
    assert_eq!(
        (results.len(), &report["summary"]["failed"], &report["summary"]["faults"]),
        (12, &12.into(), &1.into())
    );
    let values = |name: &str| {
        let values: std::collections::BTreeSet<String> = results.iter().map(|it| it[name].to_string()).collect();
        values.len()
    };
    assert_eq!((values("fault"), values("fingerprint"), values("deployments")), (1, 12, 12));
}

#[test]
fn is_accepted_for_each_template_by_a_baseline() {
    let folder = shared();
    check(&folder, &["--write-baseline", "accepted.json"]);
    assert_eq!(check(&folder, &["--baseline", "accepted.json"]).code, 0);
    write(&folder, &[("new.bicep", 1)]);
    let ended = check(&folder, &["--baseline", "accepted.json", "--color", "never"]);
    assert_eq!(ended.code, 1);
    assert!(
        ended.stdout.contains("1 finding (1 high) in 13 templates") && !ended.stdout.contains("also in"),
        "{ended:?}"
    );
}

#[test]
fn may_be_in_several_deployments_of_one_template() {
    let folder = Folder::new();
    write(&folder, &[("main.bicep", 3), ("other.bicep", 1)]);
    let ended = check(&folder, &["--color", "never"]);
    assert!(ended.stdout.contains("= note: also in 3 other deployments: other.bicep\n"), "{ended:?}");
    assert!(ended.stdout.contains("4 findings (4 high) from 1 fault"), "{ended:?}");
}

/// A linked template with a fault whose message has the value that it gets.
fn linked(folder: &Folder, name: &str, value: &str) {
    let link = format!(
        r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "l", "properties": {{"mode": "Incremental", "parameters": {{"https": {{"value": {value}}}}}, "templateLink": {{"relativePath": "site.json"}}}}}}]"#
    );
    folder.write(name, template(&link));
}

#[test]
fn with_other_values_has_a_message_of_its_own() {
    let folder = Folder::new();
    let site = r#""parameters": {"https": {"type": "string"}},
  "resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app", "properties": {"httpsOnly": "[parameters('https')]"}}]"#;
    folder.write("rules.json", RULE).write("site.json", template(site));
    for (name, value) in [("a.json", "\"no\""), ("b.json", "\"no\""), ("c.json", "\"off\"")] {
        linked(&folder, name, value);
    }
    let ended = check(&folder, &["--format", "concise", "."]);
    let mut lines: Vec<&str> = ended.stdout.lines().filter(|line| line.contains("[T-1]")).collect();
    lines.sort_unstable();
    let [no, off] = lines[..] else { panic!("one line for each message: {ended:?}") };
    assert!(no.contains("\"no\"") && no.ends_with(" (also in 1 other deployment)"), "{no}");
    assert!(off.contains("\"off\"") && !off.contains("also"), "{off}");
}

#[test]
fn under_several_parameter_files_names_these() {
    let folder = Folder::new();
    let site = r#""parameters": {"x": {"type": "string"}},
  "resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app", "properties": {"httpsOnly": false, "x": "[parameters('x')]"}}]"#;
    folder.write("rules.json", RULE).write("main.json", template(site));
    for name in ["dev", "prod"] {
        let values = crate::harness::parameters(&format!(r#""x": {{"value": "{name}"}}"#));
        folder.write(&format!("main.parameters.{name}.json"), values);
    }
    let ended = check(&folder, &["--color", "never", "."]);
    assert!(ended.stdout.contains("(main.parameters.dev.json, main.parameters.prod.json)\n"), "{ended:?}");
    assert!(!ended.stdout.contains("also in") && ended.stdout.contains("1 finding (1 high) in"), "{ended:?}");
    let report: Value = check(&folder, &["--format", "json", "."]).json();
    assert_eq!(report["results"][0]["deployments"].as_array().unwrap().len(), 2);
}
