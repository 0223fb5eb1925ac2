//! .NET's regular expressions, as rules use them: searched in a text, without regard to case.
//!
//! A pattern is parsed as .NET would, and written anew for the `regex` crate, which takes linear time, or for `fancy-regex`
//! with a limit where it looks around or refers back. What neither can express is an error, never another meaning. Both
//! pattern and text are sequences of UTF-16 code units: see [`as_units`].

mod ast;
mod blocks;
mod case;
mod class;
mod cursor;
mod escape;
mod groups;
mod parse;
mod write;

use std::borrow::Cow;

pub(crate) use self::cursor::RegexError;

/// Memory that a compiled pattern may take, in bytes; more means a count like `{9999}` in a count.
const SIZE_LIMIT: usize = 4 << 20;

/// How often `fancy-regex` may try another way.
const BACKTRACK_LIMIT: usize = 200_000;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    engine: Engine,
}

#[derive(Clone, Debug)]
enum Engine {
    Linear(regex::Regex),
    Backtracking(Box<fancy_regex::Regex>),
}

/// A search that would take too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LimitReached;

impl Pattern {
    /// Compiles a .NET pattern.
    pub(crate) fn new(pattern: &str) -> Result<Self, RegexError> {
        let units: Vec<u16> = pattern.encode_utf16().collect();
        let (node, groups) = parse::parse(&units)?;
        let whole = |message| RegexError { message, at: 0 };
        let written = write::write(&node, &groups).map_err(whole)?;
        let engine = if written.fancy { backtracking(&written.pattern) } else { linear(&written.pattern) };
        Ok(Self { engine: engine.map_err(whole)? })
    }

    /// Whether the pattern matches anywhere in `text`.
    pub(crate) fn is_match(&self, text: &str) -> Result<bool, LimitReached> {
        let text = as_units(text);
        match &self.engine {
            Engine::Linear(regex) => Ok(regex.is_match(&text)),
            Engine::Backtracking(regex) => regex.is_match(&*text).map_err(|_| LimitReached),
        }
    }
}

fn linear(pattern: &str) -> Result<Engine, String> {
    let built = regex::RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).build();
    built.map(Engine::Linear).map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
        _ => "the pattern cannot be expressed".to_owned(),
    })
}

fn backtracking(pattern: &str) -> Result<Engine, String> {
    let built = fancy_regex::RegexBuilder::new(pattern)
        .backtrack_limit(BACKTRACK_LIMIT)
        .delegate_size_limit(SIZE_LIMIT)
        .delegate_dfa_size_limit(SIZE_LIMIT)
        .max_prog_size(SIZE_LIMIT / 64)
        .build();
    built
        .map(|regex| Engine::Backtracking(Box::new(regex)))
        .map_err(|error| format!("the pattern cannot be expressed: {error}"))
}

/// `text` with every character outside the Basic Multilingual Plane as its two surrogates, each a character of the last
/// private plane: so `.` matches half of it, as in .NET.
fn as_units(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte < 0xF0) {
        return Cow::Borrowed(text);
    }
    let unit = |unit: u16| match unit {
        0xD800..=0xDFFF => char::from_u32(class::SURROGATES + u32::from(unit)),
        _ => char::from_u32(unit.into()),
    };
    Cow::Owned(text.encode_utf16().filter_map(unit).collect())
}

#[cfg(test)]
mod tests;
