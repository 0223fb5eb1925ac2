//! `formwork doctor`, on a machine, in a workflow, and where something is broken.

use std::process::Command;

use crate::harness::{Ended, Folder};

#[track_caller]
fn json(folder: &Folder, variables: &[(&str, &str)]) -> (i32, serde_json::Value) {
    let ended = folder.run_with(&["doctor", "--format", "json"], variables, b"");
    (ended.code, ended.json())
}

/// The line of a matter.
#[track_caller]
fn line(ended: &Ended, name: &str) -> String {
    let line = ended.stdout.lines().find_map(|it| it.strip_prefix(name));
    line.unwrap_or_else(|| panic!("no {name}: {ended:?}")).trim_start().to_owned()
}

/// Where programs are found.
#[expect(clippy::disallowed_methods, reason = "the program needs to find git")]
fn search_path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

#[test]
fn where_nothing_is_set_nothing_is_broken() {
    let folder = Folder::new();
    let ended = folder.run(&["doctor"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
    assert!(line(&ended, "formwork").starts_with(env!("CARGO_PKG_VERSION")));
    assert!(line(&ended, "rules").contains("checks of deployments among them"));
    assert!(line(&ended, "Bicep CLI").starts_with("the Bicep CLI was not found: `PSRULE_AZURE_BICEP_PATH` is not set"));
    assert_eq!(line(&ended, "token"), "none");
    assert_eq!(line(&ended, "proxy"), "none");
    assert_eq!(line(&ended, "publishing"), "nothing in a pull request: this is not a GitHub Actions workflow");
    let (code, diagnosis) = json(&folder, &[]);
    assert_eq!((code, &diagnosis["schema"]), (0, &"formwork/doctor/v1".into()));
    assert_eq!([&diagnosis["settings"], &diagnosis["problems"]], [&serde_json::json!([]), &serde_json::json!([])]);
}

#[test]
fn files_are_named() {
    let folder = Folder::new();
    folder.write("formwork.yaml", "baseline: ci/baseline.json\nrules: { builtin: false }\n").write("ps-rule.yaml", "");
    folder.write("ci/baseline.json", r#"{"schema": "formwork/baseline/v1", "findings": []}"#);
    folder.write("cache/formwork/a/b", "12345");
    let cache = folder.path().join("cache");
    let (code, diagnosis) = json(&folder, &[("XDG_CACHE_HOME", cache.to_str().unwrap())]);
    assert_eq!(code, 0, "{diagnosis}");
    assert_eq!(diagnosis["settings"], serde_json::json!(["formwork.yaml", "ps-rule.yaml"]));
    assert_eq!(diagnosis["baseline"], "ci/baseline.json");
    // Only the checks of problems run.
    assert!(diagnosis["rules"].as_u64().is_some_and(|rules| (1..50).contains(&rules)), "{diagnosis}");
    assert_eq!([&diagnosis["cache"]["files"], &diagnosis["cache"]["bytes"]], [1, 5]);
}

#[test]
fn what_the_settings_ask_for_and_is_broken_is_a_problem() {
    #[track_caller]
    fn check(settings: &str, variables: &[(&str, &str)], problem: &str, message: &str) {
        let folder = Folder::new();
        folder.write("formwork.yaml", settings).write("bad.json", "{");
        let ended = folder.run_with(&["doctor"], variables, b"");
        assert_eq!((ended.code, line(&ended, "problem").as_str()), (1, problem), "{ended:?}");
        assert!(format!("{}{}", ended.stderr, ended.stdout).contains(message), "{ended:?}");
    }
    check("fail-on: always\n", &[], "the settings cannot be used", "formwork.yaml:1:10");
    check("rules: { paths: [bad.json] }\n", &[], "the rules cannot be used", "bad.json:1:2");
    check("baseline: bad.json\n", &[], "the baseline of the settings cannot be used", "bad.json:1:2");
    check("baseline: none.json\n", &[], "the baseline of the settings cannot be used", "there is no such file");
    let missing = [("PSRULE_AZURE_BICEP_PATH", "/nowhere/bicep")];
    check("", &missing, "the configured Bicep CLI cannot be used", "`/nowhere/bicep`, which is not a file");
}

/// A program that does what a script says.
#[cfg(unix)]
fn program(folder: &Folder, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt;

    folder.write("bin/bicep", format!("#!/bin/sh\n{script}\n"));
    let path = folder.path().join("bin/bicep");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.parent().unwrap().to_str().unwrap().to_owned()
}

#[test]
#[cfg(unix)]
fn the_bicep_cli_is_asked_for_its_version() {
    let folder = Folder::new();
    let path = program(&folder, "echo 'Bicep CLI version 0.46.1 (1234abcd)'");
    let (code, diagnosis) = json(&folder, &[("PATH", &path)]);
    let bicep = &diagnosis["bicep"];
    assert_eq!((code, &bicep["version"], &bicep["found_by"]), (0, &"0.46.1".into(), &"PATH".into()), "{diagnosis}");
    let named = format!("{path}/bicep");
    let (_, diagnosis) = json(&folder, &[("PSRULE_AZURE_BICEP_PATH", &named)]);
    assert_eq!(diagnosis["bicep"]["found_by"], "PSRULE_AZURE_BICEP_PATH");
    folder.write(
        "formwork.yaml",
        "configuration: { AZURE_BICEP_CHECK_TOOL: true, AZURE_BICEP_MINIMUM_VERSION: '0.99.0' }\n",
    );
    let (code, diagnosis) = json(&folder, &[("PATH", &path)]);
    assert!(code == 1 && diagnosis["bicep"]["error"].as_str().unwrap().contains("0.99.0"), "{diagnosis}");
}

#[test]
#[cfg(unix)]
fn a_bicep_cli_that_says_nothing_is_not_waited_for() {
    let folder = Folder::new();
    let path = program(&folder, "exec /bin/sleep 600");
    folder.write("formwork.yaml", "configuration: { AZURE_BICEP_FILE_EXPANSION_TIMEOUT: 1 }\n");
    let (code, diagnosis) = json(&folder, &[("PATH", &path)]);
    assert!(diagnosis["bicep"]["error"].as_str().unwrap().contains("did not answer within 1 s"), "{diagnosis}");
    assert_eq!(code, 0, "nothing asks for it");
}

#[test]
fn the_repository_is_looked_at() {
    let folder = Folder::new();
    let git = |folder: &Folder, arguments: &[&str]| {
        let mut command = Command::new("git");
        command
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(folder.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
    };
    let path = search_path();
    let (_, outside) = json(&folder, &[("PATH", &path)]);
    assert!(outside["git"]["version"].is_string() && outside["git"]["repository"].is_null(), "{outside}");
    git(&folder, &["init", "--quiet"]);
    for message in ["one", "two"] {
        git(&folder, &["commit", "--quiet", "--allow-empty", "--message", message]);
    }
    let (_, whole) = json(&folder, &[("PATH", &path)]);
    assert_eq!((whole["git"]["head"].as_str().unwrap().len(), &whole["git"]["depth"]), (40, &serde_json::Value::Null));
    let clone = Folder::new();
    let source = format!("file://{}", folder.path().display());
    git(&clone, &["clone", "--quiet", "--depth=1", &source, "."]);
    let (_, shallow) = json(&clone, &[("PATH", &path)]);
    assert_eq!(shallow["git"]["depth"], 1, "{shallow}");
    let (code, none) = json(&folder, &[("PATH", "/nowhere")]);
    assert!(code == 0 && none["git"]["error"].as_str().unwrap().contains("cannot run `git`"), "{none}");
}

/// The variables of a workflow for one of the recorded events.
fn workflow<'a>(event: &'a str, payload: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("GITHUB_ACTIONS", "true"),
        ("GITHUB_EVENT_NAME", event),
        ("GITHUB_EVENT_PATH", payload),
        ("GITHUB_REPOSITORY", "contoso/infra"),
        ("GITHUB_STEP_SUMMARY", "/tmp/summary.md"),
    ]
}

#[test]
fn the_event_tells_what_would_be_published() {
    let folder = Folder::new();
    let payload = |event: &str| format!("{}/tests/events/{event}.json", env!("CARGO_MANIFEST_DIR"));
    let pull = payload("pull_request");
    let mut variables = workflow("pull_request", &pull);
    let obstacle = |variables: &[(&str, &str)]| {
        let (code, diagnosis) = json(&folder, variables);
        assert_eq!(code, 0);
        (diagnosis["publishing"]["pull_request"].clone(), diagnosis["publishing"]["obstacle"].clone(), diagnosis)
    };
    let (number, why, _) = obstacle(&variables);
    assert_eq!((number, why), (serde_json::Value::Null, "neither `FORMWORK_TOKEN` nor `GITHUB_TOKEN` is set".into()));
    variables.push(("GITHUB_TOKEN", "ghs_secret"));
    let (_, _, diagnosis) = obstacle(&variables);
    let event = &diagnosis["workflow"];
    assert!(event["pull_request"].is_u64() && event["base"].is_string(), "{diagnosis}");
    assert_eq!(diagnosis["token"], "GITHUB_TOKEN");
    let push = payload("push");
    let mut variables = workflow("push", &push);
    variables.push(("FORMWORK_TOKEN", "ghs_secret"));
    let (_, why, diagnosis) = obstacle(&variables);
    assert_eq!(why, "the event `push` is not about a pull request");
    assert_eq!([&diagnosis["publishing"]["annotations"], &diagnosis["publishing"]["job_summary"]], [true, true]);
    let (_, why, diagnosis) = obstacle(&workflow("push", "/nowhere"));
    assert_eq!(why, "the payload of the event cannot be read");
    assert!(diagnosis["workflow"]["error"].as_str().unwrap().contains("there is no such file"));
}

#[test]
fn no_secret_is_shown() {
    let folder = Folder::new();
    let variables = [
        ("GITHUB_TOKEN", "ghs_secret"),
        ("FORMWORK_TOKEN", "ghs_other"),
        ("HTTPS_PROXY", "http://user:pass@proxy.example.org:3128"),
        ("http_proxy", "user:pass@other"),
    ];
    for format in ["console", "json"] {
        let ended = folder.run_with(&["doctor", "--format", format], &variables, b"");
        for secret in ["ghs_", "user", "pass"] {
            assert!(!ended.stdout.contains(secret) && !ended.stderr.contains(secret), "{ended:?}");
        }
        assert!(ended.stdout.contains("proxy.example.org:3128"), "{ended:?}");
    }
    let ended = folder.run_with(&["doctor"], &variables, b"");
    assert_eq!(line(&ended, "proxy"), "proxy.example.org:3128 by `HTTPS_PROXY`, other by `http_proxy`");
    assert_eq!(line(&ended, "token"), "in `FORMWORK_TOKEN`");
}
