//! The paths of properties that hold secrets: those that a type marks, in any of its versions, and those of a list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::Value;

use crate::graph::{Graph, Id, Node, Property};

/// How long a path may be. Types that refer to themselves have paths without end.
const MAX_PARTS: usize = 10;

/// What the types mark and is no secret.
const NOT_SECRET: &[&str] = &["endpointurl", "serviceuri", "scriptactions", "thumbprint", "clientid", "email"];

/// Notes the secrets of every type. `list` is the file `secret-property.json` of `Azure/PSRule.Rules.Azure`.
pub fn note(providers: &mut BTreeMap<String, Graph>, list: &Path) {
    let text = std::fs::read(list).expect("a readable list");
    let list: BTreeMap<String, Value> = serde_json::from_slice(&text).expect("paths by type");
    let listed: BTreeMap<String, &Value> = list.iter().map(|(name, paths)| (name.to_lowercase(), paths)).collect();
    for graph in providers.values_mut() {
        let leads = leads(graph);
        let mut noted = Vec::new();
        for kind in &graph.types {
            let mut paths = BTreeSet::new();
            for body in kind.versions.iter().flat_map(|version| &version.bodies) {
                Search { graph, leads: &leads, path: Vec::new(), paths: &mut paths }.node(*body);
            }
            let more = listed.get(&kind.name.to_lowercase()).and_then(|paths| paths.as_array());
            paths.extend(more.into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
            paths.retain(|path| !is_harmless(path));
            noted.push(paths.into_iter().collect());
        }
        for (kind, secrets) in graph.types.iter_mut().zip(noted) {
            kind.secrets = secrets;
        }
        // Structures that differ in nothing else are one.
        for node in &mut graph.nodes {
            if let Node::Text { sensitive, .. } | Node::Object { sensitive, .. } = node {
                *sensitive = false;
            }
        }
    }
}

fn is_harmless(path: &str) -> bool {
    let last = path.rsplit('.').next().unwrap_or_default().to_lowercase();
    NOT_SECRET.iter().any(|name| last.starts_with(name) || last.ends_with("thumbprint"))
}

fn is_sensitive(node: &Node) -> bool {
    matches!(node, Node::Text { sensitive: true, .. } | Node::Object { sensitive: true, .. })
}

/// Whether each node is or leads to something sensitive.
fn leads(graph: &Graph) -> Vec<bool> {
    let mut leads: Vec<bool> = graph.nodes.iter().map(is_sensitive).collect();
    loop {
        let mut is_stable = true;
        for (at, node) in graph.nodes.iter().enumerate().rev() {
            if !leads[at] && node.children().iter().any(|child| leads[*child as usize]) {
                leads[at] = true;
                is_stable = false;
            }
        }
        if is_stable {
            return leads;
        }
    }
}

struct Search<'a> {
    graph: &'a Graph,
    leads: &'a [bool],
    path: Vec<String>,
    paths: &'a mut BTreeSet<String>,
}

impl Search<'_> {
    fn node(&mut self, id: Id) {
        if !self.leads[id as usize] || self.path.len() > MAX_PARTS {
            return;
        }
        let node = &self.graph.nodes[id as usize];
        if is_sensitive(node) {
            self.paths.insert(self.path.concat());
            return;
        }
        match node {
            Node::Array { item, .. } => self.within("[*]".to_owned(), *item),
            Node::Object { properties, additional, .. } => {
                self.properties(properties);
                for additional in additional {
                    self.within(".*".to_owned(), *additional);
                }
            }
            Node::Tagged { base, branches, .. } => {
                self.properties(base);
                branches.iter().for_each(|(_, branch)| self.node(*branch));
            }
            Node::Union(nodes) => nodes.iter().for_each(|node| self.node(*node)),
            _ => {}
        }
    }

    fn properties(&mut self, properties: &[Property]) {
        for property in properties {
            let part = if self.path.is_empty() { property.name.clone() } else { format!(".{}", property.name) };
            self.within(part, property.node);
        }
    }

    fn within(&mut self, part: String, id: Id) {
        self.path.push(part);
        self.node(id);
        self.path.pop();
    }
}
