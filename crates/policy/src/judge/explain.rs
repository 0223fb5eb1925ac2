//! Explains the results of an assignment's definitions for requests: the conditions and the values that they were
//! evaluated on.

use crate::documents::{Assigned, Index, Initiative, Mode, Selector};
use crate::judge::bind::{Bound, with_judge};
use crate::judge::conditions::Judge;
use crate::judge::effect::Effect;
use crate::judge::in_force::InForce;
use crate::judge::request::Request;
use crate::judge::standing::Place;
use crate::judge::surroundings::Surroundings;
use crate::judge::trace::{Evaluated, shown};
use crate::judge::verdict::{Judged, Outcome, Standing, Verdict};
use crate::judge::{modes, related};
use crate::text::Span;
use crate::value::{Str, Value};

/// Question about policies and requests.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// Name, ID or title of an assignment, or of a definition that is assigned, case-insensitive.
    pub policy: &'q str,
    /// Requests, as indexes.
    pub requests: &'q [usize],
    /// True to explain a definition that does not apply to a request, if it is the only one.
    pub needs_all: bool,
    /// Greatest number of explanations in the answer.
    pub most: usize,
}

/// Answer to a [`Question`].
#[derive(Debug, Default)]
pub struct Explanations {
    /// Explanations of each definition and request, in the order of the requests.
    pub all: Vec<Explained>,
    /// True if there may be more.
    pub is_cut: bool,
    /// Number of definitions that the question is about; 0 if there is no such assignment or definition.
    pub definitions: usize,
}

/// Result of one definition of an assignment for a request, with its reasons.
#[derive(Debug)]
pub struct Explained {
    /// Request, as an index.
    pub request: usize,
    /// Assignment, as an index into [`Policies::assignments`](crate::Policies::assignments).
    pub assignment: usize,
    /// Reference of the initiative; the name of the definition if it is assigned directly.
    pub reference: Str,
    /// Name of the definition.
    pub definition: Str,
    /// Title in the portal. `None` if it has none.
    pub title: Option<Str>,
    /// Result for the request.
    pub outcome: Outcome,
    /// Relation of the assignment to the resource.
    pub standing: Standing,
    /// Reason in lower case, without a final period. Empty if the conditions show it.
    pub why: String,
    /// Effect if its condition holds: several if it is unknown which override counts.
    pub effects: Vec<Effect>,
    /// Values of its parameters.
    pub parameters: Vec<Given>,
    /// Condition. `None` if it cannot be evaluated.
    pub condition: Option<Evaluated>,
    /// Resources that may be the related one, each with the existence condition.
    pub related: Vec<Evaluated>,
}

/// Value of a parameter.
#[derive(Debug)]
pub struct Given {
    /// Name as declared.
    pub name: Str,
    /// JSON of the value, shortened if it is long.
    pub value: String,
    /// Origin of the value.
    pub origin: Origin,
    /// Span of the value. `None` for built-in documents.
    pub span: Option<Span>,
}

/// Origin of a parameter's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The assignment, perhaps through a parameter of the initiative.
    Assignment,
    /// The initiative, which computes it or has a default value for it.
    Initiative,
    /// The default value of the definition.
    Default,
}

impl Origin {
    /// Returns the word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Assignment => "assignment",
            Self::Initiative => "initiative",
            Self::Default => "default",
        }
    }
}

