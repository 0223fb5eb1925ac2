//! Settings that decide about the result of a run.

use crate::config::{Choices, Profile};
use crate::diagnostic::{FailOn, Run, Severity};

impl Choices {
    /// Returns the lowest severity that is reported. Findings below it do not count towards the exit code either.
    pub(crate) fn least_reported(&self) -> Severity {
        self.min_severity.unwrap_or(Severity::Low)
    }

    /// True if reports for people count findings of low severity in one line: unless the settings ask for these
    /// findings, or let them fail the check.
    pub(crate) fn hides_low(&self) -> bool {
        let fails_on_low = self.fail_on == Some(FailOn::Severity(Severity::Low));
        self.min_severity.is_none() && !fails_on_low && self.profile != Some(Profile::All)
    }

    /// Returns `true` if undecided verdicts count towards the exit code, at the same severities as findings.
    pub(crate) fn fails_on_unknown(&self) -> bool {
        self.fail_on_unknown.unwrap_or_default()
    }

    /// Makes errors or warnings of what is not checked and of what cannot be analyzed.
    pub(crate) fn choose_errors(&self, run: &mut Run) {
        if self.strict.unwrap_or_default() {
            run.refuse_not_checked();
        } else if self.allow_unreadable.unwrap_or_default() {
            run.allow_unreadable();
        }
    }
}
