//! A run has a budget: templates that each stay within the limits of one deployment do not add up.

use std::fmt::Write as _;

use crate::harness::{Folder, parameters, template};

/// What diagnostics say of a file that is beyond the budget.
const BEYOND: &str = "steps than others leave of the";

/// Settings with a tenth of the usual steps, so that the tests take a tenth of the time.
const FEWER_STEPS: &str = "limits: {steps: 300000}\n";

const FORMAT: &[&str] = &["--format", "json"];

/// A template with a finding, which must be reported whatever is beside it.
fn neighbor() -> String {
    template(
        r#""resources": [{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "neighbor",
          "location": "eastus", "sku": {"name": "Standard_LRS"}, "kind": "StorageV2",
          "properties": {"allowBlobPublicAccess": true}}]"#,
    )
}

/// Functions that call each other twice, with as many calls as a deployment may make and more.
fn bomb() -> String {
    let mut functions = String::new();
    for at in 0..30 {
        let value = format!("[add(n.f{0}(parameters('x')), n.f{0}(parameters('x')))]", at + 1);
        let _ = write!(
            functions,
            r#""f{at}": {{"parameters": [{{"name": "x", "type": "int"}}], "output": {{"type": "int", "value": "{value}"}}}}, "#
        );
    }
    template(&format!(
        r#""parameters": {{"p": {{"type": "string"}}}}, "resources": [],
        "functions": [{{"namespace": "n", "members": {{{functions}
          "f30": {{"parameters": [{{"name": "x", "type": "int"}}], "output": {{"type": "int", "value": "[parameters('x')]"}}}}}}}}],
        "outputs": {{"o": {{"type": "int", "value": "[n.f0(1)]"}}, "p": {{"type": "string", "value": "[parameters('p')]"}}}}"#
    ))
}

/// The report on a folder, whose `a.json` must have its finding. It must not depend on the number of threads.
#[track_caller]
fn report(folder: &Folder) -> String {
    folder.write("a.json", neighbor());
    let ended = folder.run(&[&["check", ".", "--threads", "1"], FORMAT].concat());
    let results = ended.json()["results"].as_array().unwrap().clone();
    let of_neighbor = |result: &serde_json::Value| result["outcome"] == "failed" && result["template"] == "a.json";
    assert!(results.iter().any(of_neighbor), "{}", ended.stdout);
    let parallel = folder.run(&[&["check", ".", "--threads", "3"], FORMAT].concat());
    assert!(ended.stdout == parallel.stdout, "{}\n{}", ended.stdout, parallel.stdout);
    ended.stdout
}

#[test]
fn many_parameter_files_of_one_template_share_a_budget() {
    let folder = Folder::new();
    folder.write("formwork.yaml", FEWER_STEPS).write("m.json", bomb());
    for at in 0..4 {
        folder.write(&format!("m.parameters.e{at}.json"), parameters(&format!(r#""p": {{"value": "v{at}"}}"#)));
    }
    let report = report(&folder);
    assert!(report.contains(BEYOND), "{report}");
}

#[test]
fn linked_templates_that_fork_share_a_budget() {
    let folder = Folder::new();
    let link = |at: usize, name: &str| {
        let properties =
            format!(r#"{{"mode": "Incremental", "templateLink": {{"relativePath": "l{}.json"}}}}"#, at + 1);
        format!(
            r#"{{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "{name}{at}", "properties": {properties}}}"#
        )
    };
    for at in 0..20 {
        let both = format!(r#""resources": [{}, {}]"#, link(at, "a"), link(at, "b"));
        folder.write(&format!("l{at}.json"), template(&both));
    }
    folder.write("formwork.yaml", FEWER_STEPS).write("l20.json", template(r#""resources": []"#));
    let report = report(&folder);
    assert!(report.contains(BEYOND), "{report}");
}

#[test]
fn nested_stacks_that_fork_share_a_budget() {
    let folder = Folder::new();
    let stack = |at: usize| {
        format!(r#"{{"Type": "AWS::CloudFormation::Stack", "Properties": {{"TemplateURL": "c{at}.json"}}}}"#)
    };
    for at in 0..15 {
        let both = format!(
            r#"{{"Resources": {{"s": {0}, "t": {0}}}, "AWSTemplateFormatVersion": "2010-09-09"}}"#,
            stack(at + 1)
        );
        folder.write(&format!("c{at}.json"), both);
    }
    folder
        .write("formwork.yaml", FEWER_STEPS)
        .write("c15.json", r#"{"AWSTemplateFormatVersion": "2010-09-09", "Resources": {}}"#);
    let report = report(&folder);
    assert!(report.contains(BEYOND), "{report}");
}

/// What an expansion takes counts for itself: whoever takes little is not cut off because others take much.
#[test]
fn a_template_that_takes_more_than_its_share_gets_what_is_left() {
    let folder = Folder::new();
    let range = "length(map(range(0, 4000), lambda('i', add(lambdaVariables('i'), 1))))";
    let value = format!("[add({range}, {range})]");
    folder.write(
        "long.json",
        template(&format!(r#""resources": [], "outputs": {{"o": {{"type": "int", "value": "{value}"}}}}"#)),
    );
    for at in 0..60 {
        folder.write(&format!("small{at}.json"), template(r#""resources": []"#));
    }
    // Its share is less than a hundredth of the budget.
    folder
        .write("large.json", template(&format!(r#""resources": [], "metadata": {{"x": "{}"}}"#, "x".repeat(100_000))));
    let report = report(&folder);
    assert!(!report.contains("steps"), "{report}");
}

/// 100 parameter files of an ordinary template are no attack.
#[test]
fn many_parameter_files_of_an_ordinary_template_are_within_the_budget() {
    let folder = Folder::new();
    let member = |at: usize| {
        format!(
            r#"{{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "[format('site-{{0}}-{at}', parameters('p'))]",
          "location": "[resourceGroup().location]", "properties": {{"httpsOnly": true}}}}"#
        )
    };
    let resources: Vec<String> = (0..20).map(member).collect();
    let text = format!(r#""parameters": {{"p": {{"type": "string"}}}}, "resources": [{}]"#, resources.join(", "));
    folder.write("m.json", template(&text));
    for at in 0..100 {
        folder.write(&format!("m.parameters.e{at}.json"), parameters(&format!(r#""p": {{"value": "v{at}"}}"#)));
    }
    let ended = folder.run(&["check", ".", "--format", "json", "--no-builtin-rules"]);
    assert!(!ended.stdout.contains("steps"), "{:.3000}", ended.stdout);
}
