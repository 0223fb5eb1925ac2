//! Edits of YAML files. Scalars are replaced, and members are added to mappings in block style.

use std::fmt::Write as _;

use arcstr::ArcStr;

use crate::engine::fix::json;
use crate::engine::fix::layout::{Added, line_start};
use crate::syntax;
use crate::text::{FileId, Span};
use crate::value::{Data, Member, Value};

/// The greatest nesting that is parsed.
const MAX_DEPTH: u32 = 256;

/// Returns the scalar that replaces `old` with `value`. `None` unless `old` is the scalar of `found`, on one line. The
/// file must have no anchors: see [`has_anchors`].
pub(super) fn literal(file: FileId, old: &str, found: &Value, value: &Value) -> Option<String> {
    if old.contains('\n') || !reads_as(file, old, found) {
        return None;
    }
    let new = match &value.data {
        Data::String(it) if is_plain(old) && is_plain(it) => it.to_string(),
        // JSON is valid YAML.
        _ => value.to_json(),
    };
    reads_as(file, &new, value).then_some(new)
}

/// Adds members to the mapping at `span`, on lines of their own. `None` if it is in flow style, which has braces, or
/// already has such a member. The file must have no anchors: see [`has_anchors`].
///
/// Only the lines of the mapping are read: a file may have as many findings as lines.
pub(super) fn members(span: Span, text: &str, new: &[Member]) -> Option<Added> {
    let (start, end) = (span.start as usize, span.end as usize);
    let line = line_start(text, start)?;
    // The first key may stand behind the dash of an item. Behind a tag, it is not where the other keys begin.
    let margin = text.get(line..start)?;
    if !margin.bytes().all(|byte| b" -".contains(&byte)) || text.get(start..)?.starts_with('{') {
        return None;
    }
    let own = text.get(start..end_of_block(text, end)?)?;
    if own.contains('\t') {
        return None;
    }
    let indent = " ".repeat(margin.len());
    let before = format!("{indent}{own}");
    let read_before = read(span.file, &before)?;
    let object = read_before.as_object()?;
    let last = object.iter().last()?;
    if new.iter().any(|new| object.get(&new.key).is_some()) {
        return None;
    }
    let end = before.get(..last.value.span?.end as usize)?.trim_end().len().max(last.key_span?.end as usize);
    let end = before.get(end..)?.find('\n').map_or(before.len(), |newline| end + newline);
    let end = if before.get(..end)?.ends_with('\r') { end - 1 } else { end };
    let newline = if text.get(..line)?.ends_with("\r\n") || own.contains("\r\n") { "\r\n" } else { "\n" };
    let mut inserted = String::new();
    for member in new {
        write_member(&mut inserted, member, &indent, newline);
    }
    let after = format!("{}{inserted}{}", before.get(..end)?, before.get(end..)?);
    let is_right = json::is_as_intended(&read_before, &read(span.file, &after)?, new);
    let titles = new.iter().map(|member| format!("{}: {}", member.key, member.value.to_json()));
    let title = titles.collect::<Vec<_>>().join(", ");
    let at = start + end.checked_sub(indent.len())?;
    is_right.then_some(Added { range: at..at, text: inserted, title })
}

/// Returns the end of the lines of a block whose last value ends at `end`, with the blank lines and comments behind it:
/// those behind a block scalar may be a part of it.
fn end_of_block(text: &str, end: usize) -> Option<usize> {
    let content = text.get(..end)?.trim_end().len();
    let mut at = text.get(content..)?.find('\n').map_or(text.len(), |newline| content + newline + 1);
    for line in text.get(at..)?.split_inclusive('\n') {
        if !line.trim().is_empty() && !line.trim_start().starts_with('#') {
            break;
        }
        at += line.len();
    }
    Some(at)
}

fn write_member(out: &mut String, member: &Member, indent: &str, newline: &str) {
    let key = &member.key;
    match member.value.as_object().filter(|object| !object.is_empty()) {
        Some(object) => {
            let _ = write!(out, "{newline}{indent}{key}:");
            let deeper = format!("{indent}  ");
            object.iter().for_each(|member| write_member(out, member, &deeper, newline));
        }
        None => {
            let _ = match member.value.as_str().filter(|text| is_plain(text) && !is_word(text)) {
                Some(text) => write!(out, "{newline}{indent}{key}: {text}"),
                // JSON is valid YAML.
                None => write!(out, "{newline}{indent}{key}: {}", member.value.to_json()),
            };
        }
    }
}

