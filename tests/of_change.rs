//! Which findings are of a change: `--filter-mode=added` and `--fail-on-scope=changed`, where the change touches no line of
//! what it breaks.

use serde_json::Value;

use crate::changes::Repository;
use crate::harness::{parameters, template};

/// Rules that want a property of a site and of a queue.
const RULES: &str = r#"[
  {"id": "T-1", "name": "Https", "shortDescription": "s", "fullDescription": "f", "severity": 2,
   "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}},
  {"id": "T-2", "name": "Key", "shortDescription": "s", "fullDescription": "f", "severity": 2,
   "evaluation": {"resourceType": "AWS::SQS::Queue", "path": "Properties.KmsMasterKeyId", "exists": true}}
]"#;

/// Files of a repository. Those of the base that the head does not have are deleted.
type Files<'a> = &'a [(&'a str, &'a str)];

/// A repository in which the working tree differs from the last commit. Both have findings that are not of the change.
fn changed(base: Files<'_>, head: Files<'_>) -> Repository {
    let old = site("old", "\"httpsOnly\": false");
    let it = Repository::with(&[("rules.json", RULES), ("old.json", &old), (".gitignore", "/out\n")]);
    it.put(base).commit();
    for (name, _) in base.iter().filter(|(name, _)| head.iter().all(|(other, _)| other != name)) {
        it.remove(name);
    }
    it.put(head);
    it
}

