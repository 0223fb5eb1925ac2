//! Regular expressions in the dialects that templates and rules are written for: .NET's and Java's.
//!
//! A pattern is parsed by the rules of its [`Dialect`] and rewritten for the `regex` crate, which searches in linear
//! time, or for `fancy-regex` with a limit where the pattern looks around or refers back. What neither engine can
//! express is an error; it never gets another meaning.
//!
//! The dialects share one parser, because most of their syntax is the same. They differ in:
//!
//! | | .NET (`regex` in JSON rules) | Java (`AllowedPattern` in CloudFormation) |
//! |---|---|---|
//! | a match | anywhere in the string | the whole string |
//! | case | ignored, by .NET's tables | significant; `(?i)` ignores it for ASCII letters |
//! | one unit | a UTF-16 code unit: `.` matches half an emoji | a code point |
//! | `\d`, `\s`, `\w`, `\b` | Unicode | ASCII |
//! | `.` | all but a line feed | all but the five line terminators |
//! | `\p{…}` | categories, blocks (`IsGreek`) | categories, POSIX classes (`Alnum`) |
//! | classes | subtraction: `[a-z-[aeiou]]` | union and intersection: `[a-z&&[^aeiou]]` |
//! | only there | conditions, comments, `(?'name'…)`, `(?n)`, `(?m)`, `(?x)` | `a++`, `\Q…\E`, `\h`, `\v`, `\x{1F600}` |
//! | named groups | are numbered after all others | are numbered with the others |
//!
//! Java's `\R`, `\X` and `\N{…}`, its scripts, blocks and binary properties, and its options other than `i` and `s` are
//! not supported. Some patterns that Java refuses are accepted, such as a look-behind without an upper bound on its
//! length. Before Java 19, `\b` also counted letters outside ASCII as parts of a word.
//!
//! Guard's patterns do not belong here: Guard is a Rust program, and its dialect is that of the `regex` crate itself. What
//! they share is the search in strings of which only the ends are known ([`Automaton`]).

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod ast;
mod automaton;
mod blocks;
mod brackets;
mod case;
mod class;
mod cursor;
mod escape;
mod groups;
mod parse;
mod set;
mod shared;
mod size;
#[cfg(test)]
mod tests;
mod write;

use std::borrow::Cow;
use std::sync::OnceLock;

pub use self::automaton::{Automaton, Form};
pub use self::cursor::PatternError;

/// Memory that a compiled pattern may take, in bytes. Only a count in a count, as in `(a{9999}){9999}`, takes more.
const SIZE_LIMIT: usize = 4 << 20;

/// The same for Java's patterns, which come from templates: strangers choose how many there are.
const TEMPLATE_SIZE_LIMIT: usize = 1 << 20;

/// How often `fancy-regex` may backtrack in one search.
const BACKTRACK_LIMIT: usize = 200_000;

/// Whose regular expressions a pattern is written in. This decides the syntax and what counts as a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// As JSON rules use them: a match is searched anywhere in the string, and case is ignored.
    DotNet,
    /// As CloudFormation uses them in `AllowedPattern`: the whole string must match, and case is significant.
    Java,
}

/// A pattern, searched in time that is linear in the length of the string where its syntax allows that, else with
/// backtracking.
#[derive(Clone, Debug)]
pub struct Pattern {
    dialect: Dialect,
    engine: Engine,
    size: Option<usize>,
}

#[derive(Clone, Debug)]
enum Engine {
    Linear(Linear),
    Backtracking(Box<fancy_regex::Regex>),
}

/// A pattern of the `regex` crate.
#[derive(Clone, Debug)]
struct Linear {
    pattern: String,
    automaton: Automaton,
    /// For a pattern that is not certainly small, and for texts that the automaton does not know all characters of. `None`
    /// if it cannot be compiled.
    regex: OnceLock<Option<regex::Regex>>,
}

