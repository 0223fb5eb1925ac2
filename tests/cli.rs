//! The program as its users call it.

use crate::harness::{Ended, Folder, parameters, template};

/// A rule that wants `httpsOnly`, as a file.
const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

fn site(https_only: &str) -> String {
    template(&format!(
        r#""parameters": {{"https": {{"type": "bool", "defaultValue": false}}, "name": {{"type": "string", "defaultValue": "app"}}}},
  "resources": [{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "[parameters('name')]", "properties": {{"httpsOnly": {https_only}}}}}]"#
    ))
}

fn checked(folder: &Folder, arguments: &[&str]) -> Ended {
    let mut all = vec!["check", "--no-builtin-rules", "--rules", "rules.json", "--format", "json"];
    all.extend(arguments);
    folder.write("rules.json", RULE).run(&all)
}

mod exit_codes {
    use super::*;

    #[track_caller]
    fn check(content: &str, arguments: &[&str], expected: i32) {
        let folder = Folder::new();
        let ended = checked(folder.write("main.json", content), arguments);
        assert_eq!(ended.code, expected, "{ended:?}");
    }

    #[test]
    fn nothing_found_is_0() {
        check(&site("true"), &[], 0);
    }

    #[test]
    fn something_found_is_1() {
        check(&site("false"), &[], 1);
        check(&site("false"), &["--fail-on", "medium"], 1);
    }

    #[test]
    fn something_below_the_threshold_is_0() {
        check(&site("false"), &["--fail-on", "high"], 0);
        check(&site("false"), &["--fail-on", "never"], 0);
    }

    #[test]
    fn a_wrong_flag_is_2() {
        check(&site("true"), &["--wrong"], 2);
        check(&site("true"), &["--fail-on", "always"], 2);
        check(&site("true"), &["--set", "novalue"], 2);
        check(&site("true"), &["--exclude", "{"], 2);
        check(&site("true"), &["--config", "missing.yaml"], 2);
        check(&site("true"), &["--rules", "missing.json"], 2);
    }

    #[test]
    fn an_input_that_cannot_be_analysed_is_3_even_beside_findings() {
        let folder = Folder::new();
        folder.write("a.json", site("false")).write("b.json", &site("true")[..150]);
        let ended = checked(&folder, &[]);
        assert_eq!(ended.code, 3, "{ended:?}");
        assert_eq!(ended.json()["summary"]["failed"], 1);
    }

    #[test]
    fn no_input_is_0_with_a_notice_or_2_if_inputs_are_required() {
        let folder = Folder::new();
        let ended = folder.run(&["check"]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, "notice: no template found\n"));
        assert_eq!(folder.run(&["check", "--require-inputs"]).code, 2);
        assert_eq!(folder.run(&["check", "--quiet"]).stderr, "");
    }
}

mod bad_inputs {
    use std::time::{Duration, Instant};

    use super::*;

    /// Names the file on the command line: it ends in time, with this diagnostic.
    #[track_caller]
    fn check(content: &[u8], expected: &str) {
        let folder = Folder::new();
        let started = Instant::now();
        let ended = checked(folder.write("x.json", content), &["x.json"]);
        assert!(started.elapsed() < Duration::from_secs(2), "{:?}", started.elapsed());
        assert_eq!((ended.diagnostics(), ended.code), (vec![expected.to_owned()], 3));
    }

