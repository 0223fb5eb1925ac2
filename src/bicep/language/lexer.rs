//! Text into tokens. Blanks, comments and directives are left out; line ends are tokens, because they end statements.

use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};

/// The kinds of tokens. Those of strings carry the text between quotes and interpolations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Int(u64),
    /// A string without interpolation.
    Whole(Box<str>),
    /// From the quote to the first interpolation.
    Left(Box<str>),
    /// Between two interpolations of a string.
    Middle(Box<str>),
    /// From the last interpolation to the quote.
    Right(Box<str>),
    NewLine,
    End,
    /// An operator or a bracket.
    Sign(&'static str),
}

/// A token and where it is.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub start: u32,
    pub end: u32,
}

/// All signs, the longest first.
const SIGNS: [&str; 36] = [
    "...", "=>", "==", "=~", "!=", "!~", "<=", ">=", "&&", "||", "??", "::", ".?", "@", "{", "}", "[", "]", "(", ")",
    ",", ".", "?", ":", ";", "=", "+", "-", "*", "/", "%", "!", "<", ">", "|", "^",
];

/// The most problems that are reported for one file.
const MAX_PROBLEMS: usize = 50;

/// A string that is being read.
#[derive(Clone, Copy, Debug)]
struct Form {
    is_multiline: bool,
    /// The number of `$` before a `{` that opens an interpolation. 0 if there are none.
    dollars: usize,
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Vec<Token>,
    problems: Vec<Diagnostic>,
    /// The strings that are open, each with the number of open braces in its interpolation.
    open: Vec<(Form, u32)>,
}

/// The tokens of a text. The last one is [`Kind::End`].
pub(super) fn tokens(file: FileId, text: &str) -> (Vec<Token>, Vec<Diagnostic>) {
    let bytes = text.as_bytes();
    let mut lexer = Lexer { file, text, bytes, at: 0, tokens: Vec::new(), problems: Vec::new(), open: Vec::new() };
    lexer.run();
    (lexer.tokens, lexer.problems)
}

