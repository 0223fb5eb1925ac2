//! `formwork rules schema` and `rules test`, as an author of rules uses them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Ended, Folder, template};
use crate::rules::files_below;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

mod schema {
    use super::*;

    fn printed() -> Value {
        let ended = Folder::new().run(&["rules", "schema"]);
        assert_eq!((ended.code, ended.stderr.as_str()), (0, ""));
        ended.json()
    }

    fn validator() -> jsonschema::Validator {
        let schema = printed();
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        jsonschema::draft202012::new(&schema).unwrap()
    }

    /// A rule around an evaluation.
    fn rule(evaluation: &Value) -> Value {
        json!({"id": "X", "name": "n", "shortDescription": "s", "fullDescription": "f", "evaluation": evaluation})
    }

    /// A rule with one member replaced, or taken away by `null`.
    fn with(name: &str, value: &Value) -> Value {
        let mut rule = rule(&json!({"path": "a", "exists": true}));
        if value.is_null() {
            rule.as_object_mut().unwrap().remove(name);
        } else {
            rule[name] = value.clone();
        }
        rule
    }

    fn lint(rule: &Value) -> Ended {
        Folder::new().write("rules.json", rule.to_string()).run(&["rules", "lint", "rules.json"])
    }

    #[test]
    fn the_embedded_rules_follow_it() {
        let validator = validator();
        let mut seen = 0;
        for path in files_below(&root().join("rules")).into_iter().filter(|path| path.strip_suffix(".json").is_some()) {
            let text = fs::read_to_string(root().join("rules").join(&path)).unwrap();
            let without_comments: Vec<&str> =
                text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
            let rule: Value = serde_json::from_str(&without_comments.join("\n")).unwrap();
            let problems: Vec<String> = validator.iter_errors(&rule).map(|problem| problem.to_string()).collect();
            assert!(problems.is_empty(), "{path}: {problems:?}");
            seen += 1;
        }
        assert!(seen > 30);
    }

    #[test]
    fn it_accepts_what_the_checks_of_rules_accept() {
        let validator = validator();
        let leaf = json!({"path": "a", "exists": true});
        let evaluations = [
            leaf.clone(),
            json!({"path": "a", "hasValue": false}),
            json!({"path": "a", "equals": null}),
            json!({"path": "a", "notEquals": {"b": [1]}}),
            json!({"path": "a", "regex": "^a"}),
            json!({"path": "a", "in": []}),
            json!({"path": "a", "less": 1.5}),
            json!({"path": "a", "lessOrEquals": 1}),
            json!({"path": "a", "greater": "2021-02-28"}),
            json!({"path": "a", "greaterOrEquals": "2021-02-28T18:17:16Z"}),
            json!({"resourceType": "A/b", "where": leaf, "allOf": [leaf]}),
            json!({"resourceType": null, "path": null, "where": null, "anyOf": [leaf, {"not": leaf}]}),
            json!({"path": "a", "evaluate": {"path": "b[*].*", "exists": true}}),
            json!({"path": "a[*]", "count": {"greater": 1, "less": 9}}),
            json!({"path": "a", "addressSpan": {"from": "b", "to": "c", "greater": 256}}),
        ];
        let mut rules: Vec<Value> = evaluations.iter().map(rule).collect();
        rules.extend([json!("high"), json!("Low"), json!(3)].iter().map(|it| with("severity", it)));
        rules.push(with("recommendation", &json!("do")));
        rules.push(with("$schema", &json!("rules.schema.json")));
        rules.push(json!([with("id", &json!("A")), with("id", &json!("B"))]));
        rules.push(json!([]));
        for rule in rules {
            let ended = lint(&rule);
            assert_eq!((ended.code, ended.stderr.as_str()), (0, ""), "{rule}");
            let problems: Vec<String> = validator.iter_errors(&rule).map(|it| it.to_string()).collect();
            assert!(problems.is_empty(), "{rule}: {problems:?}");
        }
    }

