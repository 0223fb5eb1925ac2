//! Reads words of a rules file, and remembers what was expected where reading stopped.

use crate::diagnostic::{Code, Diagnostic};
use crate::guard3::ast::ByteRange;
use crate::guard3::names::Names;
use crate::text::{FileId, cut, nearest_name};

/// Greatest depth of blocks, filters, lists and calls.
const MAX_DEPTH: u32 = 64;

/// Longest part of a rules file in a message, in bytes.
const MAX_QUOTED: usize = 40;

/// Reason for not reading something.
#[derive(Debug)]
pub(super) enum Stop {
    /// The text may be something else.
    Other,
    /// The text cannot be anything else, so the file has an error here.
    Wrong(Box<Diagnostic>),
}

/// A parsed part, or the reason for its absence.
pub(super) type Read<T> = Result<T, Stop>;

/// Position in the text, and the state of the parser.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    pub(super) file: FileId,
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) names: Names,
    /// Warnings and errors that do not stop the parser.
    pub(super) problems: Vec<Diagnostic>,
    /// True if cfn-guard rejects the file.
    pub(super) is_refused: bool,
    /// Furthest position at which something was expected. `expected` is what was.
    furthest: usize,
    expected: Vec<&'static str>,
    depth: u32,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(file: FileId, text: &'t str) -> Self {
        Self {
            file,
            text,
            at: 0,
            names: Names::default(),
            problems: Vec::new(),
            is_refused: false,
            furthest: 0,
            expected: Vec::new(),
            depth: 0,
        }
    }

    /// Returns the unread text.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// Returns the range from `start` to the current position.
    pub(super) fn place(&self, start: usize) -> ByteRange {
        ByteRange::new(start, self.at.max(start))
    }

    /// Skips blanks, line ends and comments. Returns `true` if there were any.
    pub(super) fn blanks(&mut self) -> bool {
        let start = self.at;
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return self.at > start;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Skips blanks within a line. Returns `true` if there were any.
    pub(super) fn line_blanks(&mut self) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t']);
        self.at += rest.len() - trimmed.len();
        trimmed.len() < rest.len()
    }

    /// Consumes exactly this text. Returns `false` if it is not there.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let is_here = self.rest().starts_with(text);
        if is_here {
            self.at += text.len();
        }
        is_here
    }

    /// Consumes a word in lower or upper case, unless a letter, a digit or `_` follows.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let start = self.at;
        if self.takes_start(word) && !self.peek().is_some_and(is_name_char) {
            return true;
        }
        self.at = start;
        false
    }

    /// Consumes a word in lower or upper case, whatever follows.
    pub(super) fn takes_start(&mut self, word: &str) -> bool {
        let found = self.rest().get(..word.len());
        let is_here = found
            .is_some_and(|found| found == word || found.bytes().eq(word.bytes().map(|byte| byte.to_ascii_uppercase())));
        if is_here {
            self.at += word.len();
        }
        is_here
    }

    /// Consumes this text, or fails with `what` in the message.
    pub(super) fn expect(&mut self, text: &str, what: &'static str) -> Read<()> {
        if self.takes(text) { Ok(()) } else { Err(self.other(what)) }
    }

    /// Reads a name: an ASCII letter, then letters, digits and `_`.
    pub(super) fn name(&mut self, what: &'static str) -> Read<&'t str> {
        let rest = self.rest();
        if !rest.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return Err(self.other(what));
        }
        let end = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        self.at += end;
        Ok(rest.get(..end).unwrap_or_default())
    }

    /// Reads a string in quotes. Its only escape is a backslash before its own quote.
    pub(super) fn string(&mut self) -> Read<String> {
        let (start, rest) = (self.at, self.rest());
        let Some(quote) = rest.chars().next().filter(|first| matches!(first, '\'' | '"')) else {
            return Err(self.other("a string"));
        };
        let mut text = String::new();
        let mut characters = rest.char_indices().skip(1).peekable();
        while let Some((at, character)) = characters.next() {
            if character == quote {
                self.at += at + 1;
                return Ok(text);
            }
            match characters.peek() {
                Some(&(_, next)) if character == '\\' && next == quote => {
                    text.push(quote);
                    characters.next();
                }
                _ => text.push(character),
            }
        }
        let message = format!("the string is not closed; expected `{quote}`");
        Err(self.wrong(ByteRange::new(start, start + 1), message))
    }

    /// Returns a failure that lets the parser try something else. If nothing else can be read either, `what` is part of
    /// the message.
    pub(super) fn other(&mut self, what: &'static str) -> Stop {
        if self.at > self.furthest {
            self.furthest = self.at;
            self.expected.clear();
        }
        if self.at == self.furthest && !self.expected.contains(&what) {
            self.expected.push(what);
        }
        Stop::Other
    }

    /// Returns an error about a part of the text.
    pub(super) fn wrong(&self, place: ByteRange, message: impl Into<String>) -> Stop {
        Stop::Wrong(Box::new(Diagnostic::new(Code::RuleSyntax, place.span(self.file), message)))
    }

    /// Turns a failure into an error: the message names what was expected at the furthest position.
    pub(super) fn certain<T>(&self, read: Read<T>) -> Read<T> {
        match read {
            Err(Stop::Other) => Err(Stop::Wrong(Box::new(self.complaint()))),
            other => other,
        }
    }

    /// Returns the error at the furthest position.
    pub(super) fn complaint(&self) -> Diagnostic {
        let rest = self.text.get(self.furthest..).unwrap_or_default();
        let end = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        let first = rest.chars().next();
        let end = if end == 0 { first.map_or(0, char::len_utf8) } else { end };
        let word = rest.get(..end).unwrap_or_default();
        let found = match first {
            None => "the end of the file".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(_) => format!("`{}`", cut(word, MAX_QUOTED)),
        };
        let hint = nearest_name(word, KEYWORDS.iter().copied()).filter(|_| word.len() > 2);
        let hint = hint.filter(|near| *near != word).map(|near| format!("; did you mean `{near}`?"));
        let expected = match &*self.expected {
            [] => "something else".to_owned(),
            [only] => (*only).to_owned(),
            [others @ .., last] => format!("{} or {last}", others.join(", ")),
        };
        let message = format!("expected {expected}, found {found}{}", hint.unwrap_or_default());
        let span = ByteRange::new(self.furthest, self.furthest + end).span(self.file);
        Diagnostic::new(Code::RuleSyntax, span, message)
    }

    /// Reports a part that cfn-guard rejects.
    pub(super) fn refused(&mut self, place: ByteRange, message: impl Into<String>) {
        self.is_refused = true;
        self.suspicious(place, message);
    }

    /// Reports a part that can be used, but is probably a mistake.
    pub(super) fn suspicious(&mut self, place: ByteRange, message: impl Into<String>) {
        self.problems.push(Diagnostic::new(Code::RuleSuspicious, place.span(self.file), message));
    }

    /// Reads something that is one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("blocks and values are nested in more than {MAX_DEPTH} levels");
            return Err(self.wrong(ByteRange::new(self.at, self.at + 1), message));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Tries to read something. If the text is something else, the position is restored.
    pub(super) fn attempt<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<Option<T>> {
        let start = self.at;
        match read(self) {
            Ok(it) => Ok(Some(it)),
            Err(Stop::Other) => {
                self.at = start;
                Ok(None)
            }
            Err(wrong) => Err(wrong),
        }
    }

    /// Forgets what was expected, after a problem has been reported.
    pub(super) fn forget(&mut self) {
        self.furthest = self.at;
        self.expected.clear();
    }
}

/// Keywords, which are not names where they are expected.
const KEYWORDS: &[&str] = &[
    "exists",
    "empty",
    "is_string",
    "is_list",
    "is_struct",
    "is_bool",
    "is_int",
    "is_float",
    "is_null",
    "in",
    "not",
    "when",
    "some",
    "rule",
    "keys",
];

/// True if a name may have this character after its first.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
