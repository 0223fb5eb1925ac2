//! Error of checks that could not run.

use crate::api::Problem;
use crate::diagnostic::Run;

/// A check returned no report.
///
/// A template that cannot be checked is not an error. The report lists it as a [`Problem`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The settings, the rules, or the baseline are invalid. At least one of these problems is an error.
    #[error("the settings, the rules, or the baseline cannot be used: {}", first(.0))]
    Unusable(Vec<Problem>),
    /// The check failed for another reason: for example, git cannot determine what changed, or a glob is invalid.
    #[error(transparent)]
    Setup(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    pub(super) fn unusable(run: &Run) -> Self {
        Self::Unusable(Problem::of_run(run))
    }
}

fn first(problems: &[Problem]) -> String {
    problems.first().map_or_else(String::new, ToString::to_string)
}
