//! What is wrong inside a template, what could not be read, and what could not be decided.

use serde_json::{Value, json};

use crate::harness::{Ended, Folder, parameters, template};

/// A storage account with this name, and a resource whose property fails.
fn failing(before: &str) -> String {
    let site =
        r#"{"type": "A.B/sites", "apiVersion": "2020-01-01", "name": "site", "properties": {"list": ["[int('x')]"]}}"#;
    template(&format!("\"resources\": [{before}\n{site}]"))
}

const OTHER: &str = r#"{"type": "A.B/sites", "apiVersion": "2020-01-01", "name": "other"},"#;

fn folder(content: &str) -> Folder {
    let folder = Folder::new();
    folder.write("main.json", content);
    folder
}

fn checked(folder: &Folder, arguments: &[&str]) -> Ended {
    folder.run(&[&["check", "main.json"], arguments].concat())
}

/// The exit code, and each result as `outcome rule path`.
fn results(folder: &Folder, arguments: &[&str]) -> (i32, Vec<String>) {
    let ended = checked(folder, &[arguments, &["--format", "json"]].concat());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let shown = |it: &Value| format!("{} {} {}", text(&it["outcome"]), text(&it["rule"]), text(&it["path"]));
    (ended.code, ended.json()["results"].as_array().unwrap().iter().map(shown).collect())
}

const FOUND: &str = "failed expression/failed resources[0].properties.list[0]";

mod inside {
    use super::*;

    #[test]
    fn an_expression_that_fails_is_a_finding_of_high_severity_at_its_path() {
        let report = checked(&folder(&failing("")), &["--format", "json"]).json();
        let result = &report["results"][0];
        assert_eq!((result["severity"].clone(), report["summary"]["errors"].clone()), (json!(1), json!(0)));
        assert_eq!(result["resource"]["name"], "site");
        assert_eq!(report["diagnostics"], json!([]));
        assert_eq!(results(&folder(&failing("")), &[]), (1, vec![FOUND.to_owned()]));
    }

