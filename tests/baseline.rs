//! `--baseline`, `--write-baseline` and `--min-severity`, as a team uses them that comes with an old repository.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Ended, Folder, parameters, template};

/// A rule of each severity, as a file.
const RULES: &str = r#"[
  {"id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 1,
   "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}},
  {"id": "T-3", "name": "Tags", "shortDescription": "use tags", "fullDescription": "use tags", "severity": 3,
   "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "tags", "exists": true}}
]"#;

const FILE: &str = "baseline.json";

/// A site that breaks both rules where `https` is `false`, else the light one.
fn site(name: &str, https: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "{name}",
    "properties": {{"httpsOnly": {https}}}}}"#
    )
}

fn sites(sites: &[String]) -> String {
    template(&format!("\"resources\": [\n{}]", sites.join(",\n")))
}

fn folder(files: &[(&str, String)]) -> Folder {
    let folder = Folder::new();
    folder.write("rules/rules.json", RULES);
    for (name, text) in files {
        folder.write(name, text);
    }
    folder
}

fn check(folder: &Folder, arguments: &[&str]) -> Ended {
    // Errors of the platform are reported without the built-in rules as well.
    let fixed = ["check", "--no-builtin-rules", "--rules-exclude", "schema/*", "--rules", "rules"];
    let fixed = [&fixed[..], &["--rules-exclude", "template/limits", "--format", "json"]].concat();
    folder.run(&[&fixed[..], arguments].concat())
}

#[track_caller]
fn write(folder: &Folder, arguments: &[&str]) -> Ended {
    let ended = check(folder, &[&["--write-baseline", FILE], arguments].concat());
    assert!(ended.code == 0 || ended.code == 3, "{ended:?}");
    ended
}

/// The entries of the file, as `rule template resource`.
#[track_caller]
fn entries(folder: &Folder) -> Vec<String> {
    let page: Value = serde_json::from_str(&text(folder)).unwrap();
    assert_eq!(page["schema"], "formwork/baseline/v1");
    let word = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let entry = |it: &Value| [&it["rule"], &it["template"], &it["resource"]].map(word).join(" ");
    page["findings"].as_array().unwrap().iter().map(entry).collect()
}

fn text(folder: &Folder) -> String {
    fs::read_to_string(folder.path().join(FILE)).unwrap()
}

/// The results of a report, as `outcome rule resource`.
#[track_caller]
fn results(ended: &Ended) -> Vec<String> {
    let report = ended.json();
    let word = |it: &Value| it.as_str().unwrap_or_default().to_owned();
    let line = |it: &Value| [&it["outcome"], &it["rule"], &it["resource"]["name"]].map(word).join(" ");
    let mut lines: Vec<String> = report["results"].as_array().unwrap().iter().map(line).collect();
    lines.sort();
    lines
}

/// Checks with the baseline: the exit code, the results that still fail, and the diagnostics.
#[track_caller]
fn accepted(folder: &Folder, arguments: &[&str]) -> (i32, Vec<String>, Vec<String>) {
    let ended = check(folder, &[&["--baseline", FILE], arguments].concat());
    let failed = results(&ended).into_iter().filter(|it| it.starts_with("failed")).collect();
    (ended.code, failed, ended.diagnostics())
}

fn clean() -> (i32, Vec<String>, Vec<String>) {
    (0, Vec::new(), Vec::new())
}

#[test]
fn what_was_there_is_accepted_and_what_is_new_fails() {
    let folder = folder(&[("main.json", sites(&[site("old", "false")]))]);
    let ended = write(&folder, &[]);
    let hint = "notice: to use it in later checks, add `baseline: baseline.json` to `formwork.yaml`, or `--baseline=baseline.json`\n";
    let notice = format!("notice: baseline.json: 2 findings accepted, 2 of them new\n{hint}");
    assert_eq!((ended.code, ended.stderr.as_str()), (0, notice.as_str()));
    assert_eq!(entries(&folder), ["T-1 main.json old", "T-3 main.json old"]);
    assert_eq!(results(&ended), ["suppressed T-1 old", "suppressed T-3 old"]);

    assert_eq!(accepted(&folder, &[]), clean());
    folder.write("main.json", sites(&[site("new", "false"), site("old", "false")]));
    let fails = ["failed T-1 new", "failed T-3 new"].map(str::to_owned).to_vec();
    assert_eq!(accepted(&folder, &[]), (1, fails, Vec::new()));
}

