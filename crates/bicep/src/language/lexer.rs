//! Splits text into tokens. Line ends are tokens, because they end declarations. Comments and directives are trivia.

use crate::diagnostic::{BicepCode, Code, Diagnostic};
use crate::language::MAX_PROBLEMS;
use crate::language::declaration::is_keyword;
use crate::language::string::Form;
use crate::language::token::{Kind, Token};
use crate::language::tree::{Trivia, TriviaKind};
use crate::text::{FileId, Span};

/// Minimum number of bytes per token, for the initial capacity of the list.
const BYTES_PER_TOKEN: usize = 4;

/// A string whose interpolation is being read.
#[derive(Clone, Copy, Debug)]
struct OpenString {
    form: Form,
    /// Offset of its start.
    start: usize,
    /// Number of open braces in the interpolation.
    braces: u32,
}

/// Tokens and trivia of a text.
#[derive(Debug)]
pub(super) struct Lexed {
    /// Tokens. The last one is [`Kind::End`].
    pub tokens: Vec<Token>,
    pub trivia: Vec<Trivia>,
    /// Invalid text, in source order.
    pub problems: Vec<Diagnostic>,
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    lexed: Lexed,
    /// Strings around the current position.
    open: Vec<OpenString>,
}

/// Splits a text into tokens.
pub(super) fn lex(file: FileId, text: &str) -> Lexed {
    let tokens = Vec::with_capacity(text.len() / BYTES_PER_TOKEN);
    let lexed = Lexed { tokens, trivia: Vec::new(), problems: Vec::new() };
    let mut lexer = Lexer { file, text, bytes: text.as_bytes(), at: 0, lexed, open: Vec::new() };
    lexer.run();
    lexer.lexed.problems.sort_by_key(|problem| problem.primary.span.start);
    lexer.lexed
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            let start = self.at;
            match byte {
                b' ' | b'\t' => self.skip_while(|byte| matches!(byte, b' ' | b'\t')),
                b'a'..=b'z' | b'A'..=b'Z' | b'_' => self.word(start),
                b'\n' | b'\r' => {
                    self.skip_while(|byte| matches!(byte, b'\n' | b'\r'));
                    self.line_end(start);
                }
                b'0'..=b'9' => {
                    self.skip_while(|byte| byte.is_ascii_digit());
                    self.push(Kind::Int, start);
                }
                b'\'' | b'"' | b'$' => self.string(start),
                b'/' if self.peek(1) == Some(b'/') => {
                    self.skip_line();
                    self.trivia(TriviaKind::Comment, start);
                }
                b'/' if self.peek(1) == Some(b'*') => self.comment(start),
                b'#' => self.directive(start),
                _ => self.sign(start),
            }
        }
        self.close_strings();
        self.push(Kind::End, self.at);
    }

    #[inline]
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn rest(&self) -> &[u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    #[inline]
    fn skip_while(&mut self, goes_on: impl Fn(u8) -> bool) {
        let rest = self.rest();
        self.at += rest.iter().position(|byte| !goes_on(*byte)).unwrap_or(rest.len());
    }

    #[inline]
    fn push(&mut self, kind: Kind, start: usize) {
        self.lexed.tokens.push(Token { kind, start: offset(start), end: offset(self.at) });
    }

    fn trivia(&mut self, kind: TriviaKind, start: usize) {
        let span = Span::new(self.file, offset(start), offset(self.at));
        self.lexed.trivia.push(Trivia { kind, span });
    }

    #[cold]
    fn problem(&mut self, start: usize, end: usize, message: &str) {
        if self.lexed.problems.len() < MAX_PROBLEMS {
            let span = Span::new(self.file, offset(start), offset(end));
            self.lexed.problems.push(Diagnostic::new(Code::SyntaxBicep, span, message));
        }
    }

    #[cold]
    fn coded_problem(&mut self, start: usize, end: usize, code: &str, message: &str) {
        let known = self.lexed.problems.len();
        self.problem(start, end, message);
        if let Some(problem) = self.lexed.problems.get_mut(known) {
            problem.bicep_code = BicepCode::read(code);
        }
    }

    fn word(&mut self, start: usize) {
        self.skip_while(is_word);
        if !self.open.is_empty() && self.is_declaration(start) {
            self.close_strings();
        }
        self.push(Kind::Word, start);
    }

    /// True if the word from `start` to here starts a line like a declaration, so that no string continues here.
    fn is_declaration(&self, start: usize) -> bool {
        let is_line_start = start.checked_sub(1).is_none_or(|at| matches!(self.bytes.get(at), Some(b'\n' | b'\r')));
        let next = self.peek(0) == Some(b' ') && self.peek(1).is_some_and(|byte| is_word(byte) || byte == b'\'');
        is_line_start && next && self.text.get(start..self.at).is_some_and(is_keyword)
    }

    /// Ends the strings around the current position, and reports the outermost.
    fn close_strings(&mut self) {
        if let Some(OpenString { start, .. }) = self.open.first().copied() {
            self.problem(start, start + 1, "the string is not closed");
            self.open.clear();
        }
    }

    /// Ends a line. Lines that contain only comments are part of the previous line end.
    fn line_end(&mut self, start: usize) {
        let end = offset(self.at);
        match self.lexed.tokens.last_mut() {
            Some(last) if last.kind == Kind::NewLine => last.end = end,
            _ => self.push(Kind::NewLine, start),
        }
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
    }

    fn comment(&mut self, start: usize) {
        let rest = self.bytes.get(start + 2..).unwrap_or_default();
        if let Some(len) = memchr::memmem::find(rest, b"*/") {
            self.at += len + 4;
        } else {
            self.at = self.bytes.len();
            self.problem(start, start + 2, "the comment is not closed; expected `*/`");
        }
        self.trivia(TriviaKind::Comment, start);
    }

    /// Reads a directive, which ends at the end of the line or before a comment.
    fn directive(&mut self, start: usize) {
        self.skip_line();
        let line = self.bytes.get(start..self.at).unwrap_or_default();
        self.at = start + memchr::memmem::find(line, b"//").unwrap_or(line.len());
        self.trivia(TriviaKind::Directive, start);
    }

    fn sign(&mut self, start: usize) {
        let Some((kind, len)) = Kind::sign(self.rest()) else { return self.other(start) };
        match (kind, self.open.last_mut()) {
            (Kind::LeftBrace, Some(open)) => open.braces += 1,
            (Kind::RightBrace, Some(OpenString { braces: 0, .. })) => {
                let Some(open) = self.open.pop() else { return };
                self.at += 1;
                return self.segment(start, open.form, false, open.start);
            }
            (Kind::RightBrace, Some(open)) => open.braces -= 1,
            _ => {}
        }
        self.at += len;
        self.push(kind, start);
    }

    /// Skips a space that is not ASCII, such as a no-break space in pasted text, or reports an invalid character.
    #[cold]
    fn other(&mut self, start: usize) {
        let next = self.text.get(start..).and_then(|rest| rest.chars().next());
        self.at += next.map_or(1, char::len_utf8);
        if !next.is_some_and(|next| next.is_whitespace() || next == '\u{FEFF}') {
            self.problem(start, self.at, "this character has no meaning here");
        }
    }

    /// Reads a string, from the quote or the `$` before it.
    fn string(&mut self, start: usize) {
        if let Some((form, len)) = Form::parse(self.rest()) {
            self.at += len;
            if form.quote == b'"' {
                self.coded_problem(start, self.at, "BCP103", "strings are written in single quotes");
            }
            return self.segment(start, form, true, start);
        }
        self.at += self.rest().iter().take_while(|byte| **byte == b'$').count();
        self.problem(start, self.at, "`$` has no meaning here");
    }

    /// Reads to the closing quote or the next interpolation of the string that starts at `string`.
    fn segment(&mut self, start: usize, form: Form, is_first: bool, string: usize) {
        let closes = if form.is_multiline { self.lines(form, string) } else { self.line(form) };
        let kind = match (is_first, closes) {
            (true, true) => Kind::Whole,
            (true, false) => Kind::Left,
            (false, true) => Kind::Right,
            (false, false) => Kind::Middle,
        };
        if !closes {
            self.open.push(OpenString { form, start: string, braces: 0 });
        }
        self.push(kind, start);
    }

    /// Reads the rest of a string on one line. Returns `true` if it is closed.
    fn line(&mut self, form: Form) -> bool {
        loop {
            self.skip_while(|byte| byte != form.quote && !matches!(byte, b'$' | b'\\' | b'\n' | b'\r'));
            match self.peek(0) {
                None | Some(b'\n' | b'\r') => {
                    // A wrong quote was reported.
                    if form.quote == b'\'' {
                        self.problem(self.at, self.at, "the string is not closed; expected `'`");
                    }
                    return true;
                }
                Some(quote) if quote == form.quote => {
                    self.at += 1;
                    return true;
                }
                Some(b'$') if self.peek(1) == Some(b'{') => {
                    self.at += 2;
                    return false;
                }
                Some(b'\\') => self.at += 1 + usize::from(self.peek(1).is_some_and(|byte| byte.is_ascii_graphic())),
                Some(_) => self.at += 1,
            }
        }
    }

    /// Reads the rest of a multi-line string. Returns `true` if it is closed.
    fn lines(&mut self, form: Form, string: usize) -> bool {
        loop {
            let rest = self.rest();
            let next = if form.dollars == 0 { memchr::memchr(b'\'', rest) } else { memchr::memchr2(b'\'', b'$', rest) };
            let Some(len) = next else {
                self.at = self.bytes.len();
                self.problem(string, string + 3, "the string is not closed; expected `'''`");
                return true;
            };
            let sign = rest.get(len).copied().unwrap_or_default();
            let count = rest.get(len..).unwrap_or_default().iter().take_while(|byte| **byte == sign).count();
            self.at += len + count;
            match sign {
                // Further quotes belong to the text; the last three close it.
                b'\'' if count >= 3 => return true,
                b'$' if count >= form.dollars && self.peek(0) == Some(b'{') => {
                    self.at += 1;
                    return false;
                }
                _ => {}
            }
        }
    }
}

#[inline]
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

#[expect(clippy::cast_possible_truncation, reason = "texts are far below 4 GiB")]
fn offset(at: usize) -> u32 {
    at as u32
}
