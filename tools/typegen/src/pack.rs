//! Writes packed data files. `crates/schema/src/archive.rs` of the program reads their sections and parts, and
//! `crates/schema/src/published/pack` the graphs of types in them.

mod clauses;

use std::collections::BTreeMap;

use crate::graph::{Graph, Id, Node, Property, ResourceType};

/// What the file says about itself.
pub struct Source {
    pub name: String,
    pub commit: String,
    pub date: String,
}

/// How many nodes a chunk has; the program has the same number.
const NODES_IN_CHUNK: usize = 256;

/// The file of some types, and how many bytes its parts have unpacked.
pub fn pack(source: &Source, providers: &BTreeMap<String, Graph>) -> (Vec<u8>, usize) {
    let sections = providers.iter().map(|(name, graph)| (name.clone(), parts(graph))).collect();
    archive(b"FWTYPES2", source, &sections)
}

/// A whole file of sections, each of several parts, and how many bytes the parts have unpacked. The names of sections are in
/// lower case. `crates/schema/src/archive.rs` reads it.
pub fn archive(magic: &[u8], source: &Source, sections: &BTreeMap<String, Vec<Vec<u8>>>) -> (Vec<u8>, usize) {
    let mut out = magic.to_vec();
    for part in [&source.name, &source.commit, &source.date] {
        text(&mut out, part);
    }
    let packed: Vec<Vec<u8>> = sections.values().map(|parts| section(parts)).collect();
    number(&mut out, packed.len() as u64);
    for (name, section) in sections.keys().zip(&packed) {
        text(&mut out, name);
        number(&mut out, section.len() as u64);
    }
    packed.iter().for_each(|section| out.extend_from_slice(section));
    (out, sections.values().flatten().map(Vec::len).sum())
}

/// The sizes of all parts, unpacked and packed, and then the parts.
fn section(parts: &[Vec<u8>]) -> Vec<u8> {
    let mode = lz4::block::CompressionMode::HIGHCOMPRESSION(12);
    let packed: Vec<Vec<u8>> =
        parts.iter().map(|raw| lz4::block::compress(raw, Some(mode), false).expect("LZ4")).collect();
    let mut out = Vec::new();
    number(&mut out, parts.len() as u64);
    for (raw, packed) in parts.iter().zip(&packed) {
        number(&mut out, raw.len() as u64);
        number(&mut out, packed.len() as u64);
    }
    packed.iter().for_each(|packed| out.extend_from_slice(packed));
    out
}

/// The directory, and the chunks.
fn parts(graph: &Graph) -> Vec<Vec<u8>> {
    let mut parts = vec![directory(&graph.types)];
    let mut seen = 0;
    for (at, nodes) in graph.nodes.chunks(NODES_IN_CHUNK).enumerate() {
        parts.push(chunk(nodes, at * NODES_IN_CHUNK, &mut seen));
    }
    parts
}

/// All strings of a part, sorted; what follows names them by position.
#[derive(Default)]
struct Strings<'a>(BTreeMap<&'a str, u64>);

impl<'a> Strings<'a> {
    fn of_types(types: &'a [ResourceType]) -> Self {
        let strings = types.iter().flat_map(|kind| {
            let versions = kind.versions.iter().map(|version| &version.name);
            [&kind.name].into_iter().chain(&kind.secrets).chain(versions)
        });
        Self::new(strings.map(String::as_str))
    }

    fn of_nodes(nodes: &'a [Node]) -> Self {
        let mut strings = Vec::new();
        let mut add = |string: &'a str| strings.push(string);
        for node in nodes {
            match node {
                Node::Text { pattern: Some(pattern), .. } => add(pattern),
                Node::Choice { values, .. } => values.iter().for_each(|value| add(value)),
                Node::Object { properties, demands, .. } => {
                    properties.iter().for_each(|property| add(&property.name));
                    demands.iter().flatten().for_each(|name| add(name));
                }
                Node::Tagged { key, base, branches } => {
                    add(key);
                    base.iter().for_each(|property| add(&property.name));
                    branches.iter().for_each(|(value, _)| add(value));
                }
                Node::Rule(clauses) => clauses.iter().flat_map(clauses::strings).for_each(&mut add),
                _ => {}
            }
        }
        Self::new(strings)
    }

    fn new(strings: impl IntoIterator<Item = &'a str>) -> Self {
        let mut strings: BTreeMap<&str, u64> = strings.into_iter().map(|string| (string, 0)).collect();
        assert!(strings.len() <= 1 << 16, "the program numbers the strings of a part with 16 bits");
        strings.values_mut().zip(0..).for_each(|(number, position)| *number = position);
        Self(strings)
    }

    fn write(&self, out: &mut Vec<u8>, string: &str) {
        number(out, self.0[string]);
    }

