//! Reads the generated types of `Azure/bicep-types-az`, and lists of types and versions that Azure itself has returned:
//! a current one in `Azure/PSRule.Rules.Azure`, and one of 2019 in `Azure/arm-ttk`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::graph::{Graph, Id, Node, Property, ResourceType, Version};

/// Reads all `types.json` below `folder`, and merges in the types and versions of `lists`, whose bodies nobody describes.
pub fn read(folder: &Path, lists: &[&str]) -> BTreeMap<String, Graph> {
    let mut files = Vec::new();
    find(folder, &mut files);
    files.sort();
    let mut providers: BTreeMap<String, Provider> = BTreeMap::new();
    for file in &files {
        read_file(file, &mut providers);
    }
    for list in lists.iter().map(Path::new) {
        if list.is_dir() { read_folder(list, &mut providers) } else { read_list(list, &mut providers) }
    }
    providers.into_iter().map(|(name, provider)| (name, provider.finish())).collect()
}

/// A provider while it is read.
#[derive(Default)]
struct Provider {
    nodes: Vec<Node>,
    /// By the name of the type in lower case; its versions by name.
    types: BTreeMap<String, (String, BTreeMap<String, Version>)>,
}

impl Provider {
    fn version(&mut self, kind: &str, version: &str) -> &mut Version {
        let (_, versions) = self.types.entry(kind.to_lowercase()).or_insert_with(|| (kind.to_owned(), BTreeMap::new()));
        let name = version.to_lowercase();
        versions.entry(name.clone()).or_insert(Version { name, bodies: Vec::new(), scopes: 0 })
    }

    fn finish(self) -> Graph {
        let types = self.types.into_values();
        let types = types.map(|(name, versions)| ResourceType {
            name,
            versions: versions.into_values().collect(),
            secrets: Vec::new(),
        });
        Graph { nodes: self.nodes, types: types.collect() }
    }
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            find(&path, files);
        } else if path.file_name().is_some_and(|name| name == "types.json") {
            files.push(path);
        }
    }
}

fn provider_of(kind: &str) -> String {
    kind.split('/').next().unwrap_or_default().to_lowercase()
}

fn read_file(file: &Path, providers: &mut BTreeMap<String, Provider>) {
    let text = std::fs::read(file).expect("a readable file");
    let nodes: Vec<Value> = serde_json::from_slice(&text).expect("a file of types");
    // A file may speak of several providers, and each gets the nodes that it needs.
    let mut offsets: FxHashMap<String, Id> = FxHashMap::default();
    for node in nodes.iter().filter(|node| node["$type"] == "ResourceType") {
        let (kind, version) = node["name"].as_str().and_then(|name| name.split_once('@')).expect("TYPE@VERSION");
        let name = provider_of(kind);
        let provider = providers.entry(name.clone()).or_default();
        let offset = *offsets.entry(name).or_insert_with(|| {
            let offset = provider.nodes.len() as Id;
            provider.nodes.extend(nodes.iter().map(|node| convert(node, &nodes, offset)));
            offset
        });
        let scopes = node["writableScopes"].as_u64().unwrap_or(0) as u8;
        let body = reference(&node["body"]) + offset;
        let version = provider.version(kind, version);
        version.bodies.push(body);
        version.scopes |= scopes;
    }
}

fn reference(value: &Value) -> Id {
    let target = value["$ref"].as_str().and_then(|target| target.strip_prefix("#/"));
    target.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("{value} refers to another file"))
}

