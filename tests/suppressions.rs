//! Suppressions in comments, in metadata, and in the settings.

use std::path::Path;

use serde_json::Value;

use crate::harness::{Ended, Folder, standin, template};

const PAGE: &str = include_str!("../docs/suppressing.md");

/// A site with one finding of AZ-APPSERVICE-001, on its ninth line, with `above` and `beside` there.
fn site(above: &str, beside: &str) -> String {
    template(&format!(
        r#""resources": [
  {{
    "type": "Microsoft.Web/sites", "apiVersion": "2023-12-01", "name": "app", "location": "westeurope",
    "properties": {{
      {above}
      "httpsOnly": false, {beside}
      "siteConfig": {{"minTlsVersion": "1.2", "ftpsState": "Disabled"}}
    }}
  }}]"#
    ))
}

const BICEP: &str = "resource app 'Microsoft.Web/sites@2023-12-01' = {
  name: 'app'
  location: 'westeurope'
  properties: {
    httpsOnly: false
    siteConfig: { minTlsVersion: '1.2', ftpsState: 'Disabled' }
  }
}
";

/// The variables with which the stand-in for the Bicep CLI is used.
fn bicep(folder: &Folder) -> [(&'static str, String); 2] {
    let cli = standin();
    let cache = folder.path().join("cache").display().to_string();
    [("PSRULE_AZURE_BICEP_PATH", cli.display().to_string()), ("XDG_CACHE_HOME", cache)]
}

/// The rules that run, so that other rules have nothing to say about the templates of these tests.
const RULES: [&str; 4] = ["AZ-APPSERVICE-001", "AZ-APPSERVICE-002", "AWS-S3-002", "suppression/*"];

fn run(folder: &Folder, arguments: &[&str]) -> Ended {
    let variables = bicep(folder);
    let variables: Vec<(&str, &str)> = variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let fixed = ["check", "--format", "json", "--today", "2026-06-30", "--fail-on", "low"];
    let rules = RULES.map(|rule| ["--rules-include", rule]);
    folder.run_with(&[&fixed, rules.as_flattened(), arguments].concat(), &variables, b"")
}

/// The results as `outcome rule file:line`, sorted.
#[track_caller]
fn results(ended: &Ended) -> Vec<String> {
    let report = ended.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let all = report["results"].as_array().unwrap().iter().filter(|it| it["outcome"] != "passed");
    let line = |it: &Value| {
        let place = &it["location"];
        format!("{} {} {}:{}", text(&it["outcome"]), text(&it["rule"]), text(&place["file"]), place["line"])
    };
    let mut lines: Vec<String> = all.map(line).collect();
    lines.sort();
    lines
}

/// What is found in a file that is checked on its own.
#[track_caller]
fn check(name: &str, text: &str, expected: &[&str]) {
    let folder = Folder::new();
    folder.write(name, text);
    if Path::new(name).extension().is_some_and(|extension| extension == "bicep") {
        folder.write(&format!("{name}.twin"), site("", ""));
    }
    let ended = run(&folder, &[name]);
    assert_eq!(results(&ended), expected, "{text}\n{ended:?}");
    let fails = expected.iter().any(|it| it.starts_with("failed"));
    assert_eq!(ended.code, i32::from(fails), "{ended:?}");
}

const WHY: &str = "-- a gateway redirects";

mod comments {
    use super::*;

    #[test]
    fn cover_a_property_from_above_and_beside() {
        let ignore = format!("// formwork:ignore AZ-APPSERVICE-001 {WHY}");
        check("a.json", &site("", ""), &["failed AZ-APPSERVICE-001 a.json:9"]);
        check("a.json", &site(&ignore, ""), &["suppressed AZ-APPSERVICE-001 a.json:9"]);
        check("a.json", &site("", &ignore), &["suppressed AZ-APPSERVICE-001 a.json:9"]);
        check(
            "a.json",
            &site("", &format!("/* formwork:ignore az-app* {WHY} */")),
            &["suppressed AZ-APPSERVICE-001 a.json:9"],
        );
        let named = format!("// formwork:ignore appservice.httpsonly until 2026-06-30 {WHY}\n\n// more");
        check("a.json", &site(&named, ""), &["suppressed AZ-APPSERVICE-001 a.json:11"]);
    }

    #[test]
    fn cover_all_of_a_resource() {
        let ignore = format!("// formwork:ignore AZ-APPSERVICE-001 {WHY}");
        let on_its_first_line = site("", "").replacen("  {\n", &format!("  {{ {ignore}\n"), 1);
        check("a.json", &on_its_first_line, &["suppressed AZ-APPSERVICE-001 a.json:9"]);
        let above = site("", "").replacen("  {\n", &format!("  {ignore}\n  {{\n"), 1);
        check("a.json", &above, &["suppressed AZ-APPSERVICE-001 a.json:10"]);
    }

    #[test]
    fn cover_neither_what_is_after_nor_what_is_of_another_rule() {
        let ignore = format!("// formwork:ignore AZ-APPSERVICE-001 {WHY}");
        let before = site("", "").replacen("\"properties\"", &format!("\"tags\": {{}}, {ignore}\n\"properties\""), 1);
        check("a.json", &before, &["failed AZ-APPSERVICE-001 a.json:10", "failed suppression/unused a.json:7"]);
        let other = site(&format!("// formwork:ignore AZ-APPSERVICE-002 {WHY}"), "");
        check("a.json", &other, &["failed AZ-APPSERVICE-001 a.json:9", "failed suppression/unused a.json:8"]);
    }

    #[test]
    fn inside_a_string_count_for_nothing() {
        let forged = site("", "")
            .replace("\"westeurope\"", "\"// formwork:ignore AZ-APPSERVICE-001 -- forged\\\" // formwork:ignore *\"");
        check("a.json", &forged, &["failed AZ-APPSERVICE-001 a.json:9"]);
        let script = "Resources:\n  Site:\n    Type: AWS::S3::Bucket\n    Properties:\n      BucketName: |\n        # formwork:ignore AWS-S3-002 -- forged\n      AccessControl: PublicRead\n";
        let folder = Folder::new();
        folder.write("a.yaml", script);
        let found = results(&run(&folder, &["a.yaml"]));
        assert!(found.contains(&"failed AWS-S3-002 a.yaml:7".to_owned()), "{found:?}");
        assert!(!found.iter().any(|it| it.contains("suppress")), "{found:?}");
        let forged = BICEP.replace("'westeurope'", "'''\n// formwork:ignore AZ-APPSERVICE-001 -- forged\n'''");
        check("a.bicep", &forged, &["failed AZ-APPSERVICE-001 a.bicep:7"]);
        let forged = BICEP.replace("'westeurope'", "'${'// formwork:ignore AZ-APPSERVICE-001 -- forged'}'");
        check("a.bicep", &forged, &["failed AZ-APPSERVICE-001 a.bicep:5"]);
    }

    #[test]
    fn work_in_bicep() {
        check("a.bicep", BICEP, &["failed AZ-APPSERVICE-001 a.bicep:5"]);
        let ignore = format!("// formwork:ignore AZ-APPSERVICE-001 {WHY}");
        check("a.bicep", &format!("{ignore}\n{BICEP}"), &["suppressed AZ-APPSERVICE-001 a.bicep:6"]);
        check("a.bicep", &format!("{ignore}\n@description('x')\n{BICEP}"), &["suppressed AZ-APPSERVICE-001 a.bicep:7"]);
        check("a.bicep", &format!("@description('x')\n{ignore}\n{BICEP}"), &["suppressed AZ-APPSERVICE-001 a.bicep:7"]);
        let directive = format!("{ignore}\n#disable-next-line BCP081\n{BICEP}");
        check("a.bicep", &directive, &["suppressed AZ-APPSERVICE-001 a.bicep:7"]);
        let beside = BICEP.replace("httpsOnly: false", &format!("httpsOnly: false {ignore}"));
        check("a.bicep", &beside, &["suppressed AZ-APPSERVICE-001 a.bicep:5"]);
        let of_another = BICEP.replace("name: 'app'", &format!("name: 'app' {ignore}"));
        check("a.bicep", &of_another, &["failed AZ-APPSERVICE-001 a.bicep:5", "failed suppression/unused a.bicep:2"]);
    }

    #[test]
    fn for_checkov_cover_the_resource_around_them() {
        let skip = "// checkov:skip=CKV_AZURE_14:a gateway redirects";
        let inside = BICEP.replace("name: 'app'", &format!("{skip}\n  name: 'app'"));
        check("a.bicep", &inside, &["suppressed AZ-APPSERVICE-001 a.bicep:6"]);
        check("a.bicep", &format!("{skip}\n{BICEP}"), &["suppressed AZ-APPSERVICE-001 a.bicep:6"]);
        let other = inside.replace("CKV_AZURE_14", "CKV_AZURE_15");
        check("a.bicep", &other, &["failed AZ-APPSERVICE-001 a.bicep:6"]);
    }

    #[test]
    fn suppress_problems_of_the_template() {
        let text = template(&format!(
            "\"resources\": [],\n\"outputs\": {{\n// formwork:ignore expression/* {WHY}\n\"a\": {{\"type\": \"string\", \"value\": \"[nothing()]\"}}}}"
        ));
        check("a.json", &text, &["suppressed expression/unknown-function a.json:7"]);
    }
}

mod metadata {
    use super::*;

    const ENTRY: &str = r#"{"rule": "AZ-APPSERVICE-001", "reason": "a gateway redirects"}"#;

    fn metadata(entry: &str) -> String {
        format!(r#""metadata": {{"formwork": {{"suppress": [{entry}]}}}},"#)
    }

    #[test]
    fn covers_a_resource_or_a_template() {
        let resource = site("", "").replacen("\"type\"", &format!("{} \"type\"", metadata(ENTRY)), 1);
        check("a.json", &resource, &["suppressed AZ-APPSERVICE-001 a.json:9"]);
        let root = site("", "").replacen("\"resources\"", &format!("{} \"resources\"", metadata(ENTRY)), 1);
        check("a.json", &root, &["suppressed AZ-APPSERVICE-001 a.json:9"]);
        let expired = metadata(&ENTRY.replace('}', r#", "until": "2026-06-29"}"#));
        let expired = site("", "").replacen("\"type\"", &format!("{expired} \"type\""), 1);
        check("a.json", &expired, &["failed AZ-APPSERVICE-001 a.json:9", "failed suppression/expired a.json:6"]);
    }

    #[test]
    fn covers_a_file_of_bicep() {
        let text = format!(
            "{BICEP}metadata formwork = {{ suppress: [{{ rule: 'AZ-APPSERVICE-001', reason: 'a gateway' }}] }}\n"
        );
        check("a.bicep", &text, &["suppressed AZ-APPSERVICE-001 a.bicep:5"]);
    }

    #[test]
    fn that_is_wrong_is_reported() {
        for (entry, id) in [
            (r#"{"rule": "AZ-APPSERVICE-001"}"#, "no-reason"),
            (r#""AZ-APPSERVICE-001""#, "no-reason"),
            (r#"{"rule": "AZ-APPSERVICE-001", "reason": " "}"#, "no-reason"),
            (r#"{"rule": "AZ-APPSERVICE-001", "reson": "x"}"#, "invalid"),
            (r#"{"rule": "AZ-APPSERVICE-001", "reason": "x", "until": "soon"}"#, "invalid"),
            (r#"{"reason": "x"}"#, "invalid"),
            (r#"{"rule": "AZ-7", "reason": "x"}"#, "unknown-rule"),
        ] {
            let text = site("", "").replacen("\"type\"", &format!("{} \"type\"", metadata(entry)), 1);
            check(
                "a.json",
                &text,
                &["failed AZ-APPSERVICE-001 a.json:9", &format!("failed suppression/{id} a.json:6")],
            );
        }
    }
}

mod settings {
    use super::*;

    fn folder(suppressions: &str) -> Folder {
        let folder = Folder::new();
        folder.write("infra/a.json", site("", "")).write("samples/a.json", site("", ""));
        folder.write("formwork.yaml", format!("suppressions:\n{suppressions}"));
        folder
    }

    #[track_caller]
    fn check(suppressions: &str, expected: &[&str]) {
        assert_eq!(results(&run(&folder(suppressions), &["."])), expected, "{suppressions}");
    }

    const BOTH: [&str; 2] =
        ["suppressed AZ-APPSERVICE-001 infra/a.json:9", "suppressed AZ-APPSERVICE-001 samples/a.json:9"];

    #[test]
    fn cover_paths_types_and_names() {
        check("  - {rule: az-appservice-001, reason: x}\n", &BOTH);
        check("  - {rule: [AppService.*], resource-type: microsoft.web/*, resource: APP, reason: x}\n", &BOTH);
        let in_samples = ["failed AZ-APPSERVICE-001 infra/a.json:9", "suppressed AZ-APPSERVICE-001 samples/a.json:9"];
        check("  - {rule: AZ-*, path: samples/**, reason: x, until: 2026-06-30}\n", &in_samples);
        check("  - {rule: AZ-*, path: [samples, other], reason: x}\n", &in_samples);
    }

    #[test]
    fn that_do_not_hold_are_reported() {
        let with = |id: &str| {
            ["failed AZ-APPSERVICE-001 infra/a.json:9", "failed AZ-APPSERVICE-001 samples/a.json:9", id]
                .map(str::to_owned)
        };
        for (suppression, id) in [
            ("{rule: AZ-APPSERVICE-001}", "no-reason"),
            ("{rule: AZ-APPSERVICE-001, reason: x, until: 2026-06-29}", "expired"),
            ("{rule: AZ-APPSERVICE-001, reason: x, path: nowhere/**}", "unused"),
            ("{rule: AZ-APPSERVICE-001, reason: x, resource-type: Microsoft.Storage/*}", "unused"),
            ("{rule: AZ-7, reason: x}", "unknown-rule"),
        ] {
            let found = results(&run(&folder(&format!("  - {suppression}\n")), &["."]));
            assert_eq!(found, with(&format!("failed suppression/{id} formwork.yaml:2")), "{suppression}");
        }
    }

    #[test]
    fn that_cannot_be_read_are_errors() {
        for wrong in ["{reason: x}", "{rule: [], reason: x, until: soon}", "x", "{rule: 1, reason: x}"] {
            let ended = run(&folder(&format!("  - {wrong}\n")), &["."]);
            assert_eq!(ended.code, 2, "{wrong}: {ended:?}");
            assert!(ended.stderr.contains("config/invalid"), "{ended:?}");
        }
    }

    #[test]
    fn are_for_the_whole_repository() {
        let folder = folder("  - {rule: AZ-APPSERVICE-001, reason: x, path: samples, until: 2020-01-01}\n");
        let found = results(&run(&folder, &["infra/a.json"]));
        assert_eq!(
            found,
            ["failed AZ-APPSERVICE-001 infra/a.json:9"],
            "the expired suppression has nothing to do with the file"
        );
    }
}

mod unused {
    use super::*;

    const UNUSED: &str = "// formwork:ignore AZ-APPSERVICE-002 -- x";

    #[track_caller]
    fn check_run(arguments: &[&str], is_reported: bool) {
        let folder = Folder::new();
        folder.write("a.json", site(UNUSED, "")).write("settings.yaml", "rules: {exclude: [AppService.MinTls12]}\n");
        let found = results(&run(&folder, arguments));
        let reported = found.iter().any(|it| it.starts_with("failed suppression/unused"));
        assert_eq!(reported, is_reported, "{arguments:?}: {found:?}");
    }

    #[test]
    fn suppressions_are_reported_if_all_of_the_template_was_checked() {
        check_run(&["."], true);
        check_run(&["a.json"], true);
        check_run(&["a.json", "--config", "settings.yaml"], false);
        check_run(&["a.json", "--no-builtin-rules"], false);
        check_run(&["a.json", "--dependents"], false);
    }

    #[test]
    fn suppressions_of_a_template_with_an_error_are_not_reported() {
        let text = site(UNUSED, "").replace("\"westeurope\"", "\"[nothing()]\"");
        check("a.json", &text, &["failed AZ-APPSERVICE-001 a.json:9", "failed expression/unknown-function a.json:6"]);
    }

    #[test]
    fn rules_of_a_suppression_are_reported_one_by_one() {
        let text = site(&format!("// formwork:ignore AZ-APPSERVICE-001, AZ-APPSERVICE-002 {WHY}"), "");
        check("a.json", &text, &["failed suppression/unused a.json:8", "suppressed AZ-APPSERVICE-001 a.json:9"]);
    }

    #[test]
    fn suppressions_of_unknown_verdicts_are_used() {
        let text = site(UNUSED.replace("AZ-APPSERVICE-002", "AZ-APPSERVICE-001").as_str(), "")
            .replace("false", "\"[reference('/subscriptions/1/resourceGroups/a/providers/A.B/c/d', '2020-01-01').e]\"");
        check("a.json", &text, &["suppressed AZ-APPSERVICE-001 a.json:9"]);
    }

    #[test]
    fn suppressions_of_suppression_checks_do_not_work() {
        let text = site("// formwork:ignore suppression/* -- x", "// formwork:ignore AZ-APPSERVICE-002 -- x");
        check(
            "a.json",
            &text,
            &[
                "failed AZ-APPSERVICE-001 a.json:9",
                "failed suppression/unknown-rule a.json:8",
                "failed suppression/unused a.json:9",
            ],
        );
    }
}

#[test]
fn reports_say_what_suppresses_a_finding_and_why() {
    let folder = Folder::new();
    folder.write("a.json", site("", &format!("// formwork:ignore AZ-APPSERVICE-001 {WHY}")));
    let ended = run(&folder, &["a.json", "--output", "sarif=a.sarif", "--output", "console=a.txt"]);
    let report = ended.json();
    let by = &report["results"][0]["suppressed"];
    let place = &by["place"];
    assert_eq!((&by["kind"], &by["reason"]), (&"comment".into(), &"a gateway redirects".into()));
    assert_eq!((&place["file"], &place["line"]), (&"a.json".into(), &9.into()));
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    let sarif: Value = serde_json::from_str(&read("a.sarif")).unwrap();
    let suppression = &sarif["runs"][0]["results"][0]["suppressions"][0];
    assert_eq!((&suppression["kind"], &suppression["justification"]), (&"inSource".into(), &by["reason"]));
    assert_eq!(suppression["location"]["physicalLocation"]["region"]["startLine"], 9);
    assert!(read("a.txt").contains("no findings in 1 template, 1 deployment, 1 resource; 1 suppressed"), "{ended:?}");
}

#[test]
fn what_is_suppressed_is_not_fixed() {
    let folder = Folder::new();
    let text = site(&format!("// formwork:ignore AZ-APPSERVICE-001 {WHY}"), "");
    folder.write("a.json", &text);
    assert_eq!(run(&folder, &["a.json", "--fix"]).code, 0);
    assert_eq!(std::fs::read_to_string(folder.path().join("a.json")).unwrap(), text);
}

#[test]
fn rules_are_shown_and_excluded_by_their_names() {
    let folder = Folder::new();
    folder.write("a.json", site("", "")).write("formwork.yaml", "rules: {exclude: [appservice.httpsonly]}\n");
    assert_eq!(results(&run(&folder, &["a.json"])), [""; 0]);
    folder.write("formwork.yaml", "rules: {severity: {AppService.HttpsOnly: low}}\n");
    assert_eq!(folder.run(&["check", "a.json", "--rules-include", "AZ-APPSERVICE-001"]).code, 0);
    let shown = ["AZ-APPSERVICE-001", "AppService.HttpsOnly"].map(|name| folder.run(&["rules", "show", name]).stdout);
    assert!(shown[0] == shown[1] && shown[0].starts_with("AZ-APPSERVICE-001  AppService.HttpsOnly\n"), "{shown:?}");
}

#[test]
fn a_date_has_one_form() {
    let folder = Folder::new();
    folder.write("a.json", site("", ""));
    let ended = folder.run(&["check", "a.json", "--today", "tomorrow"]);
    assert!(ended.code == 2 && ended.stderr.contains("2027-01-31"), "{ended:?}");
}

/// The blocks of the page in a language.
fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let parts: Vec<&str> = PAGE.split(fence.as_str()).skip(1).collect();
    parts.into_iter().map(|part| part.split_once("```\n").unwrap().0).collect()
}

/// The rules whose findings are suppressed, after the findings about suppressions.
fn summary(folder: &Folder, name: &str) -> Vec<String> {
    let report = run(folder, &[name]).json();
    let results = report["results"].as_array().unwrap().iter();
    let shown = |it: &Value| format!("{} {}", it["suppressed"]["kind"], it["rule"]).replace('"', "");
    let is_about = |it: &&Value| {
        it["outcome"] == "suppressed" || it["rule"].as_str().is_some_and(|rule| rule.starts_with("suppression/"))
    };
    results.filter(is_about).map(shown).collect()
}

#[test]
fn the_examples_of_the_page_suppress_what_they_name() {
    let folder = Folder::new();
    let [commented, with_metadata] = blocks("json")[..2] else { panic!("there are two templates") };
    folder.write("a.json", commented).write("b.json", with_metadata);
    assert_eq!(summary(&folder, "a.json"), ["comment AZ-APPSERVICE-001"]);
    assert_eq!(summary(&folder, "b.json"), ["metadata AZ-APPSERVICE-001"]);
    let [commented, with_metadata, settings] = blocks("yaml")[..] else { panic!("there are three files") };
    folder.write("a.yaml", commented).write("b.yaml", with_metadata);
    assert_eq!(summary(&folder, "a.yaml"), ["comment AWS-S3-002"]);
    assert_eq!(summary(&folder, "b.yaml"), ["metadata AWS-S3-002"]);

    let compiled = template(
        r#""parameters": {"location": {"type": "string", "defaultValue": "[resourceGroup().location]"}},
  "resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2023-12-01", "name": "app",
    "location": "[parameters('location')]",
    "properties": {"httpsOnly": false, "siteConfig": {"minTlsVersion": "1.0"}}}]"#,
    );
    folder.write("a.bicep", blocks("bicep")[0]).write("a.bicep.twin", compiled);
    assert_eq!(summary(&folder, "a.bicep"), ["comment AZ-APPSERVICE-001", "comment AZ-APPSERVICE-002"]);

    let folder = Folder::new();
    folder.write("formwork.yaml", settings).write("samples/a.json", site("", "").replace("\"1.2\"", "\"1.0\""));
    folder.write("b.json", site("", "").replace("\"app\"", "\"legacy-1\""));
    assert_eq!(
        summary(&folder, "."),
        ["settings AZ-APPSERVICE-001", "settings AZ-APPSERVICE-001", "settings AZ-APPSERVICE-002"]
    );
}
