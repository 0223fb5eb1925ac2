//! Assignments that are in force, with their bound definitions.

use crate::documents::{Enforcement, Mode, OverrideKind, Policies};
use crate::judge::bind::{Bound, bind};
use crate::judge::by_assignment::ByAssignment;
use crate::judge::by_type::ByType;
use crate::judge::effect::Effect;
use crate::judge::limits::LIMITS;
use crate::judge::lookups::Lookups;
use crate::judge::verdict::Trouble;
use crate::model::Limits;

/// Assignments of a run with the definitions that they put in force, and their parameters. It is made once, and used
/// for all deployments.
#[derive(Debug)]
pub struct InForce<'p> {
    pub(super) policies: &'p Policies,
    pub(super) bound: Vec<Bound>,
    pub(super) by_type: ByType,
    pub(super) by_assignment: ByAssignment,
    pub(super) lookups: Lookups,
    /// Limits for the evaluation of all policies on one deployment.
    pub(super) limits: Limits,
}

impl<'p> InForce<'p> {
    /// Binds the definitions of all assignments, and evaluates their parameters.
    pub fn new(policies: &'p Policies) -> Self {
        let bound = bind(policies, &LIMITS);
        let (by_type, by_assignment) = (ByType::new(&bound, |_| true), ByAssignment::new(policies));
        Self { policies, bound, by_type, by_assignment, lookups: Lookups::default(), limits: LIMITS }
    }

    /// Binds the definitions like [`InForce::new`], with a limit on the steps of all policies on one deployment.
    #[must_use]
    pub fn with_steps(policies: &'p Policies, steps: u64) -> Self {
        Self { limits: Limits { steps, ..LIMITS }, ..Self::new(policies) }
    }

    /// Returns the definitions in force that services evaluate themselves: the index of the assignment, and the mode of
    /// each.
    pub fn of_provider_modes(&self) -> impl Iterator<Item = (usize, &str)> {
        self.bound.iter().filter_map(|bound| match &bound.definition.as_ref()?.mode {
            Mode::Provider(name) => Some((bound.assignment, &**name)),
            Mode::All | Mode::Indexed => None,
        })
    }

    /// Removes definitions whose result is the same for every request: those without an effect in deployments, such as
    /// disabled ones and those of assignments that are not enforced, and those that cannot be evaluated, which are
    /// returned. Definitions that a service evaluates itself are kept.
    pub fn leave_out_constant(&mut self) -> Vec<Trouble> {
        let Self { policies, bound, by_type, .. } = self;
        let trouble = |bound: &Bound| {
            let Bound { assignment, reference, name, .. } = bound;
            let why = bound.trouble.clone()?;
            let mode = bound.definition.as_ref().map(|definition| &definition.mode);
            if matches!(mode, Some(Mode::Provider(_))) {
                return None;
            }
            let problems = bound.definition.iter().flat_map(|definition| &definition.problems);
            let is_of_document = problems.into_iter().any(|problem| problem.span.is_some());
            let (reference, definition) = (reference.clone(), name.clone());
            Some(Trouble { assignment: *assignment, reference, definition, why, is_of_document })
        };
        let does_something = |bound: &Bound| {
            let Some(assignment) = policies.assignments.get(bound.assignment) else { return false };
            let is_constant = !assignment.overrides.iter().any(|other| other.kind == OverrideKind::Effect);
            let is_idle = is_constant && bound.effect.is_some_and(Effect::is_idle);
            !is_idle && assignment.enforcement != Enforcement::DoNotEnforce && bound.trouble.is_none()
        };
        let troubles = bound.iter().filter_map(trouble).collect();
        *by_type = ByType::new(bound, does_something);
        troubles
    }
}