    #[test]
    fn it_refuses_what_the_checks_of_rules_refuse() {
        let validator = validator();
        let leaf = json!({"path": "a", "exists": true});
        let evaluations = [
            json!(null),
            json!([leaf]),
            json!({}),
            json!({"path": "a"}),
            json!({"path": "a", "exists": true, "regex": "a"}),
            json!({"exists": true}),
            json!({"path": null, "equals": 1}),
            json!({"path": 5, "exists": true}),
            json!({"resourceType": 5, "path": "a", "exists": true}),
            json!({"resourceType": "", "path": "a", "exists": true}),
            json!({"path": "a", "exists": null}),
            json!({"path": "a", "hasValue": "true"}),
            json!({"path": "a", "regex": 5}),
            json!({"path": "a", "in": {}}),
            json!({"path": "a", "less": true}),
            json!({"path": "a", "greater": null}),
            json!({"where": {"path": "a"}, "path": "a", "exists": true}),
            json!({"where": 5, "path": "a", "exists": true}),
            json!({"allOf": []}),
            json!({"allOf": leaf}),
            json!({"anyOf": [5]}),
            json!({"anyOf": [{"exists": true}]}),
            json!({"not": null}),
            json!({"evaluate": [leaf]}),
            json!({"path": "a[*]", "count": {}}),
            json!({"path": "a[*]", "count": {"less": "9"}}),
            json!({"path": "a", "addressSpan": {"from": "b", "to": "c"}}),
            json!({"path": "a", "addressSpan": {"from": "b", "greater": 256}}),
        ];
        let mut rules: Vec<Value> = evaluations.iter().map(rule).collect();
        let required = ["id", "name", "shortDescription", "fullDescription", "evaluation"];
        rules.extend(required.iter().map(|it| with(it, &json!(null))));
        rules.extend(required[..4].iter().flat_map(|it| [with(it, &json!(" ")), with(it, &json!(5))]));
        rules.extend([json!(0), json!(4), json!("huge"), json!([])].iter().map(|it| with("severity", it)));
        rules.extend([with("recommendation", &json!(5)), with("helpUri", &json!({}))]);
        rules.extend([json!(5), json!([5]), json!("text")]);
        for rule in rules {
            assert_eq!(lint(&rule).code, 2, "{rule}");
            assert!(!validator.is_valid(&rule), "{rule}");
        }
    }

    #[test]
    fn it_refuses_names_that_mean_nothing_which_are_warnings_for_the_checks() {
        let validator = validator();
        for rule in [with("recomendation", &json!("x")), rule(&json!({"path": "a", "exists": true, "wehre": {}}))] {
            let ended = lint(&rule);
            assert!(ended.code == 0 && ended.stderr.contains("unknown name"), "{ended:?}");
            assert!(!validator.is_valid(&rule), "{rule}");
        }
    }

    #[test]
    fn everything_in_it_is_described() {
        let schema = printed();
        let parts = &schema["$defs"];
        for part in [&parts["file"], &parts["rule"], &parts["evaluation"]["else"]] {
            for (name, property) in part["properties"].as_object().unwrap() {
                assert!(property["description"].as_str().is_some_and(|it| it.ends_with('.')), "{name}");
            }
        }
    }
}

/// A rule that wants `httpsOnly`, and one that no sample has to do with.
const RULES: &str = r#"[
  {"id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
   "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}},
  {"id": "T-2", "name": "Tags", "shortDescription": "use tags", "fullDescription": "use tags", "severity": 3,
   "evaluation": {"resourceType": "Microsoft.Web/serverFarms", "path": "tags", "exists": true}}
]"#;

/// A site, and a line below its `httpsOnly`.
fn site(https_only: &str, below: &str) -> String {
    template(&format!(
        r#""parameters": {{"https": {{"type": "bool"}}}},
  "resources": [{{
    "type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app",
    "properties": {{
      "httpsOnly": {https_only}
{below}
    }}
  }}]"#
    ))
}

