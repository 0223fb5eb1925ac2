//! Problems of a ruleset.

use crate::diagnostic::{Code, Diagnostic, Level};
use crate::guard::piece::Piece;
use crate::text::FileId;

/// Longest part of a ruleset in a message, in characters.
const MAX_QUOTED: usize = 40;

/// A problem with a part of a ruleset.
#[derive(Clone, Debug)]
pub(crate) struct Fault<'a> {
    at: Piece<'a>,
    code: Code,
    level: Level,
    message: String,
    help: Option<String>,
}

impl<'a> Fault<'a> {
    /// Returns an error about a part that does not follow the grammar.
    pub(in crate::guard) fn syntax(at: Piece<'a>, message: impl Into<String>) -> Self {
        Self { at, code: Code::RuleSyntax, level: Level::Error, message: message.into(), help: None }
    }

    /// Returns an error about a part that follows the grammar, but cannot be used.
    pub(in crate::guard) fn invalid(at: Piece<'a>, message: impl Into<String>) -> Self {
        Self { code: Code::RuleInvalid, ..Self::syntax(at, message) }
    }

    /// Returns a warning about a part that can be used, but is probably a mistake.
    pub(in crate::guard) fn suspicious(at: Piece<'a>, message: impl Into<String>) -> Self {
        Self { code: Code::RuleSuspicious, level: Level::Warning, ..Self::syntax(at, message) }
    }

    /// Turns the problem into a warning: the rule can run anyway.
    #[must_use]
    pub(in crate::guard) fn into_warning(self) -> Self {
        Self { level: Level::Warning, ..self }
    }

    /// True if the part cannot be used.
    pub(in crate::guard) fn is_error(&self) -> bool {
        self.level == Level::Error
    }

    /// Adds advice.
    #[must_use]
    pub(in crate::guard) fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn into_diagnostic(self, file: FileId) -> Diagnostic {
        let diagnostic = Diagnostic::new(self.code, self.at.span(file), self.message).with_level(self.level);
        match self.help {
            Some(help) => diagnostic.with_help(help),
            None => diagnostic,
        }
    }
}

/// Quotes a part of a ruleset in backticks, cut to [`MAX_QUOTED`] characters.
pub(in crate::guard) fn quoted(text: &str) -> String {
    let end = text.char_indices().nth(MAX_QUOTED).map(|(end, _)| end);
    match end.and_then(|end| text.split_at_checked(end)) {
        Some((shown, _)) => format!("`{shown}…`"),
        None => format!("`{text}`"),
    }
}
