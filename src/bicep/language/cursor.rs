//! The parser's position in the tokens, and its errors.

use crate::bicep::language::ast::{Name, Program, Statement};
use crate::bicep::language::lexer::{Kind, Token};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{FileId, Span};

/// How deep expressions and types may be. A chain of operators is as deep as it has operands.
pub(super) const MAX_DEPTH: u16 = 250;

/// How deep brackets and operators may be nested. Real files have about two dozen levels.
const MAX_NESTING: u16 = 100;

/// The most problems that are reported for one file.
const MAX_PROBLEMS: usize = 50;

/// The current statement cannot be parsed; the problem has been reported.
#[derive(Debug)]
pub(super) struct Broken;

pub(super) type Parsed<T> = Result<T, Broken>;

/// A recursive-descent parser for one text.
pub(super) struct Cursor<'a> {
    file: FileId,
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: u16,
    problems: Vec<Diagnostic>,
    /// What stands for the end of the text.
    end: Token,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(file: FileId, text: &'a str, tokens: Vec<Token>, problems: Vec<Diagnostic>) -> Self {
        let end = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let end = Token { kind: Kind::End, start: end, end };
        Self { file, text, tokens, at: 0, depth: 0, problems, end }
    }

    /// Parses all statements of the file.
    pub(super) fn program(mut self) -> (Program, Vec<Diagnostic>) {
        let mut statements: Vec<Statement> = Vec::new();
        loop {
            self.skip_lines();
            if *self.peek() == Kind::End {
                break;
            }
            let start = self.at;
            if let Ok(statement) = self.statement() {
                statements.push(statement);
            } else {
                self.depth = 0;
                self.recover(start);
            }
        }
        (Program { statements }, self.problems)
    }

    /// Skips to the next line that begins like a statement.
    fn recover(&mut self, start: usize) {
        self.at = self.at.max(start + 1);
        while *self.peek() != Kind::End {
            let is_start = self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map(|token| &token.kind)
                == Some(&Kind::NewLine);
            if is_start && (self.is_statement() || self.is_sign("@")) {
                return;
            }
            self.at += 1;
        }
    }

    pub(super) fn token(&self) -> &Token {
        self.tokens.get(self.at).unwrap_or(&self.end)
    }

    pub(super) fn peek(&self) -> &Kind {
        &self.token().kind
    }

    /// The token `ahead` tokens after the next one.
    pub(super) fn peek_at(&self, ahead: usize) -> &Kind {
        &self.tokens.get(self.at + ahead).unwrap_or(&self.end).kind
    }

    pub(super) fn next(&mut self) {
        self.at += 1;
    }

    /// The text of the token `ahead` tokens after the next one, if it is a word.
    pub(super) fn word_at(&self, ahead: usize) -> Option<&'a str> {
        let token = self.tokens.get(self.at + ahead).filter(|token| token.kind == Kind::Word)?;
        self.text.get(token.start as usize..token.end as usize)
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word_at(0) == Some(word)
    }

    pub(super) fn is_sign(&self, sign: &str) -> bool {
        self.is_sign_at(0, sign)
    }

    pub(super) fn is_sign_at(&self, ahead: usize, sign: &str) -> bool {
        matches!(self.peek_at(ahead), Kind::Sign(found) if *found == sign)
    }

    /// Steps over the next token if it is `sign`.
    pub(super) fn take(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        self.at += usize::from(found);
        found
    }

    /// Steps over the next token if it is `word`.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        self.at += usize::from(found);
        found
    }

    pub(super) fn expect(&mut self, sign: &str) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { self.expected(&format!("`{sign}`")) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    pub(super) fn skip_lines(&mut self) {
        while *self.peek() == Kind::NewLine {
            self.at += 1;
        }
    }

    /// How many line ends come next.
    pub(super) fn lines_ahead(&self) -> usize {
        usize::from(*self.peek() == Kind::NewLine)
    }

    /// The end of the last token.
    pub(super) fn end(&self) -> u32 {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(0, |token| token.end)
    }

    pub(super) fn start(&self) -> u32 {
        self.token().start
    }

    /// From `start` to the end of the last token.
    pub(super) fn since(&self, start: u32) -> Span {
        Span::new(self.file, start, self.end().max(start))
    }

    /// A name. Keywords are names too.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let Some(text) = self.word_at(0) else { return self.expected(what) };
        let start = self.start();
        self.next();
        Ok(Name { text: text.into(), span: self.since(start) })
    }

    pub(super) fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Diagnostic::new(Code::SyntaxBicep, span, message));
        }
        Err(Broken)
    }

    /// Reports that something else was expected here.
    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token();
        let span = Span::new(self.file, token.start, token.end);
        let found = match &token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::NewLine => "the end of the line".to_owned(),
            _ => {
                let text = self.text.get(token.start as usize..token.end as usize).unwrap_or_default();
                format!("`{}`", crate::text::cut(text, 40))
            }
        };
        self.error(span, format!("expected {what}, found {found}"))
    }

    /// Parses something one level deeper.
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return self.too_deep();
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth = self.depth.saturating_sub(1);
        parsed
    }

    pub(super) fn too_deep<T>(&mut self) -> Parsed<T> {
        let start = self.start();
        let span = Span::new(self.file, start, start);
        self.error(span, "this is nested too deep; split it into variables")
    }
}
