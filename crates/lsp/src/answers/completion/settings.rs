//! Keys and values of the settings, by their schema.

use gen_lsp_types::CompletionItemKind;
use serde_json::Value;

use super::Item;

/// How deep settings nest, at most.
const MAX_DEPTH: usize = 8;

/// A line of a text in blocks.
struct Line<'t> {
    /// By how many characters its key is indented, behind the marks of items.
    indent: usize,
    /// Whether it begins an item of a list.
    is_item: bool,
    /// What is behind the indentation.
    rest: &'t str,
}

impl<'t> Line<'t> {
    fn of(line: &'t str) -> Self {
        let content = line.trim_end_matches(['\r', '\n']).trim_start_matches(' ');
        let rest = content.strip_prefix("- ").map(|rest| rest.trim_start_matches(' '));
        let (is_item, rest) = (rest.is_some() || content == "-", rest.unwrap_or(content));
        Self { indent: line.trim_end_matches(['\r', '\n']).len() - rest.len(), is_item, rest }
    }

    /// The key of the line and what is behind it.
    fn key(&self) -> Option<(&'t str, &'t str)> {
        self.rest.split_once(':').map(|(key, value)| (key.trim(), value))
    }
}

/// What can be written at the end of `before`, the beginning of a settings file. Where rules are listed, `rules` can.
pub(super) fn items(schema: &Value, rules: &[&str], before: &str) -> Vec<Item> {
    let mut lines = before.rsplit('\n').map(Line::of);
    let Some(own) = lines.next() else { return Vec::new() };
    let (mut indent, mut is_below_item) = (own.indent, own.is_item);
    let (mut path, mut siblings): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
    for line in lines {
        let Some((key, _)) = line.key().filter(|_| !line.rest.starts_with('#')) else { continue };
        if line.indent < indent {
            if path.len() == MAX_DEPTH {
                return Vec::new();
            }
            path.push(key);
            indent = line.indent;
        } else if line.indent == indent && path.is_empty() && !is_below_item {
            siblings.push(key);
            is_below_item = line.is_item;
        }
    }
    path.reverse();
    match own.key() {
        Some((key, value)) if value.starts_with(' ') => {
            path.push(key);
            let Some(node) = path.iter().try_fold(schema, |node, key| below(node, key)) else { return Vec::new() };
            let is_list = value.trim_start().starts_with('[');
            if is_list || value.trim().is_empty() { values(node, rules, &path) } else { Vec::new() }
        }
        Some(_) => Vec::new(),
        None => {
            let Some(node) = path.iter().try_fold(schema, |node, key| below(node, key)) else { return Vec::new() };
            let mut found = if own.is_item { values(node, rules, &path) } else { Vec::new() };
            found.extend(keys(node, &siblings));
            found
        }
    }
}

/// What an item of a list has, or the value itself.
fn item(node: &Value) -> &Value {
    node.get("items").unwrap_or(node)
}

fn below<'s>(node: &'s Value, key: &str) -> Option<&'s Value> {
    item(node).get("properties")?.get(key)
}

fn keys(node: &Value, siblings: &[&str]) -> Vec<Item> {
    let properties = item(node).get("properties").and_then(Value::as_object);
    let free = properties.into_iter().flatten().filter(|(name, _)| !siblings.contains(&name.as_str()));
    let drawn = |(name, node): (&String, &Value)| Item {
        label: name.clone(),
        detail: node.get("description").and_then(Value::as_str).map(ToOwned::to_owned),
        kind: CompletionItemKind::Property,
        inserted: Some(format!("{name}: ")),
    };
    free.map(drawn).collect()
}

fn values(node: &Value, rules: &[&str], path: &[&str]) -> Vec<Item> {
    let is_of_rules = matches!(path, ["rules", "include" | "exclude"] | ["suppressions", "rule"]);
    let listed = node.get("enum").and_then(Value::as_array);
    let words = listed.into_iter().flatten().filter_map(Value::as_str);
    let is_switch = node.get("type").is_some_and(|of| of == "boolean");
    let switch = if is_switch { &["true", "false"][..] } else { &[] };
    let rules = if is_of_rules { rules } else { &[] };
    words.chain(switch.iter().copied()).chain(rules.iter().copied()).map(Item::value).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn settings_are_completed_by_their_schema() {
        let strings = json!({"anyOf": [{"type": "string"}]});
        let schema = json!({"properties": {
            "strict": {"type": "boolean"},
            "fail-on": {"enum": ["high", "low"]},
            "rules": {"properties": {"exclude": strings, "paths": strings}},
            "suppressions": {"items": {"properties": {"rule": strings, "reason": {"type": "string"}}}},
        }});
        for (before, expected) in [
            ("", "fail-on rules strict suppressions"),
            ("strict: true\nfa", "fail-on rules suppressions"),
            ("strict: ", "true false"),
            ("fail-on:", ""),
            ("fail-on: ", "high low"),
            ("fail-on: high ", ""),
            ("rules:\n  ", "exclude paths"),
            ("rules:\n  paths: x\n  # a: b\n\n  ", "exclude"),
            ("rules:\n  exclude: [", "R"),
            ("rules:\n  exclude:\n    - ", "R"),
            ("rules:\n  exclude:\n  - ", "R"),
            ("suppressions:\n  - ", "reason rule"),
            ("suppressions:\n  - rule: R\n    ", "reason"),
            ("suppressions:\n  - rule: R\n    reason: x\n  - ", "reason rule"),
            ("suppressions:\n  - rule: ", "R"),
            ("strict: true\nrules:\n  paths: x\nsuppressions:\n- rule: R\n  ", "reason"),
            ("unknown:\n  ", ""),
        ] {
            let mut found: Vec<String> = items(&schema, &["R"], before).into_iter().map(|item| item.label).collect();
            if !before.ends_with(": ") {
                found.sort();
            }
            assert_eq!(found.join(" "), expected, "{before}");
        }
    }
}
