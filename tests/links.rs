//! Linked templates of a repository: which files URLs mean, and through which templates these are checked.

use serde_json::Value;

use crate::harness::{Ended, Folder, template};

/// A rule that wants `httpsOnly`, as a file.
const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

/// A template that fails with its default.
const SITE: &str = r#""parameters": {"https": {"type": "bool", "defaultValue": false}, "name": {"type": "string", "defaultValue": "app"}},
  "resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "[parameters('name')]",
    "properties": {"httpsOnly": "[parameters('https')]"}}]"#;

fn check(folder: &Folder, arguments: &[&str]) -> Ended {
    let all = ["check", "--no-builtin-rules", "--rules", "rules.json", "--format", "json"];
    folder.write("rules.json", RULE).run(&[&all[..], arguments].concat())
}

/// What a report says: `file:line by template` for each finding, and the code of each diagnostic. Which links are guesses, the
/// tests of what is not checked say.
fn said(ended: &Ended) -> Vec<String> {
    let report = ended.json();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let finding = |it: &Value| {
        let location = &it["location"];
        format!("{}:{} by {}", text(&location["file"]), location["line"], text(&it["template"]))
    };
    let findings = report["results"].as_array().unwrap().iter().map(finding);
    let problem = |it: &Value| format!("{} {}", text(&it["file"]), text(&it["code"]));
    let problems = report["diagnostics"].as_array().unwrap().iter().filter(|it| it["code"] != "template/guessed");
    findings.chain(problems.map(problem)).collect()
}

/// A deployment of the template at a URI.
fn deployment(uri: &str, rest: &str, arguments: &str) -> String {
    format!(
        r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d", {rest}
        "properties": {{"mode": "Incremental", "templateLink": {{"uri": "{uri}"}}, "parameters": {{{arguments}}}}}}}"#
    )
}

/// A template with such a deployment.
fn main(uri: &str, rest: &str, arguments: &str) -> String {
    template(&format!(
        r#""parameters": {{"_artifactsLocation": {{"type": "string", "defaultValue": "https://raw.githubusercontent.com/org/repo/main/app/"}},
        "_artifactsLocationSasToken": {{"type": "securestring"}}, "kind": {{"type": "string"}}, "given": {{"type": "bool"}}}},
        "variables": {{"base": "https://raw.githubusercontent.com/org/repo/main/"}},
        "resources": [{}]"#,
        deployment(uri, rest, arguments)
    ))
}

const SECURE: &str = r#""https": {"value": true}"#;

const BY_ARTIFACTS: &str =
    "[uri(parameters('_artifactsLocation'), concat('nested/site.json', parameters('_artifactsLocationSasToken')))]";

#[test]
fn a_linked_template_is_checked_with_the_values_that_it_gets() {
    for uri in [
        BY_ARTIFACTS,
        "[uri(deployment().properties.templateLink.uri, 'nested/site.json')]",
        "[concat(variables('base'), 'app/nested/site.json', parameters('_artifactsLocationSasToken'))]",
        "https://raw.githubusercontent.com/org/repo/main/app/nested/site.json?token=x",
        "https://stage.blob.core.windows.net/copy/nested/site.json",
    ] {
        let folder = Folder::new();
        folder.write("app/main.json", main(uri, "", SECURE)).write("app/nested/site.json", template(SITE));
        assert_eq!(said(&check(&folder, &["."])), [""; 0], "{uri}");
        folder.write("app/main.json", main(uri, "", ""));
        assert_eq!(said(&check(&folder, &["."])), ["app/nested/site.json:6 by app/main.json"], "{uri}");
        // A template that is named is checked on its own.
        let own = ["app/nested/site.json:6 by app/nested/site.json"];
        assert_eq!(said(&check(&folder, &["app/nested/site.json"])), own, "{uri}");
    }
}

#[test]
fn a_linked_template_may_have_been_checked_and_freed_before() {
    // The longest template is checked first, and all by one thread.
    let long = template(SITE).replacen('{', &format!("{{{}", " ".repeat(5_000)), 1);
    let folder = Folder::new();
    for (name, arguments) in [("a", ""), ("b", SECURE), ("c", "")] {
        folder.write(&format!("app/{name}.json"), main(BY_ARTIFACTS, "", arguments));
    }
    folder.write("app/nested/site.json", long);
    let said = said(&check(&folder, &[".", "--threads", "1"]));
    assert_eq!(said, ["app/nested/site.json:6 by app/a.json"]);
}

