//! Writes graphs as a packed data file. `src/schema/pack` of the program reads it, and describes the format.

use std::collections::BTreeMap;

use crate::graph::{Graph, Id, Node, Property};

/// What the file says about itself.
pub struct Source {
    pub name: String,
    pub commit: String,
    pub date: String,
}

/// The whole file, and how many bytes its blocks have unpacked.
pub fn pack(source: &Source, providers: &BTreeMap<String, Graph>) -> (Vec<u8>, usize) {
    let mut out = b"FWTYPES1".to_vec();
    for part in [&source.name, &source.commit, &source.date] {
        text(&mut out, part);
    }
    let blocks: Vec<(&String, Vec<u8>)> = providers.iter().map(|(name, graph)| (name, block(graph))).collect();
    number(&mut out, blocks.len() as u64);
    let packed: Vec<Vec<u8>> = blocks.iter().map(|(_, raw)| zstd::bulk::compress(raw, 22).expect("zstd")).collect();
    for ((name, raw), packed) in blocks.iter().zip(&packed) {
        text(&mut out, name);
        number(&mut out, raw.len() as u64);
        number(&mut out, packed.len() as u64);
    }
    packed.iter().for_each(|packed| out.extend_from_slice(packed));
    (out, blocks.iter().map(|(_, raw)| raw.len()).sum())
}

/// All strings of a block, sorted; what follows names them by position.
#[derive(Default)]
struct Strings<'a>(BTreeMap<&'a str, u64>);

impl<'a> Strings<'a> {
    fn collect(graph: &'a Graph) -> Self {
        let mut strings = Self::default();
        let mut add = |string: &'a str| {
            strings.0.insert(string, 0);
        };
        for kind in &graph.types {
            add(&kind.name);
            kind.secrets.iter().for_each(|path| add(path));
            kind.versions.iter().for_each(|version| add(&version.name));
        }
        for node in &graph.nodes {
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
                _ => {}
            }
        }
        for (position, number) in strings.0.values_mut().enumerate() {
            *number = position as u64;
        }
        strings
    }

    fn write(&self, out: &mut Vec<u8>, string: &str) {
        number(out, self.0[string]);
    }
}

fn block(graph: &Graph) -> Vec<u8> {
    let strings = Strings::collect(graph);
    let mut out = Vec::new();
    number(&mut out, strings.0.len() as u64);
    let mut before = "";
    for string in strings.0.keys() {
        let shared = before.bytes().zip(string.bytes()).take_while(|(a, b)| a == b).count();
        number(&mut out, shared as u64);
        number(&mut out, (string.len() - shared) as u64);
        out.extend_from_slice(&string.as_bytes()[shared..]);
        before = string;
    }
    number(&mut out, graph.nodes.len() as u64);
    let mut seen = 0;
    for (position, node) in graph.nodes.iter().enumerate() {
        seen = seen.max(position as Id + 1);
        write_node(&mut out, node, &mut seen, &strings);
    }
    number(&mut out, graph.types.len() as u64);
    for kind in &graph.types {
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

fn write_node(out: &mut Vec<u8>, node: &Node, seen: &mut Id, strings: &Strings<'_>) {
    // Nodes are in the order in which others refer to them first: such a reference is 0, and the next number follows.
    let id = &mut |out: &mut Vec<u8>, id: Id| {
        let is_next = id == *seen;
        *seen = (*seen).max(id + 1);
        number(out, if is_next { 0 } else { u64::from(id) + 1 });
    };
    let bound = |out: &mut Vec<u8>, bound: Option<u64>| number(out, bound.map_or(0, |bound| bound + 1));
    let mut properties = |out: &mut Vec<u8>, properties: &[Property], id: &mut dyn FnMut(&mut Vec<u8>, Id)| {
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
    }
}

fn text(out: &mut Vec<u8>, text: &str) {
    number(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// LEB128.
fn number(out: &mut Vec<u8>, mut number: u64) {
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
