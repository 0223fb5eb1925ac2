//! The syntax tree of a file.

use arcstr::ArcStr;

use crate::diagnostic::Diagnostic;
use crate::language::ast::Declaration;
use crate::text::{FileId, Span};

/// The syntax tree of one `.bicep` or `.bicepparam` file.
#[derive(Debug)]
pub struct SyntaxTree {
    /// The ID of the text.
    pub file: FileId,
    /// The whole text of the file.
    pub text: ArcStr,
    /// The declarations at the top of the file, in the order of the text.
    pub declarations: Vec<Declaration>,
    /// Comments and directives, in the order of the text.
    pub trivia: Vec<Trivia>,
    /// The syntax errors, in the order of the text.
    pub problems: Vec<Diagnostic>,
}

/// Text that has no meaning for the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trivia {
    pub kind: TriviaKind,
    pub span: Span,
}

/// The kinds of [`Trivia`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriviaKind {
    /// `//` to the end of the line, or `/* */`.
    Comment,
    /// `#disable-next-line`, `#disable-diagnostics` or `#restore-diagnostics`, with the codes after it.
    Directive,
}

impl SyntaxTree {
    /// The tree of a file that cannot be parsed because of a problem.
    pub fn unparsed(file: FileId, text: ArcStr, problem: Diagnostic) -> Self {
        Self { file, text, declarations: Vec::new(), trivia: Vec::new(), problems: vec![problem] }
    }

    /// The text of a span. Empty if it is not in this file.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    /// The comments, in the order of the text.
    pub fn comments(&self) -> impl Iterator<Item = Span> {
        self.trivia_of(TriviaKind::Comment)
    }

    /// The directives of the compiler, in the order of the text.
    pub fn directives(&self) -> impl Iterator<Item = Span> {
        self.trivia_of(TriviaKind::Directive)
    }

    fn trivia_of(&self, kind: TriviaKind) -> impl Iterator<Item = Span> {
        self.trivia.iter().filter(move |trivia| trivia.kind == kind).map(|trivia| trivia.span)
    }
}