/// The search was stopped because it backtracked too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached;

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// The pattern breaks the syntax of its dialect, uses something that is not supported, or is too large.
    pub fn new(dialect: Dialect, pattern: &str) -> Result<Self, PatternError> {
        let units = match dialect {
            Dialect::DotNet => pattern.encode_utf16().map(u32::from).collect(),
            Dialect::Java => cursor::without_quotation(pattern.chars().map(u32::from)),
        };
        let (node, groups) = parse::parse(dialect, &units)?;
        let whole = |message| PatternError { message, at: 0 };
        let written = write::write(dialect, &node, &groups).map_err(whole)?;
        let size_limit = match dialect {
            Dialect::DotNet => SIZE_LIMIT,
            Dialect::Java => TEMPLATE_SIZE_LIMIT,
        };
        let size = size::bound(&node).filter(|size| !written.fancy && *size <= size_limit);
        let engine = if written.fancy {
            backtracking(&written.pattern, size_limit).map_err(whole)?
        } else if size.is_some() {
            Engine::Linear(Linear::new(written.pattern, OnceLock::new()))
        } else {
            let regex = linear(&written.pattern, size_limit).map_err(whole)?;
            Engine::Linear(Linear::new(written.pattern, OnceLock::from(Some(regex))))
        };
        Ok(Self { dialect, engine, size })
    }

    /// An upper bound of the memory that it takes, in bytes, which says how long it takes to compile. `None` if it may be
    /// large, or backtracks.
    pub fn size(&self) -> Option<usize> {
        self.size
    }

    /// Whether the pattern matches `text`: anywhere in it or as a whole, as its dialect has it.
    ///
    /// # Errors
    ///
    /// The pattern needs backtracking, and took more of it than the limit.
    pub fn is_match(&self, text: &str) -> Result<bool, LimitReached> {
        let text = match self.dialect {
            Dialect::DotNet => as_units(text),
            Dialect::Java => Cow::Borrowed(text),
        };
        match &self.engine {
            Engine::Linear(linear) => linear.is_match(&text).ok_or(LimitReached),
            Engine::Backtracking(regex) => regex.is_match(&*text).map_err(|_| LimitReached),
        }
    }
}

impl Pattern {
    /// Whether the pattern matches every string of this form: `Some(true)`, or none of them: `Some(false)`. `None` if that
    /// is not known.
    pub fn is_match_between(&self, form: Form<'_>) -> Option<bool> {
        match &self.engine {
            Engine::Linear(linear) => linear.automaton.search(&linear.pattern, form),
            Engine::Backtracking(_) => None,
        }
    }
}

impl Linear {
    fn new(pattern: String, regex: OnceLock<Option<regex::Regex>>) -> Self {
        Self { pattern, automaton: Automaton::default(), regex }
    }

    /// `None` if the pattern cannot be compiled.
    fn is_match(&self, text: &str) -> Option<bool> {
        if self.regex.get().is_none()
            && let Some(found) = self.automaton.is_match(&self.pattern, text)
        {
            return Some(found);
        }
        let regex = self.regex.get_or_init(|| linear(&self.pattern, SIZE_LIMIT).ok());
        regex.as_ref().map(|regex| regex.is_match(text))
    }
}

fn linear(pattern: &str, size_limit: usize) -> Result<regex::Regex, String> {
    let built = regex::RegexBuilder::new(pattern).size_limit(size_limit).build();
    built.map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => "the pattern is too large".to_owned(),
        _ => "the pattern is not supported".to_owned(),
    })
}

fn backtracking(pattern: &str, size_limit: usize) -> Result<Engine, String> {
    let built = fancy_regex::RegexBuilder::new(pattern)
        .backtrack_limit(BACKTRACK_LIMIT)
        .delegate_size_limit(size_limit)
        .delegate_dfa_size_limit(size_limit)
        // An instruction takes up to about 64 bytes.
        .max_prog_size(size_limit / 64)
        .build();
    built
        .map(|regex| Engine::Backtracking(Box::new(regex)))
        .map_err(|error| format!("the pattern is not supported: {error}"))
}

/// `text` as .NET sees it. A character outside the Basic Multilingual Plane becomes its two surrogates, and each of them
/// a character of the last private plane, since a Rust string holds no surrogates. So `.` matches half of it.
fn as_units(text: &str) -> Cow<'_, str> {
    // In UTF-8 such a character begins with 0xF0 or more.
    if text.bytes().all(|byte| byte < 0xF0) {
        return Cow::Borrowed(text);
    }
    let unit = |unit: u16| match unit {
        0xD800..=0xDFFF => char::from_u32(set::SURROGATES + u32::from(unit)),
        _ => char::from_u32(unit.into()),
    };
    Cow::Owned(text.encode_utf16().filter_map(unit).collect())
}
