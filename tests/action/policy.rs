//! Whose settings count for a pull request, and other inputs that decide what is checked.

use serde_json::json;

use crate::action::job::{Ended, Job};
use crate::changes::{RULE, site};

const SETTINGS: &str = "rules:\n  paths: [rules]\n  builtin: false\n";

/// A job for a pull request that makes a template bad and sets `fail-on: never`.
fn attacked() -> Job {
    let job = Job::new();
    job.write("workspace/formwork.yaml", SETTINGS).write("workspace/rules/t.json", RULE);
    job.write("workspace/infra/main.json", site("true"));
    job.git(&["init", "--quiet", "--initial-branch=main"]);
    let base = job.commit();
    job.git(&["switch", "--quiet", "--create=topic"]);
    job.write("workspace/infra/main.json", site("false"));
    job.write("workspace/formwork.yaml", format!("{SETTINGS}fail-on: never\n"));
    let head = job.commit();
    let side = |name: &str, sha: &str| json!({"ref": name, "sha": sha, "repo": {"full_name": "owner/infra"}});
    job.event(
        "pull_request",
        &json!({
            "action": "synchronize", "number": 1,
            "pull_request": {"number": 1, "state": "open", "base": side("main", &base), "head": side("topic", &head)},
            "repository": {"full_name": "owner/infra", "default_branch": "main"},
        }),
    );
    job
}

#[track_caller]
fn check(ended: &Ended, code: i32, warning: &str) {
    assert_eq!((ended.code, ended.outputs["findings"].as_str()), (code, "1"), "{ended:?}");
    let annotations = ended.commands().into_iter().filter(|it| it.starts_with("::warning file=formwork.yaml,"));
    assert_eq!(annotations.filter(|it| it.contains(warning)).count(), 1, "{warning}: {ended:?}");
    assert!(ended.summary.contains(warning), "{ended:?}");
}

#[test]
fn a_pull_request_does_not_lower_its_own_bar() {
    check(&attacked().run(), 1, "counts once it is merged");
    check(&attacked().input("working-directory", "infra").run(), 1, "counts once it is merged");
    // Without a change to compare with, the base of the event counts all the same.
    check(&attacked().input("diff-base", "none").run(), 1, "counts once it is merged");
}

#[test]
fn a_pull_request_does_not_choose_what_is_shown_of_it() {
    let told = |side: &str| {
        let job = attacked();
        job.write("workspace/formwork.yaml", format!("{SETTINGS}exclude: [infra]\n"));
        job.git(&["commit", "--quiet", "--all", "--message=hide"]);
        let ended = job.input("deployment-diff", "true").input("config-from", side).run();
        ended.summary.split_once("### What this change deploys").unwrap().1.to_owned()
    };
    assert!(told("").contains("1 of 1 deployments differs"), "{}", told(""));
    assert!(told("head").contains("No difference"), "{}", told("head"));
}

#[test]
fn where_its_settings_count_what_they_weaken_is_told() {
    let told = "the change weakens its own check: ";
    let ended = attacked().input("config-from", "head").run();
    check(&ended, 0, told);
    assert!(ended.log.contains("`fail-on` is `never`"), "{ended:?}");
}

#[test]
fn paths_may_be_globs() {
    let job = attacked();
    job.write("workspace/other/main.json", site("false"));
    let ended = job.input("diff-base", "none").input("paths", "inf*/**/*.json\ngone/*.bicep").run();
    assert_eq!((ended.code, ended.outputs["findings"].as_str()), (1, "1"), "{ended:?}");
}

#[test]
fn rules_are_chosen_by_inputs() {
    let ended = attacked().input("rules-exclude", "T-1").run();
    assert_eq!((ended.code, ended.outputs["findings"].as_str()), (0, "0"), "{ended:?}");
    let ended = attacked().input("rules-include", "T-1\nT-2").run();
    assert_eq!((ended.code, ended.outputs["findings"].as_str()), (1, "1"), "{ended:?}");
}

#[test]
fn a_check_of_nothing_fails_on_demand() {
    let run = |value: &str| attacked().input("paths", "gone/*.json").input("fail-on-no-inputs", value).run().code;
    assert_eq!((run("false"), run("true")), (0, 2));
}