/// The names of the resources with a finding of the change, and the exit code if only these count.
#[track_caller]
fn of_change(it: &Repository) -> (Vec<String>, i32) {
    let always =
        ["--changed", "--all", "--no-builtin-rules", "--rules=rules.json", "--bicep=builtin", "--no-cache", "-q"];
    let run = |more: &[&str]| it.run(&[&always, more].concat());
    let report = run(&["--filter-mode=added", "--format=json"]).json();
    let results = report["results"].as_array().unwrap().iter();
    let mut names: Vec<String> = results
        .filter(|it| it["rule"].as_str().is_some_and(|rule| rule.starts_with("T-")))
        .map(|it| it["resource"]["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    (names, run(&["--fail-on-scope=changed", "--rules-include=T-1", "--rules-include=T-2"]).code)
}

#[track_caller]
fn check(base: Files<'_>, head: Files<'_>, expected: &[&str]) {
    let expected = (expected.iter().map(ToString::to_string).collect(), i32::from(!expected.is_empty()));
    assert_eq!(of_change(&changed(base, head)), expected);
}

/// Files as [`check`] takes them.
fn texts<'a>(files: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    files.iter().map(|(name, text)| (*name, text.as_str())).collect()
}

/// A template with one site, whose properties are on one line each.
fn site(name: &str, properties: &str) -> String {
    sites("\"apiVersion\": \"2022-09-01\",", name, properties)
}

/// As [`site`], with a line before the name.
fn sites(line: &str, name: &str, properties: &str) -> String {
    template(&format!(
        r#""parameters": {{"https": {{"type": "bool", "defaultValue": false}}, "on": {{"type": "bool", "defaultValue": false}}, "count": {{"type": "int", "defaultValue": 1}}}},
  "variables": {{"yes": true}},


  "resources": [
    {{
      "type": "Microsoft.Web/sites",
      {line}
      "name": "{name}",
      "location": "x",
      "properties": {{
        "enabled": true,
        {properties}
      }}
    }}
  ]"#
    ))
}

const SECURE: &str = "\"httpsOnly\": true";

mod json {
    use super::*;

    #[test]
    fn a_property_is_replaced_or_commented_out() {
        let secure = site("app", SECURE);
        check(&[("a.json", &secure)], &[("a.json", &site("app", "\"clientCertEnabled\": true"))], &["app"]);
        let commented = secure.replace("true,\n        \"httpsOnly\": true", "true\n        // \"httpsOnly\": true");
        check(&[("a.json", &secure)], &[("a.json", &commented)], &["app"]);
    }

    #[test]
    fn a_condition_is_lifted() {
        let text = |condition: &str| sites(condition, "app", "\"httpsOnly\": false");
        check(&[("a.json", &text("\"condition\": false,"))], &[("a.json", &text("\"condition\": true,"))], &["app"]);
        let template = text("\"condition\": \"[parameters('on')]\",");
        let on = |value: &str| parameters(&format!("\"on\": {{\"value\": {value}}}"));
        let files = |value: &str| {
            [("a.json", template.clone()), ("a.parameters.json", on("true")), ("a.parameters.prod.json", on(value))]
        };
        let (base, head) = (files("false"), files("true"));
        // It failed in one deployment, and fails in another one now.
        check(&texts(&base), &texts(&head), &["app"]);
        check(&texts(&head), &texts(&base), &[]);
    }

    #[test]
    fn there_are_more_copies() {
        let template = sites(
            "\"copy\": {\"name\": \"c\", \"count\": \"[parameters('count')]\"},",
            "[concat('app', copyIndex())]",
            "\"httpsOnly\": false",
        );
        let more = template.replace("\"defaultValue\": 1", "\"defaultValue\": 2");
        let most = template.replace("\"defaultValue\": 1", "\"defaultValue\": 3");
        check(&[("a.json", &most)], &[("a.json", &more)], &[]);
        assert_eq!(of_change(&changed(&[("a.json", &more)], &[("a.json", &most)])).1, 1);
        assert_eq!(of_change(&changed(&[("a.json", &template)], &[("a.json", &more)])).1, 1);
    }

    #[test]
    fn a_parameter_file_is_removed_or_added() {
        let template = site("app", "\"httpsOnly\": \"[parameters('https')]\"");
        let with = |value: &str| parameters(&format!("\"https\": {{\"value\": {value}}}"));
        let (secure, insecure) = (with("true"), with("false"));
        check(&[("a.json", &template), ("a.parameters.json", &secure)], &[("a.json", &template)], &["app"]);
        check(
            &[("a.json", &template), ("a.parameters.json", &insecure)],
            &[("a.json", &template), ("a.parameters.json", &insecure), ("a.parameters.prod.json", &insecure)],
            &["app"],
        );
    }

    #[test]
    fn a_type_or_a_name_is_another() {
        let text = site("app", "\"httpsOnly\": false");
        let other = text.replace("Microsoft.Web/sites", "Microsoft.Web/serverfarms");
        check(&[("a.json", &other)], &[("a.json", &text)], &["app"]);
        check(&[("a.json", &text)], &[("a.json", &text.replace("\"app\"", "\"bpp\""))], &["bpp"]);
    }

    #[test]
    fn a_template_is_linked_or_changes_what_it_gives() {
        let main = |path: &str| {
            template(&format!(
                r#""resources": [{{
  "type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d", "properties": {{
    "mode": "Incremental", "templateLink": {{"relativePath": "{path}"}}
  }}
}}]"#
            ))
        };
        let (good, bad) = (site("app", SECURE), site("app", "\"httpsOnly\": false"));
        let (to_good, to_bad) = (main("nested/good.json"), main("nested/bad.json"));
        let nested = [("nested/good.json", good.as_str()), ("nested/bad.json", bad.as_str())];
        let with = |text: &str| {
            nested
                .iter()
                .map(|(name, text)| (*name, (*text).to_owned()))
                .chain([("main.json", text.to_owned())])
                .collect::<Vec<_>>()
        };
        let (base, mut head) = (with(&to_good), with(&to_bad));
        check(&texts(&base), &texts(&head), &["app"]);
        // The same template is deployed once more.
        let base = head.clone();
        head.push(("second.json", to_bad));
        check(&texts(&base), &texts(&head), &["app"]);
    }

    #[test]
    fn a_value_that_was_wrong_is_another_wrong_one() {
        let text = |value: &str| {
            site("app", "\"httpsOnly\": \"[variables('yes')]\"")
                .replace("{\"yes\": true}", &format!("{{\"yes\": {value}}}"))
        };
        check(&[("a.json", &text("false"))], &[("a.json", &text("null"))], &["app"]);
    }

    #[test]
    fn honest_edits_bring_nothing() {
        let text = site("app", "\"httpsOnly\": false");
        let base = [("infra/a.json", text.as_str())];
        check(&base, &[("infra/a.json", &format!("\n\n{text}"))], &[]);
        check(&base, &[("infra/a.json", &text.replace("\"location\": \"x\"", "\"location\": \"y\""))], &[]);
        check(&base, &[("infra/a.json", &text.replace("\"enabled\": true", "\"enabled\": false"))], &[]);
        check(&base, &[("infra/a.json", &site("app", SECURE))], &[]);
        let insecure = parameters("\"https\": {\"value\": false}");
        let it = changed(
            &[("infra/a.json", &text), ("infra/a.parameters.json", &insecure)],
            &[("infra/a.json", &text), ("infra/a.parameters.json", &insecure)],
        );
        it.git(&["mv", "infra/a.json", "infra/b.json"]);
        it.git(&["mv", "infra/a.parameters.json", "infra/b.parameters.json"]);
        assert_eq!(of_change(&it), (vec![], 0));
        it.git(&["mv", "infra", "deploy"]);
        assert_eq!(of_change(&it), (vec![], 0));
    }
}

