//! Converts problems inside a template into findings.
//!
//! Front ends report every problem as a [`Diagnostic`]. An error whose code has a [`Check`] is about the content of a
//! template or of a parameter file that could be read: it becomes an [`Issue`] of this check, with the path of the
//! value that it is about. All other diagnostics are about files that could not be read or built, or about limits; and
//! so are those of a template that is too broken for a document.

use std::path::Path;

use crate::diagnostic::{Check, Diagnostic, Label, Level};
use crate::engine::parse::Reading;
use crate::model::{Expansion, Issue, path_at};
use crate::text::{FileId, Sources, Span};
use crate::value::Value;

/// The texts of an expansion, to find the paths of problems.
pub(super) struct Texts<'a> {
    /// All texts of the run.
    pub(super) sources: &'a Sources,
    /// The values of the template and its parameter files.
    pub(super) known: Vec<(FileId, &'a Value)>,
    /// Maximum nesting depth of values.
    pub(super) nesting: u32,
}

/// Moves the errors that a check stands for from the diagnostics of an expansion to its issues.
pub(super) fn into_issues(expansion: &mut Expansion, texts: &Texts<'_>) {
    if expansion.document.is_none() {
        return;
    }
    let check = |problem: &Diagnostic| Check::for_code(problem.code).filter(|_| problem.level == Level::Error);
    let mut linked: Vec<(FileId, Option<Value>)> = Vec::new();
    for problem in std::mem::take(&mut expansion.diagnostics) {
        match check(&problem) {
            Some(check) => {
                let path = texts.path(problem.primary.span, &mut linked);
                expansion.issues.push(issue(check, path, problem));
            }
            None => expansion.diagnostics.push(problem),
        }
    }
}

impl Texts<'_> {
    /// Returns the path of the value that a problem at `span` is about. Linked templates are parsed for it, which
    /// `linked` holds.
    pub(super) fn path(&self, span: Span, linked: &mut Vec<(FileId, Option<Value>)>) -> String {
        if let Some((_, value)) = self.known.iter().find(|(file, _)| *file == span.file) {
            return path_at(value, span);
        }
        let at = linked.iter().position(|(file, _)| *file == span.file).unwrap_or_else(|| {
            linked.push((span.file, self.parse(span.file)));
            linked.len() - 1
        });
        linked.get(at).and_then(|(_, value)| value.as_ref()).map_or_else(String::new, |value| path_at(value, span))
    }

    fn parse(&self, file: FileId) -> Option<Value> {
        let source = self.sources.get(file);
        Reading::parse(Path::new(&**source.name()), file, source.text(), self.nesting).into_chosen(true).value
    }
}

/// Converts a diagnostic into an issue.
fn issue(check: Check, path: String, problem: Diagnostic) -> Issue {
    let Diagnostic { message, primary: Label { span, .. }, secondary, help, .. } = problem;
    let message = match help {
        Some(help) => format!("{message}; {help}"),
        None => message,
    };
    Issue { related: secondary, ..Issue::new(check, path, span, message) }
}
