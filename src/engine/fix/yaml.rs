//! Edits of YAML files. Only scalars are replaced.

use std::sync::Arc;

use crate::syntax;
use crate::text::FileId;
use crate::value::{Data, Value};

/// The scalar that replaces `old` with `value`. `None` unless `old` is the scalar of `found`, on one line.
pub(super) fn literal(file: FileId, text: &str, old: &str, found: &Value, value: &Value) -> Option<String> {
    if old.contains('\n') || has_anchors(text) || !reads_as(file, old, found) {
        return None;
    }
    let new = match &value.data {
        Data::String(it) if is_plain(old) && is_plain(it) => it.to_string(),
        // JSON is valid YAML.
        _ => value.to_json(),
    };
    reads_as(file, &new, value).then_some(new)
}

fn reads_as(file: FileId, text: &str, value: &Value) -> bool {
    let read = syntax::yaml::parse_template(file, &Arc::from(text), 2);
    read.diagnostics.is_empty() && read.value.is_some_and(|read| read.same(value))
}

fn is_plain(text: &str) -> bool {
    text.starts_with(|text: char| text.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Whether the source may contain an anchor. An anchored value is also used elsewhere, where the edit would be wrong.
fn has_anchors(text: &str) -> bool {
    let mut all = text.match_indices('&').map(|(at, _)| at);
    all.any(|at| text[..at].ends_with([' ', '\n', '\t', '[', ',']) && text[at + 1..].starts_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Sources;

    #[track_caller]
    fn check(text: &str, old: &str, found: &Value, value: &Value, wanted: Option<&str>) {
        let file = Sources::new().add("a.yaml", text);
        assert_eq!(literal(file, text, old, found, value).as_deref(), wanted, "{old}");
    }

    #[test]
    fn a_scalar_is_replaced_in_its_style() {
        let (yes, text) = (Value::from(true), Value::from("Suspended"));
        check("A: false", "false", &Value::from(false), &yes, Some("true"));
        check("A: no", "no", &Value::from(false), &yes, Some("true"));
        check("A: Enabled", "Enabled", &Value::from("Enabled"), &text, Some("Suspended"));
        check("A: 'Enabled'", "'Enabled'", &Value::from("Enabled"), &text, Some("\"Suspended\""));
        check("A: Enabled", "Enabled", &Value::from("Enabled"), &Value::from("true"), None);
        check("A: Enabled", "Enabled", &Value::from("Enabled"), &Value::from("a: b"), Some("\"a: b\""));
        check("A: 1", "1", &Value::from(1), &Value::from(90), Some("90"));
    }

    #[test]
    fn what_other_places_may_repeat_stays_as_it_is() {
        let (no, yes) = (Value::from(false), Value::from(true));
        check("A: &a\n  B: false\nC: *a", "false", &no, &yes, None);
        check("A: *a", "*a", &no, &yes, None);
        check("A: !Ref x", "!Ref x", &no, &yes, None);
        check("A: a && b\nB: false", "false", &no, &yes, Some("true"));
        check("A: >\n  x\n", ">\n  x", &Value::from("x\n"), &Value::from("y"), None);
    }
}
