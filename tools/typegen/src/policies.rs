//! Packs the built-in definitions and initiatives of Azure Policy. `crates/policy/src/builtin.rs` of the program reads them, and
//! describes the format.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::pack::number;

/// The folders of variants for another cloud.
const OTHER_CLOUDS: &str = "Azure Government";

/// What no verdict depends on: texts, and what a definition deploys.
const DROPPED: &[&str] = &["description", "metadata", "roleDefinitionIds", "deployment", "strongType", "groupNames"];

/// Reads a checkout of `Azure/azure-policy`. A section is a category, of definitions and initiatives apart; the first one is the
/// index of all.
pub fn read(checkout: &Path) -> BTreeMap<String, Vec<Vec<u8>>> {
    let folder = checkout.join("built-in-policies");
    let mut sections: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for (kind, below) in [("definitions", "policyDefinitions"), ("initiatives", "policySetDefinitions")] {
        let mut files = Vec::new();
        find(&folder.join(below), &mut files);
        files.sort();
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a readable file");
            let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).expect("JSON");
            let kept = if is_evaluated(&document) { Some(stripped(&document)) } else { of_service(&document) };
            if let Some(mut kept) = kept {
                let category = document["properties"]["metadata"]["category"].as_str().unwrap_or("none");
                keep_known(&mut kept, &known);
                known.extend(document["id"].as_str().map(str::to_lowercase));
                sections.entry(format!("{kind}/{}", category.to_lowercase())).or_default().push(kept);
            }
        }
    }
    let mut index: Vec<(u128, usize)> = Vec::new();
    for (at, documents) in sections.values().enumerate() {
        // The index is the first section.
        index.extend(documents.iter().filter_map(|document| Some((hash(document["name"].as_str()?), at + 1))));
    }
    index.sort_unstable();
    let mut bytes = Vec::new();
    for (id, section) in index {
        bytes.extend_from_slice(&id.to_be_bytes());
        number(&mut bytes, section as u64);
    }
    let packed =
        sections.into_iter().map(|(name, documents)| (name, vec![Value::from(documents).to_string().into_bytes()]));
    packed.chain([(String::new(), vec![bytes])]).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != OTHER_CLOUDS) {
            find(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
}

/// The hash of a name, which the program computes in the same way.
fn hash(name: &str) -> u128 {
    const START: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let name = name.to_ascii_lowercase();
    name.bytes().fold(START, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME))
}

/// A definition that a service judges, with its mode alone.
fn of_service(document: &Value) -> Option<Value> {
    let mode = document["properties"]["mode"].as_str().filter(|mode| mode.contains('.'))?;
    let rule = json!({"if": {"field": "type", "equals": ""}, "then": {"effect": "disabled"}});
    Some(json!({"id": document["id"], "name": document["name"], "properties": {"mode": mode, "policyRule": rule}}))
}

/// Whether it is an initiative, or a definition that Resource Manager evaluates when something is deployed.
fn is_evaluated(document: &Value) -> bool {
    let own = &document["properties"];
    if own["policyDefinitions"].is_array() {
        return own["metadata"]["deprecated"] != json!(true);
    }
    if own["policyType"] == "Static" {
        return false;
    }
    let mode = own["mode"].as_str().unwrap_or("Indexed").to_lowercase();
    let is_manual = |effect: &Value| effect.as_str().is_some_and(|effect| effect.eq_ignore_ascii_case("manual"));
    let default = &own["parameters"]["effect"]["defaultValue"];
    let has_rule =
        own["policyRule"].is_object() && !is_manual(&own["policyRule"]["then"]["effect"]) && !is_manual(default);
    ["all", "indexed"].contains(&mode.as_str()) && has_rule
}

/// Leaves in an initiative what refers to definitions that are kept, and the parameters that they use.
fn keep_known(document: &mut Value, known: &BTreeSet<String>) {
    let own = &mut document["properties"];
    let Some(references) = own.get_mut("policyDefinitions").and_then(Value::as_array_mut) else { return };
    references.retain(|it| it["policyDefinitionId"].as_str().is_some_and(|id| known.contains(&id.to_lowercase())));
    let used = Value::from(references.clone()).to_string().to_lowercase();
    if let Some(parameters) = own.get_mut("parameters").and_then(Value::as_object_mut) {
        parameters.retain(|name, _| used.contains(&format!("'{}'", name.to_lowercase())));
    }
}

fn stripped(document: &Value) -> Value {
    let own = document["properties"].as_object().expect("an object");
    let kept = ["displayName", "mode", "version", "parameters", "policyRule", "policyDefinitions"];
    let own: Map<String, Value> =
        kept.iter().filter_map(|name| Some(((*name).to_owned(), without_texts(own.get(*name)?)))).collect();
    json!({"id": document["id"], "name": document["name"], "properties": own})
}

fn without_texts(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_texts).collect(),
        Value::Object(members) => {
            let kept = members.iter().filter(|(name, value)| !DROPPED.contains(&name.as_str()) || is_parameter(value));
            kept.map(|(name, value)| (name.clone(), without_texts(value))).collect()
        }
        _ => value.clone(),
    }
}

/// Whether a member with the name of a text is the declaration of a parameter.
fn is_parameter(value: &Value) -> bool {
    value.get("type").is_some_and(Value::is_string)
}
