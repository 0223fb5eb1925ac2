//! What a run takes from the files around a template, and what it does not take from the machine.

use crate::harness::{Ended, Folder, parameters, template};

/// A rule that wants `httpsOnly`, as a file.
const RULE: &str = r#"[{
  "id": "T-1", "name": "HttpsOnly", "shortDescription": "use https", "fullDescription": "use https", "severity": 2,
  "evaluation": {"resourceType": "Microsoft.Web/sites", "path": "properties.httpsOnly", "equals": true}
}]"#;

const CHECK: [&str; 6] = ["check", "--no-builtin-rules", "--rules", "rules.json", "--format", "json"];

fn check(folder: &Folder, path: &str) -> Ended {
    let mut arguments = CHECK.to_vec();
    arguments.push(path);
    folder.write("rules.json", RULE).run(&arguments)
}

/// The findings of a report, as `outcome file:line path`.
fn findings(ended: &Ended) -> Vec<String> {
    let report = ended.json();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let line = |it: &serde_json::Value| {
        let location = &it["location"];
        format!("{} {}:{} {}", text(&it["outcome"]), text(&location["file"]), location["line"], text(&it["path"]))
    };
    report["results"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn a_finding_in_a_linked_template_points_into_its_file() {
    let site = r#""parameters": {"https": {"type": "bool"}},
  "resources": [{"type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "name": "app",
    "properties": {"httpsOnly": "[parameters('https')]"}}]"#;
    let main = r#""resources": [{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d",
    "properties": {"mode": "Incremental", "templateLink": {"relativePath": "nested/site.json"}, "parameters": {"https": {"value": false}}}}]"#;
    let folder = Folder::new();
    folder.write("main.json", template(main)).write("nested/site.json", template(site));
    let ended = check(&folder, "main.json");
    let path = "resources[0].properties.template.resources[0].properties.httpsOnly";
    assert_eq!(findings(&ended), [format!("failed nested/site.json:6 {path}")], "{ended:?}");
    assert_eq!(ended.diagnostics(), [""; 0]);
}

#[test]
fn exported_resources_are_checked_like_a_template() {
    let site = r#"{"id": "/subscriptions/s/resourceGroups/g/providers/Microsoft.Web/sites/app", "name": "app",
    "type": "Microsoft.Web/sites", "properties": {
      "httpsOnly": false}}"#;
    let folder = Folder::new();
    folder.write("list.json", format!("[{site}]")).write("answer.json", format!("{{\"value\": [{site}]}}"));
    let expected = [
        "failed answer.json:3 value[0].properties.httpsOnly".to_owned(),
        "failed list.json:3 [0].properties.httpsOnly".to_owned(),
    ];
    let ended = check(&folder, ".");
    assert_eq!((findings(&ended), ended.code), (expected.to_vec(), 1), "{ended:?}");
    let expanded = folder.run(&["expand", "list.json"]).json();
    assert_eq!(expanded["resources"][0]["name"], "app");
    assert_eq!(expanded["resources"][0]["_formwork"]["path"], "[0]");
}

#[test]
fn what_may_be_either_is_decided_where_both_agree() {
    let folder = Folder::new();
    let check_value = |value: &str| {
        let parameters = r#""unset": {"type": "bool"}, "tier": {"type": "string", "allowedValues": ["a", "b"]}"#;
        let site = format!(
            r#""parameters": {{{parameters}}}, "resources": [{{"type": "Microsoft.Web/sites",
            "apiVersion": "2022-09-01", "name": "app", "properties": {{"httpsOnly": "{value}"}}}}]"#
        );
        folder.write("main.json", template(&site));
        let ended = folder.write("rules.json", RULE).run(&[&CHECK[..], &["--show-passed", "main.json"]].concat());
        ended.json()["results"][0]["outcome"].as_str().unwrap().to_owned()
    };
    assert_eq!(check_value("[if(parameters('unset'), 'off', 'never')]"), "failed");
    assert_eq!(check_value("[if(parameters('unset'), true(), false())]"), "unknown");
    assert_eq!(check_value("[if(parameters('unset'), if(parameters('unset'), true(), true()), true())]"), "passed");
    assert_eq!(check_value("[contains('abc', parameters('tier'))]"), "passed");
    assert_eq!(check_value("[equals(parameters('tier'), 'c')]"), "failed");
    assert_eq!(check_value("[equals(parameters('tier'), 'a')]"), "unknown");
}

/// A template that speaks of time, places, order, case and chance.
const SENSITIVE: &str = r#""parameters": {
    "now": {"type": "string", "defaultValue": "[utcNow()]"},
    "id": {"type": "string", "defaultValue": "[newGuid()]"},
    "missing": {"type": "string"}},
  "variables": {
    "names": ["i", "I", "ß", "ä", "Z", "a", "İ"],
    "copy": [{"name": "upper", "count": 7, "input": "[toUpper(variables('names')[copyIndex('upper')])]"}]},
  "resources": [{
    "type": "Microsoft.Web/sites", "apiVersion": "2022-09-01", "location": "[resourceGroup().location]",
    "name": "[format('app-{0}', uniqueString(resourceGroup().id, parameters('id')))]",
    "properties": {
      "httpsOnly": "[greater('A', 'a')]",
      "sorted": "[sort(variables('names'), lambda('a', 'b', less(lambdaVariables('a'), lambdaVariables('b'))))]",
      "upper": "[variables('upper')]",
      "date": "[dateTimeAdd(parameters('now'), 'P1M', 'dddd, dd MMMM yyyy HH:mm')]",
      "local": "[dateTimeAdd('2020-03-29T02:30:00', 'PT1H')]",
      "number": "[format('{0:N2} {1}', 1234567, json('1.5'))]",
      "missing": "[concat(parameters('missing'), guid('x'))]"}}],
  "outputs": {"items": {"type": "array", "value": "[items(createObject('b', 1, 'B', 2, 'a', 3))]"}}"#;

#[test]
fn output_does_not_depend_on_folder_locale_time_zone_or_run() {
    let runs = |variables: &[(&str, &str)]| {
        let folder = Folder::new();
        folder.write("a/main.json", template(SENSITIVE)).write("a/main.parameters.json", parameters(""));
        folder.write("rules.json", RULE);
        [&["expand", "a/main.json"][..], &[&CHECK[..], &["."]].concat()].map(|arguments| {
            let ended = folder.run_with(arguments, variables, b"");
            assert!(ended.stdout.contains("\"main.json\"") || ended.stdout.contains("a/main.json"), "{ended:?}");
            (ended.stdout, ended.stderr)
        })
    };
    let first = runs(&[]);
    for variables in [
        [("TZ", "Pacific/Kiritimati"), ("LANG", "tr_TR.UTF-8"), ("LC_ALL", "tr_TR.UTF-8"), ("RAYON_NUM_THREADS", "1")],
        [("TZ", "America/New_York"), ("LANG", "de_DE.UTF-8"), ("LC_ALL", "C"), ("RAYON_NUM_THREADS", "7")],
    ] {
        assert_eq!(runs(&variables), first);
    }
}
