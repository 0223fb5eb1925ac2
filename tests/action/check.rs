//! What the action does with its inputs, and what comes of it.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::action::job::{Ended, Job};
use crate::harness::template;

/// A template with findings of several levels.
const EXAMPLE: &str = include_str!("../examples/azure/main.json");

/// A parameter file of the template, which brings more findings.
const ENVIRONMENT: &str = include_str!("../examples/azure/main.parameters.dev.json");

/// A name that begins commands of the runner, in both of their forms.
const HOSTILE: &str = r"x\n::error file=forged::forged\n##[error]forged\n::set-output name=findings::0";

fn clean() -> String {
    template(r#""resources": []"#)
}

/// A template with a finding whose text is hostile.
fn hostile() -> String {
    let secret =
        format!(r#""outputs": {{"{HOSTILE}": {{"type": "string", "value": "[listKeys('{HOSTILE}', '1').key]"}}}}"#);
    template(&format!(r#""resources": [], {secret}"#))
}

#[track_caller]
fn report(ended: &Ended) -> Value {
    let text = fs::read_to_string(&ended.outputs["json-file"]).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[track_caller]
fn check_code(ended: &Ended, code: i32) {
    assert_eq!((ended.code, ended.outputs["exit-code"].as_str()), (code, code.to_string().as_str()), "{ended:?}");
}

#[test]
fn findings_become_annotations_counts_and_a_summary_and_fail_the_job() {
    let job = Job::new();
    job.write("workspace/infra/main.json", EXAMPLE).write("workspace/infra/main.parameters.dev.json", ENVIRONMENT);
    let ended = job.run();
    check_code(&ended, 1);
    let report = report(&ended);
    let failed = |level: &str| {
        let results = report["results"].as_array().unwrap().iter();
        results.filter(|it| it["outcome"] == "failed" && it["level"] == level).count().to_string()
    };
    assert_eq!(ended.outputs["findings"], report["summary"]["failed"].to_string());
    for (output, level) in [("errors", "error"), ("warnings", "warning"), ("notices", "note")] {
        assert_eq!(ended.outputs[output], failed(level), "{output}");
    }
    assert!(ended.outputs["errors"] != "0" && ended.outputs["warnings"] != "0");
    let annotations = ended.commands().into_iter().filter(|it| it.starts_with("::error file=infra/main.json,"));
    assert_eq!(annotations.count().to_string(), ended.outputs["errors"]);
    assert_eq!(ended.summary, fs::read_to_string(&ended.outputs["summary-file"]).unwrap());
    assert!(ended.summary.contains("infra/main.json"), "{ended:?}");
    assert_eq!(ended.upload, None, "nothing that needs a permission happens unasked");
    let changed = fs::read_dir(job.path("workspace")).unwrap().count();
    assert_eq!(changed, 1, "the checkout stays as it is");
}

#[test]
fn a_clean_run_passes() {
    let job = Job::new();
    job.write("workspace/main.json", clean());
    let ended = job.run();
    check_code(&ended, 0);
    assert_eq!(ended.outputs["findings"], "0");
}

#[test]
fn the_report_is_uploaded_before_the_job_fails() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE);
    job.input("upload-sarif", "true").input("category", "infra").input("sarif-file", "out/formwork.sarif");
    let ended = job.run();
    check_code(&ended, 1);
    let upload = serde_json::json!({"sarif_file": "out/formwork.sarif", "token": "secret"});
    assert_eq!(ended.upload, Some(upload));
    let sarif = fs::read_to_string(job.path("workspace/out/formwork.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    // The upload takes a category of its own only for a report that has none.
    assert_eq!(sarif["runs"][0]["automationDetails"]["id"], "formwork/infra/");
}

#[test]
fn without_a_token_nothing_uses_that_of_the_job() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE)
        .input("upload-sarif", "true")
        .input("token", "")
        .input("fail-on", "never");
    job.variable("GITHUB_TOKEN", "of the job").input("summary-comment", "true");
    job.variable("GITHUB_REPOSITORY", "owner/infra").variable("GITHUB_SHA", &"2".repeat(40));
    let server = crate::server::Server::start(|_| crate::server::Reply::json(404, "{}".to_owned()));
    job.variable("GITHUB_API_URL", &server.url());
    let ended = job.run();
    check_code(&ended, 0);
    assert_eq!((ended.upload.as_ref(), server.asked().len()), (None, 0), "{ended:?}");
    let notices = ended.messages("notice");
    assert!(notices[0].contains("not uploaded, because `token` is empty"), "{ended:?}");
    assert!(fs::read_to_string(&ended.outputs["sarif-file"]).is_ok());
}

#[test]
fn a_refused_upload_is_one_notice_and_changes_nothing_else() {
    let mut job = Job::new();
    job.takes_reports = false;
    job.write("workspace/main.json", clean()).input("upload-sarif", "true");
    let ended = job.run();
    check_code(&ended, 0);
    let notices = ended.messages("notice");
    assert!(notices.len() == 1 && notices[0].contains("the permission `security-events: write`"), "{ended:?}");
}

#[test]
fn the_gate_is_an_input() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE).input("fail-on", "never");
    let ended = job.run();
    check_code(&ended, 0);
    assert!(ended.outputs["findings"] != "0");
}

#[test]
fn a_wrong_input_is_reported_by_its_name_and_no_report_is_written() {
    let wrong = [
        ("fail-on", "sometimes", "the input `fail-on` is `sometimes`, expected `high`, `medium`, `low` or `never`"),
        ("annotations", "yes", "the input `annotations` is `yes`, expected `true`, `false` or `check-run`"),
        ("summary-comment", "maybe", "the input `summary-comment` is `maybe`, expected `true` or `false`"),
        ("filter-mode", "some", "the input `filter-mode` is `some`, expected `added`, `context`, `file` or `none`"),
        ("fail-on-scope", "new", "the input `fail-on-scope` is `new`, expected `changed` or `all`"),
        ("min-severity", "0", "the input `min-severity` is `0`, expected `high`, `medium` or `low`"),
        ("category", "a/b", "the input `category` is `a/b`, expected 1 to 64 letters"),
        ("sarif-file", "a\nfindings=0", "the input `sarif-file` has a line break"),
        ("config", "a\r::error::b", "the input `config` has a line break"),
        ("paths", "main.json\n\u{1b}[31m", "the input `paths` has a control character in it"),
        ("diff-base", "--exec=x", "the input `diff-base` is `--exec=x`, expected"),
    ];
    for (input, value, message) in wrong {
        let job = Job::new();
        job.write("workspace/main.json", EXAMPLE).input("upload-sarif", "true").input(input, value);
        let ended = job.run();
        check_code(&ended, 2);
        let errors = ended.messages("error");
        assert!(errors.len() == 1 && errors[0].starts_with(message), "{ended:?}");
        assert_eq!((ended.outputs["findings"].as_str(), ended.upload), ("", None), "{input}");
    }
}

#[test]
fn a_wrong_settings_file_is_reported() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE).write("workspace/formwork.yaml", "fail-on: sometimes\n");
    let ended = job.run();
    check_code(&ended, 2);
    assert!(ended.log.contains("formwork.yaml:1:10"), "{ended:?}");
    assert_eq!(
        ended.messages("error"),
        ["a settings file or a rule file is wrong, and nothing was checked: see the log"]
    );
}

