//! Comparisons of small templates with exports.

mod aws;

use arcstr::ArcStr;
use formwork_arm as arm;
use formwork_model::model::{Budget, Limits, Offline};
use formwork_model::text::Sources;
use formwork_syntax::json;

use crate::{ChangeSide, Comparison, Drift, DriftOptions, DriftOutcome, Export, ExportFault};

const GROUP: &str = "/subscriptions/s/resourceGroups/g";

fn export(text: &str) -> Export {
    let value = json::parse_computed(&ArcStr::from(text), 100).unwrap();
    let mut export = Export::default();
    export.add(&value).unwrap();
    export
}

/// Compares the resources of a template, in JSON, with an export.
#[track_caller]
fn compare(resources: &str, live: &str, options: DriftOptions) -> Drift {
    let text = format!(
        r#"{{"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "parameters": {{"secret": {{"type": "securestring"}}, "open": {{"type": "string"}}}},
        "resources": [{resources}]}}"#
    );
    let sources = Sources::new();
    let file = sources.add("main.json", text.as_str());
    let limits = Limits::default();
    let template = json::parse(file, sources.get(file).text(), limits.nesting).value.unwrap();
    let expansion = arm::expand(&arm::Request {
        file,
        template: &template,
        parameters: None,
        overrides: &[],
        context: &arm::Context::default(),
        budget: &Budget::new(&limits),
        states: false,
        explores: false,
        has_unknowns: true,
        loader: &Offline,
    });
    let export = export(live);
    let mut comparison = Comparison::new(&export, options);
    comparison.add(&expansion.document.unwrap(), |span| span);
    comparison.finish()
}

fn side(side: &ChangeSide) -> String {
    match side {
        ChangeSide::Absent => "-".to_owned(),
        ChangeSide::Present => "present".to_owned(),
        ChangeSide::Value(value) => value.to_json(),
    }
}

/// Describes each resource that is not as declared, and the paths that are not compared.
fn told(drift: &Drift) -> Vec<String> {
    let mut lines = Vec::new();
    for resource in &drift.resources {
        let name = &resource.name;
        if resource.outcome != DriftOutcome::Same {
            lines.push(format!("{:?} {name}", resource.outcome));
        }
        let changes = resource.changes.iter();
        lines.extend(changes.map(|change| {
            format!("{} {} {} {:?}", change.path, side(&change.template), side(&change.live), change.severity)
        }));
        lines.extend(resource.unseen.iter().map(|path| format!("unseen {path}")));
        lines.extend(resource.uncompared.iter().map(|path| format!("uncompared {path}")));
        lines.extend(resource.unset.iter().map(|path| format!("unset {path}")));
    }
    lines
}

