//! Reads the schemas of CloudFormation's resource types, as AWS publishes them and the package `cfn-lint` carries them.
//!
//! A schema says more than a type can: which properties exclude each other, for example. Such parts become rules beside the
//! type, as far as `rules` understands them.

use std::collections::BTreeMap;
use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::Value;

use crate::graph::{Clause, Graph, Id, Node, Property, ResourceType, Version};
use crate::rules::{self, Rules};
use crate::schemas;

/// Schemas of the package that say more about a type, each in four columns: the type, the path below its properties, the
/// file, and the rule of cfn-lint that reads it. Those that list versions of engines and instance types are not among them,
/// since AWS adds some each month.
const EXTENSIONS: &str = include_str!("extensions.tsv");

const REQUIRED: u8 = 1;
const READ_ONLY: u8 = 2;

/// What `Fn::GetAtt` returns beside the properties that only AWS sets, in two columns: the type, and its properties, or `*`
/// for all of them. From the package's `schema/_getatts.py`.
const ATTRIBUTES: &str = include_str!("attributes.tsv");

/// Reads every schema in the folder `resources`, and those in `extensions` beside it. A provider is the first two parts of a type, `AWS::S3`.
pub fn read(folder: &Path) -> BTreeMap<String, Graph> {
    let schemas: BTreeMap<String, Value> =
        schemas::read(folder).map(|(name, schema)| (name.to_lowercase(), schema)).collect();
    let mut providers: BTreeMap<String, Graph> = BTreeMap::new();
    for schema in schemas.values() {
        let name = schema["typeName"].as_str().expect("the name of a type");
        let provider: Vec<&str> = name.splitn(3, "::").take(2).collect();
        let graph = providers.entry(provider.join("::").to_lowercase()).or_default();
        let mut reader = Reader { schema, graph, definitions: FxHashMap::default() };
        let body = reader.body();
        let body = extended(graph, name, body, &folder.with_file_name("extensions"));
        let identifier = identifier(schema).map(Clause::Identifier);
        let clauses =
            [Clause::Attributes(attributes(name, schema))].into_iter().chain(identifier).chain(shutdown(schema));
        graph.nodes.push(Node::Rule(clauses.collect()));
        let rule = graph.nodes.len() as Id - 1;
        let body = checked(graph, body, vec![rule]);
        let version = Version { name: String::new(), bodies: vec![body], scopes: 0 };
        graph.types.push(ResourceType { name: name.to_owned(), versions: vec![version], secrets: Vec::new() });
    }
    providers
}

