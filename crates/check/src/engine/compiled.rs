//! The rules, the checks, and the policies of a run: read and compiled.
//!
//! # Invariant
//!
//! Only [`CompiledRules::load`] reads the rules of a check, so a folder has the same rules in memory and on the disk.

use std::sync::Arc;

use chrono::NaiveDate;
use foldhash::HashSet;

use crate::config::ScopedSuppression;
use crate::diagnostic::{Diagnostic, RuleInfo};
use crate::engine::azure_policy::{Governance, PolicySource, leave_out, load_policies};
use crate::engine::checker::Checker;
use crate::engine::rules::{LoadedRules, RuleSource, load_rules};
use crate::engine::suppress::KnownRules;
use crate::engine::{Checks, Extent, Observer, Suppressing, Threads};
use crate::model::Assumptions;
use crate::policy::Policies;
use crate::rules::RuleSet;
use crate::text::Sources;

/// The rules of a check, compiled, so that they can run more than once.
#[derive(Debug)]
pub(super) struct CompiledRules {
    pub(super) set: RuleSet,
    pub(super) checks: Checks,
    /// IDs of the rules whose severity the settings give.
    fixed_severities: HashSet<String>,
    /// The Azure policies of the run.
    policies: Policies,
    /// The descriptions of those that run, ordered by ID.
    infos: Vec<Arc<RuleInfo>>,
    /// The descriptions of all rules that suppressions may name.
    known: Vec<Arc<RuleInfo>>,
}

/// Variant of the rule language of Guard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GuardMode {
    /// True if Guard rules require every property that they name to exist.
    pub(super) is_strict: bool,
    /// True if rules of Guard 3 have the verdicts of cfn-guard.
    pub(super) is_raw: bool,
}

/// Problems of the rules and the policies of a run.
#[derive(Debug)]
pub(super) struct RuleProblems {
    pub(super) of_rules: Vec<Diagnostic>,
    pub(super) of_policies: Vec<Diagnostic>,
}

impl CompiledRules {
    /// Reads and compiles rules and policies. They may be used only if no problem is an error.
    pub(super) fn load(
        (rules, policies): (&RuleSource<'_>, &PolicySource<'_>),
        guard: GuardMode,
        sources: &Sources,
    ) -> (Self, RuleProblems) {
        let (loaded, of_rules) = load_rules(rules, sources);
        let (policies, of_policies) = load_policies(policies, sources);
        let LoadedRules { rules, mut checks, fixed_severities, mut infos, known } = loaded;
        // They report only what policies say.
        if policies.assignments.is_empty() {
            leave_out(&mut checks, &mut infos);
        }
        let set = RuleSet::new(rules).guard_strict(guard.is_strict).guard_raw(guard.is_raw);
        (Self { set, checks, fixed_severities, policies, infos, known }, RuleProblems { of_rules, of_policies })
    }

    /// Returns the evaluation of templates by the policies, if there are any.
    pub(super) fn governance(
        &self,
        assumptions: &Assumptions,
        management_groups: &[String],
        today: Option<NaiveDate>,
    ) -> Option<Governance<'_>> {
        let now = today.map(|today| format!("{today}T00:00:00Z"));
        Governance::new(&self.policies, assumptions, management_groups, now).map(Governance::of_run)
    }

    /// Returns the suppressions of the settings, and what decides about all others.
    pub(super) fn suppressing(
        &self,
        settings: &[ScopedSuppression],
        today: Option<NaiveDate>,
        extent: Extent,
    ) -> Suppressing {
        Suppressing { settings: settings.to_vec(), today, known: KnownRules::new(self.known.clone()), extent }
    }

    /// Returns a checker with these rules, which keeps the trees of resources and counts what passed.
    pub(super) fn checker<'a>(
        &'a self,
        policies: Option<Governance<'a>>,
        suppressing: &'a Suppressing,
        threads: &'a Threads,
        observer: &'a dyn Observer,
    ) -> Checker<'a> {
        Checker {
            rules: &self.set,
            checks: &self.checks,
            fixed_severities: &self.fixed_severities,
            policies,
            infos: self.infos.clone(),
            keep_passed: false,
            keep_trees: true,
            threads,
            suppressing,
            observer,
        }
    }
}
