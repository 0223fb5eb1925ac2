//! The last states of a run that need nothing but settings: suppressed, accepted, settled.

use std::path::Path;

use crate::config::Choices;
use crate::diagnostic::{Diagnostic, Part, Run, Severity};
use crate::engine::baseline::{Baseline, report_stale};
use crate::files::Host;
use crate::text::Sources;

/// A run whose suppressions are applied. No baseline is.
#[derive(Debug)]
pub(in crate::engine) struct SuppressedRun(Run);

impl SuppressedRun {
    pub(super) fn new(run: Run) -> Self {
        Self(run)
    }

    /// Returns the run for a check to which no settings apply.
    pub(super) fn into_run(self) -> Run {
        self.0
    }

    /// Suppresses the findings that a baseline accepts, if there is one.
    pub(in crate::engine) fn accept(self, baseline: Option<&Baseline>) -> AcceptedRun {
        AcceptedRun(self.0).accept_also(baseline)
    }
}

/// A run in which accepted findings are suppressed. It has findings of all severities.
#[derive(Debug)]
pub(in crate::engine) struct AcceptedRun(Run);

impl AcceptedRun {
    /// Suppresses the findings that a baseline accepts that was made from this run.
    pub(in crate::engine) fn accept_also(mut self, baseline: Option<&Baseline>) -> Self {
        if let Some(baseline) = baseline {
            baseline.accept(&mut self.0);
        }
        self
    }

    /// Marks findings before they are fixed.
    pub(in crate::engine) fn mark(mut self, mark: impl FnOnce(&mut Run)) -> Self {
        mark(&mut self.0);
        self
    }

    pub(in crate::engine) fn run(&self) -> &Run {
        &self.0
    }

    /// Returns the texts, for another run on the same files.
    pub(in crate::engine) fn into_sources(self) -> Sources {
        self.0.sources
    }

    /// Returns the run with the findings of this severity or higher, for a comparison with another run.
    pub(in crate::engine) fn into_reported(self, least: Severity) -> Run {
        let mut run = self.0;
        run.drop_below(least);
        run
    }

    /// Applies the choices of the settings: which problems are errors, and which findings are reported.
    pub(in crate::engine) fn settle(self, settlement: Settlement<'_>) -> SettledRun {
        let Settlement { choices, notes, part, stale } = settlement;
        let mut run = self.0;
        run.diagnostics.extend(notes);
        choices.choose_errors(&mut run);
        run.part = part;
        if let Some(stale) = stale {
            stale.report(&mut run);
        }
        let below = run.drop_below(choices.least_reported());
        SettledRun { run, below }
    }
}

/// Choices that settle a run.
#[derive(Debug)]
pub(in crate::engine) struct Settlement<'a> {
    /// Choices of the options and the settings.
    pub(in crate::engine) choices: &'a Choices,
    /// Further problems to report, which are not about templates.
    pub(in crate::engine) notes: Vec<Diagnostic>,
    /// The part of a whole run that this one is.
    pub(in crate::engine) part: Option<Part>,
    /// Search for stale entries of the baseline.
    pub(in crate::engine) stale: Option<StaleSearch<'a>>,
}

/// Search for entries of a baseline that no finding of a run matches.
#[derive(Debug)]
pub(in crate::engine) struct StaleSearch<'a> {
    pub(in crate::engine) baseline: &'a Baseline,
    /// The name of the baseline file in messages.
    pub(in crate::engine) name: &'a str,
    /// The current folder of the run.
    pub(in crate::engine) working: &'a Path,
    pub(in crate::engine) host: &'a dyn Host,
}

impl StaleSearch<'_> {
    /// Reports stale entries. Those of a part are only noted, and reported when the parts are merged.
    fn report(&self, run: &mut Run) {
        let stale = self.baseline.stale(run, self.working, self.host);
        match &mut run.part {
            Some(part) => part.stale = stale,
            None => report_stale(run, &stale, self.name),
        }
    }
}

/// A run whose errors and reported severities are those of the settings. Its relation to a change is not known yet.
#[derive(Debug)]
pub(in crate::engine) struct SettledRun {
    pub(in crate::engine) run: Run,
    /// Number of failed findings that are not reported because of their severity.
    pub(in crate::engine) below: usize,
}
