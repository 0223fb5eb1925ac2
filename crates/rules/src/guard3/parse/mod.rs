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

/// A rules file and what is wrong with it.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) file: RulesFile,
    pub(super) problems: Vec<Diagnostic>,
    /// Whether cfn-guard does not read the file, even if formwork does.
    pub(super) is_refused: bool,
}

/// Parses a rules file. All its problems are found at once, and the parts without one are there.
pub(super) fn parse(file: FileId, text: &str) -> Parsed {
    let (file, cursor) = Cursor::new(file, text).rules_file();
    let mut problems = cursor.problems;
    problems.sort_by_key(|problem| problem.primary.span);
    problems.dedup();
    Parsed { file, problems, is_refused: cursor.is_refused }
}
