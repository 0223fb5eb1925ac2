//! Position of the parser in the tokens, and its errors.

use arcstr::{ArcStr, Substr};

use crate::diagnostic::{Code, Diagnostic};
use crate::language::ast::Name;
use crate::language::lexer::{Lexed, lex};
use crate::language::token::{Kind, Token};
use crate::language::{MAX_PROBLEMS, SyntaxTree};
use crate::text::{FileId, Span};

/// Maximum depth of expressions and types. A chain of operators is as deep as its number of operands.
pub(super) const MAX_DEPTH: u16 = 250;

/// Maximum nesting of brackets and operators. Real files have about two dozen levels.
const MAX_NESTING: u16 = 100;

/// Error: the text cannot be parsed. The problem has been reported.
#[derive(Debug)]
pub(super) struct Broken;

pub(super) type Parsed<T> = Result<T, Broken>;

/// A recursive-descent parser for one text.
pub(super) struct Cursor<'a> {
    file: FileId,
    text: &'a ArcStr,
    lexed: Lexed,
    /// Index of the next token.
    pub(super) at: usize,
    depth: u16,
    /// Closing brackets of the lists that are being parsed.
    pub(super) open: Vec<Kind>,
    problems: Vec<Diagnostic>,
    /// Index of the first token of the current declaration.
    pub(super) first: usize,
    /// True if the rest of the current declaration has been skipped.
    pub(super) is_skipped: bool,
    /// True if the next object is the body of a resource, which can have nested resources.
    pub(super) is_body: bool,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(file: FileId, text: &'a ArcStr) -> Self {
        let (lexed, open, problems) = (lex(file, text), Vec::new(), Vec::new());
        Self { file, text, lexed, at: 0, depth: 0, open, problems, first: 0, is_skipped: false, is_body: false }
    }

    /// Parses the file.
    pub(super) fn tree(mut self) -> SyntaxTree {
        let declarations = self.declarations();
        let Lexed { trivia, mut problems, .. } = self.lexed;
        problems.append(&mut self.problems);
        problems.sort_by_key(|problem| problem.primary.span.start);
        problems.truncate(MAX_PROBLEMS);
        SyntaxTree { file: self.file, text: self.text.clone(), declarations, trivia, problems }
    }

    /// Returns the token at an index, or the token for the end of the text.
    #[inline]
    pub(super) fn token_at(&self, at: usize) -> Token {
        let end = Token { kind: Kind::End, start: 0, end: 0 };
        self.lexed.tokens.get(at).or(self.lexed.tokens.last()).copied().unwrap_or(end)
    }

    #[inline]
    pub(super) fn token(&self) -> Token {
        self.token_at(self.at)
    }

    #[inline]
    pub(super) fn peek(&self) -> Kind {
        self.peek_at(0)
    }

    /// Returns the kind of the token `ahead` tokens after the next one.
    #[inline]
    pub(super) fn peek_at(&self, ahead: usize) -> Kind {
        self.lexed.tokens.get(self.at + ahead).map_or(Kind::End, |token| token.kind)
    }

    #[inline]
    pub(super) fn next(&mut self) {
        self.at += 1;
    }

    pub(super) fn slice(&self, token: Token) -> &'a str {
        self.text.get(token.start as usize..token.end as usize).unwrap_or_default()
    }

    /// Returns the text of the token `ahead` tokens after the next one, if it is a word.
    pub(super) fn word_at(&self, ahead: usize) -> Option<&'a str> {
        let token = self.token_at(self.at + ahead);
        (token.kind == Kind::Word).then(|| self.slice(token))
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        self.word_at(0) == Some(word)
    }

    #[inline]
    pub(super) fn is(&self, kind: Kind) -> bool {
        self.peek() == kind
    }

    /// Consumes the next token if it is of this kind.
    #[inline]
    pub(super) fn take(&mut self, kind: Kind) -> bool {
        if self.is(kind) {
            self.at += 1;
            return true;
        }
        false
    }

    /// Consumes the next token if it is `word`.
    pub(super) fn take_word(&mut self, word: &str) -> bool {
        if self.is_word(word) {
            self.at += 1;
            return true;
        }
        false
    }

    pub(super) fn expect(&mut self, sign: Kind) -> Parsed<()> {
        if self.take(sign) { Ok(()) } else { self.expected(&format!("`{}`", sign.text())) }
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.take_word(word) { Ok(()) } else { self.expected(&format!("`{word}`")) }
    }

    #[inline]
    pub(super) fn skip_lines(&mut self) {
        while self.is(Kind::NewLine) {
            self.at += 1;
        }
    }

    /// Returns the number of line ends before the next token.
    #[inline]
    pub(super) fn lines_ahead(&self) -> usize {
        usize::from(self.is(Kind::NewLine))
    }

    /// Returns the end of the last token.
    #[inline]
    fn end(&self) -> u32 {
        self.at.checked_sub(1).and_then(|at| self.lexed.tokens.get(at)).map_or(0, |token| token.end)
    }

    #[inline]
    pub(super) fn start(&self) -> u32 {
        self.token().start
    }

    /// Returns the span from `start` to the end of the last token.
    #[inline]
    pub(super) fn since(&self, start: u32) -> Span {
        Span::new(self.file, start, self.end().max(start))
    }

    pub(super) fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.file, u32::try_from(start).unwrap_or(u32::MAX), u32::try_from(end).unwrap_or(u32::MAX))
    }

    /// Returns the text from `start` to `end`, which shares the text of the file.
    #[inline]
    pub(super) fn share(&self, start: usize, end: usize) -> Substr {
        self.text.try_substr_using(|text| text.get(start..end).unwrap_or_default()).unwrap_or_default()
    }

    /// True if the token at an index starts a line, without indentation.
    pub(super) fn is_line_start(&self, at: usize) -> bool {
        let start = self.token_at(at).start as usize;
        start.checked_sub(1).is_none_or(|before| matches!(self.text.as_bytes().get(before), Some(b'\n' | b'\r')))
    }

    /// Parses a name. Keywords are names, too.
    pub(super) fn name(&mut self, what: &str) -> Parsed<Name> {
        let Token { kind, start, end } = self.token();
        if kind != Kind::Word || self.is_declaration() {
            return self.expected(what);
        }
        self.next();
        Ok(Name { text: self.share(start as usize, end as usize), span: Span::new(self.file, start, end) })
    }

    /// Parses the name of a declaration. A name with hyphens is reported, and parsed as a whole.
    pub(super) fn declared_name(&mut self, what: &str) -> Parsed<Name> {
        let name = self.name(what)?;
        let start = name.span.start;
        while self.is_part_of_name() {
            self.at += 2;
        }
        let whole = self.since(start);
        if whole == name.span {
            return Ok(name);
        }
        let text = self.share(whole.start as usize, whole.end as usize);
        let message = format!("names have letters, digits, and `_`, found `-`; write `{}`", camel_case(&text));
        self.problem(whole, message);
        Ok(Name { text, span: whole })
    }

    /// Returns `true` if a hyphen and a word follow without a space.
    fn is_part_of_name(&self) -> bool {
        let [hyphen, word] = [self.token(), self.token_at(self.at + 1)];
        hyphen.kind == Kind::Minus
            && matches!(word.kind, Kind::Word | Kind::Int)
            && hyphen.start == self.end()
            && word.start == hyphen.end
    }

    /// Reports a problem, unless it only follows from another one: from a lexical problem in the same declaration, or
    /// from a problem at the same position.
    #[cold]
    pub(super) fn problem(&mut self, span: Span, message: impl Into<String>) {
        let declared_at = self.token_at(self.first).start;
        let lexical = &self.lexed.problems;
        let before = lexical.partition_point(|problem| problem.primary.span.start <= span.start);
        let last = before.checked_sub(1).and_then(|at| lexical.get(at));
        let follows = last.is_some_and(|last| last.primary.span.start >= declared_at)
            || self.problems.last().is_some_and(|last| last.primary.span.start == span.start);
        if !follows && self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Diagnostic::new(Code::SyntaxBicep, span, message));
        }
    }

    #[cold]
    pub(super) fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Parsed<T> {
        self.problem(span, message);
        Err(Broken)
    }

    /// Reports an unexpected token.
    #[cold]
    pub(super) fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the end of the file".to_owned(),
            Kind::NewLine => "the end of the line".to_owned(),
            _ => format!("`{}`", crate::text::cut(self.slice(token), 40)),
        };
        self.error(Span::new(self.file, token.start, token.end), format!("expected {what}, found {found}"))
    }

    /// Reports an unexpected token like [`Self::expected`]. If the next declaration starts here, the position is the
    /// end of the previous line.
    #[cold]
    pub(super) fn expected_on_line<T>(&mut self, what: &str) -> Parsed<T> {
        if self.is_declaration() {
            let lines = (self.first..self.at).rev().take_while(|at| self.token_at(*at).kind == Kind::NewLine);
            self.at = lines.last().unwrap_or(self.at);
        }
        self.expected(what)
    }

    /// Calls `parse` one level deeper.
    #[inline]
    pub(super) fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return self.too_deep();
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth = self.depth.saturating_sub(1);
        parsed
    }

    /// Calls `parse` for the content of brackets.
    #[inline]
    pub(super) fn within<T>(&mut self, close: Kind, parse: impl FnOnce(&mut Self) -> T) -> T {
        self.open.push(close);
        let parsed = parse(self);
        self.open.pop();
        parsed
    }

    #[cold]
    pub(super) fn too_deep<T>(&mut self) -> Parsed<T> {
        let start = self.start();
        let span = Span::new(self.file, start, start);
        self.error(span, "this is nested too deep; split it into variables")
    }
}

/// Returns a name without hyphens: `clusterNodeCount` for `cluster-node-count`.
fn camel_case(name: &str) -> String {
    let mut parts = name.split('-');
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let mut chars = part.chars();
        result.extend(chars.next().map(|first| first.to_ascii_uppercase()));
        result.push_str(chars.as_str());
    }
    result
}