mod bicep {
    use super::*;

    fn site(name: &str, property: &str) -> String {
        format!(
            "param on bool = false\nparam https bool = false\nparam number int = 2\n\nresource site 'Microsoft.Web/sites@2022-09-01' = {{\n  name: '{name}'\n  location: 'x'\n  properties: {{\n    enabled: true\n    {property}\n  }}\n}}\n"
        )
    }

    #[test]
    fn a_property_is_replaced_or_commented_out() {
        let secure = site("app", "httpsOnly: true");
        for other in ["clientCertEnabled: true", "// httpsOnly: true"] {
            check(&[("a.bicep", &secure)], &[("a.bicep", &site("app", other))], &["app"]);
        }
    }

    #[test]
    fn a_condition_is_lifted_and_a_loop_is_longer() {
        let text = site("app", "httpsOnly: false");
        let with = |condition: &str| text.replace("= {\n  name", &format!("= if ({condition}) {{\n  name"));
        check(&[("a.bicep", &with("on"))], &[("a.bicep", &with("!on"))], &["app"]);
        let copies = text
            .replace("= {\n  name: 'app'", "= [for i in range(0, number): {\n  name: 'app${i}'")
            .replace("\n  }\n}\n", "\n  }\n}]\n");
        let more = copies.replace("int = 2", "int = 3");
        assert_eq!(of_change(&changed(&[("a.bicep", &copies)], &[("a.bicep", &more)])).1, 1);
        assert_eq!(of_change(&changed(&[("a.bicep", &more)], &[("a.bicep", &copies)])).1, 0);
    }

    #[test]
    fn a_file_that_is_loaded_changes() {
        let text = site("app", "httpsOnly: loadJsonContent('values.json').https");
        let values = |https: &str| format!("{{\n\n  \"https\": {https}\n}}\n");
        for (before, after) in [("true", "false"), ("null", "false")] {
            let (before, after) = (values(before), values(after));
            check(
                &[("a.bicep", &text), ("values.json", &before)],
                &[("a.bicep", &text), ("values.json", &after)],
                &["app"],
            );
        }
    }

    #[test]
    fn a_module_or_a_parameter_file_changes() {
        let module = site("app", "httpsOnly: https");
        let main = "module site 'modules/site.bicep' = {\n  name: 'd'\n  params: {\n    https: true\n  }\n}\n";
        let without = main.replace("  params: {\n    https: true\n  }\n", "");
        let files = |main| [("main.bicep", main), ("modules/site.bicep", module.as_str())];
        check(&files(main), &files(&without), &["app"]);
        let secure = "using 'a.bicep'\nparam https = true\n";
        check(&[("a.bicep", &module), ("a.bicepparam", secure)], &[("a.bicep", &module)], &["app"]);
    }

