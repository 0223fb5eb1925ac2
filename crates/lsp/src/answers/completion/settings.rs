//! Completion of keys and values of the settings, by their schema.

use gen_lsp_types::CompletionItemKind;
use serde_json::Value;

use super::CompletionEntry;

/// Maximum depth of settings.
const MAX_DEPTH: usize = 8;

/// A line in block style.
struct Line<'t> {
    /// Number of bytes before its key: the indentation and the dash of an item.
    indent: usize,
    /// True if it starts an item of a list.
    is_item: bool,
    /// Text after the indentation.
    rest: &'t str,
}

impl<'t> Line<'t> {
    fn parse(line: &'t str) -> Self {
        let line = line.trim_end_matches(['\r', '\n']);
        let content = line.trim_start_matches(' ');
        let rest = content.strip_prefix("- ").map(|rest| rest.trim_start_matches(' '));
        let (is_item, rest) = (rest.is_some() || content == "-", rest.unwrap_or(content));
        Self { indent: line.len() - rest.len(), is_item, rest }
    }

    /// Returns the key of the line, and the text after its colon.
    fn key(&self) -> Option<(&'t str, &'t str)> {
        let (key, value) = self.rest.split_once(':')?;
        (!key.starts_with('#')).then(|| (key.trim(), value))
    }
}

/// Keys around a position.
struct SettingsContext<'t> {
    /// Keys, the outermost first. `true` if the next one is in an item of a list.
    path: Vec<(&'t str, bool)>,
    /// Other keys of the same mapping.
    siblings: Vec<&'t str>,
}

impl<'t> SettingsContext<'t> {
    /// Finds the keys around `own`, the line between `above` and `below`. `None` if it is too deep for settings.
    fn find(own: &Line<'_>, above: &'t str, below: &'t str) -> Option<Self> {
        let (mut path, mut siblings) = (Vec::new(), Vec::new());
        let (mut indent, mut is_in_item) = (own.indent, own.is_item);
        for line in above.rsplit('\n').map(Line::parse) {
            let Some((key, _)) = line.key() else { continue };
            if line.indent < indent {
                path.push((key, is_in_item));
                (indent, is_in_item) = (line.indent, line.is_item);
                if path.len() > MAX_DEPTH {
                    return None;
                }
            } else if line.indent == indent {
                if path.is_empty() && !is_in_item {
                    siblings.push(key);
                }
                is_in_item |= line.is_item;
            }
        }
        path.reverse();
        for line in below.split('\n').map(Line::parse).filter(|line| !line.rest.is_empty()) {
            if line.indent < own.indent || (line.is_item && line.indent == own.indent) {
                break;
            }
            siblings.extend(line.key().filter(|_| line.indent == own.indent).map(|(key, _)| key));
        }
        Some(Self { path, siblings })
    }
}

/// Returns the completions at an offset of a settings file. `rules` are the IDs of rules.
pub(super) fn items(schema: &Value, rules: &[&str], text: &str, offset: usize) -> Vec<CompletionEntry> {
    find_items(schema, rules, text, offset).unwrap_or_default()
}

fn find_items(schema: &Value, rules: &[&str], text: &str, offset: usize) -> Option<Vec<CompletionEntry>> {
    let (before, after) = text.split_at_checked(offset)?;
    let (above, own) = before.rsplit_once('\n').unwrap_or(("", before));
    let (_, below) = after.split_once('\n').unwrap_or_default();
    if own.trim_start().starts_with('#') || own.contains(" #") {
        return None;
    }
    let own = Line::parse(own);
    let SettingsContext { path, siblings } = SettingsContext::find(&own, above, below)?;
    let keys: Vec<&str> = path.iter().map(|(key, _)| *key).collect();
    let node = path.iter().try_fold(schema, |node, (key, is_in_item)| {
        let node = property(node, key)?;
        if *is_in_item { item(node) } else { Some(node) }
    })?;
    let Some((key, value)) = own.key() else {
        let values = if own.is_item { values(node, is_of_rules(&keys), rules) } else { Vec::new() };
        return Some(values.into_iter().chain(self::keys(node, &siblings, &keys, rules)).collect());
    };
    let node = property(node, key)?;
    let (value, is_listed) = match value.strip_prefix(' ')?.trim_start().strip_prefix('[') {
        Some(items) => (items.rsplit(',').next().unwrap_or_default().trim_start(), true),
        None => (value.trim_start(), false),
    };
    if value.contains([' ', ']', '{']) {
        return None;
    }
    let keys: Vec<&str> = keys.into_iter().chain([key]).collect();
    let node = if is_listed { item(node)? } else { node };
    Some(values(node, is_of_rules(&keys), rules))
}

/// Iterates over a schema and its alternatives.
fn alternatives(node: &Value) -> impl Iterator<Item = &Value> {
    let others = node.get("anyOf").and_then(Value::as_array);
    std::iter::once(node).chain(others.into_iter().flatten())
}

/// Returns the schema of a list's items. `None` if there can be no list.
fn item(node: &Value) -> Option<&Value> {
    alternatives(node).find_map(|node| node.get("items"))
}

/// Returns the schema of a key's value.
fn property<'s>(node: &'s Value, key: &str) -> Option<&'s Value> {
    alternatives(node).find_map(|node| {
        let properties = node.get("properties").and_then(|properties| properties.get(key));
        properties.or_else(|| node.get("additionalProperties").filter(|schema| schema.is_object()))
    })
}

/// True if the value of these keys, the outermost first, is the ID of a rule or a list of them.
fn is_of_rules(keys: &[&str]) -> bool {
    matches!(keys, ["rules", "include" | "exclude"] | ["suppressions", "rule"])
}