/// The names of what `Fn::GetAtt` returns, sorted: `Arn`, `Endpoint.Address`.
fn attributes(type_name: &str, schema: &Value) -> Vec<String> {
    let read_only = schema["readOnlyProperties"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let path = |pointer: &str| pointer.strip_prefix("/properties/").map(|path| path.replace('/', "."));
    let mut names: Vec<String> = read_only.filter_map(path).collect();
    let rows = ATTRIBUTES.lines().filter_map(|row| row.split_once('\t'));
    for (_, more) in rows.filter(|(name, _)| *name == type_name) {
        let all = schema["properties"].as_object().into_iter().flatten().filter(|_| more == "*");
        names.extend(all.map(|(name, _)| name.clone()));
        names.extend(more.split(' ').filter(|name| *name != "*").map(str::to_owned));
    }
    names.sort();
    names.dedup();
    names
}

/// The properties that identify a resource, if its author gives all of them.
fn identifier(schema: &Value) -> Option<Vec<String>> {
    let texts = |name: &str| schema[name].as_array().into_iter().flatten().filter_map(Value::as_str);
    let names: Option<Vec<String>> = texts("primaryIdentifier")
        .map(|pointer| {
            let name = pointer.strip_prefix("/properties/").filter(|name| !name.contains('/'))?;
            (!texts("readOnlyProperties").any(|read_only| read_only == pointer)).then(|| name.to_owned())
        })
        .collect();
    names.filter(|names| !names.is_empty())
}

/// When the service of a type was shut down, if that has happened.
fn shutdown(schema: &Value) -> Option<Clause> {
    let lifecycle = schema.get("lifecycle").filter(|lifecycle| lifecycle["status"] == "shutdown")?;
    Some(Clause::Shutdown(lifecycle["date"].as_str().unwrap_or_default().to_owned()))
}

/// The body with the rules of the extensions of its type.
fn extended(graph: &mut Graph, type_name: &str, body: Id, folder: &Path) -> Id {
    let rows = EXTENSIONS.lines().map(|row| row.split('\t').collect::<Vec<_>>());
    let mut rules = Vec::new();
    for row in rows.filter(|row| row[0] == type_name) {
        let text = std::fs::read(folder.join(row[2])).expect("a readable file");
        let schema: Value = serde_json::from_slice(&text).expect("a schema");
        rules.push(Rules { root: &schema, graph }.rule_at(&schema, row[1]));
    }
    checked(graph, body, rules)
}

/// A node with rules, if there are any.
fn checked(graph: &mut Graph, of: Id, mut rules: Vec<Id>) -> Id {
    if rules.is_empty() {
        return of;
    }
    let mut of = of;
    if let Node::Checked { of: inner, rules: known } = &graph.nodes[of as usize] {
        of = *inner;
        rules.splice(0..0, known.iter().copied());
    }
    graph.nodes.push(Node::Checked { of, rules });
    graph.nodes.len() as Id - 1
}

/// Reads one schema into the graph of its provider.
struct Reader<'a> {
    schema: &'a Value,
    graph: &'a mut Graph,
    /// What was read or is being read, by reference.
    definitions: FxHashMap<String, Id>,
}

