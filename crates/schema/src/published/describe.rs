//! Describes types, for messages.

use crate::published::message::{bounds, listed};
use crate::published::pack::{Block, Id, Node};

/// Alternatives that a description lists; with more, it has only their number.
const MAX_ALTERNATIVES: usize = 3;

/// Describes the values that one of these types allows. `None` if they allow anything.
pub(super) fn describe(block: &Block, nodes: &[Id]) -> Option<String> {
    let mut nodes = nodes.to_vec();
    let mut known: Vec<String> = Vec::new();
    let mut seen = 0;
    while let Some(id) = nodes.get(seen).copied() {
        seen += 1;
        let words = match block.node(id) {
            Node::Any => return None,
            // Unions of unions could refer to each other.
            Node::Union(parts) => {
                nodes.extend(parts.iter().filter(|part| !nodes.contains(part)).copied().collect::<Vec<_>>());
                continue;
            }
            node => of_node(block, node),
        };
        if !known.contains(&words) {
            known.push(words);
        }
    }
    match known.len() {
        0 => None,
        count if count > MAX_ALTERNATIVES => Some(format!("one of {count} types")),
        _ => Some(known.join(" or ")),
    }
}

fn of_node(block: &Block, node: &Node) -> String {
    match node {
        Node::Integer { min: None, max: None } => "integer".to_owned(),
        Node::Integer { min, max } => format!("integer, {}", bounds(*min, *max)),
        Node::Text { min, max, pattern } => {
            let is_one = max.or(*min) == Some(1);
            let unit = if is_one { "character" } else { "characters" };
            let is_bounded = min.is_some() || max.is_some();
            let length = if is_bounded { format!(", {} {unit}", bounds(*min, *max)) } else { String::new() };
            let pattern = pattern.map(|pattern| format!(", matching `{}`", block.text(pattern))).unwrap_or_default();
            format!("string{length}{pattern}")
        }
        Node::Choice { values, open } => {
            let values: Vec<&str> = values.iter().map(|name| block.text(*name)).collect();
            format!("string, {} {}", if *open { "such as" } else { "one of" }, listed(&values))
        }
        Node::Array { item, .. } => match plural(block.node(*item)) {
            Some(items) => format!("array of {items}"),
            None => "array".to_owned(),
        },
        Node::Tagged { key, .. } => format!("object, whose properties depend on `{}`", block.text(*key)),
        Node::Boolean => "Boolean".to_owned(),
        Node::Number => "number".to_owned(),
        Node::Object(_) => "object".to_owned(),
        Node::Any | Node::Union(_) | Node::Checked { .. } | Node::Rule(_) => "any".to_owned(),
    }
}

fn plural(node: &Node) -> Option<&'static str> {
    Some(match node {
        Node::Boolean => "Booleans",
        Node::Number => "numbers",
        Node::Integer { .. } => "integers",
        Node::Text { .. } | Node::Choice { .. } => "strings",
        Node::Array { .. } => "arrays",
        Node::Object(_) | Node::Tagged { .. } => "objects",
        Node::Any | Node::Union(_) | Node::Checked { .. } | Node::Rule(_) => return None,
    })
}
