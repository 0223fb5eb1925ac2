//! Findings that are not reported.

use crate::diagnostic::{Outcome, Run, Severity};

/// How many findings are not reported, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Those outside the change.
    pub outside: usize,
    /// Those that failed and are less severe than `least`.
    pub below: usize,
    /// Those that failed at the base, too, if only new ones are reported.
    pub known: usize,
    /// The least severity that is reported.
    pub least: Severity,
}

/// Drops the findings below a severity, and returns the number of those that failed.
pub(super) fn below(run: &mut Run, least: Severity) -> usize {
    let Run { findings, summary, .. } = run;
    let mut failed = 0;
    findings.retain(|finding| {
        let stays = finding.rule.severity <= least || finding.outcome == Outcome::Passed;
        if !stays {
            summary.forget(finding.outcome, finding.places());
            failed += if finding.outcome == Outcome::Failed { finding.places() } else { 0 };
        }
        stays
    });
    failed
}
