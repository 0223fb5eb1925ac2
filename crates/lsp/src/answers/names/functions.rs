//! Names in templates of CloudFormation, which functions refer to.

use std::ops::Range;

use super::words;
use crate::outline::Kind;

/// What stands before the name of a parameter or a resource, without quotes and spaces.
const OF_VALUES: [&str; 8] =
    ["!Ref", "Ref:", "!GetAtt", "!GetAtt[", "Fn::GetAtt:", "Fn::GetAtt:[", DEPENDS, "DependsOn:["];

/// What stands before all that a resource depends on.
const DEPENDS: &str = "DependsOn:";

/// The same for a condition.
const OF_CONDITIONS: [&str; 6] = ["!Condition", "Condition:", "!If", "!If[", "Fn::If:", "Fn::If:["];

/// The same for a mapping.
const OF_MAPPINGS: [&str; 4] = ["!FindInMap", "!FindInMap[", "Fn::FindInMap:", "Fn::FindInMap:["];

/// How many items of a list are looked at to find out what it is a list of.
const MAX_ITEMS: usize = 64;

pub(super) fn uses(text: &str, name: &str, kind: Kind) -> Vec<Range<usize>> {
    let marks: &[&str] = match kind {
        Kind::Parameter | Kind::Resource => &OF_VALUES,
        Kind::Condition => &OF_CONDITIONS,
        Kind::Mapping => &OF_MAPPINGS,
        _ => return Vec::new(),
    };
    let is_value = kind == Kind::Parameter || kind == Kind::Resource;
    let is_used = |range: &Range<usize>| {
        let Some(before) = text.get(..range.start) else { return false };
        let is_written_out = is_value && before.ends_with("${");
        is_written_out || is_after(before, marks)
    };
    words(text, name).filter(is_used).collect()
}

/// Whether one of the marks is the last thing before a name, or before the list that it is in.
fn is_after(before: &str, marks: &[&str]) -> bool {
    let mut lines = before.rsplit('\n');
    let own = compact(lines.next().unwrap_or_default());
    let is_marked = |line: &str| marks.iter().any(|mark| line.ends_with(mark));
    if is_marked(&own) || !["", "-"].contains(&&*own) {
        return is_marked(&own);
    }
    // A function takes the name as the first item of a list; what is depended on are all items.
    let mut above = lines.take(MAX_ITEMS).map(compact);
    let Some(first) = above.next() else { return false };
    let is_further = |line: &String| line.starts_with('-') || line.ends_with(',');
    if !is_further(&first) {
        return is_marked(&first);
    }
    let of_list = above.find(|line| !is_further(line));
    of_list.is_some_and(|line| line.trim_end_matches('[').ends_with(DEPENDS) && marks.contains(&DEPENDS))
}

/// The end of a line without quotes and spaces.
fn compact(line: &str) -> String {
    let start = line.len() - line.len().min(200);
    let end = line.get(line.ceil_char_boundary(start)..).unwrap_or_default();
    end.chars().filter(|c| !c.is_whitespace() && !['"', '\''].contains(c)).collect()
}
