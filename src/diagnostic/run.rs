//! The result of a whole run: what reports print.

use std::sync::Arc;

use crate::diagnostic::{Change, Diagnostic, Finding, Outcome, RuleInfo};
use crate::text::Sources;

/// Everything that a report may say. Findings and diagnostics are in their final order.
#[derive(Debug, Default)]
pub struct Run {
    /// The texts that spans point into.
    pub sources: Sources,
    /// Verdicts, ordered by template, place and rule.
    pub findings: Vec<Finding>,
    /// Problems of the run itself, ordered by file and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The rules that ran, ordered by id.
    pub rules: Vec<Arc<RuleInfo>>,
    /// Counts.
    pub summary: Summary,
    /// The change that the run is for, where an event told it.
    pub change: Option<Change>,
}

/// The counts of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Templates analysed.
    pub templates: usize,
    /// Expansions: one per template and parameter file.
    pub deployments: usize,
    /// Resources that they would create.
    pub resources: usize,
    /// Rules that ran.
    pub rules: usize,
    /// Findings with [`Outcome::Failed`].
    pub failed: usize,
    /// Findings with [`Outcome::Passed`].
    pub passed: usize,
    /// Findings with [`Outcome::Unknown`].
    pub unknown: usize,
    /// Findings with [`Outcome::Suppressed`].
    pub suppressed: usize,
    /// Diagnostics of level error.
    pub errors: usize,
}

impl Summary {
    /// Counts one verdict.
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Failed => self.failed += 1,
            Outcome::Unknown => self.unknown += 1,
            Outcome::Suppressed => self.suppressed += 1,
            Outcome::Passed => self.passed += 1,
        }
    }
}
