//! Reads words of a rules file, and remembers what would have been right where reading stopped.

use crate::diagnostic::{Code, Diagnostic};
use crate::guard3::ast::Place;
use crate::guard3::names::Names;
use crate::text::{FileId, cut, nearest_name};

/// How deep blocks, filters, lists and calls may be nested.
const MAX_DEPTH: u32 = 64;

/// Longest part of a rules file in a message, in bytes.
const MAX_QUOTED: usize = 40;

/// Why something was not read.
#[derive(Debug)]
pub(super) enum Stop {
    /// The text is not this, and may be something else.
    Other,
    /// The text can be nothing else, so the file is wrong here.
    Wrong(Box<Diagnostic>),
}

/// Something that was read, or why not.
pub(super) type Read<T> = Result<T, Stop>;

/// A position in the text, and everything that reading needs.
#[derive(Debug)]
pub(super) struct Cursor<'t> {
    pub(super) file: FileId,
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) names: Names,
    /// Warnings, and what is wrong without stopping the parser.
    pub(super) problems: Vec<Diagnostic>,
    /// Whether cfn-guard does not read the file.
    pub(super) is_refused: bool,
    /// The furthest position at which something was expected, and what.
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

    /// The text that is not read yet.
    pub(super) fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at >= self.text.len()
    }

    /// The text from `start` to here.
    pub(super) fn place(&self, start: usize) -> Place {
        Place::new(start, self.at.max(start))
    }

    /// Skips blanks, line ends and comments. Returns whether there were any.
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

    /// Skips blanks within a line.
    pub(super) fn line_blanks(&mut self) -> bool {
        let rest = self.rest();
        let trimmed = rest.trim_start_matches([' ', '\t']);
        self.at += rest.len() - trimmed.len();
        trimmed.len() < rest.len()
    }

    /// Reads exactly this text.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let is_here = self.rest().starts_with(text);
        if is_here {
            self.at += text.len();
        }
        is_here
    }

    /// Reads a word in lower or upper case that is followed by something else than a letter, a digit or `_`.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let start = self.at;
        if self.takes_start(word) && !self.peek().is_some_and(is_name_char) {
            return true;
        }
        self.at = start;
        false
    }

    /// Reads a word in lower or upper case, whatever follows.
    pub(super) fn takes_start(&mut self, word: &str) -> bool {
        let found = self.rest().get(..word.len());
        let is_here = found
            .is_some_and(|found| found == word || found.bytes().eq(word.bytes().map(|byte| byte.to_ascii_uppercase())));
        if is_here {
            self.at += word.len();
        }
        is_here
    }

    /// Reads this text, which is `what` for messages.
    pub(super) fn expect(&mut self, text: &str, what: &'static str) -> Read<()> {
        if self.takes(text) { Ok(()) } else { Err(self.other(what)) }
    }

    /// A name: an ASCII letter, then letters, digits and `_`.
    pub(super) fn name(&mut self, what: &'static str) -> Read<&'t str> {
        let rest = self.rest();
        if !rest.starts_with(|first: char| first.is_ascii_alphabetic()) {
            return Err(self.other(what));
        }
        let end = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        self.at += end;
        Ok(rest.get(..end).unwrap_or_default())
    }

    /// A string in quotes. Its only escape is a backslash before its own quote.
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
        Err(self.wrong(Place::new(start, start + 1), message))
    }

    /// The text is not what was looked for. If nothing else can be read either, `what` is part of the message.
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

    /// A problem with a part of the text.
    pub(super) fn wrong(&self, place: Place, message: impl Into<String>) -> Stop {
        Stop::Wrong(Box::new(Diagnostic::new(Code::RuleSyntax, place.span(self.file), message)))
    }

    /// Makes it certain that the text is wrong: the message says what was expected where reading came furthest.
    pub(super) fn certain<T>(&self, read: Read<T>) -> Read<T> {
        match read {
            Err(Stop::Other) => Err(Stop::Wrong(Box::new(self.complaint()))),
            other => other,
        }
    }

    /// What was expected where reading came furthest.
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
        let span = Place::new(self.furthest, self.furthest + end).span(self.file);
        Diagnostic::new(Code::RuleSyntax, span, message)
    }

    /// A part that cfn-guard refuses.
    pub(super) fn refused(&mut self, place: Place, message: impl Into<String>) {
        self.is_refused = true;
        self.suspicious(place, message);
    }

    /// A part that can be used, but is probably a mistake.
    pub(super) fn suspicious(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(Diagnostic::new(Code::RuleSuspicious, place.span(self.file), message));
    }

    /// Reads something that is one level deeper.
    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            let message = format!("blocks and values are nested in more than {MAX_DEPTH} levels");
            return Err(self.wrong(Place::new(self.at, self.at + 1), message));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Tries to read something. If the text is something else, the position stays.
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

    /// Forgets what was expected before, after a problem has been reported.
    pub(super) fn forget(&mut self) {
        self.furthest = self.at;
        self.expected.clear();
    }
}

/// Words that are not names where they are expected.
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

/// Whether a name may have this character after its first.
pub(super) fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}
