//! Template expressions, which are written in strings between `[` and `]`.
//!
//! ```text
//! expression = literal / call *trailer
//! call       = name ["." name] "(" [expression *("," expression)] ")"
//! trailer    = "." name / "[" expression "]"
//! literal    = "'" *(character / "''") "'" / ["-"] digits
//! ```
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-expressions>.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod lexer;
mod parser;

use crate::functions::Function;
use crate::value::{Str, Value};

pub use self::parser::{parse, unclosed_call};

/// An expression and its position in its string. Offsets are in bytes of the decoded string.
#[derive(Debug)]
pub struct Expr {
    /// The form of the expression, with its parts.
    pub kind: ExprKind,
    /// The offset of its first byte.
    pub start: u32,
    /// The offset after its last byte.
    pub end: u32,
}

/// The forms of an expression.
#[derive(Debug)]
pub enum ExprKind {
    /// A string or an integer.
    Literal(Value),
    /// A call of a function with its arguments.
    Call(Target, Vec<Expr>),
    /// Access to a property, `base.name`.
    Property(Box<Expr>, Str),
    /// Access to an item or property, `base[index]`.
    Index(Box<Expr>, Box<Expr>),
}

/// The function that a call refers to.
#[derive(Debug)]
pub enum Target {
    /// A built-in function, found by its name.
    Builtin(&'static Function),
    /// A user-defined function, `namespace.name`. The name is resolved only at evaluation.
    User {
        /// The part before the dot.
        namespace: Str,
        /// The part after the dot.
        name: Str,
    },
    /// A name that is not a built-in function.
    Unknown(Str),
}

impl Target {
    /// Returns the name of the function, without its namespace.
    pub fn name(&self) -> &str {
        match self {
            Self::Builtin(function) => function.name,
            Self::User { name, .. } | Self::Unknown(name) => name,
        }
    }
}

/// Syntax of a string in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextKind {
    /// A literal string, without brackets at both ends.
    Literal,
    /// `[[…]`, a literal string without the first bracket.
    Escaped,
    /// `[…]`, a template expression.
    Expression,
}

/// Returns the kind of a string. A string that begins with `[` but does not end with `]` is a literal.
pub fn text_kind(text: &str) -> TextKind {
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
