//! Status of a finished check.

use crate::config::Choices;
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
    /// Returns the status of a run, according to the choices of options and settings, in which only the findings of
    /// `counts` count.
    pub(super) fn new(run: &Run, choices: &Choices, counts: impl Fn(&Finding) -> bool) -> Self {
        let (fail_on, fails_on_unknown) = (choices.fail_on.unwrap_or_default(), choices.fails_on_unknown());
        let is_bad = |outcome| outcome == Outcome::Failed || (fails_on_unknown && outcome == Outcome::Unknown);
        let mut bad = run.findings.iter().filter(|finding| is_bad(finding.outcome));
        if run.summary.errors > 0 {
            Self::Incomplete
        } else if bad.any(|finding| fail_on.is_reached_by(finding.rule.severity) && counts(finding)) {
            Self::Failed
        } else {
            Self::Passed
        }
    }
}