    #[test]
    fn a_message_tells_what_is_null_from_what_is_missing() {
        let says = |profile: &str| {
            let cluster = format!(
                r#""type": "Microsoft.ContainerService/managedClusters", "apiVersion": "2024-09-01", "name": "c",
                "properties": {{{profile}}}"#
            );
            let report =
                checked(&folder(&template(&format!(r#""resources": [{{{cluster}}}]"#))), &["--format", "json"]).json();
            let of_rule = report["results"].as_array().unwrap().iter().find(|it| it["rule"] == "AZ-AKS-005").cloned();
            of_rule.unwrap()["message"].as_str().unwrap().rsplit_once(": ").unwrap().1.to_owned()
        };
        assert_eq!(says(""), "`managed` is missing; expected `true`");
        assert_eq!(
            says(r#""aadProfile": "[null()]""#),
            "`managed` is missing, because `aadProfile` is `null`; expected `true`"
        );
        assert_eq!(says(r#""aadProfile": {"managed": "[null()]"}"#), "`managed` is `null`; expected `true`");
    }

    #[test]
    fn it_stays_the_same_when_lines_and_resources_are_added_before_it() {
        let fingerprint = |content: &str| {
            let report = checked(&folder(content), &["--format", "json"]).json();
            report["results"][0]["fingerprint"].clone()
        };
        let first = fingerprint(&failing(""));
        assert!(first.is_string());
        assert_eq!(first, fingerprint(&failing(&format!("\n\n{OTHER}"))));
        assert_ne!(first, fingerprint(&failing("").replace("\"site\"", "\"page\"")));
    }

    #[test]
    fn only_its_id_turns_it_off() {
        let folder = folder(&failing(""));
        folder.write("formwork.yaml", "rules: { exclude: [expression/failed] }\n");
        assert_eq!(results(&folder, &[]), (0, Vec::new()));
        for others in [
            "rules: { include: [AZ-STORAGE-001] }\n",
            "rules: { builtin: false }\n",
            "rules: { exclude: ['AZ-STORAGE-001'] }\n",
        ] {
            folder.write("formwork.yaml", others);
            assert_eq!(results(&folder, &[]), (1, vec![FOUND.to_owned()]), "{others}");
        }
        folder.write("formwork.yaml", "rules: { severity: { expression/failed: low } }\nfail-on: medium\n");
        assert_eq!(results(&folder, &[]).0, 0);
    }

    #[test]
    fn excluding_the_id_silences_its_warnings_too() {
        let folder = folder(&template(r#""parameters": {"p": {"type": "string"}}, "resources": []"#));
        folder.write("main.parameters.json", parameters(""));
        let diagnostics = || checked(&folder, &["--format", "json", "--no-builtin-rules"]).diagnostics();
        assert_eq!(diagnostics(), ["parameter/missing main.json:4"]);
        folder.write("formwork.yaml", "rules: { exclude: [parameter/missing] }\n");
        assert_eq!(diagnostics(), [""; 0]);
    }

    #[test]
    fn every_format_has_it_as_a_finding() {
        let folder = folder(&failing(""));
        for (format, expected) in [
            ("console", "high[expression/failed]: "),
            ("concise", "main.json:5:93: high[expression/failed] "),
            ("sarif", "\"ruleId\": \"expression/failed\""),
            ("github", "::error file=main.json,title=expression/failed Expression.Failed,line=5"),
            ("markdown", "<code>expression/failed</code>"),
            ("junit", "<failure message="),
        ] {
            let ended = checked(&folder, &["--format", format]);
            assert!(ended.stdout.contains(expected), "{format}: {}", ended.stdout);
            assert_eq!(ended.code, 1, "{format}");
        }
    }

    #[test]
    fn it_is_described_like_a_rule() {
        let shown = Folder::new().run(&["rules", "show", "template/duplicate"]);
        assert!(
            shown.stdout.starts_with("template/duplicate  Template.Duplicate\nSeverity: high\n"),
            "{}",
            shown.stdout
        );
    }

    #[test]
    fn the_file_and_path_are_those_of_its_cause() {
        let link = r#""resources": [{"type": "Microsoft.Resources/deployments", "apiVersion": "2020-10-01", "name": "n",
            "properties": {"mode": "Incremental", "templateLink": {"relativePath": "linked.json"}}}]"#;
        let folder = folder(&template(link));
        folder.write("linked.json", failing(OTHER));
        let report = checked(&folder, &["--format", "json"]).json();
        let result = &report["results"][0];
        let place = [&result["template"], &result["location"]["file"], &result["resource"]["name"]];
        assert_eq!(place, ["main.json", "linked.json", "site"]);
        assert_eq!(result["path"], "resources[1].properties.list[0]");
        folder.write("main.json", template(r#""resources": []"#));
        folder.write("main.parameters.json", parameters(r#""nothing": {"value": 1}"#));
        assert_eq!(results(&folder, &[]), (1, vec!["failed parameter/undefined parameters.nothing".to_owned()]));
    }

    #[test]
    fn metadata_of_a_stack_resource_suppresses_it() {
        let stack = |metadata: &str| {
            let body = "Type: AWS::SNS::Topic\n    Properties:\n      TopicName: !Select [3, [a]]\n";
            format!("AWSTemplateFormatVersion: 2010-09-09\nResources:\n  Topic:\n    {metadata}{body}")
        };
        let folder = Folder::new();
        let outcome = |content: String| {
            folder.write("main.json", content);
            let mut found = results(&folder, &["--no-builtin-rules"]);
            (found.0, found.1.pop().unwrap())
        };
        let path = "Resources.Topic.Properties.TopicName";
        let (code, found) = outcome(stack(""));
        assert!(code == 1 && found.starts_with("failed expression/") && found.contains(path), "{found}");
        let id = found.split(' ').nth(1).unwrap();
        let metadata = format!("Metadata: {{guard: {{SuppressedRules: [{id}]}}}}\n    ");
        let (code, found) = outcome(stack(&metadata));
        assert!(code == 0 && found.starts_with("suppressed"), "{found}");
    }

    #[test]
    fn expand_lists_it_as_an_issue_and_fails() {
        let ended = folder(&failing("")).run(&["expand", "main.json"]);
        let document = ended.json();
        assert_eq!((ended.code, &document["diagnostics"]), (1, &json!([])));
        let issue = &document["issues"][0];
        assert_eq!([&issue["code"], &issue["path"]], ["expression/failed", "resources[0].properties.list[0]"]);
        assert!(ended.stderr.contains("high[expression/failed]"), "{}", ended.stderr);
        assert_eq!(document["resources"][1]["name"], "site");
        let explained = folder(&failing("")).run(&["explain", "main.json", "resources[0].name"]);
        assert_eq!(explained.code, 1, "{explained:?}");
    }
}

mod unreadable {
    use super::*;

    #[test]
    fn what_cannot_be_parsed_is_a_warning_on_request() {
        let folder = folder("{");
        folder.write("other.json", failing(""));
        assert_eq!(checked(&folder, &[]).code, 3);
        let allowed = checked(&folder, &["--allow-unreadable", "--format", "json"]);
        let report = allowed.json();
        assert_eq!((allowed.code, &report["diagnostics"][0]["level"]), (0, &json!("warning")));
        assert_eq!([&report["summary"]["errors"], &report["summary"]["unreadable"]], [0, 1]);
        assert_eq!(checked(&folder, &["--allow-unreadable", "--require-inputs"]).code, 0);
        // Findings still count.
        assert_eq!(checked(&folder, &["--allow-unreadable", "other.json"]).code, 1);
        folder.write("formwork.yaml", "allow-unreadable: true\n");
        assert_eq!(checked(&folder, &[]).code, 0);
        folder.write("formwork.yaml", "allow-unreadable: maybe\n");
        let invalid = checked(&folder, &[]);
        assert_eq!(invalid.code, 2);
        assert!(invalid.stderr.contains("`allow-unreadable`: expected `true` or `false`"), "{}", invalid.stderr);
    }

    #[test]
    fn a_limit_is_not_a_finding() {
        let long =
            "\"outputs\": {\"o\": {\"type\": \"int\", \"value\": \"[length(range(0, 9000))]\"}}, \"resources\": []";
        let folder = folder(&template(long));
        folder.write("formwork.yaml", "limits: { steps: 1 }\n");
        assert_eq!(checked(&folder, &[]).code, 3);
        let allowed = checked(&folder, &["--allow-unreadable", "--fail-on", "never", "--format", "json"]);
        assert_eq!((allowed.code, &allowed.json()["diagnostics"][0]["code"]), (0, &json!("expression/limit")));
    }
}

mod undecided {
    use super::*;

    const RULE: &str = r#"[{
      "id": "T-1", "name": "Tls", "shortDescription": "use TLS", "fullDescription": "use TLS", "severity": 2,
      "evaluation": {"resourceType": "A.B/sites", "path": "properties.tls", "equals": true}
    }]"#;

    fn site() -> Folder {
        let folder = folder(&template(
            r#""parameters": {"tls": {"type": "bool"}}, "resources": [
            {"type": "A.B/sites", "apiVersion": "2020-01-01", "name": "s", "properties": {"tls": "[parameters('tls')]"}}]"#,
        ));
        folder.write("rules.json", RULE);
        folder
    }

    const RULES: [&str; 3] = ["--no-builtin-rules", "--rules", "rules.json"];

    fn run(folder: &Folder, arguments: &[&str]) -> Ended {
        checked(folder, &[&RULES, arguments].concat())
    }

    #[test]
    fn it_fails_the_run_on_request_from_the_severity_of_fail_on() {
        let folder = site();
        assert_eq!(run(&folder, &[]).code, 0);
        assert_eq!(run(&folder, &["--fail-on-unknown"]).code, 1);
        assert_eq!(run(&folder, &["--fail-on-unknown", "--fail-on", "high"]).code, 0);
        assert_eq!(run(&folder, &["--fail-on-unknown", "--fail-on", "never"]).code, 0);
        assert_eq!(run(&folder, &["--fail-on-unknown", "--set", "tls=true"]).code, 0);
        folder.write("formwork.yaml", "fail-on-unknown: true\n");
        let ended = run(&folder, &["--format", "concise"]);
        assert_eq!(ended.code, 1);
        assert!(ended.stdout.contains("undecided[T-1] use TLS"), "what fails a run is shown: {}", ended.stdout);
    }

    #[test]
    fn every_format_says_why() {
        let folder = site();
        let why = "because parameter `tls` has no value";
        let report = run(&folder, &["--format", "json"]).json();
        let reason = report["results"][0]["reason"].as_str().unwrap();
        assert!(reason.starts_with("`resources[0].properties.tls`: ") && reason.ends_with(why), "{reason}");
        for format in ["console", "concise", "sarif", "github", "markdown"] {
            let hidden = run(&folder, &["--format", format]).stdout;
            assert!(!hidden.contains("has no value"), "{format}: {hidden}");
            let shown = run(&folder, &["--format", format, "--show-unknown"]).stdout;
            assert!(shown.contains("has no value"), "{format}: {shown}");
        }
        let junit = run(&folder, &["--format", "junit"]).stdout;
        assert!(junit.contains("<skipped message=\"unknown: `resources[0].properties.tls`: use TLS"), "{junit}");
        let sarif: Value =
            serde_json::from_str(&run(&folder, &["--format", "sarif", "--show-unknown"]).stdout).unwrap();
        let result = &sarif["runs"][0]["results"][0];
        assert_eq!([&result["kind"], &result["level"]], ["open", "none"]);
    }
}

mod passwords {
    use super::*;

    /// What is found at the password of a server, which comes from a parameter with this value.
    fn secrets(value: &str) -> Vec<String> {
        let server = r#"{"type": "Microsoft.Sql/servers", "apiVersion": "2021-11-01", "name": "s", "location": "westeurope",
            "properties": {"administratorLogin": "a", "administratorLoginPassword": "[parameters('p')]"}}"#;
        let folder =
            folder(&template(&format!(r#""parameters": {{"p": {{"type": "string"}}}}, "resources": [{server}]"#)));
        folder.write("main.parameters.json", parameters(&format!(r#""p": {{"value": "{value}"}}"#)));
        let shown = results(&folder, &[]).1;
        shown.into_iter().filter(|result| result.contains("secret/") && result.ends_with("Password")).collect()
    }

    #[test]
    fn a_password_that_is_not_secure_is_reported_once() {
        let path = "resources[0].properties.administratorLoginPassword";
        assert_eq!(secrets("hunter2"), [format!("failed secret/credential {path}")]);
        assert_eq!(secrets("#{password}#"), [format!("failed secret/property {path}")]);
    }

    #[test]
    fn what_is_made_of_a_secure_parameter_that_is_empty_by_default_is_secure() {
        let found = |kind: &str, value: &str| {
            let secret = format!(
                r#"{{"type": "Microsoft.KeyVault/vaults/secrets", "apiVersion": "2023-07-01", "name": "v/s",
                "properties": {{"value": "[{value}]"}}}}"#
            );
            let parameters = format!(
                r#""p": {{"type": "{kind}", "defaultValue": ""}}, "admin": {{"type": "string", "defaultValue": "a"}}"#
            );
            let main = template(&format!(r#""parameters": {{{parameters}}}, "resources": [{secret}]"#));
            let shown = results(&folder(&main), &[]).1;
            shown.iter().filter(|result| result.contains("secret/property")).count()
        };
        for value in ["concat('Basic ', parameters('p'))", "base64(concat(parameters('admin'), ':', parameters('p')))"]
        {
            assert_eq!([found("securestring", value), found("string", value)], [0, 1], "{value}");
        }
        // What is written beside it is.
        for value in
            ["if(empty(parameters('p')), 'hunter2', parameters('p'))", "if(true(), 'hunter2', parameters('p'))"]
        {
            assert_eq!(found("securestring", value), 1, "{value}");
        }
        // A vault takes no empty secret.
        assert_eq!(found("securestring", "if(empty(parameters('p')), 'dummy', parameters('p'))"), 0);
    }
}