/// The mark below `"httpsOnly": false`, which begins in the 7th column.
const MARK: &str = "  //  ^^^^^^^^^^^^^^^^^^ warning T-1: use https";

#[track_caller]
fn test(files: &[(&str, String)], arguments: &[&str]) -> Ended {
    let folder = Folder::new();
    folder.write("rules/rules.json", RULES);
    for (name, text) in files {
        folder.write(name, text);
    }
    folder.run(&[&["rules", "test", "--rules", "rules"], arguments].concat())
}

#[test]
fn templates_with_the_right_marks_pass() {
    let files = [
        ("tests/T-1/bad.json", site("false", MARK)),
        ("tests/T-1/good.json", site("true", "")),
        (
            "tests/T-1/open.json",
            site("\"[parameters('https')]\"", "  //  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ unknown T-1"),
        ),
    ];
    let wanted = "pass tests/T-1/bad.json: 1 mark\npass tests/T-1/good.json: 0 marks\n\
                  pass tests/T-1/open.json: 1 mark\n3 passed, 0 failed\n";
    for dirs in [&["tests"][..], &[], &["tests/T-1/bad.json", "tests/T-1/good.json", "tests/T-1/open.json"]] {
        let ended = test(&files, dirs);
        assert_eq!((ended.code, ended.stdout.as_str()), (0, wanted), "{ended:?}");
        assert_eq!(ended.stderr, "notice: no template fails `T-2`\n");
    }
}

#[test]
fn what_is_marked_and_not_reported_fails_and_so_does_the_reverse() {
    let ended = test(&[("a.json", site("true", MARK)), ("b.json", site("false", ""))], &["."]);
    let wanted = "FAIL a.json
  a.json:8:7: marked and not reported: columns 7 to 24: warning T-1: use https
FAIL b.json
  b.json:8:7: reported and not marked: columns 7 to 24: warning T-1: use https: `httpsOnly` is `false`; expected `true`
    the mark for it:
//    ^^^^^^^^^^^^^^^^^^ warning T-1: use https: `httpsOnly` is `false`; expected `true`
0 passed, 2 failed
";
    assert_eq!((ended.code, ended.stdout.as_str()), (1, wanted));
    for wrong in ["^ error T-1", " warning T-1", "^ warning T-2", "^ warning T-1: Use"] {
        let ended = test(&[("a.json", site("false", &MARK.replace("^ warning T-1: use https", wrong)))], &[]);
        assert_eq!((ended.code, ended.stdout.lines().count()), (1, 6), "{ended:?}");
    }
}

#[test]
fn the_mark_that_is_offered_is_the_right_one() {
    let offered = test(&[("a.json", site("false", ""))], &[]).stdout;
    let line = offered.lines().find(|it| it.starts_with("//")).unwrap().to_owned();
    let ended = test(&[("a.json", site("false", &line))], &[]);
    assert_eq!(ended.code, 0, "{ended:?}");
}

#[test]
fn marks_in_yaml_follow_a_number_sign() {
    let rule =
        RULES.replace("Microsoft.Web/sites", "AWS::S3::Bucket").replace("properties.httpsOnly", "Properties.Locked");
    let stack = "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  B:\n    Type: AWS::S3::Bucket\n    Properties:\n      \
                 Locked: false\n#     ^^^^^^^^^^^^^ warning T-1\n";
    let folder = Folder::new();
    folder.write("rules/rules.json", rule).write("t/b.yaml", stack);
    let ended = folder.run(&["rules", "test", "t", "--rules", "rules"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "pass t/b.yaml: 1 mark\n1 passed, 0 failed\n"));
    let ended = folder
        .write("t/b.yaml", stack.replace("#     ^^^^^^^^^^^^^ warning T-1", ""))
        .run(&["rules", "test", "t", "--rules", "rules"]);
    assert!(ended.stdout.contains("\n#     ^^^^^^^^^^^^^ warning T-1: "), "{}", ended.stdout);
}

