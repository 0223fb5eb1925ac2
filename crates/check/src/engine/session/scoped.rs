//! Relates the findings of a settled run to the change: which are of it, and which count.

use crate::config::Choices;
use crate::diagnostic::{BySeverity, CheckKind, Finding, Gate, Outcome, Run};
use crate::engine::Status;
use crate::engine::run::SettledRun;
use crate::engine::session::baseline::RunBaseline;
use crate::engine::session::{Error, Session};
use crate::text::Sources;

/// A run whose findings are related to the change. It has those outside the change, too.
#[derive(Debug)]
pub(super) struct ScopedRun {
    pub(super) run: Run,
    /// Number of failed findings that are not reported because of their severity.
    pub(super) below: usize,
    /// Number of failed findings that the base has, too, if only new ones are reported.
    pub(super) known: usize,
}

impl Session<'_> {
    /// Drops the findings that the base has, if the options ask for it, and marks those of the change.
    ///
    /// # Errors
    ///
    /// Fails if git does not know the base that the user named.
    pub(super) fn scope(&self, settled: SettledRun) -> Result<ScopedRun, Error> {
        let SettledRun { mut run, below } = settled;
        run.rules_are_of_base = self.policy.is_of_base();
        run.lists_unknown = self.options.list_unknown || self.choices.fails_on_unknown();
        run.hides_low = self.choices.hides_low();
        self.change.note_suppressions(&mut run, !self.policy.is_of_base());
        let known = self.leave_new(&mut run)?;
        self.mark(&mut run);
        self.set_aside(&mut run);
        let notice = self.change.notice().filter(|notice| notice.is_unusual());
        run.notices.extend(notice.map(ToString::to_string));
        Ok(ScopedRun { run, below, known })
    }

    /// Takes the findings about suppressions out of a part that only all parts together can decide on.
    fn set_aside(&self, run: &mut Run) {
        let Some(part) = &mut run.part else { return };
        let is_open = |finding: &Finding| {
            finding.rule.kind() == Some(CheckKind::Suppression) && run.shared.files.contains(&finding.span.file)
        };
        let (open, kept) = std::mem::take(&mut run.findings).into_iter().partition(is_open);
        (part.open, run.findings) = (open, kept);
        for finding in &part.open {
            run.summary.forget(finding.outcome, finding.places());
        }
        part.open.retain(|finding| self.change.shows(finding, &run.sources));
    }

    /// Returns `true` if the options ask for a finding to be reported.
    pub(super) fn is_reported(&self, finding: &Finding, sources: &Sources) -> bool {
        finding.rule.severity <= self.choices.least_reported() && self.change.shows(finding, sources)
    }

    /// Counts the verdicts that count towards the status and are not reported. The threshold of the status is not
    /// applied, so that whoever merges reports can choose it.
    pub(super) fn outside(&self, run: &Run) -> BySeverity {
        let mut outside = BySeverity::default();
        let is_bad =
            |outcome| outcome == Outcome::Failed || (outcome == Outcome::Unknown && self.choices.fails_on_unknown());
        let counts = |finding: &&Finding| is_bad(finding.outcome) && self.change.counts(finding);
        for finding in run.findings.iter().filter(counts) {
            if !self.change.shows(finding, &run.sources) {
                *outside.count_mut(finding.rule.severity) += finding.places();
            }
        }
        outside
    }

    /// Returns the settings that decide the result of a run of which this is a part. Options are about the part alone.
    pub(super) fn gate(&self, baseline: &RunBaseline) -> Gate {
        let Choices { fail_on, fail_on_unknown, strict, .. } = self.settings.choices;
        Gate {
            fail_on: fail_on.unwrap_or_default(),
            fail_on_unknown: fail_on_unknown.unwrap_or_default(),
            strict: strict.unwrap_or_default(),
            baseline: baseline.name(),
            file_bytes: self.settings.limits.file_bytes,
        }
    }

    /// Returns the status of a run whose findings are marked.
    pub(super) fn status(&self, run: &Run) -> Status {
        let is_empty = run.summary.templates == 0 && run.summary.errors == 0 && run.summary.unreadable == 0;
        if self.options.require_inputs && is_empty {
            return Status::NoInputs;
        }
        Status::new(run, &self.choices, |finding| self.change.counts(finding))
    }
}