#[test]
fn an_input_that_cannot_be_analysed_fails_the_job_and_the_rest_is_reported() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE).write("workspace/broken.json", &clean()[..140]);
    let ended = job.run();
    check_code(&ended, 3);
    assert_eq!(ended.messages("error"), ["an input could not be analyzed: see the log"]);
    assert!(ended.outputs["findings"] != "0");
}

#[test]
fn what_is_turned_off_does_not_happen() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE).input("annotations", "false").input("job-summary", "false");
    let ended = job.run();
    check_code(&ended, 1);
    assert!(ended.commands().iter().all(|it| !it.contains("file=")), "{ended:?}");
    assert!(ended.log.contains("main.json:120:11: medium"), "the log has the findings: {ended:?}");
    assert_eq!(ended.summary, "");
}

#[test]
fn strings_of_a_template_are_not_workflow_commands() {
    for annotations in ["true", "false"] {
        let job = Job::new();
        job.write("workspace/main.json", hostile()).input("annotations", annotations);
        let ended = job.run();
        check_code(&ended, 1);
        let ours = [
            "::debug::",
            "::group::",
            "::endgroup::",
            "::error file=main.json,",
            "::warning title=formwork::what changed",
        ];
        let forged: Vec<_> =
            ended.commands().into_iter().filter(|it| !ours.iter().any(|our| it.starts_with(our))).collect();
        assert_eq!(forged, [""; 0], "{ended:?}");
        assert_eq!(ended.outputs["findings"], report(&ended)["summary"]["failed"].to_string());
    }
}

