//! Source texts that explain a problem or a finding.

use std::borrow::Cow;

use crate::text::Span;

/// A source text, with its relation to a problem. The message of a primary label may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The source text of the label.
    pub span: Span,
    /// The relation to the problem.
    pub role: LabelRole,
    /// Lower-case text without a period at the end. For an origin, the step without the words around it. Empty for a
    /// module.
    pub message: String,
}

/// The relation of a source text to a problem.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LabelRole {
    /// An explanation.
    #[default]
    Note,
    /// A step of the provenance of a value.
    Origin,
    /// The declaration that deploys the Bicep module of the finding.
    Module,
}

/// Start of the text of an origin.
const ORIGIN: &str = "value comes from ";

/// Text of a module.
const MODULE: &str = "deployed by this module";

impl Label {
    /// Creates an explanation.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, role: LabelRole::Note, message: message.into() }
    }

    /// Creates a step of the provenance of a value, such as ``parameter `sku` ``.
    pub fn origin(span: Span, step: impl Into<String>) -> Self {
        Self { span, role: LabelRole::Origin, message: step.into() }
    }

    /// Creates the declaration that deploys the module of a finding.
    pub const fn module(span: Span) -> Self {
        Self { span, role: LabelRole::Module, message: String::new() }
    }
}

impl LabelRole {
    /// Returns the text of a label with this role and message.
    ///
    /// # Examples
    ///
    /// ```
    /// use formwork_model::diagnostic::LabelRole;
    ///
    /// assert_eq!(LabelRole::Origin.text("parameter `sku`"), "value comes from parameter `sku`");
    /// assert_eq!(LabelRole::Note.text("declared here"), "declared here");
    /// ```
    pub fn text(self, message: &str) -> Cow<'_, str> {
        match self {
            Self::Note => Cow::Borrowed(message),
            Self::Origin => Cow::Owned(format!("{ORIGIN}{message}")),
            Self::Module => Cow::Borrowed(MODULE),
        }
    }

    /// Returns the role and the message of a text, which formats without roles contain.
    pub fn read(text: &str) -> (Self, &str) {
        match text.strip_prefix(ORIGIN) {
            Some(step) => (Self::Origin, step),
            None if text == MODULE => (Self::Module, ""),
            None => (Self::Note, text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_the_label_that_wrote_it() {
        for (role, message) in [
            (LabelRole::Origin, "parameter `sku`"),
            (LabelRole::Module, ""),
            (LabelRole::Note, "the other one is here"),
            (LabelRole::Note, ""),
        ] {
            assert_eq!(LabelRole::read(&role.text(message)), (role, message));
        }
    }
}