impl InForce<'_> {
    /// Explains the results of an assignment's definitions for some requests of a deployment. No text of the answer
    /// contains a secret of the requests.
    pub fn explain(&self, question: &Question<'_>, requests: &[Request], surroundings: &Surroundings) -> Explanations {
        let meant: Vec<&Bound> = self.bound.iter().filter(|bound| self.is_meant(bound, question.policy)).collect();
        let index = Index::new(self.policies);
        let (mut answer, mask) =
            with_judge(&self.limits, self.bound.len(), &self.lookups, surroundings, requests, |judge| {
                let mut answer = Explanations { definitions: meant.len(), ..Explanations::default() };
                for &at in question.requests {
                    let Some(request) = requests.get(at) else { continue };
                    answer.is_cut = answer.all.len() >= question.most;
                    if answer.is_cut {
                        break;
                    }
                    let judged = self.judge_one(judge, request, surroundings, &|_| true);
                    let place =
                        Place { policies: self.policies, by_assignment: &self.by_assignment, surroundings, request };
                    for bound in &meant {
                        let verdict = judged.verdicts.iter().find(|verdict| is_of(verdict, bound));
                        if verdict.is_none() && !(question.needs_all && meant.len() == 1) {
                            continue;
                        }
                        if answer.all.len() >= question.most {
                            answer.is_cut = true;
                            return answer;
                        }
                        let parameters = self.parameters(bound, &index);
                        let explained = self.explained(judge, bound, place, verdict, &judged);
                        answer.all.push(Explained { request: at, parameters, ..explained });
                    }
                }
                answer
            });
        for explained in &mut answer.all {
            mask.hide(&mut explained.why);
            explained.condition.iter_mut().chain(&mut explained.related).for_each(|part| part.hide_secrets(&mask));
        }
        answer
    }

    /// Returns the definitions that an assignment or a definition with this name, ID or title puts in force: the index
    /// of the assignment, the reference, and the name of each, as in verdicts.
    pub fn meant(&self, policy: &str) -> Vec<(usize, &str, &str)> {
        let meant = self.bound.iter().filter(|bound| self.is_meant(bound, policy));
        meant.map(|bound| (bound.assignment, &*bound.reference, &*bound.name)).collect()
    }

    /// Returns the names of all assignments, and of the definitions that they put in force, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let assignments = self.policies.assignments.iter().map(|assignment| &*assignment.name);
        assignments.chain(self.bound.iter().map(|bound| &*bound.name)).filter(|name| !name.is_empty())
    }

    /// True if a name, an ID or a title is that of the definition or of its assignment.
    fn is_meant(&self, bound: &Bound, wanted: &str) -> bool {
        let is_it = |own: &str| !own.is_empty() && own.eq_ignore_ascii_case(wanted);
        let assignment = self.policies.assignments.get(bound.assignment);
        let of_assignment = assignment.is_some_and(|assignment| {
            is_it(&assignment.name) || is_it(&assignment.id) || assignment.display_name.as_deref().is_some_and(is_it)
        });
        let definition = bound.definition.as_deref();
        of_assignment
            || is_it(&bound.name)
            || is_it(&bound.reference)
            || definition.is_some_and(|own| is_it(&own.id) || own.display_name.as_deref().is_some_and(is_it))
    }

    /// Returns the explanation without the parameters and the index of the request.
    fn explained<'a>(
        &'a self,
        judge: &Judge<'_, 'a>,
        bound: &'a Bound,
        place: Place<'a>,
        verdict: Option<&Verdict>,
        judged: &Judged,
    ) -> Explained {
        let assignment = self.policies.assignments.get(bound.assignment);
        let matches = |selectors: &[Selector]| place.all_hold(selectors, Some(&bound.reference));
        let effects = assignment.map_or_else(Vec::new, |assignment| bound.overridden(assignment, matches));
        let effects: Vec<Effect> = effects.into_iter().flatten().collect();
        let mut explained = Explained {
            request: 0,
            assignment: bound.assignment,
            reference: bound.reference.clone(),
            definition: bound.name.clone(),
            title: bound.definition.as_ref().and_then(|definition| definition.display_name.clone()),
            outcome: verdict.map_or(Outcome::None, |verdict| verdict.outcome),
            standing: verdict.map_or(Standing::Excluded, |verdict| verdict.standing),
            why: verdict.map_or_else(|| self.not_applied(bound, place), |verdict| verdict.why.clone()),
            effects,
            parameters: Vec::new(),
            condition: None,
            related: Vec::new(),
        };
        let rule = bound.definition.as_ref().and_then(|definition| definition.rule.as_ref());
        let Some(rule) = rule.filter(|_| bound.trouble.is_none()) else { return explained };
        let is_change = |effect: &Effect| matches!(effect, Effect::Append | Effect::Modify);
        // What changes a request is judged by what was sent, and everything else by what is changed.
        let body = if explained.effects.iter().all(is_change) { &place.request.body } else { &judged.after };
        let _work = judge.evaluator.world.budget.work(bound.index);
        let scene = bound.scene(place.request, body);
        let evaluate = || judge.functions.within(scene.clone(), || judge.condition(&rule.condition));
        let (truth, parts) = judge.trace.record(evaluate);
        explained.condition = parts.into_iter().next();
        let looks_for = |effect: &Effect| matches!(effect, Effect::AuditIfNotExists | Effect::DeployIfNotExists);
        if truth.can_hold() && explained.effects.iter().any(looks_for) {
            (_, explained.related) = judge.trace.record(|| related::is_missing(judge, rule, &scene));
        }
        explained
    }

    /// Returns the reason for which a definition does not apply to a request.
    fn not_applied(&self, bound: &Bound, place: Place<'_>) -> String {
        let Some(assignment) = self.policies.assignments.get(bound.assignment) else { return String::new() };
        if let Some(trouble) = &bound.trouble {
            return (**trouble).to_owned();
        }
        let mode = bound.definition.as_ref().map_or(&Mode::All, |definition| &definition.mode);
        if let Mode::Provider(name) = mode {
            return format!("a service judges the definitions of the mode `{name}` itself");
        }
        if !modes::is_judged(place.request) {
            return format!("policies do not judge resources of the type `{}`", place.request.judged_type());
        }
        if place.is_in_scope(assignment).is_false() {
            return "the resource is not in the scope of the assignment, or it is excluded from it".to_owned();
        }
        if modes::includes(mode, &modes::is_indexed(place.request, &self.lookups)).is_false() {
            return "the mode `Indexed` is for resources with tags and a location".to_owned();
        }
        "it is not about this resource".to_owned()
    }

    /// Returns the values of the parameters of a definition with their origins.
    fn parameters(&self, bound: &Bound, index: &Index<'_>) -> Vec<Given> {
        let (Some(definition), Some(assignment)) = (&bound.definition, self.policies.assignments.get(bound.assignment))
        else {
            return Vec::new();
        };
        let initiative = match index.assigned(&assignment.definition) {
            Some(Assigned::Initiative(initiative)) => Some(&**initiative),
            Some(Assigned::Definition(_)) | None => None,
        };
        let given = |name: &Str, default: Option<&Value>| {
            match initiative {
                Some(initiative) => of_initiative(initiative, bound, name, |own| assignment.arguments.get(own)),
                None => assignment.arguments.get(name).map(|value| (Origin::Assignment, value.span)),
            }
            .unwrap_or((Origin::Default, default.and_then(|value| value.span)))
        };
        let declared = definition.parameters.iter();
        let all = declared.filter_map(|parameter| {
            let value = shown(bound.parameters.get(&parameter.name)?);
            let (origin, span) = given(&parameter.name, parameter.default.as_ref());
            Some(Given { name: parameter.name.clone(), value, origin, span })
        });
        all.collect()
    }
}

