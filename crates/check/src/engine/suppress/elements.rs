//! The elements of a file, of which a comment covers those that begin on its line: declarations, members of objects,
//! and items of lists.

use crate::text::Span;
use crate::value::{Data, Value};

/// An element and where it begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Start of the element. A declaration has an element for each of its decorators and for its keyword.
    pub(super) start: u32,
    /// All of its text.
    pub(super) span: Span,
    /// Start of the first item, if the value is a list.
    pub(super) first_item: Option<u32>,
}

/// Returns the elements that begin between two offsets, which are those of a line: the outermost ones. A list whose
/// first item begins there as well is skipped for its items, so that `"resources": [{` begins a resource.
pub(super) fn beginning(elements: &[Element], line: std::ops::Range<u32>) -> Vec<Span> {
    let from = elements.partition_point(|element| element.start < line.start);
    let rest = elements.get(from..).unwrap_or_default();
    let here = rest.iter().take_while(|element| element.start < line.end);
    let here = here.filter(|element| element.first_item.is_none_or(|item| !line.contains(&item)));
    let mut outermost: Vec<Span> = Vec::new();
    // The outer one of two that begin at the same place comes first, and what is around an element ends last of all before.
    let mut widest: Option<Span> = None;
    for element in here {
        if widest.is_none_or(|outer| !outer.contains(element.span)) {
            outermost.push(element.span);
            widest = widest.filter(|outer| outer.end > element.span.end).or(Some(element.span));
        }
    }
    outermost
}

/// Returns the elements of a value of JSON or YAML, in the order of their beginnings.
pub(super) fn of_value(root: &Value) -> Vec<Element> {
    let mut elements = Vec::new();
    collect(root, &mut elements);
    sort(&mut elements);
    elements
}

/// Sorts elements by where they begin, outer ones first.
pub(super) fn sort(elements: &mut [Element]) {
    elements.sort_by_key(|element| (element.start, std::cmp::Reverse(element.span.end)));
}

fn collect(value: &Value, elements: &mut Vec<Element>) {
    let mut add = |span: Option<Span>, value: &Value| {
        let first_item = value.as_array().and_then(|items| items.first()?.span).map(|first| first.start);
        elements.extend(span.map(|span| Element { start: span.start, span, first_item }));
    };
    match &value.data {
        Data::Object(members) => {
            for member in members.iter() {
                add(member.span(), &member.value);
            }
            members.iter().for_each(|member| collect(&member.value, elements));
        }
        Data::Array(items) => {
            for item in items.iter() {
                add(item.span, &Value::NULL);
            }
            items.iter().for_each(|item| collect(item, elements));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use arcstr::ArcStr;

    use super::*;
    use crate::syntax::{json, yaml};
    use crate::text::Sources;

    /// The texts of the elements that begin on the line with `|`, shortened.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let at = text.find('|').unwrap();
        let text: ArcStr = text.replacen('|', "", 1).into();
        let file = Sources::new().add("a", text.clone());
        let is_json = text.starts_with(['{', '[']);
        let read = if is_json { json::parse } else { yaml::parse };
        let elements = of_value(&read(file, &text, 50).value.unwrap());
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
        let line = u32::try_from(start).unwrap()..u32::try_from(end).unwrap();
        let found: Vec<String> = beginning(&elements, line)
            .into_iter()
            .map(|span| text[span.start as usize..span.end as usize].split_whitespace().collect())
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn the_outermost_elements_of_a_line_are_found() {
        check("{\n  |\"a\": {\n    \"b\": 1 } }", &["\"a\":{\"b\":1}"]);
        check("{\n  \"a\": {\n    |\"b\": 1, \"c\": [2] } }", &["\"b\":1", "2"]);
        check("{\n  \"a\": [|{\n    \"b\": 1 }, 3] }", &["{\"b\":1}"]);
        check("{\n  \"a\": [\n    |{\n    \"b\": 1 }, 3] }", &["{\"b\":1}"]);
        check("{\n  \"a\": [\n    {\n    \"b\": 1\n |}, 3] }", &["3"]);
        check("{\n  \"a\": [\n 1\n  |] }", &[]);
    }

    #[test]
    fn the_elements_of_yaml_are_found() {
        check("a:\n  |b:\n    c: 1\n    d: 2\n  e: 3\n", &["b:c:1d:2"]);
        check("a:\n  |- b: 1\n    c: 2\n  - d\n", &["b:1c:2"]);
        check("a:\n  - b: 1\n    |c: 2\n  - d\n", &["c:2"]);
        check("|a:\n- 1\n- 2\n", &["a:-1-2"]);
    }
}