#[test]
fn a_template_that_cannot_be_analysed_fails() {
    let ended = test(&[("a.json", site("\"[nothing()]\"", "")), ("b.json", site("true", ""))], &[]);
    assert_eq!(ended.code, 1);
    assert!(ended.stdout.starts_with("FAIL a.json\n  a.json:8:"), "{}", ended.stdout);
    assert!(ended.stdout.ends_with("1 passed, 1 failed\n"), "{}", ended.stdout);
}

#[test]
fn a_folder_without_templates_is_wrong_use() {
    let ended = test(&[("tests/readme.json", "{}".to_owned())], &["tests"]);
    assert_eq!((ended.code, ended.stderr.as_str()), (2, "error: no template found in `tests`\n"));
    assert_eq!(test(&[], &["missing"]).code, 2);
    assert_eq!(Folder::new().write("bad.json", "{").run(&["rules", "test", "--rules", "bad.json"]).code, 2);
}

#[test]
fn the_rules_of_the_settings_are_tested_where_no_others_are_named() {
    let folder = Folder::new();
    folder.write("ours/rules.json", RULES).write("t/a.json", site("false", MARK));
    folder.write("formwork.yaml", "rules: { paths: [ours] }\nexclude: [t]\n");
    let ended = folder.run(&["rules", "test", "t"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (0, "pass t/a.json: 1 mark\n1 passed, 0 failed\n"), "{ended:?}");
}

#[test]
fn the_samples_of_a_rule_of_this_repository_pass() {
    let output = Command::new(env!("CARGO_BIN_EXE_formwork"))
        .args(["rules", "test", "tests/rules/azure/storage/https-only", "--rules"])
        .arg("rules/azure/storage/https-only.json")
        .current_dir(root())
        .env_clear()
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let failed: Vec<&str> = text.lines().filter(|it| !it.starts_with("pass")).collect();
    assert!(output.status.success(), "{failed:?}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "", "a rule without a template that fails it");
}

#[test]
fn the_page_of_a_problem_says_how_it_ends_a_run() {
    let folder = Folder::new();
    let level = |code: &str| {
        let ended = folder.run(&["rules", "show", code]);
        assert_eq!(ended.code, 0, "{ended:?}");
        ended.stdout.lines().nth(1).unwrap().to_owned()
    };
    let unreadable = "Level: error; it fails the run with exit code 3, unless `--allow-unreadable` is set";
    let not_checked = "Level: note; it does not change the exit code, unless `--strict` is set: then it fails the run with exit \
                       code 3";
    for (code, expected) in [
        ("syntax/json", unreadable),
        ("config/invalid", "Level: error; it ends the run with exit code 2, and nothing is checked"),
        ("rule/syntax", "Level: error; it ends the run with exit code 2, and nothing is checked"),
        ("template/remote", not_checked),
        ("config/weakened", "Level: warning; it does not change the exit code"),
        ("baseline/stale", "Level: note; it does not change the exit code"),
    ] {
        assert_eq!(level(code), expected, "{code}");
    }
}

/// The suites and the cases of a report of tests, each with the message of its failure.
fn results(folder: &Folder) -> Vec<String> {
    let text = fs::read_to_string(folder.path().join("results.xml")).unwrap();
    let tag = |line: &str| {
        let name = line.split("name=\"").nth(1).and_then(|rest| rest.split('"').next());
        let message = line.split("message=\"").nth(1).and_then(|rest| rest.split('"').next());
        match (name, message) {
            (_, Some(message)) => Some(format!("failure: {message}")),
            (name, None) => name.map(str::to_owned),
        }
    };
    let is_shown =
        |line: &&str| ["<testsuite ", "<testcase ", "<failure "].iter().any(|one| line.trim().starts_with(one));
    text.lines().filter(is_shown).filter_map(tag).collect()
}

#[test]
fn results_of_samples_are_written_for_dashboards() {
    let folder = Folder::new();
    folder.write("rules/rules.json", RULES);
    folder.write("samples/good/a.json", site("true", ""));
    folder.write("samples/b.json", site("false", ""));
    let arguments = ["rules", "test", "samples", "--rules", "rules", "--output", "junit=results.xml"];
    let ended = folder.run(&arguments);
    assert_eq!(ended.code, 1, "{ended:?}");
    let shown = results(&folder);
    let [suite, case, failure, second, passed] = &*shown else { panic!("{shown:?}") };
    assert_eq!([suite, case, second, passed], ["samples", "b.json", "samples/good", "a.json"]);
    assert!(failure.starts_with("failure: samples/b.json:"), "{failure}");
    let wrong = folder.run(&["rules", "test", "samples", "--output", "sarif=results.sarif"]);
    assert_eq!(wrong.code, 2, "{wrong:?}");
    assert!(wrong.stderr.contains("cannot be written as `sarif`; expected `junit=FILE`"), "{wrong:?}");
}

#[test]
fn results_of_unit_tests_are_written_for_dashboards() {
    let folder = Folder::new();
    folder.write("r.guard", "rule named { Resources.*.Type exists }\n");
    let test = |name: &str, status: &str| {
        format!(
            "- name: {name}\n  input: {{Resources: {{B: {{Type: A}}}}}}\n  expectations: {{rules: {{named: {status}}}}}\n"
        )
    };
    folder.write("r_tests.yaml", test("one", "PASS") + &test("two", "SKIP"));
    let ended = folder.run(&["rules", "test", ".", "--output", "junit=results.xml"]);
    assert_eq!(ended.code, 1, "{ended:?}");
    let failure = "failure: r_tests.yaml:6:26: two: `named` is `PASS`; expected `SKIP`";
    assert_eq!(results(&folder), ["r_tests.yaml", "one", "two", failure]);
    // What is wrong with the rules is so of each test, and printed once.
    folder.write("r.guard", "rule named { Resources.* }\n");
    let ended = folder.run(&["rules", "test", ".", "--output", "junit=results.xml"]);
    assert_eq!((ended.code, ended.stdout.lines().count()), (1, 3), "{ended:?}");
    assert_eq!(results(&folder).len(), 5);
}

/// A rule about tags or locations is about resources of all types.
#[test]
fn a_rule_can_select_resources_of_all_types() {
    let rules = json!([
        {"id": "ORG-1", "name": "Tagged", "shortDescription": "s", "fullDescription": "f", "severity": 1,
            "evaluation": {"resourceType": "*", "path": "tags.costCenter", "exists": true}},
        {"id": "ORG-2", "name": "Placed", "shortDescription": "s", "fullDescription": "f", "severity": 1,
            "evaluation": {"resourceType": "*", "path": "location", "in": ["westeurope"]}},
    ]);
    let resource = |name: &str, location: &str, tags: &Value| {
        json!({"type": "Microsoft.Network/publicIPAddresses", "apiVersion": "2023-09-01", "name": name,
            "location": location, "tags": tags, "properties": {}})
    };
    let resources =
        json!([resource("one", "West Europe", &json!({"costCenter": "1"})), resource("two", "eastus", &json!({}))]);
    let folder = Folder::new();
    folder
        .write("main.json", template(&format!(r#""resources": {resources}"#)))
        .write("rules/own.json", rules.to_string());
    let ended = folder.run(&["check", "main.json", "--no-builtin-rules", "--rules", "rules", "--format", "concise"]);
    let of = |rule: &str| ended.stdout.lines().filter(|line| line.contains(rule)).count();
    assert_eq!((of("[ORG-1]"), of("[ORG-2]")), (1, 1), "{ended:?}");
    assert_eq!(folder.run(&["rules", "lint", "rules"]).stdout, "2 rules, 0 errors, 0 warnings\n");
}