impl Lexer<'_> {
    fn run(&mut self) {
        loop {
            self.skip_blanks();
            let start = self.at;
            let Some(byte) = self.peek(0) else { break };
            match byte {
                b'\n' | b'\r' => {
                    while matches!(self.peek(0), Some(b'\n' | b'\r')) {
                        self.at += 1;
                    }
                    self.line_end(start);
                }
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
                    while self.peek(0).is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                        self.at += 1;
                    }
                    self.push(Kind::Word, start);
                }
                b'0'..=b'9' => self.number(start),
                b'\'' | b'$' => self.open_string(start),
                b'#' => self.skip_line(),
                _ => self.sign(start),
            }
        }
        let start = self.at;
        if let Some(_form) = self.open.pop() {
            self.problem(start, start, "the string is not closed");
        }
        self.push(Kind::End, start);
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn starts_with(&self, prefix: &str) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(prefix.as_bytes()))
    }

    #[expect(clippy::cast_possible_truncation, reason = "texts are far below 4 GiB")]
    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token { kind, start: start as u32, end: self.at as u32 });
    }

    #[expect(clippy::cast_possible_truncation, reason = "texts are far below 4 GiB")]
    fn problem(&mut self, start: usize, end: usize, message: &str) {
        if self.problems.len() < MAX_PROBLEMS {
            let span = Span::new(self.file, start as u32, end as u32);
            self.problems.push(Diagnostic::new(Code::SyntaxBicep, span, message));
        }
    }

    /// Lines with nothing but comments are part of the line end before them.
    fn line_end(&mut self, start: usize) {
        match self.tokens.last_mut() {
            Some(last) if last.kind == Kind::NewLine => last.end = u32::try_from(self.at).unwrap_or(u32::MAX),
            _ => self.push(Kind::NewLine, start),
        }
    }

    fn skip_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    fn skip_char(&mut self) {
        let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
        self.at += next.map_or(1, char::len_utf8);
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(b' ' | b'\t'), _) => self.at += 1,
                (Some(b'/'), Some(b'/')) => self.skip_line(),
                (Some(b'/'), Some(b'*')) => self.skip_comment(),
                (Some(0x0B | 0x0C | 0x80..), _) => {
                    let next = self.text.get(self.at..).and_then(|rest| rest.chars().next());
                    match next.filter(|next| next.is_whitespace() || *next == '\u{FEFF}') {
                        Some(blank) => self.at += blank.len_utf8(),
                        None => return,
                    }
                }
                _ => return,
            }
        }
    }

    fn skip_comment(&mut self) {
        let start = self.at;
        let rest = self.bytes.get(start + 2..).unwrap_or_default();
        if let Some(len) = memchr::memmem::find(rest, b"*/") {
            self.at += len + 4;
        } else {
            self.at = self.bytes.len();
            self.problem(start, start + 2, "the comment is not closed; expected `*/`");
        }
    }

    fn number(&mut self, start: usize) {
        while self.peek(0).is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        let digits = self.text.get(start..self.at).unwrap_or_default();
        let value = digits.parse().unwrap_or_else(|_| {
            self.problem(start, self.at, "the number needs more than 64 bits");
            0
        });
        self.push(Kind::Int(value), start);
    }

    fn sign(&mut self, start: usize) {
        let Some(sign) = SIGNS.iter().find(|sign| self.starts_with(sign)) else {
            self.skip_char();
            return self.problem(start, self.at, "this character has no meaning here");
        };
        match (*sign, self.open.last_mut()) {
            ("{", Some((_, braces))) => *braces += 1,
            ("}", Some((form, 0))) => {
                let form = *form;
                self.open.pop();
                self.at += 1;
                return self.segment(start, form, false);
            }
            ("}", Some((_, braces))) => *braces -= 1,
            _ => {}
        }
        self.at += sign.len();
        self.push(Kind::Sign(sign), start);
    }

    /// Reads from a quote on, or from the `$` before it.
    fn open_string(&mut self, start: usize) {
        let mut dollars = 0;
        while self.peek(dollars) == Some(b'$') {
            dollars += 1;
        }
        let quote = self.bytes.get(self.at + dollars..).unwrap_or_default();
        if quote.starts_with(b"'''") {
            self.at += dollars + 3;
            // The line end after the quotes is not part of the string.
            if self.starts_with("\r\n") {
                self.at += 2;
            } else if matches!(self.peek(0), Some(b'\n' | b'\r')) {
                self.at += 1;
            }
            return self.segment(start, Form { is_multiline: true, dollars }, true);
        }
        if dollars > 0 {
            self.at += dollars;
            return self.problem(start, self.at, "`$` has no meaning here");
        }
        self.at += 1;
        self.segment(start, Form { is_multiline: false, dollars: 1 }, true);
    }

    /// Reads up to the closing quote or the next interpolation.
    fn segment(&mut self, start: usize, form: Form, is_first: bool) {
        let mut text = String::new();
        let closes = if form.is_multiline { self.lines(form, &mut text) } else { self.line(&mut text) };
        let text = text.into_boxed_str();
        let kind = match (is_first, closes) {
            (true, true) => Kind::Whole(text),
            (true, false) => Kind::Left(text),
            (false, true) => Kind::Right(text),
            (false, false) => Kind::Middle(text),
        };
        if !closes {
            self.open.push((form, 0));
        }
        self.push(kind, start);
    }

    /// The rest of a string on one line. Returns whether it ends with the quote.
    fn line(&mut self, text: &mut String) -> bool {
        loop {
            let start = self.at;
            match self.peek(0) {
                None | Some(b'\n' | b'\r') => {
                    self.problem(start, start, "the string is not closed; expected `'`");
                    return true;
                }
                Some(b'\'') => {
                    self.at += 1;
                    return true;
                }
                Some(b'$') if self.peek(1) == Some(b'{') => {
                    self.at += 2;
                    return false;
                }
                Some(b'\\') => self.escape(text),
                Some(_) => {
                    self.skip_char();
                    text.push_str(self.text.get(start..self.at).unwrap_or_default());
                }
            }
        }
    }

    fn escape(&mut self, text: &mut String) {
        let start = self.at;
        self.at += 1;
        let char =
            match self.peek(0) {
                Some(b'n') => '\n',
                Some(b'r') => '\r',
                Some(b't') => '\t',
                Some(byte @ (b'\\' | b'\'' | b'$')) => char::from(byte),
                Some(b'u') if self.peek(1) == Some(b'{') => return self.code_point(text),
                _ => return self.problem(
                    start,
                    start + 1,
                    "the escape sequence is unknown; expected `\\n`, `\\r`, `\\t`, `\\\\`, `\\'`, `\\${` or `\\u{…}`",
                ),
            };
        self.at += 1;
        text.push(char);
    }

    fn code_point(&mut self, text: &mut String) {
        let start = self.at - 1;
        let Some(mut code) = self.hex() else {
            return self.problem(start, self.at, "the escape sequence is not a Unicode character");
        };
        // Two escapes may be the halves of one character.
        if (0xD800..0xDC00).contains(&code) && self.starts_with("\\u{") {
            self.at += 1;
            if let Some(low) = self.hex().filter(|low| (0xDC00..0xE000).contains(low)) {
                code = 0x1_0000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            }
        }
        match char::from_u32(code) {
            Some(char) => text.push(char),
            None => self.problem(start, self.at, "the escape sequence is not a Unicode character"),
        }
    }

    /// The number in `u{…}`.
    fn hex(&mut self) -> Option<u32> {
        let rest = self.text.get(self.at + 2..).unwrap_or_default();
        let digits = rest.find(|c: char| !c.is_ascii_hexdigit()).and_then(|len| rest.get(..len)).unwrap_or_default();
        self.at += 2 + digits.len();
        let is_closed = self.peek(0) == Some(b'}');
        self.at += usize::from(is_closed);
        u32::from_str_radix(digits, 16).ok().filter(|_| is_closed)
    }

    /// The rest of a string over several lines. Returns whether it ends with the quotes.
    fn lines(&mut self, form: Form, text: &mut String) -> bool {
        let from = self.at;
        loop {
            let rest = self.bytes.get(self.at..).unwrap_or_default();
            let Some(len) = memchr::memchr2(b'\'', b'$', rest) else {
                self.at = self.bytes.len();
                self.problem(from, from, "the string is not closed; expected `'''`");
                return true;
            };
            self.at += len;
            if self.starts_with("'''") {
                self.at += 3;
                // Further quotes belong to the text; the last three close it.
                while self.peek(0) == Some(b'\'') {
                    self.at += 1;
                }
                text.push_str(self.text.get(from..self.at - 3).unwrap_or_default());
                return true;
            }
            let dollars = rest.get(len..).unwrap_or_default().iter().take_while(|byte| **byte == b'$').count();
            if form.dollars > 0 && dollars >= form.dollars && self.peek(dollars) == Some(b'{') {
                let end = self.at + dollars - form.dollars;
                text.push_str(self.text.get(from..end).unwrap_or_default());
                self.at += dollars + 1;
                return false;
            }
            self.at += dollars.max(1);
        }
    }
}
