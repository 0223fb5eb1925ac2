//! The Bicep language: tokens ([`lexer`]) and the syntax tree ([`ast`]).
//!
//! Each Bicep file is parsed once: the compiler, the source map, fixes, suppressions, and the graph of files share
//! its tree. A file with syntax errors has a tree, too: invalid text is skipped with one problem, and everything
//! around it is in the tree ([`recovery`]).
//!
//! Grammar: <https://github.com/Azure/bicep/blob/main/docs/grammar.md>.
//!
//! # Invariant
//!
//! One error is one problem: after an error, the parser skips an item of an object or an array, or the rest of a
//! declaration.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

pub mod ast;
mod body;
mod cursor;
mod declaration;
mod expression;
mod lexer;
mod recovery;
mod string;
#[cfg(test)]
mod tests;
mod token;
mod tree;
mod types;
pub mod walk;

use arcstr::ArcStr;

use crate::language::cursor::Cursor;
use crate::text::FileId;

pub use self::tree::SyntaxTree;

/// Maximum number of problems in one file.
const MAX_PROBLEMS: usize = 50;

/// Parses a `.bicep` or `.bicepparam` file, in time linear in the length of its text.
pub fn parse(file: FileId, text: &ArcStr) -> SyntaxTree {
    Cursor::new(file, text).tree()
}
