//! Why there is no report.

use crate::api::Problem;
use crate::diagnostic::Run;

/// Why there is no report. A problem in a template is not an error: it is a [`Problem`] of the report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings, the rules or the baseline are wrong.
    #[error("the settings, the rules or the baseline cannot be used: {}", first(.0))]
    Unusable(Vec<Problem>),
    /// The check did not start: git cannot tell the change, a glob is invalid, a file cannot be written.
    #[error(transparent)]
    Setup(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    pub(super) fn unusable(run: &Run) -> Self {
        Self::Unusable(Problem::all(run).collect())
    }
}

fn first(problems: &[Problem]) -> String {
    problems.first().map_or_else(String::new, ToString::to_string)
}
