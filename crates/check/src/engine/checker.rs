//! Rules, checks and options that all templates of a run share.

use std::sync::Arc;

use foldhash::HashSet;

use crate::diagnostic::RuleInfo;
use crate::engine::azure_policy::Governance;
use crate::engine::{Checks, Observer, Suppressing, Threads};
use crate::rules::RuleSet;

/// Rules, checks and options of a check.
pub struct Checker<'a> {
    /// The compiled rules that run.
    pub rules: &'a RuleSet,
    /// The checks of deployments that run.
    pub checks: &'a Checks,
    /// IDs of the rules whose severity the settings give.
    pub fixed_severities: &'a HashSet<String>,
    /// The Azure policies that templates are judged by, if there are any.
    pub policies: Option<Governance<'a>>,
    /// The descriptions of rules and checks, ordered by ID.
    pub infos: Vec<Arc<RuleInfo>>,
    /// True if verdicts that passed are kept. They are counted in any case.
    pub keep_passed: bool,
    /// True if the resources of the deployments are listed as trees.
    pub keep_trees: bool,
    /// Threads that do the work.
    pub threads: &'a Threads,
    /// Suppressions of the settings, and data that decide about all others.
    pub suppressing: &'a Suppressing,
    /// Observer that is notified of each checked template.
    pub observer: &'a dyn Observer,
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker")
            .field("rules", &self.infos.len())
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}
