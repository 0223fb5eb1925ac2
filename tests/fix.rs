//! `check --fix` and `check --diff`, and the suggestions of the JSON report.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::harness::{Ended, Folder, standin, template};

const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}, {
  "id": "T-2", "name": "Affinity", "shortDescription": "no affinity", "fullDescription": "no affinity", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.clientAffinityEnabled", "equals": false}
}]"#;

/// A template with a site that has these properties.
fn site(properties: &str) -> String {
    template(&format!(
        r#""parameters": {{"https": {{"type": "bool", "defaultValue": false}}}},
  "resources": [
    {{
      "type": "Microsoft.Web/sites",
      "apiVersion": "2022-09-01",
      "name": "[concat('app', parameters('https'))]",
      "properties": {properties}
    }}
  ]"#
    ))
}

/// Properties on lines of their own.
fn lines(properties: &str) -> String {
    site(&format!("{{\n        {properties}\n      }}"))
}

/// A folder with the rules above, and one file.
struct Case {
    folder: Folder,
    name: &'static str,
}

impl Case {
    fn new(content: impl AsRef<[u8]>) -> Self {
        Self::called("main.json", content)
    }

    fn called(name: &'static str, content: impl AsRef<[u8]>) -> Self {
        let folder = Folder::new();
        folder.write("rules/own.json", RULE).write(name, content);
        Self { folder, name }
    }

    fn check(&self, arguments: &[&str]) -> Ended {
        let all = [&["check", "--no-builtin-rules", "--rules", "rules", self.name], arguments].concat();
        self.folder.run(&all)
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(self.folder.path().join(self.name)).unwrap()
    }

    fn text(&self) -> String {
        String::from_utf8(self.bytes()).unwrap()
    }

    /// The titles of the fixes that the JSON report suggests.
    fn suggested(&self) -> Vec<String> {
        let report = self.check(&["--format", "json"]).json();
        let fixes = report["results"].as_array().unwrap().iter().filter_map(|it| it.get("fix"));
        fixes.map(|it| it["title"].as_str().unwrap().to_owned()).collect()
    }
}

/// Fixes the first content, and wants the other in its place.
#[track_caller]
fn check(before: &str, after: &str) {
    let case = Case::new(before);
    let ended = case.check(&["--fix"]);
    assert_eq!(case.text(), after, "{ended:?}");
}

