//! Reads the declarations of Bicep files, with exact spans.
//!
//! This is not a compiler. It reads just enough to map compiled JSON back to its lines, and to tell which files depend
//! on each other. It reads the skeleton of expressions (object and array literals, loops), and skips the rest by
//! matching brackets. Syntax errors are diagnostics, and only the construct that contains one is lost.
//!
//! The grammar is <https://github.com/Azure/bicep/blob/main/docs/grammar.md>.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod cursor;
mod expression;
mod literal;
mod statement;
#[cfg(test)]
mod tests;
mod tree;

use arcstr::ArcStr;

use crate::diagnostic::Diagnostic;
use crate::text::FileId;

use self::cursor::Reader;

pub use self::tree::{
    ArrayItem, Condition, Declaration, DeclarationId, DeclarationKind, Decorator, File, Loop, Node, ObjectItem, Part,
    Property, Range, Shape,
};

/// Reads a `.bicep` or `.bicepparam` file, in time linear in the length of its text. The diagnostics are syntax errors.
pub fn read(file: FileId, text: &ArcStr) -> (File, Vec<Diagnostic>) {
    let mut reader = Reader::new(file, text);
    reader.statements();
    reader.finish()
}

/// The comments of a `.bicep` or `.bicepparam` file, `//` to the end of the line and `/* */`, in the order of the text.
pub(crate) fn comments(file: FileId, text: &ArcStr) -> Vec<Range> {
    Reader::new(file, text).comments()
}
