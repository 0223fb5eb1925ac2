//! Parses and validates rules files.

mod clause;
mod cursor;
mod file;
mod query;
mod value;

use crate::diagnostic::Diagnostic;
use crate::guard3::ast::RulesFile;
use crate::text::FileId;

use self::cursor::Cursor;

/// A rules file and its problems.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) file: RulesFile,
    pub(super) problems: Vec<Diagnostic>,
    /// True if cfn-guard rejects the file, even if formwork does not.
    pub(super) is_refused: bool,
}

/// Parses a rules file. Returns all problems, and the parts without one.
pub(super) fn parse(file: FileId, text: &str) -> Parsed {
    let (file, cursor) = Cursor::new(file, text).rules_file();
    let mut problems = cursor.problems;
    problems.sort_by_key(|problem| problem.primary.span);
    problems.dedup();
    Parsed { file, problems, is_refused: cursor.is_refused }
}
