//! The place in the text, and what needs no grammar: blanks, comments, words, strings.

use std::sync::Arc;

use crate::bicep::reader::tree::{Declaration, File, Range};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};

/// Brackets in each other. Real files have about a dozen; more than these are skipped without a look inside.
const MAX_DEPTH: u32 = 100;

/// So many problems of one file are told. The rest of such a file is no help to anybody.
const MAX_PROBLEMS: usize = 50;

/// Reads one text from its start to its end.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    file: FileId,
    text: &'a Arc<str>,
    bytes: &'a [u8],
    /// Offset of the next byte.
    pub(super) at: usize,
    depth: u32,
    /// Whether a bracket is not closed before the next declaration. All that is open ends then.
    pub(super) is_cut_off: bool,
    pub(super) declarations: Vec<Declaration>,
    problems: Vec<Diagnostic>,
}

/// A string that is open, innermost last: strings hold expressions, and those hold strings.
#[derive(Clone, Copy, Debug)]
struct OpenString {
    form: Form,
    /// Within a hole: how many brackets are open in it.
    hole: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `'text'`
    Line,
    /// `'''text'''`; behind `$` it has holes that begin with as many of them.
    Lines { dollars: usize },
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: FileId, text: &'a Arc<str>) -> Self {
        Self {
            file,
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            is_cut_off: false,
            declarations: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> (File, Vec<Diagnostic>) {
        let file = File { id: self.file, text: Arc::clone(self.text), declarations: self.declarations };
        (file, self.problems)
    }

    /// The next byte; `None` at the end of the text.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The byte behind `len` others.
    pub(super) fn peek_behind(&self, len: usize) -> Option<u8> {
        self.bytes.get(self.at + len).copied()
    }

    /// The byte behind the next one.
    pub(super) fn peek_second(&self) -> Option<u8> {
        self.peek_behind(1)
    }

    pub(super) fn starts_with(&self, wanted: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(wanted.as_bytes()))
    }

    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over one character, whatever it is.
    pub(super) fn skip_char(&mut self) {
        self.at += 1;
        while self.peek().is_some_and(|byte| byte & 0xC0 == 0x80) {
            self.at += 1;
        }
    }

