//! The result of a front end for one template.

use crate::diagnostic::Diagnostic;
use crate::model::{Document, Issue};

/// A template expanded with one set of parameters. A part that could not be evaluated is unknown in the document, and
/// has a diagnostic.
#[derive(Debug)]
pub struct Expansion {
    /// The resources. `None` if the template could not be expanded.
    pub document: Option<Document>,
    /// The findings of the built-in checks, in the order of their creation.
    pub issues: Vec<Issue>,
    /// Parts that could not be evaluated, and other problems.
    pub diagnostics: Vec<Diagnostic>,
}
