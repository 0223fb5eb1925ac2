//! Unknown parts in the template of a Bicep file that has errors, or whose modules are missing.

use crate::diagnostic::common_checks::EXPRESSION_PLACEMENT;
use crate::diagnostic::{Check, CheckKind, Code, Diagnostic};
use crate::schema::checks::SCHEMA_SCOPE;
use crate::text::{Sources, Span};

/// The places that the compiler refuses. The template has an unknown value at each.
#[derive(Debug, Default)]
pub(in crate::engine) struct Gaps {
    refused: Vec<Span>,
    /// True if a module is deployed to another scope than it is written for. Everything in it is at the wrong scope.
    has_wrong_scope: bool,
}

impl Gaps {
    pub(super) fn new(refused: Vec<Span>, has_wrong_scope: bool) -> Self {
        Self { refused, has_wrong_scope }
    }

    /// Returns `true` if a finding of a check in the template follows from an error that the compiler has reported, or
    /// says that a name is unused, because its users are unknown in the template. `span` is in the user's files. A
    /// finding about a secret never follows from such an error.
    pub(in crate::engine) fn explain(&self, check: Check, span: Span, sources: &Sources) -> bool {
        match check.kind() {
            CheckKind::Unused => true,
            CheckKind::Secret => false,
            _ => self.explain_rule(check.id()) || self.is_refused(span, sources),
        }
    }

    /// Returns `true` if findings of a rule follow from a module at the wrong scope.
    pub(in crate::engine) fn explain_rule(&self, rule: &str) -> bool {
        self.has_wrong_scope && [SCHEMA_SCOPE, EXPRESSION_PLACEMENT].iter().any(|check| check.id() == rule)
    }

    /// Returns `true` if a problem follows from an error that the compiler has reported. Problems about skipped checks,
    /// limits and defects of a run never do.
    pub(in crate::engine) fn explain_problem(&self, problem: &Diagnostic, sources: &Sources) -> bool {
        let is_own = problem.not_checked.is_some()
            || matches!(problem.code, Code::TemplateLimit | Code::ExpressionLimit | Code::InternalFault);
        !is_own && self.is_refused(problem.primary.span, sources)
    }

    /// Returns `true` if `span` begins on a line of a reported error. The compiler and the checks may report one
    /// problem at different parts of a line, but a finding about a whole resource is not about a line in it.
    fn is_refused(&self, span: Span, sources: &Sources) -> bool {
        if self.refused.is_empty() {
            return false;
        }
        let line = sources.range(span).0.line;
        let has_line = |refused: &Span| {
            // A problem of the whole file is at its beginning.
            let (start, end) = sources.range(*refused);
            refused.start < refused.end && (start.line..=end.line).contains(&line)
        };
        self.refused.iter().filter(|refused| refused.file == span.file).any(has_line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::NotChecked;
    use crate::diagnostic::common_checks::{SECRET_OUTPUT, UNUSED_PARAMETER};
    use crate::schema::checks::SCHEMA_TYPE;

    #[test]
    fn only_what_begins_on_a_refused_line_follows_from_it() {
        let sources = Sources::new();
        let file = sources.add("main.bicep", "one\ntwo two\nthree\n");
        let other = sources.add("other.bicep", "one\ntwo two\n");
        let gaps = Gaps::new(vec![Span::new(file, 8, 11), Span::new(file, 0, 0)], false);
        let place = |start, end| Span::new(file, start, end);
        let explains = |check, span| gaps.explain(check, span, &sources);
        assert!(explains(SCHEMA_TYPE, place(4, 7)));
        // A finding about what contains the line, on the next line, in another file, at the beginning of a file, of a secret.
        assert!(!explains(SCHEMA_TYPE, place(0, 17)));
        assert!(!explains(SCHEMA_TYPE, place(12, 17)));
        assert!(!explains(SCHEMA_TYPE, Span::new(other, 4, 7)));
        assert!(!explains(SCHEMA_TYPE, place(0, 3)));
        assert!(!explains(SECRET_OUTPUT, place(4, 7)));
        // At the wrong scope is everything in a module, in any file.
        let gaps = Gaps::new(vec![Span::new(file, 8, 11)], true);
        assert!(gaps.explain(SCHEMA_SCOPE, Span::new(other, 4, 7), &sources));
        assert!(!gaps.explain(SCHEMA_TYPE, Span::new(other, 4, 7), &sources));
        // What uses a name is unknown anywhere.
        assert!(explains(UNUSED_PARAMETER, place(12, 17)));

        let explains = |problem: &Diagnostic| gaps.explain_problem(problem, &sources);
        assert!(explains(&Diagnostic::new(Code::ExpressionFailed, place(4, 7), "it fails")));
        assert!(!explains(&Diagnostic::new(Code::TemplateLimit, place(4, 7), "it is too large")));
        let remote = Diagnostic::new(Code::TemplateRemote, place(4, 7), "it is on a server");
        assert!(!explains(&remote.not_checked(NotChecked::RemoteTemplate)));
    }
}
