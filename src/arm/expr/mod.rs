//! Template expressions: the text between `[` and `]`.
//!
//! ```text
//! expression = literal / call *trailer
//! call       = name ["." name] "(" [expression *("," expression)] ")"
//! trailer    = "." name / "[" expression "]"
//! literal    = "'" *(character / "''") "'" / ["-"] digits
//! ```
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-expressions>.

mod lexer;
mod parser;

use crate::arm::functions::Function;
use crate::value::{Str, Value};

pub(crate) use self::parser::parse;

/// An expression and where it stands in its text, as byte offsets of the decoded string.
#[derive(Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Offset of its first byte.
    pub start: u32,
    /// Offset behind its last byte.
    pub end: u32,
}

/// The forms of an expression.
#[derive(Debug)]
pub enum ExprKind {
    /// A text or a whole number.
    Literal(Value),
    /// A call.
    Call(Target, Vec<Expr>),
    /// `base.name`
    Property(Box<Expr>, Str),
    /// `base[index]`
    Index(Box<Expr>, Box<Expr>),
}

/// What a call calls.
#[derive(Debug)]
pub enum Target {
    /// A function of the language.
    Builtin(&'static Function),
    /// A function that the template defines.
    User {
        /// Its namespace.
        namespace: Str,
        /// Its name.
        name: Str,
    },
    /// A name that is not a function.
    Unknown(Str),
}

/// What a text of a template is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// It stands for itself.
    Literal,
    /// `[[…]`: it stands for itself without the first bracket.
    Escaped,
    /// `[…]`: an expression.
    Expression,
}

/// What a text of a template is. One that begins with `[` and does not end with `]` is a literal.
pub(crate) fn text_kind(text: &str) -> TextKind {
    match text.as_bytes() {
        [b'[', b'[', .., b']'] => TextKind::Escaped,
        [b'[', .., b']'] => TextKind::Expression,
        _ => TextKind::Literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_at_both_ends_make_an_expression() {
        assert_eq!(text_kind("[x()]"), TextKind::Expression);
        assert_eq!(text_kind("[]"), TextKind::Expression);
        assert_eq!(text_kind("[[x]"), TextKind::Escaped);
        assert_eq!(text_kind("[test] value"), TextKind::Literal);
        assert_eq!(text_kind("[\nx"), TextKind::Literal);
        assert_eq!(text_kind("["), TextKind::Literal);
        assert_eq!(text_kind("x]"), TextKind::Literal);
    }
}