    /// How many strings there are, and each without what it begins with as the one before.
    fn table(&self) -> Vec<u8> {
        let mut out = Vec::new();
        number(&mut out, self.0.len() as u64);
        let mut before = "";
        for string in self.0.keys() {
            let shared = before.bytes().zip(string.bytes()).take_while(|(a, b)| a == b).count();
            number(&mut out, shared as u64);
            number(&mut out, (string.len() - shared) as u64);
            out.extend_from_slice(&string.as_bytes()[shared..]);
            before = string;
        }
        out
    }
}

fn directory(types: &[ResourceType]) -> Vec<u8> {
    let strings = Strings::of_types(types);
    let mut out = strings.table();
    number(&mut out, types.len() as u64);
    for kind in types {
        strings.write(&mut out, &kind.name);
        number(&mut out, kind.secrets.len() as u64);
        kind.secrets.iter().for_each(|path| strings.write(&mut out, path));
        number(&mut out, kind.versions.len() as u64);
        for version in &kind.versions {
            strings.write(&mut out, &version.name);
            out.push(version.scopes);
            number(&mut out, version.bodies.len() as u64);
            version.bodies.iter().for_each(|body| number(&mut out, u64::from(*body)));
        }
    }
    out
}

/// The nodes from a position on. `seen` is the number of the next node that nothing has referred to yet.
fn chunk(nodes: &[Node], first: usize, seen: &mut Id) -> Vec<u8> {
    let strings = Strings::of_nodes(nodes);
    let mut out = strings.table();
    number(&mut out, u64::from(*seen));
    number(&mut out, nodes.len() as u64);
    for (node, position) in nodes.iter().zip(first..) {
        *seen = (*seen).max(position as Id + 1);
        write_node(&mut out, node, seen, &strings);
    }
    out
}

fn write_node(out: &mut Vec<u8>, node: &Node, seen: &mut Id, strings: &Strings<'_>) {
    // Nodes are in the order in which others refer to them first: such a reference is 0, and the next number follows.
    let id = &mut |out: &mut Vec<u8>, id: Id| {
        let is_next = id == *seen;
        *seen = (*seen).max(id + 1);
        number(out, if is_next { 0 } else { u64::from(id) + 1 });
    };
    let bound = |out: &mut Vec<u8>, bound: Option<u64>| number(out, bound.map_or(0, |bound| bound + 1));
    let properties = |out: &mut Vec<u8>, properties: &[Property], id: &mut dyn FnMut(&mut Vec<u8>, Id)| {
        number(out, properties.len() as u64);
        for property in properties {
            strings.write(out, &property.name);
            out.push(property.flags);
            id(out, property.node);
        }
    };
    match node {
        Node::Any => out.push(0),
        Node::Boolean => out.push(1),
        Node::Integer { min, max } => {
            out.push(2);
            out.push(u8::from(min.is_some()) | u8::from(max.is_some()) << 1);
            min.iter().chain(max).for_each(|value| signed(out, *value));
        }
        Node::Number => out.push(3),
        Node::Text { min, max, pattern, .. } => {
            out.push(4);
            out.push(u8::from(pattern.is_some()));
            bound(out, *min);
            bound(out, *max);
            pattern.iter().for_each(|pattern| strings.write(out, pattern));
        }
        Node::Choice { values, open } => {
            out.push(5 + u8::from(*open));
            number(out, values.len() as u64);
            values.iter().for_each(|value| strings.write(out, value));
        }
        Node::Array { item, min, max } => {
            out.push(7);
            bound(out, *min);
            bound(out, *max);
            id(out, *item);
        }
        Node::Object { properties: members, additional, demands, .. } => {
            out.push(8);
            let flags = [additional.is_some(), !demands.is_empty()];
            out.push(flags.iter().rev().fold(0, |all, flag| all << 1 | u8::from(*flag)));
            properties(out, members, id);
            additional.iter().for_each(|additional| id(out, *additional));
            if !demands.is_empty() {
                number(out, demands.len() as u64);
            }
            for set in demands {
                number(out, set.len() as u64);
                set.iter().for_each(|name| strings.write(out, name));
            }
        }
        Node::Tagged { key, base, branches } => {
            out.push(9);
            strings.write(out, key);
            properties(out, base, id);
            number(out, branches.len() as u64);
            for (value, branch) in branches {
                strings.write(out, value);
                id(out, *branch);
            }
        }
        Node::Union(nodes) => {
            out.push(10);
            number(out, nodes.len() as u64);
            nodes.iter().for_each(|node| id(out, *node));
        }
        Node::Checked { of, rules } => {
            out.push(11);
            id(out, *of);
            number(out, rules.len() as u64);
            rules.iter().for_each(|rule| id(out, *rule));
        }
        Node::Rule(clauses) => {
            out.push(12);
            number(out, clauses.len() as u64);
            clauses.iter().for_each(|clause| clauses::write(out, clause, strings, id));
        }
    }
}

pub fn text(out: &mut Vec<u8>, text: &str) {
    number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// LEB128.
pub fn number(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Zigzag, so that small negative numbers are short, too.
fn signed(out: &mut Vec<u8>, value: i64) {
    number(out, ((value << 1) ^ (value >> 63)) as u64);
}