    #[test]
    fn honest_edits_bring_nothing() {
        let text = site("app", "httpsOnly: false");
        let base = [("a.bicep", text.as_str())];
        check(&base, &[("a.bicep", &text.replace("location: 'x'", "location: 'y'"))], &[]);
        let it = changed(&base, &base);
        it.git(&["mv", "a.bicep", "b.bicep"]);
        assert_eq!(of_change(&it), (vec![], 0));
    }
}

mod yaml {
    use super::*;

    fn queue(property: &str) -> String {
        format!(
            "AWSTemplateFormatVersion: '2010-09-09'\nParameters:\n  Stage:\n    Type: String\n    Default: test\nConditions:\n  IsProd: !Equals [!Ref Stage, prod]\n\n\nResources:\n  Jobs:\n    Type: AWS::SQS::Queue\n    Properties:\n      DelaySeconds: 1\n{property}\n"
        )
    }

    const KEY: &str = "      KmsMasterKeyId: x";

    #[test]
    fn a_property_is_replaced_or_commented_out() {
        let secure = queue(KEY);
        for other in ["      MaximumMessageSize: 1024", "      # KmsMasterKeyId: x", "#     KmsMasterKeyId: x"] {
            check(&[("a.yaml", &secure)], &[("a.yaml", &queue(other))], &["Jobs"]);
        }
    }

    #[test]
    fn a_condition_is_lifted() {
        let text = queue("    Condition: IsProd").replace("    Condition: IsProd", "");
        let text = text.replace("    Type: AWS::SQS::Queue", "    Type: AWS::SQS::Queue\n    Condition: IsProd");
        let lifted = text.replace("Default: test", "Default: prod");
        check(&[("a.yaml", &text)], &[("a.yaml", &lifted)], &["Jobs"]);
        let key = queue("      KmsMasterKeyId: !If [IsProd, !Ref AWS::NoValue, x]");
        check(&[("a.yaml", &key)], &[("a.yaml", &key.replace("Default: test", "Default: prod"))], &["Jobs"]);
    }

    #[test]
    fn honest_edits_bring_nothing() {
        let text = queue("      MaximumMessageSize: 1024");
        let other = format!("{text}  Other:\n    Type: AWS::SNS::Topic\n");
        check(&[("a.yaml", &text)], &[("a.yaml", &other)], &[]);
        check(&[("a.yaml", &text)], &[("a.yaml", &text.replace("\n\n", "\n"))], &[]);
    }
}

/// What is said of the comparison in a report.
fn notices(report: &Value) -> String {
    report["notices"].to_string()
}

#[test]
fn without_a_base_that_can_be_checked_every_finding_counts() {
    let it = changed(&[("formwork.yaml", "fail-on: [\n")], &[("formwork.yaml", "fail-on: medium\n")]);
    let run =
        |more: &[&str]| it.run(&[&["--changed", "--all", "--rules=rules.json", "--rules-include=T-1"], more].concat());
    let ended = run(&["--fail-on-scope=changed", "--format=json"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    assert!(notices(&ended.json()).contains("the base cannot be checked, so every finding counts as new"), "{ended:?}");
    let ended = run(&["--new-only", "--format=json"]);
    assert!(ended.code == 1 && notices(&ended.json()).contains("the base cannot be checked"), "{ended:?}");
}

#[test]
fn only_findings_of_the_change_are_fixed_if_only_they_are_reported() {
    let off = sites("\"apiVersion\": \"2022-09-01\", \"condition\": false,", "app", "\"httpsOnly\": false");
    let on = off.replace("\"condition\": false", "\"condition\": true");
    let it = changed(&[("a.json", &off)], &[("a.json", &on)]);
    let always = [
        "--changed",
        "--all",
        "--no-builtin-rules",
        "--rules=rules.json",
        "--filter-mode=added",
        "--fail-on-scope=changed",
        "-q",
    ];
    let ended = it.run(&[&always[..], &["--fix"]].concat());
    assert_eq!(ended.code, 0, "{ended:?}");
    let text = |name: &str| std::fs::read_to_string(it.root.join(name)).unwrap();
    assert!(text("a.json").contains(SECURE) && !text("old.json").contains(SECURE));
}
