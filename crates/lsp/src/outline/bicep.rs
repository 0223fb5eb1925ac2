//! Declarations of Bicep, each of which starts a line.

use std::ops::Range;

use super::tokens::{Token, partners, tokens};
use super::{Declaration, Kind};

/// Keywords that start a declaration at the beginning of a line.
const WORDS: [(&str, Kind); 8] = [
    ("param", Kind::Parameter),
    ("var", Kind::Variable),
    ("resource", Kind::Resource),
    ("module", Kind::Module),
    ("output", Kind::Output),
    ("func", Kind::Function),
    ("type", Kind::Type),
    ("extension", Kind::Extension),
];

pub(super) fn declarations(text: &str) -> Vec<Declaration> {
    let mut start = 0;
    let mut found = Vec::new();
    for line in text.split_inclusive('\n') {
        found.extend(declaration(line, start));
        start += line.len();
    }
    found
}

/// Returns the declaration that a line starts, if there is one. The line starts at `start`.
fn declaration(line: &str, start: usize) -> Option<Declaration> {
    let (word, rest) = line.split_once(' ')?;
    let (_, kind) = WORDS.iter().find(|(known, _)| *known == word)?;
    let behind = rest.trim_start();
    let at = start + line.len() - behind.len();
    let name: String = behind.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    let type_name = behind.get(name.len()..).and_then(|rest| type_of(*kind, rest.trim()));
    let place = at..at + name.len();
    (!name.is_empty()).then_some(Declaration { name, kind: *kind, place, type_name, computed: None })
}

/// Returns the type of a declaration, from the text after its name. For a resource or module, its type or path.
fn type_of(kind: Kind, rest: &str) -> Option<String> {
    let text = match kind {
        Kind::Resource | Kind::Module => rest.strip_prefix('\'')?.split('\'').next(),
        Kind::Parameter | Kind::Output => rest.split(['=', '{']).next(),
        _ => None,
    };
    text.map(str::trim).filter(|text| !text.is_empty()).map(ToOwned::to_owned)
}

/// Returns the strings of the decorator `@allowed` of a parameter.
pub(super) fn allowed(text: &str, parameter: &str) -> Vec<String> {
    let tokens = tokens(text);
    let partners = partners(&tokens);
    let mut listed: Option<Range<usize>> = None;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let is_first = at.checked_sub(1).is_none_or(|before| tokens.get(before) == Some(&Token::End));
        let is_word = |at: usize, word: &str| tokens.get(at).is_some_and(|token| token.is_word(text, word));
        let close = partners.get(at).copied().flatten().filter(|close| *close > at);
        match token {
            Token::Mark('(') if at.checked_sub(1).is_some_and(|before| is_word(before, "allowed")) => {
                listed = close.map(|close| at..close);
            }
            Token::Word(_) if is_first && is_word(at, "param") && is_word(at + 1, parameter) => {
                let strings = tokens.get(listed.unwrap_or_default()).unwrap_or_default();
                return strings.iter().filter_map(|token| string(text, token)).collect();
            }
            // The decorators belong to another declaration.
            Token::Word(_) if is_first => listed = None,
            _ => {}
        }
        at = close.unwrap_or(at) + 1;
    }
    Vec::new()
}

/// Returns the value of a token that is a single-line string without interpolations.
fn string(text: &str, token: &Token) -> Option<String> {
    let Token::Text(range) = token else { return None };
    let written = text.get(range.clone())?.strip_prefix('\'')?.strip_suffix('\'')?;
    (!written.starts_with("''")).then(|| written.replace("\\'", "'").replace("\\\\", "\\"))
}