#[test]
fn inputs_are_words_and_never_code() {
    let job = Job::new();
    let name = "$(touch pwned) `touch pwned`; touch pwned & --help";
    job.write(&format!("workspace/{name}/main.json"), EXAMPLE).input("paths", &format!("  \n{name}\r\n"));
    let ended = job.run();
    check_code(&ended, 1);
    assert!(!job.path("workspace/pwned").exists());
    job.input("paths", "--version");
    let ended = job.run();
    check_code(&ended, 2);
    assert_eq!(ended.messages("error"), ["the input `paths` names `--version`, which does not exist"]);
}

#[test]
fn paths_start_from_the_working_directory_and_annotations_from_the_root() {
    let job = Job::new();
    job.write("workspace/a/b/main.json", EXAMPLE).write("workspace/other/main.json", "{ broken");
    job.write("workspace/a/formwork.yaml", "fail-on: never\n");
    job.input("working-directory", "./a/b/").input("paths", "main.json");
    let ended = job.run();
    check_code(&ended, 0);
    assert!(ended.commands().iter().any(|it| it.starts_with("::warning file=a/b/main.json,")), "{ended:?}");
    job.write("workspace/a/b/strict.yaml", "fail-on: medium\n").input("config", "strict.yaml");
    check_code(&job.run(), 1);
    for wrong in ["../elsewhere", "/tmp", "missing"] {
        job.input("working-directory", wrong);
        let ended = job.run();
        check_code(&ended, 2);
        assert!(ended.messages("error")[0].starts_with("the input `working-directory` is"), "{ended:?}");
    }
}

#[test]
fn rules_of_ones_own_are_used() {
    let rule = r#"{"id": "ACME-1", "name": "Acme.None", "shortDescription": "none", "fullDescription": "none", "recommendation": "none",
        "severity": 2, "evaluation": {"resourceType": "Microsoft.Storage/storageAccounts", "path": "name", "exists": false}}"#;
    let job = Job::new();
    job.write("workspace/infra/main.json", EXAMPLE).write("workspace/infra/rules/acme.json", rule);
    job.input("working-directory", "infra").input("rules", "rules\n").input("paths", "main.json");
    let ended = job.run();
    check_code(&ended, 1);
    assert!(ended.log.contains("title=ACME-1"), "{ended:?}");
}

#[test]
fn modules_are_not_fetched_where_the_job_is_offline() {
    let job = Job::new();
    job.write("workspace/main.bicep", "module m 'br:acme.azurecr.io/m:v1' = {\n  name: 'm'\n}\n");
    job.write("workspace/main.bicep.twin", clean()).with_bicep();
    check_code(&job.run(), 0);
    job.input("offline", "true");
    let ended = job.run();
    check_code(&ended, 0);
    let code = &report(&ended)["diagnostics"][0]["code"];
    assert!(ended.arguments().contains(&"--offline") && code == "bicep/restore", "{code}: {ended:?}");
}

#[test]
fn the_command_can_be_repeated() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE)
        .input("diff-base", "none")
        .input("paths", "main.json")
        .input("fail-on", "high");
    let ended = job.run();
    let arguments = ended.arguments();
    assert_eq!(arguments[..2], ["--color=never", "--format=github"]);
    assert_eq!(arguments[5..], ["--code-scanning", "--fail-on=high", "--", "main.json"]);
}

#[test]
fn minor_findings_are_hidden_on_demand() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE).write("workspace/main.parameters.dev.json", ENVIRONMENT);
    let all = job.run();
    let severe = job.input("min-severity", "high").run();
    assert!(all.outputs["warnings"] != "0" && severe.outputs["warnings"] == "0", "{severe:?}");
    assert_eq!(severe.outputs["findings"], all.outputs["errors"]);
}

