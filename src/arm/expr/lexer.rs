//! The tokens of an expression.

use crate::arm::fault::Fault;
use crate::diagnostic::Code;

/// One token and its byte offsets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind<'a>,
    pub(super) start: u32,
    pub(super) end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'a> {
    Name(&'a str),
    /// The text between the quotes; `''` is still doubled.
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
    /// For messages.
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

/// Splits the text of an expression, one token at a time.
#[derive(Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    end: usize,
}

impl<'a> Lexer<'a> {
    /// Reads `text[start..end]`; offsets of tokens count from the start of `text`.
    pub(super) fn new(text: &'a str, start: usize, end: usize) -> Self {
        Self { text, at: start, end }
    }

    pub(super) fn next(&mut self) -> Result<Token<'a>, Fault> {
        let bytes = &self.text.as_bytes()[..self.end];
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let start = self.at;
        let Some(&first) = bytes.get(start) else {
            return Ok(self.token(TokenKind::End, start));
        };
        let punctuation = match first {
            b'(' => Some(TokenKind::Open),
            b')' => Some(TokenKind::Close),
            b'[' => Some(TokenKind::OpenBracket),
            b']' => Some(TokenKind::CloseBracket),
            b',' => Some(TokenKind::Comma),
            b'.' => Some(TokenKind::Dot),
            _ => None,
        };
        if let Some(kind) = punctuation {
            self.at += 1;
            return Ok(self.token(kind, start));
        }
        match first {
            b'\'' => self.string(start),
            b'0'..=b'9' | b'-' | b'+' => Ok(self.run(start, TokenKind::Number, |byte| byte.is_ascii_digit())),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'#' | 0x80.. => Ok(self.run(start, TokenKind::Name, |byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'#' | b'-' | 0x80..)
            })),
            _ => {
                let found = self.text[start..].chars().next().unwrap_or(' ');
                let fault = Fault::new(
                    Code::ExpressionSyntax,
                    format!("`{}` has no place in an expression", found.escape_debug()),
                );
                Err(fault.in_text(offset(start), offset(start + found.len_utf8())))
            }
        }
    }

    fn token(&self, kind: TokenKind<'a>, start: usize) -> Token<'a> {
        Token { kind, start: offset(start), end: offset(self.at) }
    }

    fn run(&mut self, start: usize, kind: fn(&'a str) -> TokenKind<'a>, more: fn(u8) -> bool) -> Token<'a> {
        let rest = &self.text.as_bytes()[start + 1..self.end];
        self.at = start + 1 + rest.iter().take_while(|&&byte| more(byte)).count();
        self.token(kind(&self.text[start..self.at]), start)
    }

    /// A quote inside is written twice; a backslash means nothing.
    fn string(&mut self, start: usize) -> Result<Token<'a>, Fault> {
        let bytes = &self.text.as_bytes()[..self.end];
        let mut at = start + 1;
        while let Some(found) = memchr::memchr(b'\'', &bytes[at..]) {
            at += found + 1;
            if bytes.get(at) == Some(&b'\'') {
                at += 1;
                continue;
            }
            self.at = at;
            return Ok(self.token(TokenKind::Text(&self.text[start + 1..at - 1]), start));
        }
        let fault = Fault::new(Code::ExpressionSyntax, "the string has no closing `'`");
        Err(fault.in_text(offset(start), offset(self.end)))
    }
}

fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
