//! What is unknown in the template of a Bicep file that has errors, or whose modules are missing.

use crate::diagnostic::Check;
use crate::text::{Sources, Span};

/// The places that the compiler refuses. The template has an unknown value at each.
#[derive(Debug, Default)]
pub(in crate::engine) struct Gaps(Vec<Span>);

impl Gaps {
    pub(super) fn new(refused: Vec<Span>) -> Self {
        Self(refused)
    }

    /// Whether a problem of the template is one that the compiler has reported, or one that only the template has, because
    /// what uses a name is unknown in it. `span` is in the user's files. The compiler and the checks may put one problem at
    /// different parts of a line.
    pub(in crate::engine) fn explain(&self, check: Option<Check>, span: Span, sources: &Sources) -> bool {
        let lines = |span: Span| {
            let (start, end) = sources.range(span);
            start.line..=end.line
        };
        let found = lines(span);
        let is_refused = |refused: &Span| refused.file == span.file && found.contains(lines(*refused).start());
        matches!(check, Some(Check::UnusedParameter | Check::UnusedVariable)) || self.0.iter().any(is_refused)
    }
}
