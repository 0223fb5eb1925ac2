//! Syntax errors and their messages.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic};
use crate::json::reader::Reader;
use crate::text::{FileId, Span};
use crate::{offset, shorten};

/// A diagnostic without its file, since a computed text has none. It is boxed because every read returns it, but few
/// fail.
#[derive(Debug)]
pub(super) struct Problem(Box<Details>);

#[derive(Debug)]
struct Details {
    code: Code,
    message: String,
    range: Range<usize>,
    labels: Vec<(Range<usize>, String)>,
    help: Option<&'static str>,
}

pub(super) type Result<T> = std::result::Result<T, Problem>;

impl Problem {
    pub(super) fn new(code: Code, range: Range<usize>, message: impl Into<String>) -> Self {
        Self(Box::new(Details { code, message: message.into(), range, labels: Vec::new(), help: None }))
    }

    pub(super) fn label(mut self, range: Range<usize>, message: impl Into<String>) -> Self {
        self.0.labels.push((range, message.into()));
        self
    }

    pub(super) fn help(mut self, help: &'static str) -> Self {
        self.0.help = Some(help);
        self
    }

    pub(super) fn into_message(self) -> String {
        self.0.message
    }

    pub(super) fn into_diagnostic(self, file: FileId) -> Diagnostic {
        let span = |range: &Range<usize>| Span::new(file, offset(range.start), offset(range.end));
        let mut diagnostic = Diagnostic::new(self.0.code, span(&self.0.range), self.0.message);
        diagnostic.help = self.0.help.map(str::to_owned);
        let labels = self.0.labels.into_iter();
        labels.fold(diagnostic, |diagnostic, (range, message)| diagnostic.with_label(span(&range), message))
    }
}

impl Reader<'_> {
    /// Returns an error: the current position has something other than `expected`.
    #[cold]
    pub(super) fn expected(&self, expected: &str) -> Problem {
        let range = self.at..self.found_end();
        let found = match self.text.get(range.clone()).unwrap_or_default() {
            "" => "the end of the text".to_owned(),
            odd if odd.chars().all(|c| c.is_control() || c.is_whitespace()) => odd.escape_unicode().to_string(),
            word => format!("`{}`", shorten(word)),
        };
        let problem = Problem::new(Code::SyntaxJson, range, format!("expected {expected}, found {found}"));
        self.suspect_last_string(self.blame_bracket(problem))
    }

    /// Moves an error to the bracket around the current position, if the text ends there or closes another kind of
    /// bracket.
    fn blame_bracket(&self, problem: Problem) -> Problem {
        let Some((open, bracket)) = self.open.and_then(|open| Some((open, char::from(*self.bytes.get(open)?)))) else {
            return problem;
        };
        match self.peek() {
            None => problem.label(open..open + 1, format!("this `{bracket}` is not closed")),
            Some(b']' | b'}') => problem.label(open..open + 1, format!("this `{bracket}` is still open")),
            Some(_) => problem,
        }
    }

    /// Moves an error to the last string if that has line breaks. Such a string is legal, but before an error it
    /// usually lacks its closing quote.
    pub(super) fn suspect_last_string(&self, problem: Problem) -> Problem {
        let token = self.last_string.clone();
        let bytes = self.bytes.get(token.clone()).unwrap_or_default();
        if memchr::memchr(b'\n', bytes).is_none() {
            return problem;
        }
        problem.label(
            token.start..token.start + 1,
            "the string that begins here runs over the end of its line: is its closing quote missing?",
        )
    }

    /// Returns the end of the word or the character at the current position.
    fn found_end(&self) -> usize {
        let rest = self.rest();
        let word = rest.len() - rest.trim_start_matches(is_word).len();
        let first = rest.chars().next().map_or(0, char::len_utf8);
        self.at + word.max(first)
    }
}

/// True if Newtonsoft.Json accepts a character in a key without quotes.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}
