//! Declarations of Bicep, each of which begins a line.

use super::{Declaration, Kind};

/// The words that begin a declaration, at the start of a line.
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

/// The declaration that a line begins, if it does; the line begins at `start`.
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

/// What a declaration says of its type behind its name: for a resource or a module, what it is one of.
fn type_of(kind: Kind, rest: &str) -> Option<String> {
    let text = match kind {
        Kind::Resource | Kind::Module => rest.strip_prefix('\'')?.split('\'').next(),
        Kind::Parameter | Kind::Output => rest.split(['=', '{']).next(),
        _ => None,
    };
    text.map(str::trim).filter(|text| !text.is_empty()).map(ToOwned::to_owned)
}

/// The strings of the decorator `@allowed` of a parameter.
pub(super) fn allowed(text: &str, parameter: &str) -> Vec<String> {
    let is_it = |one: &Declaration| one.kind == Kind::Parameter && one.name == parameter;
    let declared = declarations(text).into_iter().find(is_it);
    let before = declared.and_then(|one| text.get(..one.place.start)).unwrap_or_default();
    let Some((_, decorators)) = before.rsplit_once("@allowed(") else { return Vec::new() };
    let (listed, others) = decorators.split_once(')').unwrap_or_default();
    // Another declaration between them is the one that has it.
    if others.lines().any(|line| WORDS.iter().any(|(word, _)| line.trim() != *word && line.starts_with(word))) {
        return Vec::new();
    }
    listed.split('\'').skip(1).step_by(2).map(ToOwned::to_owned).collect()
}