    /// Steps over an opening bracket; `false` if there are too many, and then over all that is in it.
    pub(super) fn enter(&mut self) -> bool {
        let open = self.at;
        self.at += 1;
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            return true;
        }
        let message = format!("brackets are nested more than {MAX_DEPTH} deep");
        self.report(Code::SyntaxDepth, open, open + 1, &message);
        let mut open_brackets = 1u32;
        while open_brackets > 0 && self.peek().is_some() {
            match self.peek() {
                Some(b'{' | b'[' | b'(') => open_brackets += 1,
                Some(b'}' | b']' | b')') => open_brackets -= 1,
                Some(b'\'') => {
                    self.string();
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        false
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Skips blanks and comments of this line.
    #[inline]
    pub(super) fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'/') if matches!(self.peek_second(), Some(b'/' | b'*')) => self.skip_comment(),
                Some(0x0B | 0x0C | 0x80..) if self.skip_odd_blank() => {}
                _ => return,
            }
        }
    }

    /// Skips blanks, comments, line breaks, and directives such as `#disable-next-line`.
    #[inline]
    pub(super) fn skip_trivia(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(b'\n' | b'\r') => self.at += 1,
                Some(b'#') => self.skip_line(),
                _ => return,
            }
        }
    }

    /// Goes to the end of the line.
    pub(super) fn skip_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    fn skip_comment(&mut self) {
        if self.peek_second() == Some(b'/') {
            return self.skip_line();
        }
        let open = self.at;
        let rest = self.bytes.get(open + 2..).unwrap_or_default();
        if let Some(len) = memchr::memmem::find(rest, b"*/") {
            self.at += len + 4;
        } else {
            self.at = self.bytes.len();
            self.problem(open, open + 2, "the comment is not closed, expected `*/`");
        }
    }

    /// Pasted text has no-break spaces.
    #[cold]
    fn skip_odd_blank(&mut self) -> bool {
        let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        let blank = next.filter(|it| it.is_whitespace() || *it == '\u{FEFF}');
        self.at += blank.map_or(0, char::len_utf8);
        blank.is_some()
    }

    /// The identifier at the current place; empty if there is none.
    #[inline]
    pub(super) fn peek_word(&self) -> &'a str {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        self.text.get(self.at..self.at + len).unwrap_or_default()
    }

    /// Steps over an identifier.
    pub(super) fn word(&mut self) -> Option<Range> {
        let start = self.at;
        self.at += self.peek_word().len();
        (self.at > start).then(|| between(start, self.at))
    }

    /// Steps over `wanted` if it is the next identifier.
    pub(super) fn take_word(&mut self, wanted: &str) -> bool {
        let found = self.peek_word() == wanted;
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    /// Whether an identifier, or something else that a declaration may name, follows behind `len` bytes and blanks.
    pub(super) fn name_follows(&self, len: usize) -> bool {
        let rest = self.bytes.get(self.at + len..).unwrap_or_default();
        let blanks = rest.iter().take_while(|it| matches!(it, b' ' | b'\t')).count();
        blanks > 0 && rest.get(blanks).is_some_and(|&byte| is_word(byte) || matches!(byte, b'\'' | b'*'))
    }

    /// Whether the current place is the first of its line.
    pub(super) fn is_at_line_start(&self) -> bool {
        self.at == 0 || matches!(self.bytes.get(self.at - 1), Some(b'\n' | b'\r'))
    }

    /// Steps over a string; the current byte is its first quote or the first `$` before it.
    pub(super) fn string(&mut self) -> Range {
        let start = self.at;
        let mut open = Vec::new();
        let mut next = self.string_form();
        loop {
            if let Some(form) = next.take() {
                open.push(OpenString { form, hole: None });
            }
            let Some(top) = open.last_mut() else { break };
            let go_on = match (&mut top.hole, top.form) {
                (None, Form::Line) => self.line_text(&mut top.hole),
                (None, Form::Lines { dollars }) => self.lines_text(dollars, &mut top.hole),
                (Some(brackets), _) => {
                    if *brackets == 0 && self.take(b'}') {
                        top.hole = None;
                        continue;
                    }
                    self.hole_text(brackets, &mut next)
                }
            };
            match go_on {
                Some(true) => {}
                Some(false) => drop(open.pop()),
                None => {
                    self.problem(start, self.at, "the string is not closed");
                    break;
                }
            }
        }
        between(start, self.at)
    }

    /// Steps over the beginning of a string.
    fn string_form(&mut self) -> Option<Form> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let dollars = rest.iter().take_while(|&&it| it == b'$').count();
        let quotes = rest.get(dollars..).unwrap_or_default();
        if quotes.starts_with(b"'''") {
            self.at += dollars + 3;
            return Some(Form::Lines { dollars });
        }
        self.at += 1;
        (dollars == 0).then_some(Form::Line)
    }

    /// One step in the text of `'…'`: `Some(true)` behind something, `Some(false)` behind the end, `None` if there is none.
    fn line_text(&mut self, hole: &mut Option<u32>) -> Option<bool> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let special = |&byte: &u8| matches!(byte, b'\'' | b'\\' | b'$' | b'\n' | b'\r');
        self.at += rest.iter().position(special).unwrap_or(rest.len());
        match self.peek()? {
            b'\'' => {
                self.at += 1;
                return Some(false);
            }
            b'\\' => self.at += 1 + usize::from(self.peek_second().is_some_and(|it| it.is_ascii_graphic())),
            b'$' => {
                self.at += 1;
                if self.take(b'{') {
                    *hole = Some(0);
                }
            }
            _ => return None,
        }
        Some(true)
    }

    /// As [`Reader::line_text`] for `'''…'''`. Of more than three quotes the last three end it.
    fn lines_text(&mut self, dollars: usize, hole: &mut Option<u32>) -> Option<bool> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let skipped = if dollars == 0 { memchr::memchr(b'\'', rest) } else { memchr::memchr2(b'\'', b'$', rest) };
        self.at += skipped.unwrap_or(rest.len());
        let special = self.peek()?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|&&it| it == special).count();
        self.at += count;
        if special == b'\'' {
            return Some(count < 3);
        }
        if count >= dollars && self.take(b'{') {
            *hole = Some(0);
        }
        Some(true)
    }

    /// One step in a hole. A string in it is left in `next`.
    fn hole_text(&mut self, brackets: &mut u32, next: &mut Option<Form>) -> Option<bool> {
        match self.peek()? {
            b'\'' | b'$' => {
                *next = self.string_form();
                return Some(true);
            }
            b'{' | b'[' | b'(' => *brackets += 1,
            b'}' | b']' | b')' => *brackets = brackets.saturating_sub(1),
            b'\n' | b'\r' if *brackets == 0 => return None,
            _ => {}
        }
        self.at += 1;
        Some(true)
    }

    pub(super) fn problem(&mut self, start: usize, end: usize, message: &str) {
        self.report(Code::SyntaxBicep, start, end, message);
    }

    #[cold]
    fn report(&mut self, code: Code, start: usize, end: usize, message: &str) {
        if self.problems.len() < MAX_PROBLEMS {
            let end = end.min(self.bytes.len());
            self.problems.push(Diagnostic::new(code, Span::new(self.file, offset(start), offset(end)), message));
        }
    }

    /// A problem with what stands at the current place.
    #[cold]
    pub(super) fn expected(&mut self, wanted: &str) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = match rest.chars().next() {
            None => "the end of the text".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(it) if it.is_ascii_alphanumeric() => format!("`{}`", shorten(self.peek_word())),
            Some(it) => format!("`{it}`"),
        };
        let len = rest.chars().next().map_or(0, char::len_utf8);
        self.problem(self.at, self.at + len, &format!("found {found}, expected {wanted}"));
    }
}

#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn shorten(word: &str) -> &str {
    word.get(..40).unwrap_or(word)
}

/// The range of two offsets.
pub(super) fn between(start: usize, end: usize) -> Range {
    Range::new(offset(start), offset(end.max(start)))
}

/// An offset as ranges store it; limits keep files far below 4 GiB.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
