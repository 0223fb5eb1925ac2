//! Parses paths to properties.

use crate::guard::parse::fault::{Fault, quoted};
use crate::guard::path::{Path, Root, Segment};
use crate::guard::piece::Piece;
use crate::value::Str;

/// Names that a path may have. Each takes a level of recursion.
const MAX_SEGMENTS: usize = 64;

/// Parses `["."] (name / "*") *("." (name / "*"))`.
pub(super) fn path(word: Piece<'_>) -> Result<Path, Fault<'_>> {
    let (root, names) = match word.text.strip_prefix('.') {
        Some(_) => (Root::Resource, word.split_at(1).1),
        None => (Root::Properties, word),
    };
    let mut segments = Vec::new();
    let mut rest = names;
    loop {
        let end = rest.text.find('.').unwrap_or(rest.text.len());
        let (name, after) = rest.split_at(end);
        segments.push(segment(name)?);
        if segments.len() > MAX_SEGMENTS {
            return Err(Fault::invalid(word, format!("the path has more than {MAX_SEGMENTS} names")));
        }
        if after.text.is_empty() {
            return Ok(Path { root, segments: segments.into() });
        }
        rest = after.split_at(1).1;
    }
}

fn segment(name: Piece<'_>) -> Result<Segment, Fault<'_>> {
    match name.text {
        "" => Ok(Segment::Empty),
        "*" => Ok(Segment::Any),
        text if text.chars().all(is_name_char) => {
            let index = text.parse().ok().filter(|index: &usize| index.to_string() == text);
            Ok(Segment::Name { key: Str::from(text), index })
        }
        text => match text.strip_suffix('*').filter(|start| start.chars().all(is_name_char)) {
            Some(start) => Ok(Segment::Prefix(Str::from(start))),
            None => Err(unreadable(name)),
        },
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn unreadable(name: Piece<'_>) -> Fault<'_> {
    if name.text.contains('*') {
        let fault = Fault::syntax(name, format!("a wildcard must be alone between dots, found {}", quoted(name.text)));
        return fault.with_help("write `*` for all items or members");
    }
    let wrong = name.text.chars().find(|c| !is_name_char(*c)).unwrap_or_default();
    let at = name.split_at(name.text.find(wrong).unwrap_or(0)).1.split_at(wrong.len_utf8()).0;
    let fault =
        Fault::syntax(at, format!("`{wrong}` is not allowed in a path; expected letters, digits, `_` and dots"));
    match wrong {
        '=' | '!' | '<' | '>' => fault.with_help("put blanks around the operator"),
        ':' => fault.with_help("the type belongs at the start of the rule only; `*` reaches members of any name"),
        '|' => fault.with_help("`TYPE PATH == VALUE |OR| TYPE PATH == VALUE` tests one of two properties"),
        _ => fault.with_help("`*` reaches members of any name"),
    }
}
