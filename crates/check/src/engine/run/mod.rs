//! A run from its inputs to its findings, as a chain of states.
//!
//! ```text
//! PlannedRun ─► JudgedRun ─► MergedRun ─► SuppressedRun ─► AcceptedRun ─► SettledRun
//! files, jobs   drafts of    each finding  comments,        baseline       levels, severities
//!               templates    once          settings
//! ```
//!
//! Each state is made from the one before it, which it consumes, so that no step can be done early, twice, or not at
//! all. Within [`JudgedRun`], each deployment of a template is a unit, which is planned, expanded, and judged on its own:
//! see [`planned`](crate::engine::planned) and [`unit`](mod@unit). A command stops at the state that it needs: `expand` and
//! `diff` expand units, tests of rules read a [`SuppressedRun`], and checks settle it.
//!
//! # Invariants
//!
//! - A run asks only a [`Host`](crate::files::Host) which files there are and what they contain.
//! - Without the feature `system`, nothing needs an operating system.

mod accepted;
mod judged;
mod merged;
mod unit;

use foldhash::HashSet;

use crate::diagnostic::Run;
use crate::engine::checker::Checker;
use crate::engine::planned::PlannedRun;
use crate::engine::{Inputs, RunError};
use crate::text::{FileId, Sources};

pub(super) use self::accepted::{AcceptedRun, SettledRun, Settlement, StaleSearch, SuppressedRun};

use self::judged::JudgedRun;
use self::merged::MergedRun;

/// Checks everything that `inputs` name, without settings that decide what is reported. `sources` holds the texts of
/// rules and settings; those of the inputs are added.
///
/// # Errors
///
/// Fails if a value is given for a parameter that no template declares.
pub fn check_inputs(inputs: &Inputs<'_>, checker: &Checker<'_>, sources: Sources) -> Result<Run, RunError> {
    analyze(inputs, checker, sources).map(SuppressedRun::into_run)
}

/// Plans, expands, and judges the templates that `inputs` name, and suppresses what their authors accept. `sources`
/// holds the texts of rules and settings; those of the inputs are added.
pub(super) fn analyze(inputs: &Inputs<'_>, checker: &Checker<'_>, sources: Sources) -> Result<SuppressedRun, RunError> {
    let threads = checker.threads;
    let own_texts: HashSet<FileId> = sources.ids().collect();
    let planned = threads.install(|| PlannedRun::new(inputs, &sources).map(PlannedRun::exploring))?;
    checker.observer.begin(planned.jobs.len());
    let judged = threads.install(|| JudgedRun::new(planned, checker));
    let merged = threads.install(|| MergedRun::new(judged, inputs, checker, sources));
    let suppressed = threads.install(|| merged.suppress(&own_texts));
    if inputs.isolation.is_probe() { Err(RunError::Probe) } else { Ok(suppressed) }
}