fn account(members: &str) -> String {
    format!(r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01", "name": "logs", {members}}}"#)
}

fn live(kind: &str, name: &str, members: &str) -> String {
    format!(r#"{{"id": "{GROUP}/providers/{kind}/{name}", "name": "{name}", {members}}}"#)
}

/// Compares one storage account.
#[track_caller]
fn check(template: &str, exported: &str, expected: &[&str]) {
    let live = live("Microsoft.Storage/storageAccounts", "logs", exported);
    let drift = compare(&account(template), &format!("[{live}]"), DriftOptions::default());
    assert_eq!(told(&drift), expected, "{template} {exported}");
}

#[test]
fn only_what_a_template_sets_is_compared() {
    check(
        r#""location": "West Europe", "properties": {"a": "Hot", "b": {"c": 1}}"#,
        r#""location": "westeurope", "kind": "x", "etag": "1", "properties": {"A": "hot", "b": {"c": 1.0, "d": 2}, "e": {}}"#,
        &[],
    );
    check(
        r#""properties": {"a": "Hot", "b": {"c": 1}}"#,
        r#""properties": {"a": "Cool", "b": {"c": 2}}"#,
        &["Drifted logs", r#"properties.a "Hot" "Cool" Medium"#, "properties.b.c 1 2 Medium"],
    );
}

#[test]
fn a_value_that_is_not_returned_is_unseen() {
    check(
        r#""properties": {"a": 1, "b": {"c": 1}, "d": [], "e": "", "f": null, "g": "x"}"#,
        r#""properties": {"a": null, "g": ""}"#,
        &["unseen properties.a", "unseen properties.b", "unseen properties.g"],
    );
    check(r#""tags": {"a": "b"}"#, r#""tags": null"#, &["unseen tags"]);
}

#[test]
fn tags_are_compared_one_by_one() {
    check(
        r#""tags": {"team": "a", "gone": "x", "case": "v"}"#,
        r#""tags": {"Team": "b", "case": "V", "new": "y", "hidden-link:x": "z"}"#,
        &[
            "Drifted logs",
            r#"tags.case "v" "V" Low"#,
            r#"tags.gone "x" - Low"#,
            r#"tags.new - "y" Low"#,
            r#"tags.team "a" "b" Low"#,
        ],
    );
    check("\"kind\": \"StorageV2\"", r#""kind": "StorageV2", "tags": {"new": "y"}"#, &[]);
}

#[test]
fn items_of_lists_pair() {
    check(
        r#""properties": {"l": [{"name": "a", "x": 1}, {"name": "b", "x": 2}]}"#,
        r#""properties": {"l": [{"name": "B", "x": 2}, {"name": "c"}]}"#,
        &["Drifted logs", "properties.l[name=a] present - Medium", "properties.l[name=c] - present Medium"],
    );
    check(r#""properties": {"l": ["b", "A"]}"#, r#""properties": {"l": ["a", "", "B"]}"#, &[]);
    check(
        r#""properties": {"l": ["a", "b"]}"#,
        r#""properties": {"l": ["a", "c"]}"#,
        &["Drifted logs", r#"properties.l ["a","b"] ["a","c"] Medium"#],
    );
    check(r#""properties": {"l": []}"#, r#""properties": {"l": [{"x": 1}]}"#, &[]);
    check(
        r#""properties": {"l": [{"x": 1}]}"#,
        r#""properties": {"l": [{"x": 2}, {"x": 3}]}"#,
        &["Drifted logs", "properties.l[0].x 1 2 Medium", "properties.l[1] - present Medium"],
    );
    check(
        r#""properties": {"l": [{"failoverPriority": 1, "x": 1}, {"failoverPriority": 0, "x": 2}]}"#,
        r#""properties": {"l": [{"failoverPriority": 0, "x": 2}, {"failoverPriority": 1, "x": 3}]}"#,
        &["Drifted logs", "properties.l[failoverPriority=1].x 1 3 Medium"],
    );
}

#[test]
fn unknown_values_and_secrets_are_not_compared() {
    check(
        r#""location": "[resourceGroup().location]", "properties": {"a": "[parameters('open')]", "b": "[parameters('secret')]",
        "l": ["x", "[parameters('open')]"], "k": [{"name": "[parameters('open')]"}, {"name": "b", "v": 1}]}"#,
        r#""location": "x", "properties": {"a": "1", "b": "2", "l": ["y"], "k": [{"name": "b", "v": 2}, {"name": "c"}]}"#,
        &[
            "Drifted logs",
            "properties.k[name=b].v 1 2 Medium",
            "uncompared location",
            "uncompared properties.a",
            "uncompared properties.b",
            "uncompared properties.l",
            "uncompared properties.k",
        ],
    );
}

#[test]
fn secrets_are_masked() {
    check(
        r#""properties": {"adminPassword": "one", "settings": [{"name": "API_TOKEN", "value": "a"}]}"#,
        r#""properties": {"adminPassword": "two", "settings": [{"name": "API_TOKEN", "value": "b"}]}"#,
        &[
            "Drifted logs",
            r#"properties.adminPassword "{{Secret}}" "{{Secret}}" Medium"#,
            r#"properties.settings[name=API_TOKEN].value "{{Secret}}" "{{Secret}}" Medium"#,
        ],
    );
}

#[test]
fn access_that_opened_is_high() {
    check(
        r#""properties": {"allowBlobPublicAccess": false}"#,
        r#""properties": {"allowBlobPublicAccess": true}"#,
        &["Drifted logs", "properties.allowBlobPublicAccess false true High"],
    );
}

#[test]
fn ids_with_invented_names_are_those_of_any_group() {
    check(
        r#""properties": {"id": "[resourceId('Microsoft.Network/virtualNetworks/subnets', 'v', 's')]"}"#,
        &format!(r#""properties": {{"id": "{GROUP}/providers/Microsoft.Network/virtualNetworks/v/subnets/s"}}"#),
        &[],
    );
}

#[test]
fn what_the_template_leaves_out_is_listed() {
    let properties = r#""kind": "x", "properties": {"supportsHttpsTrafficOnly": true, "minimumTlsVersion": "TLS1_2",
        "accessTier": null, "provisioningState": "Succeeded", "networkAcls": {"bypass": "None", "ipRules": [{"action": "Allow"}]}}"#;
    let exported = live("Microsoft.Storage/storageAccounts", "logs", properties);
    let options = DriftOptions { lists_unset: true };
    let set = r#""properties": {"supportsHttpsTrafficOnly": true, "networkAcls": {"ipRules": [{}]}}"#;
    let drift = compare(&account(set), &exported, options);
    assert_eq!(
        told(&drift),
        ["unset properties.networkAcls.bypass", "unset properties.minimumTlsVersion", "unset kind"]
    );
}

#[test]
fn resources_are_missing_or_unmanaged() {
    let other = live("Microsoft.Storage/storageAccounts", "other", r#""properties": {}"#);
    let drift = compare(&account("\"kind\": \"x\""), &format!("[{other}]"), DriftOptions::default());
    assert_eq!(told(&drift), ["Missing logs", "Unmanaged other"]);
    let two = [("a", "x"), ("b", "y")].map(|(group, kind)| {
        live("Microsoft.Storage/storageAccounts", "logs", &format!("\"kind\": \"{kind}\""))
            .replace("resourceGroups/g", &format!("resourceGroups/{group}"))
    });
    let drift = compare(&account("\"kind\": \"z\""), &format!("[{}]", two.join(",")), DriftOptions::default());
    assert_eq!(told(&drift), ["Uncertain logs", "Unmanaged logs", "Unmanaged logs"]);
    // One of them is as declared.
    let drift = compare(&account("\"kind\": \"y\""), &format!("[{}]", two.join(",")), DriftOptions::default());
    assert_eq!(told(&drift), ["Unmanaged logs"]);
}

#[test]
fn a_name_with_a_hash_pairs_with_the_likeliest_resource() {
    let hashed = |start: &str| {
        format!(
            r#"{{"type": "Microsoft.Storage/storageAccounts", "apiVersion": "2023-01-01",
            "name": "[concat('{start}', uniqueString(resourceGroup().id))]", "kind": "{start}"}}"#
        )
    };
    let exported = ["logs", "imgs"].map(|start| {
        live("Microsoft.Storage/storageAccounts", &format!("{start}a1b2c3d4e5f6g"), &format!("\"kind\": \"{start}\""))
    });
    let resources = [hashed("logs"), hashed("imgs")].join(",");
    let drift = compare(&resources, &format!("[{}]", exported.join(",")), DriftOptions::default());
    assert_eq!(told(&drift), Vec::<String>::new());
}

#[test]
fn children_are_in_bodies_or_on_their_own() {
    let network = |subnets: &str| {
        format!(
            r#"{{"type": "Microsoft.Network/virtualNetworks", "apiVersion": "2023-04-01", "name": "v",
            "properties": {{"subnets": [{subnets}]}}}}"#
        )
    };
    let subnet = r#"{"type": "Microsoft.Network/virtualNetworks/subnets", "apiVersion": "2023-04-01", "name": "v/s",
        "properties": {"addressPrefix": "10.0.0.0/24"}}"#;
    let item = r#"{"name": "s", "properties": {"addressPrefix": "10.0.0.0/24"}}"#;
    let parent = |items: &str| {
        live("Microsoft.Network/virtualNetworks", "v", &format!("\"properties\": {{\"subnets\": [{items}]}}"))
    };
    let own =
        live("Microsoft.Network/virtualNetworks/v/subnets", "s", r#""properties": {"addressPrefix": "10.0.0.0/24"}"#);
    let check = |resources: &[&str], exported: &[&str], expected: &[&str]| {
        let drift = compare(&resources.join(","), &format!("[{}]", exported.join(",")), DriftOptions::default());
        assert_eq!(told(&drift), expected, "{resources:?} {exported:?}");
    };
    // In the body on one side, and on its own on the other.
    check(&[&network(item)], &[&parent(item), &own], &[]);
    check(&[&network(""), subnet], &[&parent(item)], &[]);
    let other = r#"{"name": "t", "properties": {}}"#;
    check(&[&network(other), subnet], &[&parent(&format!("{item}, {other}"))], &[]);
    let added = ["Drifted v", "properties.subnets[name=s] - present Medium"];
    check(&[&network(other)], &[&parent(&format!("{item}, {other}"))], &added);
}

#[test]
fn a_complete_deployment_deletes_what_it_does_not_have() {
    let nested = r#"{"type": "Microsoft.Resources/deployments", "apiVersion": "2022-09-01", "name": "d", "properties":
        {"mode": "Complete", "template": {"$schema": "https://schema.management.azure.com/schemas/2019-04-01/deploymentTemplate.json#",
        "contentVersion": "1.0.0.0", "resources": []}}}"#;
    let other = live("Microsoft.Storage/storageAccounts", "other", r#""properties": {}"#);
    let drift = compare(nested, &other, DriftOptions::default());
    assert_eq!(told(&drift), ["Unmanaged other"]);
    assert!(drift.resources[0].is_doomed);
}

#[test]
fn exports_have_several_forms() {
    let item = live("A.B/c", "d", "\"kind\": \"x\"");
    for text in
        [item.clone(), format!("[{item}]"), format!("{{\"value\": [{item}]}}"), format!("{{\"data\": [{item}]}}")]
    {
        assert_eq!(export(&text).resources().len(), 1, "{text}");
    }
    let shell = format!(r#"[{{"ResourceId": "{GROUP}/providers/A.B/c/d", "Properties": {{"x": 1}}}}, {{"x": 1}}]"#);
    let shell = export(&shell);
    assert_eq!((shell.resources()[0].name.as_str(), shell.skipped), ("d", 1));
    let child =
        format!(r#"{{"id": "{GROUP}/providers/A.B/c/d", "resources": [{}]}}"#, live("A.B/c/d/e", "f", "\"x\": 1"));
    assert_eq!(export(&child).resources()[1].name, "d/f");
    // The parts of several files are joined.
    let mut joined = export(&item);
    let more = live("A.B/C", "D", "\"properties\": {}, \"kind\": null");
    joined.add(&json::parse_computed(&ArcStr::from(more), 100).unwrap()).unwrap();
    let body = &joined.resources()[0].body;
    assert!(joined.resources().len() == 1 && body.get("properties").is_some() && body.get("kind").is_some());
    for wrong in ["{}", "1", "[1]", r#"[{"id": "x"}]"#, r#"{"TypeName": "A::B::C"}"#] {
        let value = json::parse_computed(&ArcStr::from(wrong), 100).unwrap();
        assert_eq!(Export::default().add(&value), Err(ExportFault::Form), "{wrong}");
    }
}