#[test]
fn a_value_is_replaced_and_a_missing_one_is_added() {
    let case = Case::new(lines(r#""httpsOnly": false // for now"#));
    let ended = case.check(&["--fix"]);
    assert_eq!(case.text(), lines("\"httpsOnly\": true, // for now\n        \"clientAffinityEnabled\": false"));
    assert_eq!((ended.code, ended.stderr.trim_end()), (0, "notice: fixed 2 findings in 1 file"));
    assert!(!ended.stdout.contains("T-1"), "{}", ended.stdout);
}

#[test]
fn two_missing_values_of_one_object_are_both_added() {
    let after = "\"a\": 1,\n        \"httpsOnly\": true,\n        \"clientAffinityEnabled\": false";
    check(&lines("\"a\": 1"), &lines(after));
    check(&site("{}"), &lines("\"httpsOnly\": true,\n        \"clientAffinityEnabled\": false"));
}

#[test]
fn what_is_left_is_reported_and_decides_the_exit_code() {
    let text = lines("\"httpsOnly\": \"[parameters('https')]\",\n        \"clientAffinityEnabled\": true");
    let case = Case::new(&text);
    let ended = case.check(&["--fix", "--format", "json"]);
    let report = ended.json();
    let left: Vec<&Value> = report["results"].as_array().unwrap().iter().map(|it| &it["rule"]).collect();
    assert_eq!((left, ended.code), (vec![&Value::from("T-1")], 1));
    assert_eq!(case.text(), text.replace("Enabled\": true", "Enabled\": false"));
}

#[test]
fn what_was_computed_or_comes_from_elsewhere_has_no_fix() {
    for value in ["\"[not(true())]\"", "\"[parameters('https')]\"", "\"[json('{\\\"a\\\": 1}')]\"", "null"] {
        let case = Case::new(lines(&format!("\"clientAffinityEnabled\": false,\n        \"httpsOnly\": {value}")));
        let before = case.text();
        assert_eq!((case.check(&["--fix"]).code, case.suggested()), (1, Vec::new()), "{value}");
        assert_eq!(case.text(), before);
    }
    let case = Case::new(site("\"[variables('nothing')]\""));
    assert_eq!(case.suggested(), Vec::<String>::new());
}

#[test]
fn what_bicep_made_is_left_to_bicep() {
    let generated =
        lines("\"httpsOnly\": false").replacen('{', "{\"metadata\": {\"_generator\": {\"name\": \"bicep\"}},", 1);
    let case = Case::new(&generated);
    assert_eq!((case.check(&["--fix"]).code, case.text()), (1, generated));
}

#[test]
fn rules_that_want_different_values_fix_nothing() {
    let case = Case::new(lines("\"clientAffinityEnabled\": false"));
    case.folder.write("rules/other.json", RULE.replace("T-", "U-").replace("\"equals\": true", "\"equals\": 1"));
    assert_eq!((case.suggested(), case.check(&["--fix"]).code), (Vec::new(), 1));
}

#[test]
fn a_literal_in_a_loop_is_replaced_once() {
    let looped = |value: &str| {
        lines(&format!("\"clientAffinityEnabled\": false,\n        \"httpsOnly\": {value}")).replace(
            "\"name\": \"[concat('app', parameters('https'))]\"",
            "\"name\": \"[concat('app', copyIndex())]\", \"copy\": {\"name\": \"c\", \"count\": 3}",
        )
    };
    check(&looped("false"), &looped("true"));
}

#[test]
fn line_ends_and_byte_order_marks_stay_and_a_suggestion_wants_plain_line_ends() {
    let before = lines("\"httpsOnly\": true");
    let after = lines("\"httpsOnly\": true,\n        \"clientAffinityEnabled\": false");
    let windows = |text: &str| format!("\u{feff}{}", text.replace('\n', "\r\n"));
    let case = Case::new(windows(&before));
    assert_eq!(case.suggested(), Vec::<String>::new());
    assert_eq!((case.check(&["--fix"]).code, case.text()), (0, windows(&after)));

    let case = Case::new(format!("\u{feff}{before}"));
    assert_eq!(case.suggested(), ["add `clientAffinityEnabled: false`"]);
    assert_eq!((case.check(&["--fix"]).code, case.text()), (0, format!("\u{feff}{after}")));
}

#[test]
fn a_text_in_another_encoding_stays_as_it_is() {
    let utf16: Vec<u8> =
        format!("\u{feff}{}", lines("\"httpsOnly\": false")).encode_utf16().flat_map(u16::to_le_bytes).collect();
    let case = Case::new(&utf16);
    assert_eq!((case.suggested(), case.check(&["--fix"]).code), (Vec::new(), 1));
    assert_eq!(case.bytes(), utf16);
}

#[test]
fn a_diff_changes_nothing_and_does_what_a_fix_does() {
    let fixed = Case::new(lines("\"httpsOnly\": false"));
    let case = Case::new(lines("\"httpsOnly\": false,"));
    fixed.folder.write("main.json", case.text());
    let before = case.text();
    let ended = case.check(&["--diff", "--quiet"]);
    assert_eq!((ended.code, case.text()), (1, before), "{ended:?}");
    case.folder.write("fix.diff", &ended.stdout);
    let status = Command::new("git").args(["apply", "fix.diff"]).current_dir(case.folder.path()).status().unwrap();
    assert!(status.success(), "{}", ended.stdout);
    // What got into the way of the first is left to the second.
    let second = case.check(&["--diff", "--quiet"]);
    fixed.check(&["--fix"]);
    assert_eq!((case.text(), second.stdout.as_str()), (fixed.text(), ""));
}

#[test]
fn a_diff_leaves_standard_output_to_itself() {
    let case = Case::new(lines("\"httpsOnly\": true,\n        \"clientAffinityEnabled\": false"));
    let ended = case.check(&["--diff", "--output", "json=report.json"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, ""));
    assert!(case.folder.path().join("report.json").is_file());
}

#[test]
fn where_there_is_no_file_to_change_it_is_a_usage_error() {
    let case = Case::new("{}");
    for arguments in [
        &["--fix", "-"][..],
        &["--diff", "-"],
        &["--fix", "--staged"],
        &["--fix", "--diff"],
        &["--diff", "--format", "json"],
    ] {
        assert_eq!(case.check(arguments).code, 2, "{arguments:?}");
    }
}

#[test]
fn only_what_was_named_is_changed() {
    let case = Case::called("infra/main.json", lines("\"httpsOnly\": false"));
    let linked = r#""resources": [{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d", "properties": {"mode": "Incremental", "templateLink": {"relativePath": "infra/main.json"}}}]"#;
    case.folder.write("top.json", template(linked));
    let before = case.text();
    let ended = case.folder.run(&["check", "--no-builtin-rules", "--rules", "rules", "--fix", "top.json"]);
    assert_eq!((ended.code, case.text()), (1, before));
    let warning = "warning: `infra/main.json` is left unchanged: it is not among the paths that were named\n";
    assert_eq!(ended.stderr, warning);
}

#[cfg(unix)]
mod on_unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn only_what_is_reported_is_fixed() {
        let site = |name: &str, https: bool| {
            format!(
                "    {{\n      \"type\": \"Microsoft.Web/sites\", \"apiVersion\": \"2022-09-01\", \"name\": \"{name}\",\n      \"properties\": {{\"clientAffinityEnabled\": false, \"httpsOnly\": {https}}}\n    }}"
            )
        };
        let both = |a: bool, b: &str| template(&format!("\"resources\": [\n{},\n{b}\n  ]", site("a", a)));
        let case = Case::new(both(false, &site("b", true)));
        let git = |arguments: &[&str]| {
            let settings = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "commit.gpgsign=false"];
            let output =
                Command::new("git").args(settings).args(arguments).current_dir(case.folder.path()).output().unwrap();
            assert!(output.status.success(), "{output:?}");
        };
        git(&["init", "-q"]);
        git(&["add", "-A"]);
        git(&["commit", "-q", "-m", "x"]);
        case.folder.write("main.json", both(false, &site("b", false)));
        let arguments = [
            "check",
            "--no-builtin-rules",
            "--rules",
            "rules",
            "--fix",
            "--changed",
            "--filter-mode",
            "added",
            "main.json",
        ];
        let ended = case.folder.run_with(&arguments, &[("PATH", "/usr/local/bin:/usr/bin:/bin")], b"");
        assert_eq!(case.text(), both(false, &site("b", true)), "{ended:?}");
    }

    #[test]
    fn a_link_is_not_followed() {
        let case = Case::called("outside.json", lines("\"httpsOnly\": false"));
        case.folder.write("repository/.git/HEAD", "").write("repository/real.json", case.text());
        let at = |name: &str| case.folder.path().canonicalize().unwrap().join(name);
        for (target, real) in [("../outside.json", "outside.json"), ("real.json", "repository/real.json")] {
            let link = at("repository/link.json");
            symlink(target, &link).unwrap();
            let ended =
                case.folder.run(&["check", "--no-builtin-rules", "--rules", "rules", "--fix", "repository/link.json"]);
            assert_eq!(ended.code, 1, "{ended:?}");
            assert_eq!(fs::read_to_string(at(real)).unwrap(), case.text());
            let said = format!("to write there, name `{}`", at(real).display());
            assert!(
                ended.stderr.contains("`repository/link.json` is left unchanged: it cannot be written"),
                "{ended:?}"
            );
            assert!(ended.stderr.contains(&said), "{ended:?}");
            fs::remove_file(link).unwrap();
        }
    }

    #[test]
    fn permissions_stay_and_what_is_read_only_is_left_alone() {
        let case = Case::new(lines("\"httpsOnly\": false"));
        let path = case.folder.path().join("main.json");
        let allow = |mode: u32| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let before = case.text();
        allow(0o440);
        let ended = case.check(&["--fix"]);
        assert_eq!((ended.code, case.text()), (1, before));
        assert!(ended.stderr.contains("`main.json` is left unchanged: it is read-only"), "{}", ended.stderr);
        allow(0o640);
        assert_eq!(case.check(&["--fix"]).code, 0);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
        let names: Vec<_> = fs::read_dir(case.folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}

mod bicep {
    use super::*;

    const HEAD: &str =
        "param https bool = false\n\nresource site 'Microsoft.Web/sites@2022-09-01' = {\n  name: 'app'\n";

    /// A file whose site has these properties, and what the compiler makes of it.
    fn case(properties: &str, compiled: &str) -> Case {
        let case = Case::called("main.bicep", format!("{HEAD}  properties: {properties}\n}}\n"));
        case.folder.write("main.bicep.twin", site(compiled));
        case
    }

    fn run(case: &Case, arguments: &[&str]) -> Ended {
        let cli = standin().display().to_string();
        let all = [&["check", "--no-cache", "--no-builtin-rules", "--rules", "rules"], arguments].concat();
        case.folder.run_with(&all, &[("PSRULE_AZURE_BICEP_PATH", &cli)], b"")
    }

    #[track_caller]
    fn check(before: &str, compiled: &str, after: &str) {
        let case = case(before, compiled);
        let ended = run(&case, &["--fix", "main.bicep"]);
        assert_eq!(case.text(), format!("{HEAD}  properties: {after}\n}}\n"), "{ended:?}");
    }

    #[test]
    fn a_literal_is_replaced() {
        check(
            "{\n    httpsOnly: false // for now\n    clientAffinityEnabled: false\n  }",
            r#"{"httpsOnly": false, "clientAffinityEnabled": false}"#,
            "{\n    httpsOnly: true // for now\n    clientAffinityEnabled: false\n  }",
        );
    }

    #[test]
    fn a_missing_property_is_added() {
        check(
            "{\n    clientAffinityEnabled: false // always\n  }",
            r#"{"clientAffinityEnabled": false}"#,
            "{\n    clientAffinityEnabled: false // always\n    httpsOnly: true\n  }",
        );
    }

    #[test]
    fn what_is_not_a_literal_is_left_unchanged() {
        for (text, compiled) in [
            (
                "{\n    clientAffinityEnabled: false\n    httpsOnly: https\n  }",
                r#"{"clientAffinityEnabled": false, "httpsOnly": "[parameters('https')]"}"#,
            ),
            // The compiler may put the value of a constant in its place.
            (
                "{\n    clientAffinityEnabled: false\n    httpsOnly: never\n  }",
                r#"{"clientAffinityEnabled": false, "httpsOnly": false}"#,
            ),
            ("{\n    clientAffinityEnabled: false\n    ...more\n  }", r#"{"clientAffinityEnabled": false}"#),
            ("union(a, {})", r#"{"clientAffinityEnabled": false}"#),
        ] {
            check(text, compiled, text);
        }
    }

    #[test]
    fn a_module_is_changed_where_it_is_named() {
        let module = |inner: &str| {
            template(&format!(
                r#""resources": [{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "m", "properties": {{"expressionEvaluationOptions": {{"scope": "inner"}}, "mode": "Incremental", "template": {inner}}}}}]"#
            ))
        };
        let compiled = r#"{"clientAffinityEnabled": false, "httpsOnly": false}"#;
        let source = "{\n    clientAffinityEnabled: false\n    httpsOnly: false\n  }";
        let case = case(source, compiled);
        case.folder.write("top.bicep", "module m 'main.bicep' = {\n  name: 'm'\n}\n");
        case.folder.write("top.bicep.twin", module(&site(compiled)));
        let before = case.text();
        let ended = run(&case, &["--fix", "top.bicep"]);
        assert_eq!(case.text(), before);
        assert!(ended.stderr.contains("`main.bicep` is left unchanged: it is not among"), "{}", ended.stderr);
        run(&case, &["--fix", "."]);
        assert_eq!(case.text(), before.replace("httpsOnly: false", "httpsOnly: true"));
    }
}

/// Copies a folder with everything below it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::write(target, fs::read(&path).unwrap()).unwrap();
        }
    }
}

/// The fingerprints of the failed results of a report, each with the file of its template.
fn failed(report: &Value) -> BTreeSet<(String, String)> {
    let failed = report["results"].as_array().unwrap().iter().filter(|it| it["outcome"] == "failed");
    failed
        .map(|it| (it["template"].as_str().unwrap().to_owned(), it["fingerprint"].as_str().unwrap().to_owned()))
        .collect()
}

/// Applies suggestions as GitHub does: whole lines for whole lines, from the end.
fn suggested(text: &str, fixes: &[&Value]) -> String {
    let mut lines: Vec<String> = text.split_inclusive('\n').map(str::to_owned).collect();
    let mut fixes = fixes.to_vec();
    fixes.sort_by_key(|it| it["line"].as_u64());
    for fix in fixes.iter().rev() {
        let number = |name: &str| usize::try_from(fix[name].as_u64().unwrap()).unwrap();
        let (first, last) = (number("line") - 1, number("end_line"));
        let end = if lines[last - 1].ends_with('\n') { "\n" } else { "" };
        let new = format!("{}{end}", fix["replacement"].as_str().unwrap());
        lines.splice(first..last, [new]);
    }
    lines.concat()
}

#[test]
fn fixing_the_examples_of_all_rules_leaves_nothing_that_has_a_fix_and_nothing_new() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let (fixed, untouched) = (Folder::new(), Folder::new());
    copy(&examples, &fixed.path().join("rules"));
    copy(&examples, &untouched.path().join("rules"));
    let before = fixed.run(&["check", "--format", "json", "rules"]).json();
    let after = fixed.run(&["check", "--format", "json", "--fix", "rules"]).json();
    let (old, new) = (failed(&before), failed(&after));
    assert_eq!(new.difference(&old).collect::<Vec<_>>(), Vec::<&(String, String)>::new());
    assert_eq!(before["diagnostics"], after["diagnostics"]);
    let is_left = |result: &&Value| result.get("fix").is_some_and(|fix| fix["unsafe"] != true);
    assert_eq!(after["results"].as_array().unwrap().iter().find(is_left), None);

    let gone: BTreeSet<&(String, String)> = old.difference(&new).collect();
    assert!(gone.len() >= 20, "{gone:?}");
    let mut compared = 0;
    for file in gone.iter().map(|it| &it.0).collect::<BTreeSet<_>>() {
        let results = before["results"].as_array().unwrap().iter().filter(|it| it["template"] == **file);
        let fixes: Vec<&Value> = results.filter_map(|it| it.get("fix")).filter(|fix| fix["unsafe"] != true).collect();
        // Of suggestions for the same lines, a reader can take one.
        let range = |fix: &Value| (fix["line"].as_u64(), fix["end_line"].as_u64());
        let mut ranges: Vec<_> = fixes.iter().map(|fix| range(fix)).collect();
        ranges.sort_unstable();
        if ranges.windows(2).any(|pair| pair[1].0 <= pair[0].1) {
            continue;
        }
        if fixes.len() < gone.iter().filter(|it| it.0 == *file).count() {
            continue;
        }
        let [text, written] = [&untouched, &fixed].map(|it| fs::read_to_string(it.path().join(file)).unwrap());
        assert_eq!(suggested(&text, &fixes), written, "{file}");
        compared += 1;
    }
    assert!(compared >= 15, "{compared} files could be compared");
}
