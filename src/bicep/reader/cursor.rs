//! The reader's position in the text, and the tokens that need no grammar: blanks, comments, words and strings.

use arcstr::ArcStr;

use crate::bicep::reader::tree::{Declaration, File, Range};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};

/// How deep brackets may be nested. Real files have about a dozen levels. What is nested deeper is skipped.
const MAX_DEPTH: u32 = 100;

/// The most problems that are reported for one file.
const MAX_PROBLEMS: usize = 50;

/// A recursive-descent parser for one text.
#[derive(Debug)]
pub(super) struct Reader<'a> {
    file: FileId,
    text: &'a ArcStr,
    bytes: &'a [u8],
    /// The offset of the next byte.
    pub(super) at: usize,
    depth: u32,
    /// Whether an unclosed bracket has been found. Then all open constructs end before the next declaration.
    pub(super) is_cut_off: bool,
    pub(super) declarations: Vec<Declaration>,
    problems: Vec<Diagnostic>,
}

/// A string that is being read. Several can be open, because strings contain expressions, and these contain strings.
#[derive(Clone, Copy, Debug)]
struct OpenString {
    form: Form,
    /// The number of open brackets in the current interpolation. `None` outside of one.
    hole: Option<u32>,
}

/// The two kinds of string literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `'text'` on one line.
    Line,
    /// `'''text'''`. With `$` before the quotes, interpolations begin with as many of them.
    Lines { dollars: usize },
}

impl<'a> Reader<'a> {
    pub(super) fn new(file: FileId, text: &'a ArcStr) -> Self {
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
        let file = File { id: self.file, text: self.text.clone(), declarations: self.declarations };
        (file, self.problems)
    }

    /// The next byte. `None` at the end of the text.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// The byte after the next `len` bytes.
    pub(super) fn peek_after(&self, len: usize) -> Option<u8> {
        self.bytes.get(self.at + len).copied()
    }

    /// The byte after the next one.
    pub(super) fn peek_second(&self) -> Option<u8> {
        self.peek_after(1)
    }

    pub(super) fn starts_with(&self, prefix: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
    }

    /// Steps over the next byte if it is `byte`.
    pub(super) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Steps over one character.
    pub(super) fn skip_char(&mut self) {
        self.at += 1;
        // The continuation bytes of UTF-8.
        while self.peek().is_some_and(|byte| byte & 0xC0 == 0x80) {
            self.at += 1;
        }
    }

    /// Steps over an opening bracket. Returns `false` if brackets are nested too deep; then everything up to the
    /// closing bracket is skipped.
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

    /// Counts a bracket as closed. Every successful [`Reader::enter`] needs one.
    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Skips blanks and comments on this line.
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

    /// Skips blanks, comments, line breaks and directives such as `#disable-next-line`.
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

    /// The comments from the current position to the end of the text. What looks like one inside a string is none.
    pub(super) fn comments(&mut self) -> Vec<Range> {
        let mut comments = Vec::new();
        while let Some(byte) = self.peek() {
            let start = self.at;
            match byte {
                b'\'' | b'$' => {
                    self.string();
                }
                b'/' if matches!(self.peek_second(), Some(b'/' | b'*')) => {
                    self.skip_comment();
                    comments.push(between(start, self.at));
                }
                _ => self.at += 1,
            }
        }
        comments
    }

    fn skip_comment(&mut self) {
        if self.peek_second() == Some(b'/') {
            return self.skip_line();
        }
        let open = self.at;
        let rest = self.bytes.get(open + 2..).unwrap_or_default();
        if let Some(len) = memchr::memmem::find(rest, b"*/") {
            self.at += "/*".len() + len + "*/".len();
        } else {
            self.at = self.bytes.len();
            self.problem(open, open + 2, "the comment is not closed; expected `*/`");
        }
    }

    /// Skips a blank that is not ASCII, such as a no-break space in pasted text.
    #[cold]
    fn skip_odd_blank(&mut self) -> bool {
        let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        let blank = next.filter(|c| c.is_whitespace() || *c == '\u{FEFF}');
        self.at += blank.map_or(0, char::len_utf8);
        blank.is_some()
    }

