//! The tokens of an expression.

use crate::diagnostic::Code;
use crate::fault::Fault;

/// A token and its byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) start: u32,
    pub(super) end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'a> {
    Name(&'a str),
    /// The content of a string literal, in which quotes are still doubled.
    Text(&'a str),
    Number(&'a str),
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    Comma,
    Dot,
    End,
}

impl TokenKind<'_> {
    /// Returns the token in words, for messages.
    pub(super) fn describe(self) -> String {
        match self {
            Self::Name(name) => format!("`{name}`"),
            Self::Text(_) => "a string".to_owned(),
            Self::Number(digits) => format!("`{digits}`"),
            Self::Open => "`(`".to_owned(),
            Self::Close => "`)`".to_owned(),
            Self::OpenBracket => "`[`".to_owned(),
            Self::CloseBracket => "`]`".to_owned(),
            Self::Comma => "`,`".to_owned(),
            Self::Dot => "`.`".to_owned(),
            Self::End => "the end of the expression".to_owned(),
        }
    }
}

/// Splits an expression into tokens, one at a time.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    /// The unread rest of the text.
    rest: &'a str,
    /// The offset of `rest`, counted from the opening bracket of the expression.
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Reads an expression, given with its brackets.
    pub(super) fn new(text: &'a str) -> Self {
        let inner = text.strip_prefix('[').unwrap_or(text);
        Self { rest: inner.strip_suffix(']').unwrap_or(inner), at: text.len() - inner.len() }
    }

    /// Returns the unread rest of the text.
    pub(super) fn rest(&self) -> &'a str {
        self.rest
    }

    pub(super) fn next(&mut self) -> Result<Token<'a>, Fault> {
        // Resource Manager skips all white space of Unicode, such as the no-break spaces that editors insert.
        let spaces = self.rest.len() - self.rest.trim_start().len();
        self.take(spaces);
        let Some(&first) = self.rest.as_bytes().first() else {
            return Ok(Token { kind: TokenKind::End, start: offset(self.at), end: offset(self.at) });
        };
        match first {
            b'(' => Ok(self.token(1, |_| TokenKind::Open)),
            b')' => Ok(self.token(1, |_| TokenKind::Close)),
            b'[' => Ok(self.token(1, |_| TokenKind::OpenBracket)),
            b']' => Ok(self.token(1, |_| TokenKind::CloseBracket)),
            b',' => Ok(self.token(1, |_| TokenKind::Comma)),
            b'.' => Ok(self.token(1, |_| TokenKind::Dot)),
            b'\'' => self.string(),
            // A sign without digits is refused when the number is parsed.
            b'0'..=b'9' | b'-' | b'+' => Ok(self.run(TokenKind::Number, |character| character.is_ascii_digit())),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'#' | 0x80.. => Ok(self.run(TokenKind::Name, |character| {
                character.is_ascii_alphanumeric()
                    || matches!(character, '_' | '$' | '#' | '-')
                    || !character.is_ascii() && !character.is_whitespace()
            })),
            _ => {
                let found = self.rest.chars().next().unwrap_or(' ');
                let message = format!("unexpected character `{}`", found.escape_debug());
                let fault = Fault::new(Code::ExpressionSyntax, message);
                Err(fault.in_text(offset(self.at), offset(self.at + found.len_utf8())))
            }
        }
    }

    /// Consumes `len` bytes, which must end at the boundary of a character.
    fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(len);
        self.rest = rest;
        self.at += len;
        taken
    }

    /// Consumes a token of `len` bytes.
    fn token(&mut self, len: usize, kind: impl FnOnce(&'a str) -> TokenKind<'a>) -> Token<'a> {
        let start = offset(self.at);
        let text = self.take(len);
        Token { kind: kind(text), start, end: offset(self.at) }
    }

    /// Consumes the first character and all characters after it for which `more` holds.
    fn run(&mut self, kind: fn(&'a str) -> TokenKind<'a>, more: fn(char) -> bool) -> Token<'a> {
        let end = self.rest.char_indices().skip(1).find(|&(_, character)| !more(character)).map(|(at, _)| at);
        self.token(end.unwrap_or(self.rest.len()), kind)
    }

    /// Consumes a string literal. A quote inside is doubled; a backslash has no special meaning.
    fn string(&mut self) -> Result<Token<'a>, Fault> {
        let bytes = self.rest.as_bytes();
        let mut end = 1;
        while let Some(quote) = bytes.get(end..).and_then(|bytes| memchr::memchr(b'\'', bytes)) {
            end += quote + 1;
            if bytes.get(end) == Some(&b'\'') {
                end += 1;
                continue;
            }
            return Ok(self.token(end, |quoted| {
                let inner = quoted.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\''));
                TokenKind::Text(inner.unwrap_or(quoted))
            }));
        }
        let fault = Fault::new(Code::ExpressionSyntax, "the string has no closing `'`");
        Err(fault.in_text(offset(self.at), offset(self.at + self.rest.len())))
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