impl Reader<'_> {
    fn add(&mut self, node: Node) -> Id {
        self.graph.nodes.push(node);
        self.graph.nodes.len() as Id - 1
    }

    fn body(&mut self) -> Id {
        let Node::Object { mut properties, additional, sensitive, demands } = self.object(self.schema) else {
            return self.add(Node::Any);
        };
        let names: Vec<&str> =
            self.schema["readOnlyProperties"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for property in &mut properties {
            if names.contains(&format!("/properties/{}", property.name).as_str()) {
                property.flags |= READ_ONLY;
            }
        }
        let of = self.add(Node::Object { properties, additional, sensitive, demands });
        self.with_rules(of, self.schema)
    }

    /// The node of a schema with what the schema says beside the type.
    fn with_rules(&mut self, of: Id, schema: &Value) -> Id {
        let rule = Rules { root: self.schema, graph: self.graph }.beside_type(schema);
        checked(self.graph, of, rule.into_iter().collect())
    }

    fn id(&mut self, schema: &Value) -> Id {
        if let Some(reference) = schema["$ref"].as_str() {
            return self.definition(reference);
        }
        let node = self.node(schema);
        let of = self.add(node);
        self.with_rules(of, schema)
    }

    fn definition(&mut self, reference: &str) -> Id {
        if let Some(known) = self.definitions.get(reference) {
            return *known;
        }
        let id = self.add(Node::Any);
        self.definitions.insert(reference.to_owned(), id);
        let target = reference.strip_prefix('#').and_then(|path| self.schema.pointer(path));
        if let Some(target) = target.cloned() {
            let node = match target["$ref"].as_str() {
                Some(next) => Node::Union(vec![self.definition(next)]),
                None => {
                    let node = self.node(&target);
                    let mut rules = Rules { root: self.schema, graph: self.graph };
                    match rules.beside_type(&target) {
                        Some(rule) => Node::Checked { of: self.add(node), rules: vec![rule] },
                        None => node,
                    }
                }
            };
            self.graph.nodes[id as usize] = node;
        }
        id
    }

    fn node(&mut self, schema: &Value) -> Node {
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            _ if schema.get("properties").is_some() => vec!["object"],
            _ if schema.get("enum").is_some() => vec!["string"],
            _ => Vec::new(),
        };
        match kinds.as_slice() {
            [] => self.alternatives(schema),
            [kind] => self.of_kind(kind, schema),
            kinds => {
                let nodes: Vec<Node> = kinds.iter().map(|kind| self.of_kind(kind, schema)).collect();
                Node::Union(nodes.into_iter().map(|node| self.add(node)).collect())
            }
        }
    }

    /// A schema without a type of its own.
    fn alternatives(&mut self, schema: &Value) -> Node {
        let of = |name: &str| schema[name].as_array().filter(|alternatives| !alternatives.is_empty());
        let Some(alternatives) = of("oneOf").or_else(|| of("anyOf")) else { return Node::Any };
        let says_a_type = |schema: &&Value| schema.get("$ref").is_some() || schema.get("type").is_some();
        if !alternatives.iter().all(|schema| says_a_type(&schema)) {
            return Node::Any;
        }
        Node::Union(alternatives.clone().iter().map(|schema| self.id(schema)).collect())
    }

    fn of_kind(&mut self, kind: &str, schema: &Value) -> Node {
        match kind {
            "boolean" => Node::Boolean,
            "integer" => Node::Integer { min: schema["minimum"].as_i64(), max: schema["maximum"].as_i64() },
            "number" => Node::Number,
            "string" => text(schema),
            "array" => Node::Array {
                item: self.id(&schema["items"]),
                min: schema["minItems"].as_u64(),
                max: schema["maxItems"].as_u64(),
            },
            "object" => self.object(schema),
            _ => Node::Any,
        }
    }

    fn object(&mut self, schema: &Value) -> Node {
        let mut members: BTreeMap<String, Value> = BTreeMap::new();
        let mut is_open = schema["additionalProperties"] != false;
        let parts = ["allOf", "oneOf", "anyOf"].map(|name| schema[name].as_array().into_iter().flatten());
        for part in std::iter::once(schema).chain(parts.into_iter().flatten()) {
            // What a part refers to may have properties of its own.
            is_open |= part.get("$ref").is_some();
            for (name, member) in part["properties"].as_object().into_iter().flatten() {
                members.entry(name.clone()).or_insert_with(|| member.clone());
            }
        }
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut properties = Vec::new();
        for (name, member) in members {
            let flags = if required.contains(&name.as_str()) { REQUIRED } else { 0 };
            properties.push(Property { node: self.id(&member), name, flags });
        }
        let patterns: Vec<&Value> =
            schema["patternProperties"].as_object().into_iter().flat_map(|all| all.values()).collect();
        let additional = match patterns.as_slice() {
            [] if schema["additionalProperties"].is_object() => Some(self.id(&schema["additionalProperties"])),
            [] if is_open => Some(self.add(Node::Any)),
            [] => None,
            [only] => Some(self.id(only)),
            _ => Some(self.add(Node::Any)),
        };
        Node::Object { properties, additional, sensitive: false, demands: demands(schema) }
    }
}

/// The sets of properties of which an object needs one: alternatives that say nothing but what they require.
fn demands(schema: &Value) -> Vec<Vec<String>> {
    let names = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
    };
    for alternatives in ["oneOf", "anyOf"].iter().filter_map(|name| schema[*name].as_array()) {
        let sets: Vec<Vec<String>> = alternatives.iter().map(|alternative| names(&alternative["required"])).collect();
        if !sets.is_empty() && sets.iter().all(|set| !set.is_empty()) {
            return sets;
        }
    }
    Vec::new()
}

fn text(schema: &Value) -> Node {
    let Some(values) = schema["enum"].as_array() else {
        return Node::Text {
            min: schema["minLength"].as_u64(),
            max: schema["maxLength"].as_u64(),
            pattern: schema["pattern"].as_str().map(rules::pattern),
            sensitive: false,
        };
    };
    let mut values: Vec<String> =
        values.iter().map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)).collect();
    values.sort();
    values.dedup();
    Node::Choice { values, open: false }
}
