//! Reads the declarations of Bicep files, with exact spans.
//!
//! This is no compiler: it reads as much as it takes to find a line again, and to know which files hang on which. Of
//! expressions it reads the skeleton (literals of objects and arrays, loops), and skips the rest by its brackets. What it
//! cannot read is a diagnostic, and only the part that it stands in is lost.
//!
//! The grammar is <https://github.com/Azure/bicep/blob/main/docs/grammar.md>.

mod cursor;
mod expression;
mod literal;
mod statement;
#[cfg(test)]
mod tests;
mod tree;

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::text::FileId;

use self::cursor::Reader;

pub use self::tree::{
    Condition, Declaration, DeclarationId, DeclarationKind, Decorator, File, Item, Loop, Member, Node, Part, Property,
    Range, Shape,
};

/// Reads the text of `file`, a `.bicep` or `.bicepparam` file. Takes time linear in the length of the text.
pub fn read(file: FileId, text: &Arc<str>) -> (File, Vec<Diagnostic>) {
    let mut reader = Reader::new(file, text);
    reader.statements();
    reader.finish()
}
