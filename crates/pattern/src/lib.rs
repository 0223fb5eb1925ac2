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

/// Memory that a compiled Java pattern may take, in bytes. These come from untrusted templates, which may have any
/// number of them.
const TEMPLATE_SIZE_LIMIT: usize = 1 << 20;

/// Returns the memory that a compiled pattern of a dialect may take, in bytes.
fn size_limit(dialect: Dialect) -> usize {
    match dialect {
        Dialect::DotNet => SIZE_LIMIT,
        Dialect::Java => TEMPLATE_SIZE_LIMIT,
    }
}

/// Factor by which the upper bound of a pattern's size may exceed the limit. Larger patterns are rejected before
/// compilation, since the engines read a pattern completely before they reject it, which takes seconds for 30,000
/// classes of Unicode.
const MOST_OVER_LIMIT: usize = 64;

/// Backtracking steps of `fancy-regex` in one search.
const BACKTRACK_LIMIT: usize = 200_000;

const TOO_LARGE: &str = "the pattern is too large";

/// Dialect of a regular expression. It decides the syntax and what counts as a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Dialect of JSON rules: a match may be anywhere in the string, and case is ignored.
    DotNet,
    /// Dialect of CloudFormation's `AllowedPattern`: the whole string must match, and case is significant.
    Java,
}

/// A compiled pattern. If its syntax allows that, a search takes linear time, otherwise it backtracks up to a limit.
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
    /// Compiled pattern, for patterns that may be large, and for strings with characters that the automaton does not
    /// know. `None` if it cannot be compiled.
    regex: OnceLock<Option<regex::Regex>>,
}

/// Error: the search backtracked too often.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LimitReached;

/// Reason why a text was not replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// The search backtracked too often.
    Backtracking,
    /// The result may be longer than allowed.
    Length,
}

impl Pattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    ///
    /// The pattern is invalid in its dialect, uses an unsupported construct, or is too large.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_pattern::{Dialect, Pattern};
    ///
    /// let pattern = Pattern::new(Dialect::DotNet, "^log").unwrap();
    /// assert_eq!(pattern.is_match("LogLevel"), Ok(true));
    /// let pattern = Pattern::new(Dialect::Java, "[a-z]+").unwrap();
    /// assert_eq!(pattern.is_match("abc1"), Ok(false));
    /// assert!(Pattern::new(Dialect::Java, "(").is_err());
    /// ```
    pub fn new(dialect: Dialect, pattern: &str) -> Result<Self, PatternError> {
        let translated = translate::translate(dialect, pattern)?;
        let size_limit = size_limit(dialect);
        if translated.size / MOST_OVER_LIMIT > size_limit {
            return Err(PatternError::of_whole(TOO_LARGE.to_owned()));
        }
        let size = (!translated.backtracks && translated.size <= size_limit).then_some(translated.size);
        let engine = if translated.backtracks {
            backtracking(&translated.pattern, size_limit).map_err(PatternError::of_whole)?
        } else if size.is_some() {
            Engine::Linear(Linear::new(translated.pattern, OnceLock::new()))
        } else {
            let regex = linear(&translated.pattern, size_limit).map_err(PatternError::of_whole)?;
            Engine::Linear(Linear::new(translated.pattern, OnceLock::from(Some(regex))))
        };
        Ok(Self { engine, size })
    }

    /// Returns how much memory compiling a pattern may take before it is refused, in bytes. 0 for a pattern that is
    /// certainly small, or certainly too large.
    pub fn work(dialect: Dialect, pattern: &str) -> usize {
        let size_limit = size_limit(dialect);
        let size = translate::translate(dialect, pattern).map_or(0, |translated| translated.size);
        if size > size_limit && size / MOST_OVER_LIMIT <= size_limit { size } else { 0 }
    }

    /// Compiles a pattern in the dialect of `fancy-regex`, which Guard 2 and 3 use: a match may be anywhere in the
    /// string, and case is significant.
    ///
    /// # Errors
    ///
    /// The pattern is invalid or too large.
    pub fn rust(pattern: &str) -> Result<Self, PatternError> {
        let built = regex::RegexBuilder::new(pattern).size_limit(SIZE_LIMIT).build();
        let engine = match built {
            Ok(regex) => Engine::Linear(Linear::new(pattern.to_owned(), OnceLock::from(Some(regex)))),
            Err(regex::Error::CompiledTooBig(_)) => return Err(PatternError::of_whole(TOO_LARGE.to_owned())),
            Err(_) => backtracking(pattern, SIZE_LIMIT).map_err(PatternError::of_whole)?,
        };
        Ok(Self { engine, size: None })
    }

    /// Expands `replacement` for each match in `text`, and returns the results without the text between the matches.
    /// `$1` and `${name}` in `replacement` stand for groups.
    ///
    /// # Errors
    ///
    /// The search backtracked too often, or the result may be longer than `most` bytes.
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

    /// Returns an upper bound of the compiled pattern's memory in bytes, which also indicates its compile time. `None`
    /// if the pattern may be large, or backtracks.
    pub fn size(&self) -> Option<usize> {
        self.size
    }

    /// True if the pattern matches `text`: a part of it or all of it, depending on the dialect.
    ///
    /// # Errors
    ///
    /// The search backtracked too often.
    pub fn is_match(&self, text: &str) -> Result<bool, LimitReached> {
        match &self.engine {
            Engine::Linear(linear) => linear.is_match(text).ok_or(LimitReached),
            Engine::Backtracking(regex) => regex.is_match(text).map_err(|_| LimitReached),
        }
    }

    /// Matches all strings of a form: `Some(true)` if all match, `Some(false)` if none does, else `None`.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_pattern::{Dialect, Form, Pattern};
    ///
    /// let pattern = Pattern::new(Dialect::DotNet, "^prod-").unwrap();
    /// let form = |start| Form { start, end: "", is_filled: false };
    /// assert_eq!(pattern.is_match_between(form("prod-")), Some(true));
    /// assert_eq!(pattern.is_match_between(form("test-")), Some(false));
    /// assert_eq!(pattern.is_match_between(form("pr")), None);
    /// ```
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

    /// True if the pattern matches. `None` if it cannot be compiled.
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
