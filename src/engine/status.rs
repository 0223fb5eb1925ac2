//! What a finished check means.

use crate::diagnostic::{Finding, Outcome, Run};

/// What a finished check means for whoever waits for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything was analyzed, and no finding counts.
    Passed,
    /// Everything was analyzed, and at least one finding counts.
    Failed,
    /// There was nothing to check, although the options ask for something.
    NoInputs,
    /// An input could not be analyzed. Whatever could be is in the result.
    Incomplete,
}

impl Status {
    /// The status of a run in which the failed findings of `counts` are those that count.
    pub(crate) fn of(run: &Run, counts: impl Fn(&Finding) -> bool) -> Self {
        if run.summary.errors > 0 {
            Self::Incomplete
        } else if run.findings.iter().any(|finding| finding.outcome == Outcome::Failed && counts(finding)) {
            Self::Failed
        } else {
            Self::Passed
        }
    }
}
