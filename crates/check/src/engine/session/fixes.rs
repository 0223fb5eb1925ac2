//! Fixes files in rounds until nothing more can be fixed.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::diagnostic::Finding;
use crate::engine::run::AcceptedRun;
use crate::engine::session::fix_plan::{FixPlan, FixScope};
use crate::engine::session::{CheckOptions, Error, Session};
use crate::engine::{Observer, Warning};

/// Maximum number of rounds in which fixes that conflicted with others are tried again.
const MAX_ROUNDS: usize = 16;

/// Findings that were fixed, and the changed files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The number of findings.
    pub findings: usize,
    /// The names of the files.
    pub files: BTreeSet<Arc<str>>,
}

/// Returns the files that may be changed: those that the options name.
pub(super) fn scope(options: &CheckOptions) -> FixScope<'_> {
    FixScope { working: &options.working, named: &options.paths }
}

/// Returns `true` if the options allow the fix of a finding.
pub(super) fn is_allowed(finding: &Finding, options: &CheckOptions) -> bool {
    options.unsafe_fixes || finding.fix.as_ref().is_none_or(|fix| !fix.is_guess)
}

/// Writes the fixes of the reported findings. `check_again` repeats the check; it gets the previous run to reuse its
/// sources. Returns the last run, which no longer has the fixed findings.
pub(super) fn apply<'a>(
    session: &mut Session<'a>,
    mut accepted: AcceptedRun,
    observer: &dyn Observer,
    mut check_again: impl FnMut(&mut Session<'a>, AcceptedRun) -> Result<AcceptedRun, Error>,
) -> Result<(AcceptedRun, Fixed), Error> {
    let mut fixed = Fixed::default();
    // Fingerprints of the findings whose fixes conflicted with others in the previous round.
    let mut postponed: Option<BTreeSet<String>> = None;
    for _ in 0..MAX_ROUNDS {
        let run = accepted.run();
        let is_due = |finding: &Finding| match &postponed {
            None => session.is_reported(finding, &run.sources) && is_allowed(finding, session.options),
            Some(fingerprints) => fingerprints.contains(&finding.fingerprint),
        };
        let mut plan = FixPlan::new(run, &scope(session.options), is_due);
        let (findings, files) = plan.write(run);
        plan.refused.iter().for_each(|(file, why)| observer.warning(&Warning::NotFixed { file, why: why.to_string() }));
        fixed.findings += findings;
        if !files.is_empty() {
            fixed.files.extend(files);
            accepted = check_again(session, accepted)?;
        }
        if plan.postponed.is_empty() || findings == 0 {
            break;
        }
        postponed = Some(plan.postponed);
    }
    Ok((accepted, fixed))
}