#[test]
fn reports_say_that_the_baseline_accepts_a_finding() {
    let folder = folder(&[("main.json", sites(&[site("old", "false")]))]);
    write(&folder, &[]);
    let report = check(&folder, &["--baseline", FILE]).json();
    assert_eq!([&report["summary"]["failed"], &report["summary"]["suppressed"]], [0, 2]);
    assert!(report["results"].as_array().unwrap().iter().all(|it| it["suppressed"]["kind"] == "baseline"), "{report}");

    let with = |format| {
        folder.run(&["check", "--no-builtin-rules", "--rules", "rules", "--baseline", FILE, "--format", format])
    };
    let sentence = "no findings in 1 template, 1 deployment, 1 resource; 2 accepted by the baseline\n";
    assert_eq!(with("console").stdout, sentence);
    let sarif = with("sarif").json();
    let suppressions = &sarif["runs"][0]["results"][0]["suppressions"];
    assert_eq!(suppressions[0]["kind"], "external", "{sarif}");
    let plain = check(&folder, &[]).json();
    assert_eq!(plain["results"][0].get("suppressed"), None);
}

#[test]
fn shifted_lines_and_another_indentation_change_nothing() {
    let folder = folder(&[("main.json", sites(&[site("old", "false")]))]);
    write(&folder, &[]);
    let before = text(&folder);
    let shifted = sites(&[site("old", "false")]).replace("\"resources\"", &format!("{}\"resources\"", "\n".repeat(40)));
    folder.write("main.json", shifted.replace("    ", "\t\t").replace(',', ",\n"));
    assert_eq!(accepted(&folder, &[]), clean());
    write(&folder, &[]);
    assert_eq!(text(&folder), before);
}

#[test]
fn the_same_findings_give_the_same_bytes_from_wherever_they_are_looked_for() {
    let folder =
        folder(&[("infra/b.json", sites(&[site("b", "false")])), ("infra/a.json", sites(&[site("a", "true")]))]);
    fs::create_dir(folder.path().join(".git")).unwrap();
    write(&folder, &["--threads", "1"]);
    let before = text(&folder);
    assert_eq!(entries(&folder), ["T-3 infra/a.json a", "T-1 infra/b.json b", "T-3 infra/b.json b"]);
    let inner = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(["check", "--no-builtin-rules", "--rules", "../rules", "--write-baseline", "../baseline.json"])
        .current_dir(folder.path().join("infra"))
        .env_clear()
        .output()
        .unwrap();
    assert!(inner.status.success(), "{inner:?}");
    assert_eq!(text(&folder), before);
    assert_eq!(accepted(&folder, &["infra/b.json"]), clean());
}

#[test]
fn what_is_not_found_any_more_is_reported_once_at_its_line() {
    let folder = folder(&[("main.json", sites(&[site("old", "false")]))]);
    write(&folder, &[]);
    folder.write("main.json", sites(&[site("old", "true")]));
    let line = text(&folder).lines().position(|it| it.contains("T-1")).unwrap() + 1;
    assert_eq!(accepted(&folder, &[]), (0, Vec::new(), vec![format!("baseline/stale baseline.json:{line}")]));
    let problem = check(&folder, &["--baseline", FILE]).json()["diagnostics"][0].clone();
    assert_eq!(problem["level"], "note");
    assert_eq!(problem["message"], "the baseline accepts `T-1` in `main.json`, which is no longer found");
    assert_eq!(problem["help"], "`--write-baseline baseline.json` removes the entries that are no longer found");

    let ended = write(&folder, &[]);
    assert_eq!(ended.stderr, "notice: baseline.json: 1 finding accepted; 1 no longer found and removed\n");
    assert_eq!(entries(&folder), ["T-3 main.json old"]);
}

#[test]
fn entries_of_a_template_that_was_deleted_are_stale() {
    let folder = folder(&[("a.json", sites(&[site("a", "true")])), ("b.json", sites(&[site("b", "true")]))]);
    write(&folder, &[]);
    fs::remove_file(folder.path().join("b.json")).unwrap();
    assert_eq!(accepted(&folder, &["a.json"]).2.len(), 1);
    write(&folder, &["a.json"]);
    assert_eq!(entries(&folder), ["T-3 a.json a"]);
}

