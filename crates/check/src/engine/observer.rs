//! Notifications during a check.

use std::fmt;
use std::sync::Arc;

use crate::diagnostic::Run;
use crate::model::Document;
use crate::text::{FileId, Sources, Span};

/// Receives notifications during a check, from many threads.
pub trait Observer: Sync {
    /// A run begins, and will check this many templates.
    fn begin(&self, _templates: usize) {}
    /// A template has been checked.
    fn advance(&self) {}
    /// A deployment is expanded. Its values are freed when the work on it ends.
    fn expanded(&self, _sight: &Sight<'_>) {}
    /// The run ends; no further template is checked.
    fn end(&self) {}
    /// The settings, the rules or the baseline have problems: the diagnostics of `run`, which contains nothing else.
    fn problems(&self, _run: &Run) {}
    /// There is a warning, and the check continues.
    fn warning(&self, _warning: &Warning<'_>) {}
}

/// Expansion of a template under at most one parameter file.
pub struct Sight<'a> {
    pub document: &'a Document,
    pub template: FileId,
    /// The name of its [`ParameterSet`](crate::diagnostic::ParameterSet).
    pub parameters: Option<Arc<str>>,
    /// Maps a span, which may be in a compiled text, to the place where the author wrote it.
    pub place: &'a dyn Fn(Span) -> Span,
    pub sources: &'a Sources,
}

impl fmt::Debug for Sight<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sight").field("template", &self.template).finish_non_exhaustive()
    }
}

/// A problem that does not stop a check.
#[derive(Debug)]
pub enum Warning<'a> {
    /// The change could not be determined exactly.
    Change(String),
    /// A file with fixable findings is not changed.
    NotFixed {
        /// The name that reports show for the file.
        file: &'a str,
        /// Reason why the file is not changed.
        why: String,
    },
}