fn convert(node: &Value, nodes: &[Value], offset: Id) -> Node {
    let id = |value: &Value| reference(value) + offset;
    let properties = |name: &str| -> Vec<Property> {
        let Some(members) = node[name].as_object() else { return Vec::new() };
        let property = |(name, member): (&String, &Value)| Property {
            name: name.clone(),
            node: id(&member["type"]),
            flags: member["flags"].as_u64().unwrap_or(0) as u8,
        };
        let mut properties: Vec<Property> = members.iter().map(property).collect();
        properties.sort_by(|a, b| a.name.cmp(&b.name));
        properties
    };
    match node["$type"].as_str().expect("the kind of a node") {
        "BooleanType" => Node::Boolean,
        "IntegerType" => Node::Integer { min: node["minValue"].as_i64(), max: node["maxValue"].as_i64() },
        "StringType" => Node::Text {
            min: node["minLength"].as_u64(),
            max: node["maxLength"].as_u64(),
            pattern: node["pattern"].as_str().map(str::to_owned),
            sensitive: node["sensitive"] == true,
        },
        "StringLiteralType" => {
            Node::Choice { values: vec![node["value"].as_str().expect("a literal").to_owned()], open: false }
        }
        "ArrayType" => Node::Array {
            item: id(&node["itemType"]),
            min: node["minLength"].as_u64(),
            max: node["maxLength"].as_u64(),
        },
        "ObjectType" => Node::Object {
            properties: properties("properties"),
            additional: node.get("additionalProperties").map(id),
            sensitive: node["sensitive"] == true,
            demands: Vec::new(),
        },
        "DiscriminatedObjectType" => {
            let elements = node["elements"].as_object().expect("branches");
            let mut branches: Vec<_> = elements.iter().map(|(value, node)| (value.clone(), id(node))).collect();
            branches.sort();
            Node::Tagged {
                key: node["discriminator"].as_str().expect("a discriminator").to_owned(),
                base: properties("baseProperties"),
                branches,
            }
        }
        "UnionType" => union(node["elements"].as_array().expect("elements"), nodes, offset),
        // Of functions and types of resources, nothing refers to them.
        "AnyType" | "NullType" | "ResourceType" | "ResourceFunctionType" => Node::Any,
        other => panic!("a kind of node that is not known: {other}"),
    }
}

/// A union of literals is a choice, open if plain text is allowed as well.
fn union(elements: &[Value], nodes: &[Value], offset: Id) -> Node {
    let target = |element: &Value| &nodes[reference(element) as usize];
    let kinds: Vec<&Value> = elements.iter().map(target).filter(|node| node["$type"] != "NullType").collect();
    let is_text = |node: &&Value| node["$type"] == "StringLiteralType" || node["$type"] == "StringType";
    if !kinds.iter().all(is_text) {
        let ids = elements.iter().filter(|element| target(element)["$type"] != "NullType");
        return Node::Union(ids.map(|element| reference(element) + offset).collect());
    }
    let mut values: Vec<String> = kinds.iter().filter_map(|node| node["value"].as_str()).map(str::to_owned).collect();
    values.sort();
    Node::Choice { values, open: kinds.iter().any(|node| node["$type"] == "StringType") }
}

/// Adds types and versions that are only known to exist: `{"Provider/type": [{"apiVersions": […]}]}`.
fn read_list(list: &Path, providers: &mut BTreeMap<String, Provider>) {
    let text = std::fs::read_to_string(list).expect("a readable list");
    let list: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).expect("a list of types");
    for (kind, entries) in list.as_object().expect("types by name") {
        let provider = providers.entry(provider_of(kind)).or_default();
        for version in
            entries.as_array().into_iter().flatten().flat_map(|entry| entry["apiVersions"].as_array()).flatten()
        {
            provider.version(kind, version.as_str().expect("a version"));
        }
    }
}

/// Adds the types of a folder with one file a provider: `[{"resourceType": "type", "apiVersions": […]}]`.
fn read_folder(folder: &Path, providers: &mut BTreeMap<String, Provider>) {
    let mut files = Vec::new();
    find(folder, &mut files);
    files.sort();
    for file in files {
        let name = file.parent().and_then(Path::file_name).expect("a folder for each provider").to_string_lossy();
        let provider = providers.entry(name.to_lowercase()).or_default();
        // The folders are in lower case, types that were read before are not.
        let known = provider.types.values().next().and_then(|(known, _)| known.split('/').next());
        let name = known.unwrap_or(&name).to_owned();
        let text = std::fs::read(&file).expect("a readable file");
        let types: Vec<Value> = serde_json::from_slice(&text).expect("a list of types");
        for entry in &types {
            let kind = format!("{name}/{}", entry["resourceType"].as_str().expect("the name of a type"));
            for version in entry["apiVersions"].as_array().into_iter().flatten() {
                provider.version(&kind, version.as_str().expect("a version"));
            }
        }
    }
}
