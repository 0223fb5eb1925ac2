//! Names in templates of CloudFormation, which functions refer to.

use std::ops::Range;

use super::{MAX_PLACES, words};
use crate::outline::Kind;

/// What stands before the name of a parameter or a resource, without quotes and spaces.
const OF_VALUES: [&str; 7] = ["!Ref", "Ref:", "!GetAtt", "!GetAtt[", "Fn::GetAtt:", "Fn::GetAtt:[", "DependsOn:"];

/// The same for a condition.
const OF_CONDITIONS: [&str; 6] = ["!Condition", "Condition:", "!If", "!If[", "Fn::If:", "Fn::If:["];

/// The same for a mapping.
const OF_MAPPINGS: [&str; 4] = ["!FindInMap", "!FindInMap[", "Fn::FindInMap:", "Fn::FindInMap:["];

/// How many bytes before a name are looked at. A template may be one line.
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
    let is_used = |range: &Range<usize>| {
        let before = tail(text, range.start);
        let list = lists.partition_point(|list| list.end <= range.start);
        let is_listed = lists.get(list).is_some_and(|list| list.start <= range.start);
        (is_listed && !is_comment(before)) || (is_value && before.ends_with("${")) || is_after(before, marks)
    };
    words(text, name).filter(is_used).take(MAX_PLACES).collect()
}

/// The last bytes before a place.
fn tail(text: &str, end: usize) -> &str {
    let start = text.ceil_char_boundary(end.saturating_sub(LOOK_BACK));
    text.get(start..end).unwrap_or_default()
}

/// Whether the line that `before` ends with is in a comment.
fn is_comment(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    line.trim_start().starts_with('#') || line.contains(" #")
}

/// Whether one of the marks is the last thing before a name, or before the list whose first item it is.
fn is_after(before: &str, marks: &[&str]) -> bool {
    let mut lines = before.rsplit('\n').map(compact);
    let is_marked = |line: &str| marks.iter().any(|mark| line.ends_with(mark));
    let own = lines.next().unwrap_or_default();
    is_marked(&own) || (["", "-"].contains(&&*own) && lines.next().is_some_and(|above| is_marked(&above)))
}

/// The lists of what resources depend on, in their order.
fn dependencies(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (at, key) in text.match_indices("DependsOn") {
        // What is in a list is not the key of another one: each byte is read once.
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

/// How many bytes of a text are a list in lines that begin with `-`, behind what remains of the line of its key.
fn block(text: &str) -> usize {
    let mut lines = text.split_inclusive('\n');
    let first = lines.next().unwrap_or_default();
    if !matches!(first.trim_start().chars().next(), None | Some('#')) {
        return 0;
    }
    let is_item = |line: &&str| {
        let content = line.trim_start();
        let name = content.split('#').next().unwrap_or_default();
        content.is_empty() || content.starts_with('#') || (content.starts_with('-') && !name.contains(':'))
    };
    first.len() + lines.take_while(is_item).map(str::len).sum::<usize>()
}

/// A line without quotes and spaces.
fn compact(line: &str) -> String {
    line.chars().filter(|c| !c.is_whitespace() && !['"', '\''].contains(c)).collect()
}
