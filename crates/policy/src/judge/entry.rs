//! State of deciding what a definition of an assignment does with a request.

use std::rc::Rc;

use foldhash::HashMap;

use crate::documents::{Assignment, Rule, Selector};
use crate::judge::bind::Bound;
use crate::judge::bodies::CHANGED;
use crate::judge::conditions::Judge;
use crate::judge::effect::Effect;
use crate::judge::in_force::InForce;
use crate::judge::request::Request;
use crate::judge::standing::{Place, Standings};
use crate::judge::surroundings::Surroundings;
use crate::judge::truth::Truth;
use crate::judge::verdict::{Change, Exempting, Outcome, Standing, Verdict};
use crate::judge::{evidence, modes, related};
use crate::text::Span;
use crate::value::{Str, Value};

/// A definition that is in force for a request.
#[derive(Debug)]
pub(super) struct Entry<'a> {
    pub(super) bound: &'a Bound,
    pub(super) rule: &'a Rule,
    pub(super) request: &'a Request,
    pub(super) standing: Standing,
    exemption: Option<Exempting>,
    /// Effect; several if it is unknown which override counts.
    pub(super) effects: Vec<Effect>,
    /// Result, after it was decided.
    pub(super) outcome: Option<Outcome>,
    pub(super) why: String,
    pub(super) span: Option<Span>,
    pub(super) changes: Vec<Change>,
    message: Option<Str>,
}

/// Results for one request, by [`Bound::twin`].
#[derive(Debug, Default)]
pub(super) struct Twins(HashMap<usize, Decided>);

#[derive(Debug)]
struct Decided {
    effects: Vec<Effect>,
    outcome: Outcome,
    why: Str,
    span: Option<Span>,
}

/// Returns the definitions that may affect a request, in the order of the assignments.
pub(super) fn entries<'a>(
    in_force: &'a InForce<'_>,
    judge: &Judge<'_, 'a>,
    request: &'a Request,
    surroundings: &'a Surroundings,
) -> Vec<Entry<'a>> {
    if !modes::is_judged(request) {
        return Vec::new();
    }
    let InForce { policies, bound, by_type, by_assignment, lookups, .. } = in_force;
    let place = Place { policies, by_assignment, surroundings, request };
    let indexed = modes::is_indexed(request, lookups);
    let mut entries = Vec::new();
    // An initiative puts many definitions in force in one scope.
    let mut last: Option<Standings> = None;
    for bound in by_type.definitions(request.judged_type()).into_iter().filter_map(|at| bound.get(at)) {
        let Some(assignment) = policies.assignments.get(bound.assignment) else { continue };
        let _work = judge.evaluator.world.budget.work(bound.index);
        let known = last.take().filter(|known| known.assignment == bound.assignment);
        let standings = &*last
            .insert(known.unwrap_or_else(|| place.standings(bound.assignment, assignment, judge.evaluator.world)));
        if standings.in_scope.is_false() {
            continue;
        }
        let mode = bound.definition.as_ref().map(|definition| &definition.mode);
        let includes = mode.map_or_else(|| Truth::from(true), |mode| modes::includes(mode, &indexed));
        let applies = includes.and(standings.in_scope.clone());
        entries.extend(Entry::new(bound, assignment, judge, place, standings, applies));
    }
    entries
}

/// Rule of a definition that was not found.
static NO_RULE: Rule = Rule {
    types: None,
    condition: crate::language::Condition::Invalid,
    written: Value::NULL,
    effect: Value::NULL,
    details: Value::NULL,
    existence: None,
};

impl<'a> Entry<'a> {
    /// Returns `None` if the assignment does not apply to the request, or the definition is not about it. `applies` is
    /// whether its mode and its scope include the request.
    fn new(
        bound: &'a Bound,
        assignment: &'a Assignment,
        judge: &Judge<'_, 'a>,
        place: Place<'a>,
        standings: &Standings,
        applies: Truth,
    ) -> Option<Self> {
        let request = place.request;
        if applies.is_false() {
            return None;
        }
        let rule = bound.definition.as_ref().and_then(|definition| definition.rule.as_ref()).unwrap_or(&NO_RULE);
        if bound.trouble.is_none()
            && !judge.functions.within(bound.scene(request, &request.body), || judge.may_apply(&rule.condition))
        {
            return None;
        }
        let exempt = standings.exemptions.exemption_from(&bound.reference);
        let enforced = standings.enforced.clone();
        let counts = applies.and(exempt.truth.clone().not()).and(enforced.clone());
        let standing = if exempt.truth.holds() {
            Standing::Exempt
        } else if enforced.is_false() {
            Standing::NotEnforced
        } else if counts.holds() {
            Standing::Applies
        } else {
            Standing::Conditional
        };
        let matches = |selectors: &[Selector]| place.all_hold(selectors, Some(&bound.reference));
        let (effects, other_version) =
            (bound.overridden(assignment, matches), bound.other_version(assignment, matches));
        let mut entry = Self {
            bound,
            rule,
            request,
            standing,
            exemption: exempt.decisive,
            effects: effects.iter().flatten().copied().collect(),
            outcome: None,
            why: counts.why().map(|why| (**why).to_owned()).unwrap_or_default(),
            span: None,
            changes: Vec::new(),
            message: bound.message.clone(),
        };
        if let Some(trouble) = &bound.trouble {
            entry.decide(Outcome::Unknown, trouble);
        } else if let Some(problem) = other_version {
            entry.decide(Outcome::Unknown, &problem);
        } else if entry.effects.len() < effects.len() {
            entry.decide(Outcome::Unknown, "an override names an effect that does not exist");
        }
        Some(entry)
    }