    #[test]
    fn each_ends_with_a_diagnostic_at_its_line() {
        check(b"", "syntax/json x.json:1");
        check(&site("true").as_bytes()[..200], "syntax/json x.json:4");
        check(b"\x7FELF\x02\x01\x01\0\xFF\xFE", "file/encoding x.json:1");
        check(b"{\n\"a\": \"\xFF\"}", "file/encoding x.json:2");
        check("[".repeat(100_000).as_bytes(), "syntax/depth x.json:1");
        check(br#"{"name": "package"}"#, "file/not-a-template x.json:1");
    }

    #[test]
    fn a_broken_template_is_reported_once_whatever_belongs_to_it() {
        // With a comment before it, the schema is found only by parsing.
        for (first, line) in [("", 4), ("// First.\n", 5)] {
            let folder = Folder::new();
            folder
                .write("b.json", format!("{first}{}", &site("true")[..200]))
                .write("b.parameters.json", parameters(""));
            folder.write("b.dev.parameters.json", parameters(""));
            let expected = [format!("syntax/json b.json:{line}")];
            let ended = checked(&folder, &[]);
            assert_eq!((ended.code, ended.diagnostics().as_slice()), (3, &expected[..]));
            assert_eq!(ended.json()["summary"]["templates"], 0);
            // Which parameters it has is not known.
            let ended = checked(&folder, &["--set", "other=1"]);
            assert_eq!((ended.code, ended.diagnostics().as_slice()), (3, &expected[..]));
            let ended = folder.run(&["expand", "b.json"]);
            assert!(ended.code == 3 && ended.stderr.contains(&format!("b.json:{line}")), "{ended:?}");
        }
    }

    #[test]
    fn a_file_of_200_mb_is_not_read() {
        let folder = Folder::new();
        let file = std::fs::File::create(folder.path().join("big.json")).unwrap();
        file.set_len(200 << 20).unwrap();
        let named = checked(&folder, &["big.json"]);
        assert_eq!((named.diagnostics(), named.code), (vec!["file/too-large big.json:1".to_owned()], 3));
        let found = checked(&folder, &["."]);
        assert_eq!((found.diagnostics().len(), found.code), (0, 0));
    }

    #[test]
    fn utf_16_is_read() {
        let folder = Folder::new();
        let mut bytes = vec![0xFF, 0xFE];
        bytes.extend(site("false").encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(checked(folder.write("x.json", bytes), &[]).code, 1);
    }

    #[test]
    fn a_folder_that_is_named_like_a_file_is_walked() {
        let folder = Folder::new();
        let ended = checked(folder.write("x.json/main.json", site("false")), &["x.json"]);
        assert_eq!(ended.json()["results"][0]["template"], "x.json/main.json");
        let ended = folder.run(&["expand", "x.json"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
    }

    #[test]
    fn a_missing_file_does_not_hide_the_others() {
        let folder = Folder::new();
        let ended = checked(folder.write("main.json", site("false")), &["main.json", "missing.json"]);
        assert_eq!((ended.diagnostics(), ended.code), (vec!["file/unreadable missing.json:1".to_owned()], 3));
        assert_eq!(ended.json()["summary"]["failed"], 1);
    }

    #[cfg(unix)]
    #[test]
    fn link_cycles_end() {
        use std::os::unix::fs::symlink;

        let folder = Folder::new();
        folder.write("a/main.json", site("false"));
        symlink(folder.path(), folder.path().join("a/up")).unwrap();
        symlink("loop.json", folder.path().join("loop.json")).unwrap();
        let ended = checked(&folder, &[]);
        assert_eq!(ended.diagnostics(), ["file/unreadable a/up:1", "file/unreadable loop.json:1"]);
        assert_eq!((ended.json()["summary"]["templates"].as_u64(), ended.code), (Some(1), 1));
        let named = checked(&folder, &["loop.json"]);
        assert_eq!((named.diagnostics(), named.code), (vec!["file/unreadable loop.json:1".to_owned()], 3));
    }
}

mod inputs {
    use super::*;

    #[test]
    fn the_same_finding_under_two_parameter_files_is_one_that_names_both() {
        let folder = Folder::new();
        folder
            .write("main.json", site(r#""[parameters('https')]""#))
            .write("main.parameters.dev.json", parameters(r#""name": {"value": "app-dev"}"#))
            .write("main.prod.parameters.json", parameters(r#""name": {"value": "app-prod"}"#))
            .write("main.parameters.safe.json", parameters(r#""https": {"value": true}"#));
        let ended = checked(&folder, &[]);
        let report = ended.json();
        assert_eq!(report["summary"]["deployments"], 3, "{ended:?}");
        let results = report["results"].as_array().unwrap();
        assert_eq!(results.len(), 1, "{results:?}");
        let expected = serde_json::json!(["main.parameters.dev.json", "main.prod.parameters.json"]);
        assert_eq!(results[0]["parameters"], expected);
    }

    #[test]
    fn values_of_the_command_line_win() {
        let folder = Folder::new();
        folder
            .write("main.json", site(r#""[parameters('https')]""#))
            .write("other.json", parameters(r#""https": {"value": false}"#));
        assert_eq!(checked(&folder, &["main.json", "--parameters", "other.json"]).code, 1);
        assert_eq!(checked(&folder, &["main.json", "--set", "https=true"]).code, 0);
        let both = ["main.json", "--parameters", "other.json", "--set", "https=true"];
        assert_eq!(checked(&folder, &both).code, 0);
    }

    #[test]
    fn a_value_for_a_parameter_that_no_template_declares_is_refused() {
        let folder = Folder::new();
        folder
            .write("main.json", site(r#""[parameters('https')]""#))
            .write("plain.json", site("true").replace("https\": {", "plain\": {"));
        let ended = checked(&folder, &["plain.json", "--set", "https=true"]);
        assert_eq!((ended.code, ended.stderr.as_str()), (2, "error: no template declares a parameter `https`\n"));
        let ended = folder.run(&["expand", "main.json", "--set", "htps=true"]);
        let message = "error: no template declares a parameter `htps`, did you mean `https`?\n";
        assert_eq!((ended.code, ended.stderr.as_str()), (2, message));
        // One template is enough.
        assert_eq!(checked(&folder, &["main.json", "plain.json", "--set", "HTTPS=true"]).code, 0);
    }

    #[test]
    fn a_template_is_read_from_standard_input() {
        let folder = Folder::new();
        folder.write("rules.json", RULE);
        let arguments = ["check", "-", "--stdin-filename", "a/b.json", "--rules", "rules.json", "--format", "json"];
        let ended = folder.run_with(&arguments, &[], site("false").as_bytes());
        assert_eq!(ended.json()["results"][0]["template"], "a/b.json");
        assert_eq!(ended.code, 1);
    }

    #[test]
    fn a_report_does_not_depend_on_the_number_of_threads_or_on_where_the_folder_lies() {
        let report = |threads: &str| {
            let folder = Folder::new();
            for at in 0..40 {
                // Some take longer to read than all that come behind them.
                let padding = " ".repeat(if at % 5 == 0 { 400_000 } else { 0 });
                let skips = format!("{{{padding}\n  // checkov:skip=CKV_NOBODY_{at}:not ours");
                folder.write(&format!("{}/{at}.json", at % 7), site("false").replacen('{', &skips, 1));
            }
            folder.write("broken.json", &site("true")[..150]);
            checked(&folder, &["--threads", threads]).stdout
        };
        let one = report("1");
        assert!(one.contains("39.json") && one.contains("`CKV_NOBODY_39` has no counterpart"), "{one}");
        assert_eq!(one, report("4"));
    }

    #[test]
    fn a_report_on_one_long_template_does_not_depend_on_the_number_of_threads() {
        let site = |at: usize| {
            // Similar names are looked for only for the first 500 that are not known.
            let type_name = match at % 4 {
                0 => "Microsoft.Web/sites".to_owned(),
                _ => format!("Microsoft.Web/sites{at}"),
            };
            let properties =
                format!(r#""properties": {{"httpsOnly": {}, "unheardOf{at}": {at}}}"#, at.is_multiple_of(3));
            format!(r#"{{"type": "{type_name}", "apiVersion": "2022-09-01", "name": "site{at}", {properties}}}"#)
        };
        let all: Vec<String> = (0..1_000).map(site).collect();
        let folder = Folder::new();
        folder.write("main.json", template(&format!(r#""resources": [{}]"#, all.join(",\n"))));
        let report = |format: &str, threads: &str| {
            folder.run(&["check", "main.json", "--format", format, "--threads", threads]).stdout
        };
        for format in ["json", "console", "sarif"] {
            let one = report(format, "1");
            assert!(one.contains("did you mean") && one.contains("unheardOf996"), "{format}");
            assert!(one == report(format, "4"), "{format}");
        }
    }
}

mod settings {
    use super::*;

    #[test]
    fn a_wrong_value_is_reported_at_its_line_and_nothing_is_checked() {
        let folder = Folder::new();
        folder.write("main.json", site("false")).write("formwork.json", "{\n  \"fail-on\": \"always\"\n}");
        let ended = checked(&folder, &[]);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
        assert!(ended.stderr.contains("formwork.json:2:14"), "{}", ended.stderr);
    }

    #[test]
    fn an_unknown_key_is_a_warning() {
        let folder = Folder::new();
        folder.write("main.json", site("true")).write("formwork.json", r#"{"fail_on": "low"}"#);
        let ended = checked(&folder, &[]);
        assert_eq!(ended.code, 0);
        assert!(ended.stderr.contains("did you mean `fail-on`?"), "{}", ended.stderr);
    }

    #[test]
    fn limits_of_the_settings_replace_the_defaults() {
        let folder = Folder::new();
        let member =
            "\"outputs\": {\"o\": {\"type\": \"string\", \"value\": \"[string(range(0, 9000))]\"}}, \"resources\": []";
        folder.write("main.json", template(member));
        let codes = |limits: &str| {
            folder.write("formwork.yaml", limits);
            let ended = folder.run(&["check", "--format", "json", "main.json"]);
            (ended.diagnostics(), ended.code)
        };
        assert_eq!(codes(""), (Vec::new(), 0));
        for (limits, code) in [
            ("limits: {string-size: 1KiB}", "expression/limit"),
            ("limits: {file-size: 100}", "file/too-large"),
            ("limits: {steps: 1}", "expression/limit"),
        ] {
            let (problems, exit) = codes(limits);
            assert!(exit == 3 && problems.iter().all(|problem| problem.starts_with(code)), "{limits}: {problems:?}");
            assert!(!problems.is_empty(), "{limits}");
        }
    }

    #[test]
    fn rules_are_selected_and_get_severities_by_the_settings() {
        let folder = Folder::new();
        folder.write("main.json", site("false"));
        folder.write("formwork.json", r#"{"rules": {"exclude": ["t-1"]}}"#);
        assert_eq!(checked(&folder, &[]).code, 0);
        folder.write("formwork.json", r#"{"rules": {"severity": {"T-1": "low"}}}"#);
        let ended = checked(&folder, &["--fail-on", "medium"]);
        assert_eq!((ended.code, &ended.json()["results"][0]["severity"]), (0, &serde_json::json!(3)));
    }

    #[test]
    fn a_rule_file_with_a_mistake_stops_the_run_and_shows_all_of_them() {
        let folder = Folder::new();
        folder.write("main.json", site("true"));
        folder.write("bad.json", "[{\"id\": \"T-2\"},\n{\"id\": \"T-3\"}]");
        let ended = checked(&folder, &["--rules", "bad.json"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (2, ""));
        assert!(ended.stderr.contains("bad.json:1:") && ended.stderr.contains("bad.json:2:"), "{}", ended.stderr);
        assert_eq!(folder.run(&["rules", "lint", "bad.json"]).code, 2);
        assert_eq!(folder.run(&["rules", "lint", "rules.json"]).code, 0);
    }

    #[test]
    fn the_environment_is_above_the_files() {
        let folder = Folder::new();
        folder.write("formwork.json", r#"{"configuration": {"AZURE_RESOURCE_GROUP": {"name": "file"}}}"#);
        let name =
            |variables: &[(&str, &str)]| folder.run_with(&["eval", "[resourceGroup().name]"], variables, b"").stdout;
        assert_eq!(name(&[]), "\"file\"\n");
        assert_eq!(name(&[("PSRULE_CONFIGURATION_AZURE_RESOURCE_GROUP", r#"{"name": "env"}"#)]), "\"env\"\n");
    }
}

mod expand {
    use super::*;

    const SQL: &str = r#""resources": [
    {"type": "Microsoft.Sql/servers", "apiVersion": "2021-11-01", "name": "s", "properties": {"a": null, "b": "[reference('x').y]"}},
    {"type": "Microsoft.Sql/servers/firewallRules", "apiVersion": "2021-11-01", "name": "s/d", "properties": {}},
    {"type": "Microsoft.Sql/servers/databases", "apiVersion": "2021-11-01", "name": "s/e", "properties": {}}
  ]"#;

    #[test]
    fn the_root_comes_first_and_children_stand_in_their_parents() {
        let folder = Folder::new();
        folder.write("main.json", template(SQL));
        let resources = folder.run(&["expand", "main.json"]).json()["resources"].clone();
        assert_eq!(resources[0]["type"], "Microsoft.Resources/deployments");
        assert_eq!(resources[1]["resources"][0]["name"], "s/d");
        assert_eq!(resources[1]["properties"].get("a"), None);
        assert_eq!(resources[1]["_formwork"]["line"], 5);
        assert_eq!(resources[1]["_formwork"]["unknown"], serde_json::json!(["properties.b"]));
        assert_eq!(resources[2]["name"], "s/e");
        assert_eq!(resources.as_array().unwrap().len(), 3);
    }

    #[test]
    fn children_are_listed_flat_or_by_type_on_demand() {
        let folder = Folder::new();
        folder.write("main.json", template(SQL));
        let names = |arguments: &[&str]| {
            let resources = folder.run(arguments).json()["resources"].clone();
            let all = resources
                .as_array()
                .unwrap()
                .iter()
                .skip_while(|it| it["scope"] == it["properties"]["templateLink"]["id"]);
            all.map(|it| it["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&["expand", "main.json", "--flat"]), ["s", "s/d", "s/e"]);
        assert_eq!(names(&["expand", "main.json", "--resource", "microsoft.sql/servers/databases"]), ["s/e"]);
    }

    #[test]
    fn parameter_files_are_laid_over_each_other() {
        let folder = Folder::new();
        let outputs = r#""parameters": {"a": {"type": "int"}, "b": {"type": "int"}}, "resources": [],
  "outputs": {"o": {"type": "string", "value": "[format('{0}{1}', parameters('a'), parameters('b'))]"}}"#;
        folder
            .write("main.json", template(outputs))
            .write("one.json", parameters(r#""a": {"value": 1}, "b": {"value": 1}"#))
            .write("two.json", parameters(r#""b": {"value": 2}"#));
        let ended = folder.run(&["expand", "main.json", "--parameters", "one.json", "--parameters", "two.json"]);
        assert_eq!(ended.json()["outputs"]["o"]["value"], "12", "{ended:?}");
    }
}

mod eval {
    use super::*;

    #[test]
    fn a_value_goes_to_standard_output_and_a_failure_to_standard_error() {
        let folder = Folder::new();
        let ended = folder.run(&["eval", "--", "[concat('a', 'b')]"]);
        assert_eq!((ended.code, ended.stdout.as_str(), ended.stderr.as_str()), (0, "\"ab\"\n", ""));
        let ended = folder.run(&["eval", "[nothing()]"]);
        assert_eq!((ended.code, ended.stdout.as_str()), (1, ""));
        assert!(ended.stderr.contains("`nothing`"), "{}", ended.stderr);
    }

    #[test]
    fn an_expression_has_both_brackets() {
        let folder = Folder::new();
        for broken in ["[add(1, 2)", "[add(1, 2)] x", "add(1, 2)", " [add(1, 2)]", "[add(1, 2", "[add(1, 2)]]"] {
            let ended = folder.run(&["eval", "--", broken]);
            assert_eq!((ended.code, ended.stdout.as_str()), (1, ""), "{broken}");
            assert!(ended.stderr.starts_with("error[expression/syntax]"), "{broken}: {}", ended.stderr);
        }
        for string in ["[abc", "add", "x]", "[[add(1, 2)]"] {
            assert_eq!(folder.run(&["eval", "--", string]).code, 0, "{string}");
        }
    }

    #[test]
    fn a_value_for_a_parameter_that_is_not_used_is_refused() {
        let folder = Folder::new();
        let ended = folder.run(&["eval", "[parameters('size')]", "--set", "sise=1"]);
        let message = "error: the expression uses no parameter `sise`, did you mean `size`?\n";
        assert_eq!((ended.code, ended.stderr.as_str()), (2, message));
        assert_eq!(folder.run(&["eval", "[parameters(concat('si', 'ze'))]", "--set", "size=1"]).code, 0);
    }

    #[test]
    fn parameters_come_from_the_context_from_files_and_from_the_command_line() {
        let folder = Folder::new();
        folder
            .write("context.json", r#"{"parameters": {"a": "[toUpper('x')]", "b": 1, "c": 1}}"#)
            .write("p.json", parameters(r#""b": {"value": 2}, "c": {"value": 2}"#));
        let expression = "[createArray(parameters('a'), parameters('b'), parameters('c'))]";
        let ended =
            folder.run(&["eval", expression, "--context", "context.json", "--parameters", "p.json", "--set", "c=3"]);
        assert_eq!(ended.json(), serde_json::json!(["X", 2, 3]), "{ended:?}");
    }
}

#[test]
fn a_closed_pipe_is_not_an_error() {
    use std::io::Read;
    use std::process::{Command, Stdio};

    let folder = Folder::new();
    for at in 0..300 {
        folder.write(&format!("{at}.json"), site("false"));
    }
    folder.write("rules.json", RULE);
    let mut child = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(["check", "--rules", "rules.json", "--format", "json"])
        .current_dir(folder.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(1), ""));
}