#[test]
fn a_run_over_a_part_of_the_files_says_nothing_of_the_others() {
    let folder = folder(&[("a.json", sites(&[site("a", "false")])), ("b.json", sites(&[site("b", "false")]))]);
    write(&folder, &[]);
    for path in ["a.json", "b.json"] {
        assert_eq!(accepted(&folder, &[path]), clean());
    }
    folder.write("a.json", sites(&[site("a", "true")])).write("b.json", sites(&[site("b", "true")]));
    write(&folder, &["a.json"]);
    assert_eq!(entries(&folder), ["T-3 a.json a", "T-1 b.json b", "T-3 b.json b"]);
}

#[test]
fn entries_of_rules_that_did_not_run_stay() {
    let folder = folder(&[("main.json", sites(&[site("old", "false")]))]);
    write(&folder, &[]);
    folder.write("formwork.yaml", "rules: { exclude: [T-1] }\n");
    assert_eq!(accepted(&folder, &[]), clean());
    write(&folder, &[]);
    assert_eq!(entries(&folder), ["T-1 main.json old", "T-3 main.json old"]);
}

#[test]
fn a_template_that_cannot_be_analysed_keeps_its_entries() {
    let folder = folder(&[("a.json", sites(&[site("a", "false")])), ("b.json", sites(&[site("b", "false")]))]);
    write(&folder, &[]);
    let before = text(&folder);
    let limit = format!("\"[concat('{}')]\"", "x".repeat(1 << 17));
    for text_of_b in [sites(&[]).replace(']', ""), sites(&[site("b", &limit)])] {
        folder.write("b.json", text_of_b);
        let (code, failed, problems) = accepted(&folder, &[]);
        assert_eq!((code, failed.len()), (3, 0));
        assert!(problems.iter().all(|it| !it.starts_with("baseline/")), "{problems:?}");
        assert_eq!(write(&folder, &[]).code, 3);
        assert_eq!(text(&folder), before);
    }
}

#[test]
fn an_expression_that_fails_is_accepted_and_hides_no_other_entry() {
    let folder = folder(&[("b.json", sites(&[site("b", "false")]))]);
    write(&folder, &[]);
    folder.write("b.json", sites(&[site("b", "\"[nothing()]\"")]));
    let (code, failed, problems) = accepted(&folder, &[]);
    assert_eq!((code, failed, problems), (1, vec!["failed expression/unknown-function b".to_owned()], Vec::new()));
    assert_eq!(write(&folder, &[]).code, 0);
    assert_eq!(entries(&folder), ["T-1 b.json b", "T-3 b.json b", "expression/unknown-function b.json b"]);
    // It is still the same where other resources come before it.
    folder.write("b.json", sites(&[site("a", "true"), site("b", "\"[nothing()]\"")]));
    assert_eq!(accepted(&folder, &["--fail-on", "low"]), (1, vec!["failed T-3 a".to_owned()], Vec::new()));
}

/// A template whose site is named and secured by parameters, and a file of parameters.
fn parametric(https: &str) -> String {
    let declared = r#""parameters": {"name": {"type": "string"}, "https": {"type": "bool"}}"#;
    template(&format!("{declared}, \"resources\": [{}]", site("[parameters('name')]", https)))
}

fn values(name: &str, https: bool) -> String {
    parameters(&format!("\"name\": {{\"value\": \"{name}\"}}, \"https\": {{\"value\": {https}}}"))
}

#[test]
fn a_finding_under_several_parameter_files_is_one_and_is_known_under_each() {
    let folder = folder(&[
        ("main.json", parametric("\"[parameters('https')]\"")),
        ("main.dev.parameters.json", values("app-dev", false)),
        ("main.prod.parameters.json", values("app-prod", false)),
    ]);
    write(&folder, &[]);
    let before = text(&folder);
    assert_eq!(entries(&folder).len(), 2, "{before}");
    assert_eq!(accepted(&folder, &[]), clean());
    for file in ["main.dev.parameters.json", "main.prod.parameters.json"] {
        assert_eq!(accepted(&folder, &[file]), clean(), "{file}");
        write(&folder, &[file]);
        assert_eq!(text(&folder), before, "{file}");
    }
}

