//! What is wrong with a ruleset, and where.

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::rules::guard::piece::Piece;
use crate::text::FileId;

/// Longest text of a ruleset in a message, in characters.
const MAX_QUOTED: usize = 40;

/// A text that does not follow the grammar, or follows it and cannot be used.
#[derive(Clone, Debug)]
pub(in crate::rules::guard) struct Fault<'a> {
    at: Piece<'a>,
    code: Code,
    level: Level,
    message: String,
    help: Option<String>,
}

impl<'a> Fault<'a> {
    /// A text that does not follow the grammar.
    pub(in crate::rules::guard) fn syntax(at: Piece<'a>, message: impl Into<String>) -> Self {
        Self { at, code: Code::RuleSyntax, level: Level::Error, message: message.into(), help: None }
    }

    /// A text that follows the grammar and cannot be used.
    pub(in crate::rules::guard) fn invalid(at: Piece<'a>, message: impl Into<String>) -> Self {
        Self { code: Code::RuleInvalid, ..Self::syntax(at, message) }
    }

    /// A text that can be used and hardly means what its author wanted.
    pub(in crate::rules::guard) fn suspicious(at: Piece<'a>, message: impl Into<String>) -> Self {
        Self { code: Code::RuleSuspicious, level: Level::Warning, ..Self::syntax(at, message) }
    }

    /// The same fault, where the rule can run all the same.
    #[must_use]
    pub(in crate::rules::guard) fn into_warning(self) -> Self {
        Self { level: Level::Warning, ..self }
    }

    /// Says what to do.
    #[must_use]
    pub(in crate::rules::guard) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(in crate::rules::guard) fn into_diagnostic(self, file: FileId) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.code, self.at.span(file), self.message).with_level(self.level);
        match self.help {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        }
    }
}

/// A text of a ruleset for a message.
pub(in crate::rules::guard) fn quoted(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTED) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
