//! What a client was told before: a client fixes findings from call to call.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Outcome;
use crate::report::{Progress, Report};

/// Maximum number of different questions whose answers are remembered.
const MAX_QUESTIONS: usize = 16;

/// Fingerprints of the findings of earlier answers, by the question.
#[derive(Debug, Default)]
pub(super) struct Memory {
    answers: BTreeMap<String, BTreeSet<String>>,
}

impl Memory {
    /// Remembers an answer, and returns how it differs from the last one to the same question.
    pub(super) fn progress(&mut self, question: String, report: &Report) -> Option<Progress> {
        let failed = report.findings.iter().filter(|finding| finding.outcome == Outcome::Failed);
        let now: BTreeSet<String> = failed.map(|finding| finding.fingerprint.clone()).collect();
        if self.answers.len() >= MAX_QUESTIONS && !self.answers.contains_key(&question) {
            self.answers.pop_first();
        }
        let before = self.answers.insert(question, now.clone())?;
        Some(Progress { fixed: before.difference(&now).count(), new: now.difference(&before).count() })
    }
}