#[test]
fn what_is_gone_under_one_parameter_file_only_stays_until_all_were_looked_at() {
    let folder = folder(&[
        ("main.json", parametric("\"[parameters('https')]\"")),
        ("main.dev.parameters.json", values("app", false)),
        ("main.prod.parameters.json", values("app", false)),
    ]);
    write(&folder, &[]);
    folder.write("main.dev.parameters.json", values("app", true));
    assert_eq!(accepted(&folder, &["main.dev.parameters.json"]), clean());
    assert_eq!(accepted(&folder, &[]), clean());
    folder.write("main.prod.parameters.json", values("app", true));
    assert_eq!(accepted(&folder, &["main.prod.parameters.json"]), clean());
    assert_eq!(accepted(&folder, &["--set", "https=true"]), clean());
    assert_eq!(accepted(&folder, &[]).2.len(), 1);
    folder.write("main.dev.parameters.json", "{\"$schema\": ");
    let problems = accepted(&folder, &[]).2;
    assert!(problems.iter().all(|it| !it.starts_with("baseline/")), "{problems:?}");
}

/// Exported sites that have all but their group in common.
fn twins(count: usize) -> String {
    let twin = |at: usize| {
        let id = format!("/subscriptions/s/resourceGroups/g{at}/providers/Microsoft.Web/sites/twin");
        site("twin", "false").replacen('{', &format!("{{\"id\": \"{id}\", "), 1)
    };
    format!("[{}]", (0..count).map(twin).collect::<Vec<_>>().join(",\n"))
}

#[test]
fn two_findings_that_are_alike_count() {
    let folder = folder(&[("list.json", twins(2))]);
    write(&folder, &[]);
    assert_eq!(entries(&folder).iter().filter(|it| it.starts_with("T-1")).count(), 2);
    assert_eq!(accepted(&folder, &[]), clean());
    folder.write("list.json", twins(3));
    assert_eq!(accepted(&folder, &[]).1, ["failed T-1 twin", "failed T-3 twin"]);
    folder.write("list.json", twins(1));
    assert_eq!(accepted(&folder, &[]).2.len(), 1);
}

#[test]
fn notes_are_kept() {
    let folder = folder(&[("main.json", sites(&[site("old", "false")]))]);
    write(&folder, &[]);
    let noted = text(&folder).replacen("\n    },", ",\n      \"note\": \"until 2027, see #12\"\n    },", 1);
    folder.write(FILE, &noted);
    folder.write("main.json", sites(&[site("old", "false"), site("more", "true")]));
    write(&folder, &[]);
    assert!(text(&folder).contains("\"note\": \"until 2027, see #12\""), "{}", text(&folder));
    assert_eq!(entries(&folder).len(), 3);
}

#[test]
fn the_settings_name_a_baseline_and_a_severity() {
    let folder = folder(&[("infra/main.json", sites(&[site("old", "false")]))]);
    folder.write("formwork.yaml", "baseline: ci/baseline.json\n");
    let ended = check(&folder, &[]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("`--write-baseline ci/baseline.json` creates one"), "{ended:?}");
    fs::create_dir(folder.path().join("ci")).unwrap();
    assert_eq!(check(&folder, &["--write-baseline", "ci/baseline.json"]).code, 0);
    assert_eq!(check(&folder, &[]).code, 0);
    folder.write("formwork.yaml", "min-severity: high\n");
    assert_eq!(results(&check(&folder, &[])), ["failed T-1 old"]);
    assert_eq!(results(&check(&folder, &["--min-severity", "low"])).len(), 2);
}

#[test]
fn a_baseline_that_cannot_be_used_ends_the_run() {
    let folder = folder(&[("main.json", sites(&[]))]);
    let ended = check(&folder, &["--baseline", FILE]);
    assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    assert!(ended.stderr.contains("there is no such file") && ended.stderr.contains("--write-baseline"), "{ended:?}");
    let conflict = "{\n  \"schema\": \"formwork/baseline/v1\",\n  \"findings\": [\n<<<<<<< ours\n  ]\n}";
    folder.write(FILE, conflict);
    for flag in ["--baseline", "--write-baseline"] {
        let ended = check(&folder, &[flag, FILE]);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
        assert!(ended.stderr.contains("baseline.json:4:1"), "{ended:?}");
        assert_eq!(text(&folder), conflict);
    }
    let ended = check(&folder, &["--write-baseline", "no/such/folder.json"]);
    assert_eq!(ended.code, 2);
    assert!(ended.stderr.contains("cannot write `"), "{ended:?}");
}