#[test]
fn a_link_that_may_lead_elsewhere_is_not_followed() {
    let own = "app/nested/site.json:6 by app/nested/site.json";
    for uri in [
        "[concat(variables('base'), parameters('kind'), '/nested/site.json')]",
        "[uri(deployment().properties.templateLink.uri, concat('nested/', parameters('kind'), 'site.json'))]",
        "https://raw.githubusercontent.com/other/library/main/site.json",
        "https://raw.githubusercontent.com/org/repo/main/../../nested/site.json",
    ] {
        let folder = Folder::new();
        folder.write("app/main.json", main(uri, "", "")).write("app/nested/site.json", template(SITE));
        assert_eq!(said(&check(&folder, &["."])), [own, "app/main.json template/remote"], "{uri}");
    }
    // The template that the URL resembles takes other parameters.
    let folder = Folder::new();
    let uri = "https://stage.blob.core.windows.net/copy/nested/site.json";
    folder.write("app/main.json", main(uri, "", r#""other": {"value": 1}"#));
    folder.write("app/nested/site.json", template(SITE));
    assert_eq!(said(&check(&folder, &["."])), [own, "app/main.json template/remote"]);
}

#[test]
fn the_remote_of_the_repository_decides() {
    let folder = Folder::new();
    let config = "[remote \"origin\"]\n\turl = git@github.com:org/repo.git\n";
    let uri = |repository: &str| format!("https://raw.githubusercontent.com/{repository}/refs/heads/main/site.json");
    folder.write(".git/config", config).write("site.json", template(SITE));
    folder.write("app/main.json", main(&uri("org/repo"), "", SECURE));
    assert_eq!(said(&check(&folder, &["."])), [""; 0]);
    folder.write("app/main.json", main(&uri("org/other"), "", SECURE));
    assert_eq!(said(&check(&folder, &["."])), ["site.json:6 by site.json", "app/main.json template/remote"]);
}

#[test]
fn a_template_that_no_deployment_reaches_is_checked_on_its_own() {
    let folder = Folder::new();
    let reached = |condition: &str| {
        folder.write("app/main.json", main(BY_ARTIFACTS, condition, SECURE));
        folder.write("app/nested/site.json", template(SITE));
        said(&check(&folder, &["."]))
    };
    let own = ["app/nested/site.json:6 by app/nested/site.json"];
    assert_eq!(reached(r#""condition": false,"#), own);
    assert_eq!(reached(r#""copy": {"name": "c", "count": 0},"#), own);
    assert_eq!(reached(r#""condition": "[parameters('given')]","#), [""; 0]);
    // The parent cannot be read.
    folder.write("app/main.json", &main(BY_ARTIFACTS, "", SECURE)[..200]);
    assert_eq!(said(&check(&folder, &["."]))[0], own[0]);
}

#[test]
fn what_two_templates_find_in_a_third_is_one_finding() {
    let folder = Folder::new();
    let named = |name: &str| main(BY_ARTIFACTS, "", &format!(r#""name": {{"value": "{name}"}}"#));
    folder.write("app/a.json", named("x")).write("app/b.json", named("y"));
    folder.write("app/nested/site.json", template(SITE));
    let fingerprints = |arguments: &[&str]| {
        let ended = check(&folder, arguments);
        assert_eq!(said(&ended).len(), 1, "{arguments:?}: {:?}", said(&ended));
        ended.json()["results"][0]["fingerprint"].as_str().unwrap().to_owned()
    };
    fingerprints(&["."]);
    // A baseline of a run over all templates holds for each of them.
    check(&folder, &[".", "--write-baseline", "baseline.json"]);
    for path in ["app/a.json", "app/b.json", "."] {
        let ended = check(&folder, &[path, "--baseline", "baseline.json"]);
        assert_eq!(ended.code, 0, "{path}: {:?}", said(&ended));
    }
    let same = |name: &str| {
        folder.write("app/a.json", named(name)).write("app/b.json", named(name));
    };
    same("z");
    assert_eq!(fingerprints(&["app/a.json"]), fingerprints(&["app/b.json"]));
}

#[test]
fn of_templates_that_link_to_each_other_one_is_checked_on_its_own() {
    let folder = Folder::new();
    let site = r#"{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app", "location": "x", "properties": {"httpsOnly": false}}"#;
    let linking = |path: &str| {
        let uri = format!("[uri(deployment().properties.templateLink.uri, '{path}')]");
        let linked = deployment(&uri, "", "");
        template(&format!(r#""resources": [{site}, {linked}]"#))
    };
    folder.write("app/a.json", linking("b.json")).write("app/b.json", linking("a.json"));
    let found = said(&check(&folder, &["."]));
    let by_a = |file: &str| found.iter().filter(|it| it.starts_with(file) && it.ends_with("by app/a.json")).count();
    // The link back is a cycle, which is a finding, too.
    assert_eq!((by_a("app/a.json"), by_a("app/b.json")), (1, 2), "{found:?}");
    assert_eq!(found.iter().filter(|it| it.contains(" by ")).count(), 3, "{found:?}");
}
