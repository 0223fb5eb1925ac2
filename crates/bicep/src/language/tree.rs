//! The syntax tree of a file.

use arcstr::ArcStr;

use crate::diagnostic::Diagnostic;
use crate::language::ast::Declaration;
use crate::text::{FileId, Span};

/// The syntax tree of one `.bicep` or `.bicepparam` file.
#[derive(Debug)]
pub struct SyntaxTree {
    /// ID of the text.
    pub file: FileId,
    /// Full text of the file.
    pub text: ArcStr,
    /// Top-level declarations, in source order.
    pub declarations: Vec<Declaration>,
    /// Comments and directives, in source order.
    pub trivia: Vec<Trivia>,
    /// Syntax errors, in source order.
    pub problems: Vec<Diagnostic>,
}

/// Text without meaning for the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trivia {
    pub kind: TriviaKind,
    pub span: Span,
}

/// Kind of a [`Trivia`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriviaKind {
    /// `//` to the end of the line, or `/* */`.
    Comment,
    /// `#disable-next-line`, `#disable-diagnostics` or `#restore-diagnostics`, with the codes after it.
    Directive,
}

impl SyntaxTree {
    /// Returns the empty tree of a file that cannot be parsed because of `problem`.
    pub fn unparsed(file: FileId, text: ArcStr, problem: Diagnostic) -> Self {
        Self { file, text, declarations: Vec::new(), trivia: Vec::new(), problems: vec![problem] }
    }

    /// Returns the text of a span. Empty if it is not in this file.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// Iterates over the comments, in source order.
    pub fn comments(&self) -> impl Iterator<Item = Span> {
        self.trivia_of(TriviaKind::Comment)
    }

    /// Iterates over the compiler directives, in source order.
    pub fn directives(&self) -> impl Iterator<Item = Span> {
        self.trivia_of(TriviaKind::Directive)
    }

    fn trivia_of(&self, kind: TriviaKind) -> impl Iterator<Item = Span> {
        self.trivia.iter().filter(move |trivia| trivia.kind == kind).map(|trivia| trivia.span)
    }
}