/// Returns `true` if YAML reads a text as a Boolean or as null.
fn is_word(text: &str) -> bool {
    ["true", "false", "yes", "no", "on", "off", "null", "y", "n"].iter().any(|word| word.eq_ignore_ascii_case(text))
}

fn read(file: FileId, text: &str) -> Option<Value> {
    let read = syntax::yaml::parse_template(file, &ArcStr::from(text), MAX_DEPTH, &|_| true);
    read.value.filter(|_| read.diagnostics.is_empty())
}

fn reads_as(file: FileId, text: &str, value: &Value) -> bool {
    let read = syntax::yaml::parse_template(file, &ArcStr::from(text), 2, &|_| true);
    read.diagnostics.is_empty() && read.value.is_some_and(|read| read.same(value))
}

fn is_plain(text: &str) -> bool {
    text.starts_with(|text: char| text.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

/// Returns `true` if the source may contain an anchor. An anchored value is also used elsewhere, where the edit would
/// be wrong.
pub(super) fn has_anchors(text: &str) -> bool {
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
        let changed = literal(file, old, found, value).filter(|_| !has_anchors(text));
        assert_eq!(changed.as_deref(), wanted, "{old}");
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

    /// The places of all mappings, outer ones first.
    fn collect(value: &Value, spans: &mut Vec<Span>) {
        let inner: Vec<&Value> = match &value.data {
            Data::Object(object) => object.iter().map(|member| &member.value).collect(),
            Data::Array(items) => items.iter().collect(),
            _ => Vec::new(),
        };
        spans.extend(value.span.filter(|_| matches!(value.data, Data::Object(_))));
        for value in inner {
            collect(value, spans);
        }
    }

    /// Returns the text with members added to the mapping that begins at `start`.
    fn with(text: &str, start: &str) -> Option<String> {
        let file = Sources::new().add("a.yaml", text);
        let at = u32::try_from(text.find(start)?).ok()?;
        let whole = read(file, text)?;
        let mut spans = Vec::new();
        collect(&whole, &mut spans);
        let span = spans.into_iter().rfind(|span| span.start == at)?;
        let access = Value::object(vec![Member::new("Block", Value::from(true))]);
        let new = [Member::new("Access", access), Member::new("Mode", Value::from("Off"))];
        let Added { range, text: new, .. } = members(span, text, &new).filter(|_| !has_anchors(text))?;
        Some(format!("{}{new}{}", &text[..range.start], &text[range.end..]))
    }

    #[test]
    fn members_go_below_the_last_one_and_comments_stay() {
        let check = |text: &str, start: &str, wanted: &str| assert_eq!(with(text, start).as_deref(), Some(wanted));
        check(
            "R:\n  B: # it\n    Type: x # y\n\n  C:\n    Type: z\n",
            "Type: x",
            "R:\n  B: # it\n    Type: x # y\n    Access:\n      Block: true\n    Mode: \"Off\"\n\n  C:\n    Type: z\n",
        );
        check(
            "R:\n  - A: 1\n    B: |\n      text\n      more\n",
            "A: 1",
            "R:\n  - A: 1\n    B: |\n      text\n      more\n    Access:\n      Block: true\n    Mode: \"Off\"\n",
        );
        check("A:\r\n  B: 1", "B: 1", "A:\r\n  B: 1\r\n  Access:\r\n    Block: true\r\n  Mode: \"Off\"");
        check("A:\n  B: !Ref x\n", "B: !Ref", "A:\n  B: !Ref x\n  Access:\n    Block: true\n  Mode: \"Off\"\n");
        check(
            "A:\n  - B: |-\n      text\n\n    # it\n  - C\n",
            "B: |-",
            "A:\n  - B: |-\n      text\n    Access:\n      Block: true\n    Mode: \"Off\"\n\n    # it\n  - C\n",
        );
    }

    #[test]
    fn a_block_that_keeps_its_last_lines_stays_as_it_is() {
        assert_eq!(with("A:\n  B: |+\n    text\n\n\nC: 1\n", "B: |+"), None);
    }

    #[test]
    fn other_mappings_stay_as_they_are() {
        assert_eq!(with("A: {B: 1}\n", "{B"), None);
        assert_eq!(with("A: &x\n  B: 1\nC: *x\n", "B: 1"), None);
        assert_eq!(with("A:\n  mode: 1\n", "mode"), None);
        assert_eq!(with("A:\n  ! B: 1\n", "B: 1"), None);
        assert_eq!(with("A:\n  - !x B: 1\n", "B: 1"), None);
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
