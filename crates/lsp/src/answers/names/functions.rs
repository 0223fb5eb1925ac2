//! Names in CloudFormation templates, which functions refer to.

use std::ops::Range;

use super::{MAX_PLACES, words};
use crate::outline::Kind;

/// Texts before the name of a parameter or resource, without quotes and spaces.
const OF_VALUES: [&str; 7] = ["!Ref", "Ref:", "!GetAtt", "!GetAtt[", "Fn::GetAtt:", "Fn::GetAtt:[", "DependsOn:"];

/// Texts before the name of a condition.
const OF_CONDITIONS: [&str; 6] = ["!Condition", "Condition:", "!If", "!If[", "Fn::If:", "Fn::If:["];

/// Texts before the name of a mapping.
const OF_MAPPINGS: [&str; 4] = ["!FindInMap", "!FindInMap[", "Fn::FindInMap:", "Fn::FindInMap:["];

/// Maximum number of bytes that are read before a name. A template may be a single line.
const LOOK_BACK: usize = 200;

pub(super) fn uses(text: &str, name: &str, kind: Kind) -> Vec<Range<usize>> {
    let marks: &[&str] = match kind {
        Kind::Parameter | Kind::Resource => &OF_VALUES,
        Kind::Condition => &OF_CONDITIONS,
        Kind::Mapping => &OF_MAPPINGS,
        _ => return Vec::new(),
    };
    let lists = if kind == Kind::Resource { dependencies(text) } else { Vec::new() };
    let is_value = kind == Kind::Parameter || kind == Kind::Resource;
    let used = words(text, name).filter(|range| {
        let before = tail(text, range.start);
        let list = lists.partition_point(|list| list.end <= range.start);
        let is_listed = lists.get(list).is_some_and(|list| list.start <= range.start);
        (is_listed && !is_comment(before)) || (is_value && before.ends_with("${")) || is_after(before, marks)
    });
    used.take(MAX_PLACES).collect()
}

/// Returns the last bytes before a position.
fn tail(text: &str, end: usize) -> &str {
    let start = text.ceil_char_boundary(end.saturating_sub(LOOK_BACK));
    text.get(start..end).unwrap_or_default()
}

/// True if the last line of `before` is in a comment.
fn is_comment(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('#') || line.contains(" #")
}

/// True if one of the marks is the last text before a name, or before the list whose first item it is.
fn is_after(before: &str, marks: &[&str]) -> bool {
    let mut lines = before.rsplit('\n').map(compact);
    let own = lines.next().unwrap_or_default();
    ends_with_mark(&own, marks)
        || (["", "-"].contains(&&*own) && lines.next().is_some_and(|above| ends_with_mark(&above, marks)))
}

/// Returns the lists in `DependsOn`, in source order.
fn dependencies(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, key) in text.match_indices("DependsOn") {
        // A list does not contain another key, so each byte is read once.
        if found.last().is_some_and(|last| at < last.end) {
            continue;
        }
        let start = at + key.len();
        let rest = text.get(start..).unwrap_or_default();
        let Some(value) = rest.trim_start_matches(['"', '\'', ' ']).strip_prefix(':') else { continue };
        let start = start + rest.len() - value.len();
        let length = if value.trim_start().starts_with('[') {
            value.find([']', ':', '{', '}']).unwrap_or(value.len())
        } else {
            block(value)
        };
        found.push(start..start + length);
    }
    found
}

/// Returns the number of bytes of a list in lines that start with `-`, after the rest of its key's line.
fn block(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if !matches!(first.trim_start().chars().next(), None | Some('#')) {
        return 0;
    }
    let items = lines.take_while(|line| {
        let content = line.trim_start();
        let name = content.split('#').next().unwrap_or_default();
        content.is_empty() || content.starts_with('#') || (content.starts_with('-') && !name.contains(':'))
    });
    first.len() + items.map(str::len).sum::<usize>()
}

/// Removes quotes and spaces from a line.
fn compact(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace() && !['"', '\''].contains(c)).collect()
}

fn ends_with_mark(line: &str, marks: &[&str]) -> bool {
    marks.iter().any(|mark| line.ends_with(mark))
}