#[test]
fn accepted_findings_are_not_counted() {
    let job = Job::new();
    job.write("workspace/infra/main.json", EXAMPLE);
    let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
    command.args(["check", "infra", "--write-baseline", "infra/accepted.json"]).current_dir(job.path("workspace"));
    command.output().unwrap();
    check_code(&job.run(), 1);
    job.input("working-directory", "infra").input("baseline", "accepted.json");
    let ended = job.run();
    check_code(&ended, 0);
    assert_eq!(ended.outputs["findings"], "0");
    assert!(report(&ended)["summary"]["suppressed"] != 0);
}

#[test]
fn accepted_findings_are_no_alerts_of_code_scanning() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE);
    let formwork = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_formwork"));
        let output = command.args(arguments).current_dir(job.path("workspace")).output().unwrap();
        serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default()
    };
    let results = |report: &Value| report["runs"][0]["results"].as_array().unwrap().clone();
    formwork(&["check", ".", "--write-baseline", "accepted.json"]);
    let ended = job.input("baseline", "accepted.json").input("upload-sarif", "true").run();
    check_code(&ended, 0);
    let text = fs::read_to_string(&ended.outputs["sarif-file"]).unwrap();
    assert_eq!(results(&serde_json::from_str(&text).unwrap()), [Value::Null; 0]);
    // Other readers of SARIF know what a suppression is.
    let arguments = ["check", ".", "--baseline", "accepted.json", "--format", "sarif"];
    let all = results(&formwork(&arguments));
    assert!(!all.is_empty() && all.iter().all(|it| it["suppressions"][0]["kind"] == "external"), "{all:?}");
    assert_eq!(results(&formwork(&[&arguments[..], &["--code-scanning"]].concat())), [Value::Null; 0]);
}

#[test]
fn rules_of_code_scanning_link_to_a_page_and_those_about_secrets_are_of_security() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE).input("upload-sarif", "true");
    let text = fs::read_to_string(&job.run().outputs["sarif-file"]).unwrap();
    let report: Value = serde_json::from_str(&text).unwrap();
    let driver = &report["runs"][0]["tool"]["driver"];
    // Only the manifest of a release names the repository.
    assert!(driver["informationUri"].is_null(), "{driver}");
    let rules = driver["rules"].as_array().unwrap();
    let is_linked = |rule: &&Value| {
        let page = format!("formwork rules show {}", rule["id"].as_str().unwrap());
        rule["helpUri"].is_string() || rule["help"]["text"].as_str().unwrap().contains(&page)
    };
    let without: Vec<&Value> = rules.iter().filter(|rule| !is_linked(rule)).map(|rule| &rule["id"]).collect();
    assert!(!rules.is_empty() && without.is_empty(), "{without:?}");
    let is_security = |rule: &&Value| {
        let has_tag = rule["properties"]["tags"].as_array().unwrap().contains(&"security".into());
        assert_eq!(has_tag, rule["properties"]["security-severity"].is_string(), "{rule}");
        has_tag
    };
    let mut secrets = rules.iter().filter(|rule| rule["id"].as_str().unwrap().starts_with("secret/"));
    assert!(secrets.all(|rule| is_security(&rule)), "{rules:?}");
}

#[test]
fn a_check_run_that_may_not_be_posted_gives_way_to_annotations() {
    let job = Job::new();
    job.write("workspace/main.json", EXAMPLE).input("annotations", "check-run");
    let refused = crate::server::Server::start(|_| {
        crate::server::Reply::json(403, r#"{"message": "Resource not accessible by integration"}"#.to_owned())
    });
    job.variable("GITHUB_API_URL", &refused.url()).variable("GITHUB_REPOSITORY", "owner/infra");
    job.variable("GITHUB_SHA", &"2".repeat(40));
    let ended = job.run();
    check_code(&ended, 1);
    let notices = ended.messages("notice");
    assert!(notices[0].contains("`permissions: checks: write`"), "{ended:?}");
    let annotations = ended.commands().into_iter().filter(|it| it.starts_with("::error file=main.json,"));
    assert_eq!(annotations.count().to_string(), ended.outputs["errors"], "{ended:?}");
}
