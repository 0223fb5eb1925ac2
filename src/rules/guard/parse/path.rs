//! Reading property paths.

use crate::rules::guard::parse::fault::{Fault, quoted};
use crate::rules::guard::path::{Path, Root, Segment};
use crate::rules::guard::piece::Piece;
use crate::value::Str;

/// More names than this in one path are a mistake; each costs a level of recursion.
const MAX_SEGMENTS: usize = 64;

/// `["."] (name / "*") *("." (name / "*"))`
pub(super) fn path(word: Piece<'_>) -> Result<Path, Fault<'_>> {
    let (root, behind) = match word.text.strip_prefix('.') {
        Some(_) => (Root::Resource, word.split_at(1).1),
        None => (Root::Properties, word),
    };
    let mut segments = Vec::new();
    let mut rest = behind;
    loop {
        let end = rest.text.find('.').unwrap_or(rest.text.len());
        let (name, behind) = rest.split_at(end);
        segments.push(segment(name)?);
        if segments.len() > MAX_SEGMENTS {
            return Err(Fault::invalid(word, format!("the path has more than {MAX_SEGMENTS} names")));
        }
        if behind.text.is_empty() {
            return Ok(Path { root, segments: segments.into() });
        }
        rest = behind.split_at(1).1;
    }
}

fn segment(name: Piece<'_>) -> Result<Segment, Fault<'_>> {
    let plain = |text: &str| text.chars().all(|it| it.is_alphanumeric() || it == '_');
    match name.text {
        "" => Ok(Segment::Empty),
        "*" => Ok(Segment::Any),
        text if plain(text) => {
            let index = text.parse().ok().filter(|it: &usize| it.to_string() == text);
            Ok(Segment::Name { key: Str::from(text), index })
        }
        text => match text.strip_suffix('*').filter(|it| plain(it)) {
            Some(start) => Ok(Segment::Prefix(Str::from(start))),
            None => Err(unreadable(name)),
        },
    }
}

fn unreadable(name: Piece<'_>) -> Fault<'_> {
    if name.text.contains('*') {
        let fault = Fault::syntax(name, format!("a wildcard stands alone between dots, found {}", quoted(name.text)));
        return fault.with_help("write `*` for all items or members");
    }
    let is_name = |it: &char| it.is_alphanumeric() || *it == '_';
    let wrong = name.text.chars().find(|it| !is_name(it)).unwrap_or_default();
    let at = name.split_at(name.text.find(wrong).unwrap_or(0)).1.split_at(wrong.len_utf8()).0;
    let fault =
        Fault::syntax(at, format!("`{wrong}` cannot stand in a path, which is made of letters, digits and dots"));
    match wrong {
        '=' | '!' | '<' | '>' => fault.with_help("blanks are wanted around the operator"),
        ':' => fault.with_help("the type stands once, at the start of the rule; `*` reaches members of any name"),
        '|' => fault.with_help("`TYPE PATH == VALUE |OR| TYPE PATH == VALUE` tests one of two properties"),
        _ => fault.with_help("`*` reaches members of any name"),
    }
}