/// Returns the origin of a parameter's value for a definition in an initiative. `None` if it is the default value of
/// the definition.
fn of_initiative<'v>(
    initiative: &'v Initiative,
    bound: &Bound,
    name: &str,
    assigned: impl Fn(&str) -> Option<&'v Value>,
) -> Option<(Origin, Option<Span>)> {
    let reference = initiative.references.iter().find(|reference| reference.id == bound.reference)?;
    let written = reference.arguments.get(name)?;
    // The name of the parameter of the initiative, if it is passed on unchanged.
    let passed = written.as_str().and_then(|text| text.strip_prefix("[parameters('")?.strip_suffix("')]"));
    if let Some(value) = passed.and_then(assigned) {
        return Some((Origin::Assignment, value.span));
    }
    let is_passed = |name: &str| passed.is_some_and(|passed| name.eq_ignore_ascii_case(passed));
    let default = initiative.parameters.iter().find(|own| is_passed(&own.name)).and_then(|own| own.default.as_ref());
    Some((Origin::Initiative, default.and_then(|value| value.span).or(written.span)))
}

fn is_of(verdict: &Verdict, bound: &Bound) -> bool {
    (verdict.assignment, &verdict.reference, &verdict.definition) == (bound.assignment, &bound.reference, &bound.name)
}
