//! The whole Bicep language: text into tokens ([`lexer`]), tokens into a typed tree ([`ast`]).
//!
//! The compiler reads this tree. [`reader`](crate::bicep::reader) reads declarations only, and is faster.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

pub(crate) mod ast;
mod body;
mod cursor;
mod expression;
mod lexer;
mod statement;
#[cfg(test)]
mod tests;
mod types;

use crate::bicep::language::ast::Program;
use crate::bicep::language::cursor::Cursor;
use crate::diagnostic::Diagnostic;
use crate::text::FileId;

/// Parses a `.bicep` or `.bicepparam` file. Statements with errors are left out of the program.
pub(crate) fn parse(file: FileId, text: &str) -> (Program, Vec<Diagnostic>) {
    let (tokens, problems) = lexer::tokens(file, text);
    Cursor::new(file, text, tokens, problems).program()
}