    /// The identifier at the current position. Empty if there is none.
    #[inline]
    pub(super) fn peek_word(&self) -> &'a str {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| !is_word(byte)).unwrap_or(rest.len());
        self.text.get(self.at..self.at + len).unwrap_or_default()
    }

    /// Steps over an identifier, and returns its range.
    pub(super) fn word(&mut self) -> Option<Range> {
        let start = self.at;
        self.at += self.peek_word().len();
        (self.at > start).then(|| between(start, self.at))
    }

    /// Steps over the next identifier if it is `word`.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek_word() == word;
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// Whether blanks and the name of a declaration (an identifier, a string or `*`) follow after the next `len` bytes.
    pub(super) fn name_follows(&self, len: usize) -> bool {
        let rest = self.bytes.get(self.at + len..).unwrap_or_default();
        let blanks = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        blanks > 0 && rest.get(blanks).is_some_and(|&byte| is_word(byte) || matches!(byte, b'\'' | b'*'))
    }

    /// Whether the current position is at the start of a line.
    pub(super) fn is_at_line_start(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.bytes.get(at));
        matches!(before, None | Some(b'\n' | b'\r'))
    }

    /// Steps over a string. The current byte is its first quote or the first `$` before it. Strings nested in
    /// interpolations are kept on a stack here, so their depth does not cost the call stack.
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

    /// Steps over the opening quotes of a string. `None` if it is only a `$`.
    fn string_form(&mut self) -> Option<Form> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let dollars = rest.iter().take_while(|&&byte| byte == b'$').count();
        let quotes = rest.get(dollars..).unwrap_or_default();
        if quotes.starts_with(b"'''") {
            self.at += dollars + 3;
            return Some(Form::Lines { dollars });
        }
        self.at += 1;
        (dollars == 0).then_some(Form::Line)
    }

    /// Makes one step in the text of `'…'`. Returns `Some(false)` after the end of the string, and `None` if it has no
    /// end.
    fn line_text(&mut self, hole: &mut Option<u32>) -> Option<bool> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let special = |&byte: &u8| matches!(byte, b'\'' | b'\\' | b'$' | b'\n' | b'\r');
        self.at += rest.iter().position(special).unwrap_or(rest.len());
        match self.peek()? {
            b'\'' => {
                self.at += 1;
                return Some(false);
            }
            b'\\' => self.at += 1 + usize::from(self.peek_second().is_some_and(|byte| byte.is_ascii_graphic())),
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

    /// Like [`Reader::line_text`], for `'''…'''`. More than three quotes end it as well: the first ones are text.
    fn lines_text(&mut self, dollars: usize, hole: &mut Option<u32>) -> Option<bool> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let skipped = if dollars == 0 { memchr::memchr(b'\'', rest) } else { memchr::memchr2(b'\'', b'$', rest) };
        self.at += skipped.unwrap_or(rest.len());
        let special = self.peek()?;
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let count = rest.iter().take_while(|&&byte| byte == special).count();
        self.at += count;
        if special == b'\'' {
            return Some(count < 3);
        }
        if count >= dollars && self.take(b'{') {
            *hole = Some(0);
        }
        Some(true)
    }

    /// Makes one step in an interpolation. If a string begins there, `next` is its form.
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

    /// Reports that something else was expected at the current position.
    #[cold]
    pub(super) fn expected(&mut self, expected: &str) {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let found = match rest.chars().next() {
            None => "the end of the file".to_owned(),
            Some('\n' | '\r') => "the end of the line".to_owned(),
            Some(c) if c.is_ascii_alphanumeric() => format!("`{}`", shorten(self.peek_word())),
            Some(c) => format!("`{c}`"),
        };
        let len = rest.chars().next().map_or(0, char::len_utf8);
        self.problem(self.at, self.at + len, &format!("expected {expected}, found {found}"));
    }
}

#[inline]
pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn shorten(word: &str) -> &str {
    word.get(..40).unwrap_or(word)
}

/// The range from `start` to `end`. Empty if `end` comes before `start`.
pub(super) fn between(start: usize, end: usize) -> Range {
    Range::new(offset(start), offset(end.max(start)))
}

/// An offset as ranges store it. The limit of the file size is far below 4 GiB.
fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