#[test]
fn findings_below_the_minimum_severity_are_neither_reported_nor_counted() {
    let folder = folder(&[("main.json", sites(&[site("old", "true")]))]);
    let ended = check(&folder, &["--min-severity", "medium"]);
    assert_eq!((ended.code, results(&ended).len()), (0, 0));
    assert_eq!(ended.json()["summary"]["failed"], 0);
    assert_eq!(ended.stderr, "notice: 1 finding below `medium`, not shown\n");
    assert_eq!(check(&folder, &["--min-severity", "medium", "--quiet"]).stderr, "");
    assert_eq!(check(&folder, &["--min-severity", "low"]).code, 0);
    assert_eq!(check(&folder, &["--fail-on", "low"]).code, 1);
    assert_eq!(check(&folder, &["--min-severity", "never"]).code, 2);
}

#[test]
fn what_is_not_reported_is_not_accepted_and_what_was_accepted_is_not_stale() {
    let folder = folder(&[("main.json", sites(&[site("old", "false")]))]);
    write(&folder, &["--min-severity", "high"]);
    assert_eq!(entries(&folder), ["T-1 main.json old"]);
    assert_eq!(accepted(&folder, &[]).1, ["failed T-3 old"]);
    write(&folder, &[]);
    assert_eq!(accepted(&folder, &["--min-severity", "high"]), clean());
    write(&folder, &["--min-severity", "high"]);
    assert_eq!(entries(&folder).len(), 2);
}

#[test]
#[cfg(unix)]
fn the_file_is_one_that_others_may_read() {
    use std::os::unix::fs::PermissionsExt;

    let folder = folder(&[("main.json", sites(&[site("old", "false")]))]);
    write(&folder, &[]);
    let metadata = fs::metadata(folder.path().join(FILE)).unwrap();
    assert_eq!(metadata.permissions().mode() & 0o444, 0o444);
    assert_eq!(entries(&folder).len(), 2);
}

/// A repository whose one commit has the template and its baseline.
fn repository() -> Folder {
    let folder = folder(&[("a.json", sites(&[site("a", "false")])), ("b.json", sites(&[site("b", "false")]))]);
    write(&folder, &[]);
    git(&folder, &["init", "--quiet", "--initial-branch=main"]);
    git(&folder, &["add", "."]);
    git(&folder, &["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "--quiet", "--message=all"]);
    folder
}

fn git(folder: &Folder, arguments: &[&str]) {
    let output = Command::new("git").args(arguments).current_dir(folder.path()).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

#[expect(clippy::disallowed_methods, reason = "the program needs to find git")]
fn check_with_git(folder: &Folder, arguments: &[&str]) -> Ended {
    let path = std::env::var("PATH").unwrap_or_default();
    let fixed = ["check", "--no-builtin-rules", "--rules", "rules", "--format", "json", "--baseline", FILE];
    folder.run_with(&[&fixed, arguments].concat(), &[("PATH", &path)], b"")
}

#[test]
fn a_change_is_compared_with_the_baseline() {
    let folder = repository();
    folder.write("a.json", sites(&[site("a", "true")]));
    let ended = check_with_git(&folder, &["--changed"]);
    assert_eq!(ended.code, 0, "{ended:?}");
    assert_eq!(ended.json()["summary"]["templates"], 1);
    assert_eq!(ended.diagnostics().len(), 1, "the entry of `a`, and not that of `b`");
}

#[test]
fn staged_files_are_compared_with_the_staged_baseline() {
    let folder = repository();
    folder.write("a.json", sites(&[site("a", "false"), site("new", "true")]));
    git(&folder, &["add", "a.json"]);
    folder.write("b.json", "{}").write(FILE, "{}");
    let ended = check_with_git(&folder, &["--staged", "--fail-on", "low"]);
    let failed: Vec<String> = results(&ended).into_iter().filter(|it| it.starts_with("failed")).collect();
    assert_eq!((ended.code, failed), (1, vec!["failed T-3 new".to_owned()]), "{ended:?}");
    assert_eq!(ended.diagnostics(), [""; 0]);
}

#[test]
fn the_page_shows_a_baseline_that_can_be_read() {
    let page = include_str!("../docs/baseline.md");
    let (_, shown) = page.split_once("```json\n").unwrap();
    let folder = folder(&[("main.json", sites(&[]))]);
    let ended = check(folder.write(FILE, shown.split_once("```").unwrap().0), &["--baseline", FILE]);
    assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{ended:?}");
    let shown = fs::read_to_string(folder.path().join(FILE)).unwrap();
    check(&folder, &["--write-baseline", FILE, "main.json"]);
    assert_ne!(text(&folder), shown, "its template is not here");
}