/// Returns the keys that a mapping can have besides `siblings`. `around` are the keys around it.
fn keys(node: &Value, siblings: &[&str], around: &[&str], rules: &[&str]) -> Vec<CompletionEntry> {
    let properties = alternatives(node).filter_map(|node| node.get("properties").and_then(Value::as_object)).flatten();
    let rules: &[&str] = if around == ["rules", "severity"] { rules } else { &[] };
    let described = properties.map(|(name, node)| key_item(name, node.get("description").and_then(Value::as_str)));
    let found = described.chain(rules.iter().map(|rule| key_item(rule, None)));
    found.filter(|one| !siblings.contains(&one.label.as_str())).collect()
}

fn key_item(name: &str, detail: Option<&str>) -> CompletionEntry {
    CompletionEntry {
        label: name.to_owned(),
        detail: detail.map(ToOwned::to_owned),
        kind: CompletionItemKind::Property,
        inserted: Some(format!("{name}: ")),
    }
}

/// Returns the scalar values.
fn values(node: &Value, is_of_rules: bool, rules: &[&str]) -> Vec<CompletionEntry> {
    let words = alternatives(node).filter_map(|node| node.get("enum").and_then(Value::as_array)).flatten();
    let is_switch = alternatives(node).any(|node| {
        node.get("type")
            .is_some_and(|of| of == "boolean" || of.as_array().is_some_and(|all| all.iter().any(|of| of == "boolean")))
    });
    let switch = if is_switch { &["true", "false"][..] } else { &[] };
    let rules = if is_of_rules { rules } else { &[] };
    let words = words.filter_map(Value::as_str);
    words.chain(switch.iter().copied()).chain(rules.iter().copied()).map(CompletionEntry::value).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// What is before the cursor, and what can be written there.
    const CASES: &[(&str, &str)] = &[
        ("", "fail-on rules strict suppressions"),
        ("strict: true\nfa", "fail-on rules suppressions"),
        ("strict: ", "true false"),
        ("fail-on:", ""),
        ("fail-on: ", "high low"),
        ("fail-on: high ", ""),
        ("fail-on: hi", "high low"),
        ("fail-on: high # strict: ", ""),
        ("# strict: ", ""),
        ("fail-on: [", ""),
        ("fail-on:\n  - ", ""),
        ("strict:\n  - ", ""),
        ("strict:\n  ", ""),
        ("rules:\n  ", "exclude paths severity"),
        ("rules:\n  # ", ""),
        ("rules:\n  - ", ""),
        ("rules: ", ""),
        ("rules:\n  paths: x\n  # a: b\n\n  ", "exclude severity"),
        ("rules:\n  severity:\n    ", "R"),
        ("rules:\n  severity:\n    R: ", "low"),
        ("rules:\n  severity: ", ""),
        ("rules:\n  exclude: ", "R"),
        ("rules:\n  exclude: [\"A\", ", "R"),
        ("rules:\n  exclude: [A]", ""),
        ("rules:\n  exclude: [A] ", ""),
        ("rules:\n  exclude:\n    - A\n    ", ""),
        ("rules:\n  exclude: [", "R"),
        ("rules:\n  exclude:\n    - ", "R"),
        ("rules:\n  exclude:\n  - ", "R"),
        ("suppressions:\n  ", ""),
        ("suppressions: [", ""),
        ("suppressions:\n  - rule: [", "R"),
        ("suppressions:\n  - rule:\n    - ", "R"),
        ("suppressions:\n  - ", "reason rule"),
        ("suppressions:\n  - rule: R\n    ", "reason"),
        ("suppressions:\n  - rule: R\n    reason: x\n  - ", "reason rule"),
        ("suppressions:\n  - rule: ", "R"),
        ("strict: true\nrules:\n  paths: x\nsuppressions:\n- rule: R\n  ", "reason"),
        ("unknown:\n  ", ""),
    ];

    #[test]
    fn settings_are_completed_by_their_schema() {
        let strings = json!({"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]});
        let schema = json!({"properties": {
            "strict": {"type": "boolean"},
            "fail-on": {"enum": ["high", "low"]},
            "rules": {"properties": {"exclude": strings, "paths": strings, "severity": {"additionalProperties": {"enum": ["low"]}}}},
            "suppressions": {"type": "array", "items": {"properties": {"rule": strings, "reason": {"type": "string"}}}},
        }});
        for (before, expected) in CASES {
            let mut found: Vec<String> =
                items(&schema, &["R"], before, before.len()).into_iter().map(|item| item.label).collect();
            if !before.ends_with(": ") {
                found.sort();
            }
            assert_eq!(found.join(" "), *expected, "{before}");
        }
    }

    /// A key that comes twice is an error.
    #[test]
    fn keys_are_not_repeated() {
        let key = json!({"type": "string"});
        let of_rules = json!({"properties": {"a": key, "b": key}});
        let schema = json!({"properties": {"a": key, "b": key, "rules": of_rules, "list": {"items": of_rules}}});
        for (text, expected) in [
            ("^\nb: x\nrules:\n  a: x\n", "a list"),
            ("rules:\n  ^\n  b: x\na: x\n", "a"),
            ("list:\n  - ^\n    b: x\n  - a: x\n", "a"),
            ("list:\n  - b: x\n    ^\n  - a: x\n", "a"),
            ("list:\n  - a: x\n  - ^\n\na: x\n", "a b"),
        ] {
            let offset = text.find('^').unwrap();
            let mut found: Vec<String> =
                items(&schema, &[], &text.replace('^', ""), offset).into_iter().map(|item| item.label).collect();
            found.sort();
            assert_eq!(found.join(" "), expected, "{text}");
        }
    }
}
