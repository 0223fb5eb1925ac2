//! Regular expressions in the dialects that templates and rules are written for: .NET's and Java's.
//!
//! A pattern is translated for the `regex` crate, which searches in linear time, or for `fancy-regex` with a limit where
//! the pattern looks around or refers to a group. What is not translated is an error; it never gets another meaning.
//!
//! The dialects differ in:
//!
//! | | .NET (`regex` in JSON rules) | Java (`AllowedPattern` in CloudFormation) |
//! |---|---|---|
//! | a match | anywhere in the string | the whole string |
//! | case | ignored | significant |
//! | `\d`, `\s`, `\w` | Unicode | ASCII |
//! | `$` | at the end, or before a line feed that ends the string | the same, and before other line terminators |
//! | `.` | all but a line feed | all but the five line terminators |
//! | classes | subtraction: `[a-z-[aeiou]]` | union and intersection: `[a-z&&[^aeiou]]` |
//! | only there | `(?m)`, `(?x)`, a `{` that is a character | `a++`, `\p{Alnum}` |
//!
//! The rest is that of the engines: case is folded as Unicode does (.NET tells `ſ` from `s`, and Java's `(?i)` is of
//! ASCII), `\b` has Unicode's words, and a character outside the Basic Multilingual Plane is one, not two units as in .NET.
//! Not supported are conditional groups, comments in `(?#…)`, `(?n)`, octal numbers, `\G`, `\Q…\E`, and properties that
//! are not categories, such as blocks and scripts.
//!
//! Guard is a Rust program, so the dialects of its patterns are those of the engines themselves: Guard 1.0 uses the `regex`
//! crate, and shares only the search in strings of which only the ends are known ([`Automaton`]). Guard 3 uses `fancy-regex`
//! ([`Pattern::rust`]).

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod automaton;
mod class;
mod escape;
mod shared;
#[cfg(test)]
mod tests;
mod translate;

use std::sync::OnceLock;

pub use self::automaton::{Automaton, Form};
pub use self::translate::PatternError;

/// Memory that a compiled pattern may take, in bytes. Only a count in a count, as in `(a{9999}){9999}`, takes more.
const SIZE_LIMIT: usize = 4 << 20;

/// The same for Java's patterns, which come from templates: strangers choose how many there are.
const TEMPLATE_SIZE_LIMIT: usize = 1 << 20;

/// The memory that a compiled pattern of a dialect may take, in bytes.
fn size_limit(dialect: Dialect) -> usize {
    match dialect {
        Dialect::DotNet => SIZE_LIMIT,
        Dialect::Java => TEMPLATE_SIZE_LIMIT,
    }
}

/// How many times the limit the upper bound of what a pattern takes may be. What is beyond is refused unread: the engines read
/// all of a pattern before they refuse it, which takes seconds for 30,000 classes of Unicode.
const MOST_OVER_LIMIT: usize = 64;

/// How often `fancy-regex` may backtrack in one search.
const BACKTRACK_LIMIT: usize = 200_000;

const TOO_LARGE: &str = "the pattern is too large";

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

/// Why a text was not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The search backtracked too often.
    Backtracking,
    /// The result may be longer than allowed.
    Length,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// The pattern breaks the syntax of its dialect, uses something that is not supported, or is too large.
    pub fn new(dialect: Dialect, pattern: &str) -> Result<Self, PatternError> {
        let translated = translate::translate(dialect, pattern)?;
        let whole = |message| PatternError { message, at: 0 };
        let size_limit = size_limit(dialect);
        if translated.size / MOST_OVER_LIMIT > size_limit {
            return Err(whole(TOO_LARGE.to_owned()));
        }
        let size = (!translated.backtracks && translated.size <= size_limit).then_some(translated.size);
        let engine = if translated.backtracks {
            backtracking(&translated.pattern, size_limit).map_err(whole)?
        } else if size.is_some() {
            Engine::Linear(Linear::new(translated.pattern, OnceLock::new()))
        } else {
            let regex = linear(&translated.pattern, size_limit).map_err(whole)?;
            Engine::Linear(Linear::new(translated.pattern, OnceLock::from(Some(regex))))
        };
        Ok(Self { engine, size })
    }

    /// How much work it is to find out whether a pattern is too large, in bytes that it may take. 0 for one that is certainly small, or
    /// certainly too large.
    pub fn work(dialect: Dialect, pattern: &str) -> usize {
        let size_limit = size_limit(dialect);
        let size = translate::translate(dialect, pattern).map_or(0, |translated| translated.size);
        if size > size_limit && size / MOST_OVER_LIMIT <= size_limit { size } else { 0 }
    }

    /// Reads a pattern in the dialect of `fancy-regex`, which Guard 2 and 3 use: a match is searched anywhere in the string,
    /// and case is significant.
    ///
    /// # Errors
    ///
    /// The pattern is invalid or too large.
    pub fn rust(pattern: &str) -> Result<Self, PatternError> {
        let whole = |message| PatternError { message, at: 0 };
        let built = regex::RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).build();
        let engine = match built {
            Ok(regex) => Engine::Linear(Linear::new(pattern.to_owned(), OnceLock::from(Some(regex)))),
            Err(regex::Error::CompiledTooBig(_)) => return Err(whole(TOO_LARGE.to_owned())),
            Err(_) => backtracking(pattern, SIZE_LIMIT).map_err(whole)?,
        };
        Ok(Self { engine, size: None })
    }

    /// What its matches in `text` are replaced by, one after the other, without the text between them. `$1` and `${name}` in
    /// `replacement` are groups.
    ///
    /// # Errors
    ///
    /// The pattern needs backtracking, and took more of it than the limit, or the result may be longer than `most` bytes.
    pub fn replaced_matches(&self, text: &str, replacement: &str, most: usize) -> Result<String, Stopped> {
        let mut replaced = String::new();
        let groups = replacement.bytes().filter(|byte| *byte == b'$').count();
        // Each group has at most the text of the match.
        let has_room = |replaced: &String, length: usize| {
            let added = groups.saturating_mul(length).saturating_add(replacement.len());
            if replaced.len().saturating_add(added) > most { Err(Stopped::Length) } else { Ok(()) }
        };
        match &self.engine {
            Engine::Linear(linear) => {
                let regex = linear.regex.get_or_init(|| crate::linear(&linear.pattern, SIZE_LIMIT).ok());
                for captures in regex.as_ref().ok_or(Stopped::Backtracking)?.captures_iter(text) {
                    has_room(&replaced, captures.get_match().len())?;
                    captures.expand(replacement, &mut replaced);
                }
            }
            Engine::Backtracking(regex) => {
                for captures in regex.captures_iter(text) {
                    let captures = captures.map_err(|_| Stopped::Backtracking)?;
                    has_room(&replaced, captures.get(0).map_or(0, |own| own.as_str().len()))?;
                    captures.expand(replacement, &mut replaced);
                }
            }
        }
        Ok(replaced)
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
        match &self.engine {
            Engine::Linear(linear) => linear.is_match(text).ok_or(LimitReached),
            Engine::Backtracking(regex) => regex.is_match(text).map_err(|_| LimitReached),
        }
    }

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
        regex::Error::CompiledTooBig(_) => TOO_LARGE.to_owned(),
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
