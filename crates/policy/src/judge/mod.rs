//! Evaluates the assignments that are in force on the requests of a deployment.
//!
//! Effects have an order: policies that append to and modify a request come first, and the others see the changed
//! request. Reference: <https://learn.microsoft.com/azure/governance/policy/concepts/effect-basics>.
//!
//! # Invariant
//!
//! A verdict is given only if it holds whatever the unknown parts turn out to be.

mod bind;
mod bodies;
mod by_assignment;
mod by_type;
mod candidates;
mod change;
mod changes;
mod compare;
mod conditions;
mod effect;
mod entry;
mod evidence;
mod exempt;
mod explain;
mod fields;
mod limits;
mod lists;
mod lookups;
mod modes;
mod order;
mod ranges;
mod related;
mod request;
mod scene;
mod scopes;
mod standing;
mod surroundings;
#[cfg(test)]
mod tests;
mod trace;
mod truth;
mod verdict;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::documents::{Enforcement, Mode, OverrideKind, Policies};
use crate::judge::bind::{Bound, bind, with_judge};
use crate::judge::by_assignment::ByAssignment;
use crate::judge::by_type::ByType;
use crate::judge::conditions::Judge;
use crate::judge::entry::{Entry, Twins, entries};
use crate::judge::limits::LIMITS;
use crate::judge::lookups::Lookups;
use crate::judge::scene::Scene;
use crate::judge::truth::Truth;
use crate::model::{Limits, Quotas};
use crate::value::{Str, Value};

pub use self::effect::Effect;
pub use self::explain::{Explained, Explanations, Given, Origin, Question};
pub use self::request::Request;
pub use self::surroundings::Surroundings;
pub use self::trace::{Answer, Evaluated, PartKind, Seen};
pub use self::verdict::{Change, Exempting, Judged, Judgment, Outcome, Standing, Strength, Trouble, Verdict};

/// Assignments of a run with the definitions that they put in force, and their parameters. It is made once, and used
/// for all deployments.
#[derive(Debug)]
pub struct InForce<'p> {
    policies: &'p Policies,
    bound: Vec<Bound>,
    by_type: ByType,
    by_assignment: ByAssignment,
    lookups: Lookups,
    /// Limits for the evaluation of all policies on one deployment.
    limits: Limits,
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

    /// Evaluates the requests of one deployment. The result has one entry per request, in order. No text in it contains
    /// a secret of the requests, and values are marked.
    pub fn judge(&self, requests: &[Request], surroundings: &Surroundings) -> Vec<Judged> {
        self.judge_keeping(requests, surroundings, |_| true).judged
    }

    /// Judges the requests of one deployment as [`InForce::judge`] does, and keeps at most so many verdicts of
    /// definitions that do something. The others are counted: each definition keeps a part of its own.
    pub fn judge_up_to(&self, most: usize, requests: &[Request], surroundings: &Surroundings) -> Judgment {
        let quotas = Quotas::new(most as u64, self.bound.len());
        let left_out = RefCell::new(BTreeMap::new());
        let is_kept = |entry: &Entry<'_>| {
            if !entry.has_something_to_report() {
                return false;
            }
            let is_kept = quotas.take(entry.bound.index, 1);
            if let (false, Some(outcome)) = (is_kept, entry.outcome) {
                *left_out.borrow_mut().entry(outcome).or_default() += 1;
            }
            is_kept
        };
        let judgment = self.judge_keeping(requests, surroundings, is_kept);
        Judgment { left_out: left_out.into_inner(), ..judgment }
    }

    fn judge_keeping(
        &self,
        requests: &[Request],
        surroundings: &Surroundings,
        is_kept: impl Fn(&Entry<'_>) -> bool,
    ) -> Judgment {
        let works = self.bound.len();
        let ((mut judged, exceeded), mask) =
            with_judge(&self.limits, works, &self.lookups, surroundings, requests, |judge| {
                let judge_one = |request| self.judge_one(judge, request, surroundings, &is_kept);
                let judged: Vec<Judged> = requests.iter().map(judge_one).collect();
                (judged, judge.evaluator.world.budget.exceeded().collect::<Vec<usize>>())
            });
        judged.iter_mut().flat_map(|judged| &mut judged.verdicts).for_each(|verdict| verdict.hide_secrets(&mask));
        let most = Quotas::new(self.limits.steps, works).most();
        let trouble = |bound: &Bound| Trouble {
            assignment: bound.assignment,
            reference: bound.reference.clone(),
            definition: bound.name.clone(),
            why: Str::from(format!("it takes more than {most} steps on the resources of one deployment")),
            is_of_document: false,
        };
        let exceeded = exceeded.into_iter().filter_map(|at| self.bound.get(at)).map(trouble).collect();
        Judgment { judged, exceeded, left_out: BTreeMap::new() }
    }

    fn judge_one<'a>(
        &'a self,
        judge: &Judge<'_, 'a>,
        request: &'a Request,
        surroundings: &'a Surroundings,
        is_kept: &dyn Fn(&Entry<'_>) -> bool,
    ) -> Judged {
        let mut entries = entries(self, judge, request, surroundings);
        // The first body is what the request most likely is; the others are what it may be.
        let mut bodies = vec![request.body.clone()];
        changes::apply(judge, &mut entries, &mut bodies);
        let mut twins = Twins::default();
        for entry in &mut entries {
            entry.judge_rest(judge, &bodies, &mut twins);
        }
        let after = bodies.into_iter().next().unwrap_or(Value::NULL);
        let verdicts = entries.into_iter().filter(|entry| is_kept(entry)).map(Entry::into_verdict).collect();
        Judged { verdicts, after }
    }
}

/// Returns the scene of a definition that is evaluated on a request.
fn scene<'a>(bound: &'a Bound, request: &'a Request, body: &Value) -> Rc<Scene<'a>> {
    Rc::new(Scene {
        request,
        body: body.clone(),
        parameters: bound.parameters.clone(),
        policy: bound.policy.clone(),
        is_stored: false,
    })
}

/// Evaluates a condition on alternative bodies.
fn on_all<'a>(judge: &Judge<'_, 'a>, entry: &Entry<'a>, bodies: &[Value]) -> Truth {
    let on = |body: &Value| {
        let scene = scene(entry.bound, entry.request, body);
        judge.functions.within(scene, || judge.condition(&entry.rule.condition))
    };
    bodies.iter().map(on).reduce(Truth::union).unwrap_or_default().because(bodies::CHANGED)
}