    /// Sets the outcome and its reason.
    pub(super) fn decide(&mut self, outcome: Outcome, why: &str) {
        self.outcome = Some(outcome);
        if !why.is_empty() {
            why.clone_into(&mut self.why);
        }
    }

    /// True if it certainly changes a request whenever its condition holds, so that others see the change.
    pub(super) fn has_only(&self, effect: Effect) -> bool {
        self.effects.iter().all(|own| *own == effect)
    }

    /// Decides a policy that does not change the request. `bodies` are the alternatives of the request. `twins` has the
    /// results of definitions with the same result.
    pub(super) fn judge_rest(&mut self, judge: &Judge<'_, 'a>, bodies: &[Value], twins: &mut Twins) {
        if self.outcome.is_some() {
            return;
        }
        let _work = judge.evaluator.world.budget.work(self.bound.index);
        let twin = self.bound.twin.and_then(|twin| twins.0.get(&twin));
        if let Some(twin) = twin.filter(|twin| twin.effects == self.effects) {
            self.span = twin.span;
            self.decide(twin.outcome, &twin.why);
            return;
        }
        let mut possible: Vec<Outcome> = Vec::new();
        let (mut reason, mut violating) = (None, None);
        for effect in self.effects.clone() {
            let (truth, related) = self.truth(judge, effect, bodies);
            possible.extend(self::possible(&truth, effect));
            reason = reason.or_else(|| truth.why().cloned());
            violating = violating.or(related);
        }
        let first = possible.first().copied().unwrap_or(Outcome::None);
        let mut outcome = if possible.iter().all(|outcome| *outcome == first) { first } else { Outcome::Unknown };
        if outcome == Outcome::Effect(Effect::Deny) && modes::is_unusual(self.request) {
            outcome = Outcome::Unknown;
            reason = Some(Str::from("requests for such resources are not always denied"));
        }
        if let (Outcome::Effect(_), Some(body)) = (outcome, bodies.first())
            && reason.is_none()
        {
            let scene = self.bound.scene(self.request, body);
            let find = || evidence::find_evidence(judge, &self.rule.condition, true);
            let evidence = judge.functions.within(Rc::clone(&scene), find);
            let violation = violating.and_then(|request| related::violation(judge, self.rule, &scene, request));
            self.span = evidence.span;
            reason = Some(Str::from(violation.unwrap_or(evidence.text)));
        }
        let why = reason.unwrap_or_else(|| Str::from(""));
        self.decide(outcome, &why);
        if let Some(twin) = self.bound.twin {
            twins.0.insert(twin, Decided { effects: self.effects.clone(), outcome, why, span: self.span });
        }
    }

    /// Evaluates whether an effect applies. Also returns the related resource because of which it does, if there is one.
    fn truth(&self, judge: &Judge<'_, 'a>, effect: Effect, bodies: &[Value]) -> (Truth, Option<&'a Request>) {
        match effect {
            Effect::Deny | Effect::Audit => (on_all(judge, self, bodies), None),
            Effect::AuditIfNotExists | Effect::DeployIfNotExists => {
                let truth = on_all(judge, self, bodies);
                if !truth.can_hold() {
                    return (truth, None);
                }
                let body = bodies.first().unwrap_or(&Value::NULL);
                let (is_missing, violating) =
                    related::is_missing(judge, self.rule, &self.bound.scene(self.request, body));
                (truth.and(is_missing), violating)
            }
            Effect::Append | Effect::Modify => {
                (on_all(judge, self, bodies).and(Truth::unknown("which override counts is not known")), None)
            }
            Effect::Disabled | Effect::DenyAction | Effect::Manual | Effect::AddToNetworkGroup | Effect::Mutate => {
                (Truth::from(false), None)
            }
        }
    }

    /// True if a report may show it: it does something with the request, or an exemption from it is noted.
    pub(super) fn has_something_to_report(&self) -> bool {
        self.exemption.is_some() || !matches!(self.outcome, None | Some(Outcome::None))
    }

    pub(super) fn into_verdict(self) -> Verdict {
        Verdict {
            assignment: self.bound.assignment,
            reference: self.bound.reference.clone(),
            definition: self.bound.name.clone(),
            title: self.bound.definition.as_ref().and_then(|definition| definition.display_name.clone()),
            outcome: self.outcome.unwrap_or(Outcome::None),
            standing: self.standing,
            exemption: self.exemption,
            message: self.message,
            why: self.why,
            span: self.span,
            changes: self.changes,
        }
    }
}

/// Evaluates a condition on alternative bodies.
pub(super) fn on_all<'a>(judge: &Judge<'_, 'a>, entry: &Entry<'a>, bodies: &[Value]) -> Truth {
    let on = |body: &Value| {
        let scene = entry.bound.scene(entry.request, body);
        judge.functions.within(scene, || judge.condition(&entry.rule.condition))
    };
    bodies.iter().map(on).reduce(Truth::union).unwrap_or_default().because(CHANGED)
}

/// Returns the possible outcomes for a possible value of the condition. A failing function denies.
pub(super) fn possible(truth: &Truth, effect: Effect) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    if truth.can_hold() {
        outcomes.push(Outcome::Effect(effect));
    }
    if truth.can_be_false() {
        outcomes.push(Outcome::None);
    }
    if truth.can_fail() {
        outcomes.push(Outcome::Effect(Effect::Deny));
    }
    outcomes
}
