//! Status of a finished check.

use crate::diagnostic::{Finding, Outcome, Run};

/// Result of a finished check as a whole, which decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Everything was analyzed, and no finding counts.
    Passed,
    /// Everything was analyzed, and at least one finding counts.
    Failed,
    /// There was nothing to check, although the options ask for something.
    NoInputs,
    /// An input could not be read, parsed, or built, or a limit was reached. Everything else is in the result.
    Incomplete,
}

impl Status {
    /// Returns the status of a run in which the failed findings of `counts` are those that count, and the undecided
    /// ones too if `fails_on_unknown`.
    pub fn of(run: &Run, fails_on_unknown: bool, counts: impl Fn(&Finding) -> bool) -> Self {
        let is_bad = |outcome| outcome == Outcome::Failed || (fails_on_unknown && outcome == Outcome::Unknown);
        if run.summary.errors > 0 {
            Self::Incomplete
        } else if run.findings.iter().any(|finding| is_bad(finding.outcome) && counts(finding)) {
            Self::Failed
        } else {
            Self::Passed
        }
    }
}
