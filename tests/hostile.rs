//! Names of files that try to steer a terminal or the runner of a workflow, in everything that people read.

use crate::harness::{Ended, Folder, template};

/// What a stranger may call a file: a terminal, or a runner that reads the output of the step, would obey each.
const NAMES: [&str; 5] =
    ["\x1b[31mred.json", "a\n::error::b.json", "::error::c.json", "d##[error]e.json", "f\u{202e}g.json"];

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// A folder with a template of each name, in which a rule finds something that can be fixed.
fn folder() -> Folder {
    let site = template(
        r#""resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "a",
      "properties": {
        "httpsOnly": false
      }}]"#,
    );
    let folder = Folder::new();
    folder.write("rules/own.json", RULE);
    for name in NAMES {
        folder.write(name, &site);
    }
    folder
}

/// Nothing that was printed may be obeyed.
#[track_caller]
fn check(ended: &Ended) {
    for line in ended.stdout.lines().chain(ended.stderr.lines()) {
        assert!(!line.contains(|c: char| c.is_control() || c == '\u{202e}'), "{line:?}");
        assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line:?}");
    }
}

fn run(arguments: &[&str]) -> Ended {
    let ended = folder().run(&[&["check", "--no-builtin-rules", "--rules", "rules"], arguments].concat());
    check(&ended);
    ended
}

#[test]
fn a_list_of_files_shows_every_name() {
    let listed = run(&["--show-files", "."]).stdout;
    for name in
        ["\\u{1b}[31mred.json:", "a\\n::error::b.json:", "./::error::c.json:", "d##\\u{5b}error]e.json:", "f\\u{202e}g"]
    {
        assert!(listed.contains(name), "{listed}");
    }
}

#[test]
fn a_diff_leaves_out_files_whose_names_it_cannot_hold() {
    let ended = run(&["--diff", "."]);
    assert_eq!(ended.stdout.matches("+++ ").count(), 1, "{ended:?}");
    assert!(ended.stdout.contains("+++ b/::error::c.json\n"), "{ended:?}");
    assert_eq!(ended.stderr.matches("warning: ").count(), NAMES.len() - 1, "{ended:?}");
}

#[test]
fn fixes_say_safely_what_they_did() {
    assert!(run(&["--fix", "."]).stderr.contains("fixed 5 findings in 5 files"));
}

#[test]
fn reports_for_people_show_every_name() {
    for format in ["console", "concise", "junit", "markdown"] {
        let shown = run(&["--format", format, "."]).stdout;
        assert!(shown.contains("red.json"), "{shown}");
    }
}

#[test]
fn notices_and_errors_keep_to_their_lines() {
    for name in NAMES {
        assert!(run(&["--write-baseline", &format!("new {name}"), "."]).stderr.contains("notice: "));
        assert!(run(&["--baseline", name, "."]).code >= 2);
        assert!(run(&[&format!("gone {name}")]).code >= 2);
        assert!(run(&["--format", name]).code >= 2);
        assert!(run(&[&format!("--{name}")]).code >= 2);
    }
}

#[test]
fn other_commands_show_names_safely() {
    let folder = folder();
    let policy = r#"{"name": "own\u001b[2J", "policyRule": {"if": {"field": "tags['::error::']", "exists": false}, "then": {"effect": "deny"}}}"#;
    folder.write("policies/own.json", policy);
    for name in NAMES {
        let path = format!("./{name}");
        for arguments in [
            &["explain", &path, "resources[0].properties.httpsOnly"][..],
            &["explain", &path, "gone"],
            &["expand", &format!("gone {name}")],
            &["rules", "test", ".", "--rules", "rules"],
            &["rules", "show", name],
            &["policy", "explain", "own\u{1b}[2J", &path, "--policy", "policies"],
            &["policy", "explain", name, &path, "--policy", "policies"],
        ] {
            check(&folder.run(arguments));
        }
    }
}

#[test]
fn rules_are_listed_safely() {
    let hostile =
        RULE.replace("T-1", "::error::T").replace("HttpsOnly", "\\u001b[2J").replace("use https", "##[error]x");
    let folder = Folder::new();
    folder.write("own.json", hostile);
    let listed = folder.run(&["rules", "list", "--no-builtin-rules", "--rules", "own.json"]);
    assert!(listed.stdout.contains("\\u{1b}[2J"), "{listed:?}");
    check(&listed);
    check(&folder.run(&["rules", "show", "::error::T", "--no-builtin-rules", "--rules", "own.json"]));
}
