//! Related resources of the effects `auditIfNotExists` and `deployIfNotExists`.

use std::rc::Rc;

use formwork_arm::DeploymentScope;

use crate::documents::Rule;
use crate::ids::last_segment;
use crate::judge::conditions::Judge;
use crate::judge::evidence;
use crate::judge::request::{Request, extended};
use crate::judge::scene::Scene;
use crate::judge::trace::Evaluated;
use crate::judge::truth::Truth;
use crate::value::{Str, Traits, plain};

/// The steps for comparing the ID and the name of a request with those of the related resource.
const STEPS_OF_CANDIDATE: usize = 4;

/// Evaluates whether no related resource satisfies the policy, so that its effect applies. Also returns the first one of
/// the deployment that certainly does not.
pub(super) fn is_missing<'a>(
    judge: &Judge<'_, 'a>,
    rule: &Rule,
    scene: &Rc<Scene<'a>>,
) -> (Truth, Option<&'a Request>) {
    let elsewhere = "the related resource may exist already, or be deployed elsewhere";
    let wanted = match Wanted::read(judge, rule, scene) {
        Ok(wanted) => wanted,
        Err(why) => return (Truth::unknown(why), None),
    };
    let (mut violating, mut doubt) = (None, None);
    for request in wanted.candidates(judge) {
        if let Err(fault) = judge.evaluator.world.step(STEPS_OF_CANDIDATE) {
            return (Truth::unknown(fault.message()), violating);
        }
        let place = wanted.is_met_by(request);
        if place.is_false() {
            continue;
        }
        let satisfies = || match &rule.existence {
            None => Truth::from(true),
            Some(condition) => within_related(judge, scene, request, || judge.condition(condition)),
        };
        let satisfied = judge.trace.part(|| Evaluated::related(&request.name), satisfies);
        let is_deployed = request.doubt.clone().map_or_else(|| Truth::from(true), Truth::unknown);
        let counts = place.and(is_deployed);
        if counts.holds() && satisfied.holds() {
            return (Truth::from(false), None);
        }
        if counts.holds() && satisfied.is_false() {
            violating.get_or_insert(request);
        } else {
            doubt = doubt.or_else(|| counts.why().or(satisfied.why()).cloned());
            doubt.get_or_insert_with(|| Str::from(elsewhere));
        }
    }
    let truth = match doubt {
        None if violating.is_some() && wanted.is_only() => Truth::from(true),
        doubt => Truth::unknown(doubt.unwrap_or_else(|| Str::from(elsewhere))),
    };
    (truth, violating)
}

/// Describes why a related resource does not satisfy the policy. `None` if the policy has no condition on it.
pub(super) fn violation<'a>(
    judge: &Judge<'_, 'a>,
    rule: &Rule,
    scene: &Rc<Scene<'a>>,
    request: &'a Request,
) -> Option<String> {
    let condition = rule.existence.as_ref()?;
    let find = || evidence::find_evidence(judge, condition, false).text;
    let evidence = within_related(judge, scene, request, find);
    Some(format!("of the related `{}` `{}`, {evidence}", request.judged_type(), plain(&request.name)))
}

/// Evaluates something on a related resource. Functions of its conditions see the resource of the scene.
fn within_related<'a, T>(
    judge: &Judge<'_, 'a>,
    scene: &Rc<Scene<'a>>,
    request: &'a Request,
    act: impl FnOnce() -> T,
) -> T {
    let related = Rc::new(Scene { request, body: request.body.clone(), is_stored: true, ..copy(scene) });
    judge.functions.within(Rc::clone(scene), || judge.functions.within(related, act))
}

fn copy<'a>(scene: &Scene<'a>) -> Scene<'a> {
    Scene {
        request: scene.request,
        body: scene.body.clone(),
        parameters: scene.parameters.clone(),
        policy: scene.policy.clone(),
        is_stored: scene.is_stored,
    }
}

/// Related resource that a policy looks for.
#[derive(Debug)]
struct Wanted<'a> {
    /// Request that is evaluated.
    own: &'a Request,
    kind: Str,
    name: Option<Str>,
    group: Option<Str>,
    is_in_subscription: bool,
    place: Place,
    /// True if no part of the ID of the evaluated request is an approximation.
    is_known: bool,
}

/// Location of a related resource.
#[derive(Debug)]
enum Place {
    /// The evaluated resource itself.
    Own,
    /// Below the evaluated resource: IDs begin with this.
    Below(String),
    /// Next to the evaluated resource, or an extension of it.
    Elsewhere,
}

impl<'a> Wanted<'a> {
    /// Reads the details of a rule about the related resource. An error is the reason for which they are unknown.
    fn read(judge: &Judge<'_, 'a>, rule: &Rule, scene: &Rc<Scene<'a>>) -> Result<Self, Str> {
        let text = |name: &str| {
            let Some(written) = rule.details.get(name).filter(|written| !written.is_null()) else { return Ok(None) };
            if let Some(literal) = written.as_shared_str().filter(|_| !written.traits.has(Traits::DYNAMIC)) {
                return Ok(Some(literal.clone()));
            }
            let value = judge.functions.within(Rc::clone(scene), || judge.value(written));
            let value = value.map_err(|fault| Str::from(fault.message()))?;
            match (value.as_shared_str(), value.as_unknown()) {
                (Some(text), _) => Ok(Some(text.clone())),
                (None, Some(unknown)) => Err(unknown.why.clone()),
                (None, None) => Err(Str::from(format!("`{name}` of the related resource is not a string"))),
            }
        };
        let (own, scope) = (scene.request, text("existenceScope")?);
        let missing = || Str::from("the policy does not say the type of the related resource");
        let kind = text("type")?.ok_or_else(missing)?;
        let place = if kind.eq_ignore_ascii_case(own.judged_type()) {
            Place::Own
        } else if is_below(&kind, own.judged_type()) {
            Place::Below(format!("{}/", own.id))
        } else {
            Place::Elsewhere
        };
        Ok(Self {
            own,
            kind,
            name: text("name")?.filter(|name| !name.ends_with('?')),
            group: text("resourceGroupName")?,
            is_in_subscription: scope.is_some_and(|scope| scope.eq_ignore_ascii_case("subscription")),
            place,
            is_known: !own.has_approximate(&own.id),
        })
    }

    /// Returns the requests of the type that may be for the related resource, in order.
    fn candidates(&self, judge: &Judge<'_, 'a>) -> Vec<&'a Request> {
        let candidates = judge.functions.candidates(&self.kind);
        let indexes = match &self.place {
            Place::Own | Place::Below(_) => candidates.at_or_below(&self.own.id),
            Place::Elsewhere if self.is_known => candidates.beside(&self.own.id, self.name.as_deref()),
            Place::Elsewhere => candidates.all(),
        };
        indexes.into_iter().filter_map(|at| judge.functions.request(at)).collect()
    }

    /// Returns `true` if there can be only one related resource, since names are unique in a resource group or below a
    /// resource.
    fn is_only(&self) -> bool {
        let Some(name) = &self.name else { return false };
        // A name with fewer segments than the type leaves out the names of parents.
        let has_all = || name.split('/').count() == self.kind.split('/').count().saturating_sub(1);
        match &self.place {
            Place::Own => true,
            Place::Below(_) => {
                let parent = self.kind.rsplit_once('/').map_or("", |(parent, _)| parent);
                has_all() || parent.eq_ignore_ascii_case(self.own.judged_type())
            }
            Place::Elsewhere => !self.is_in_subscription && has_all(),
        }
    }

    /// Evaluates whether a request of the type is for the related resource.
    fn is_met_by(&self, request: &Request) -> Truth {
        let sure = |is_met: bool| if self.is_known { Truth::from(is_met) } else { unplaced() };
        let placed = match &self.place {
            Place::Own => {
                // A resource is the related one of itself whatever its ID is.
                let is_same = request.id.eq_ignore_ascii_case(&self.own.id);
                return if std::ptr::eq(request, self.own) || !is_same { Truth::from(is_same) } else { sure(true) };
            }
            Place::Below(start) => sure(starts_with(&request.id, start)),
            Place::Elsewhere => {
                let extended = extended(&request.id);
                let is_extension = extended.eq_ignore_ascii_case(&self.own.id);
                if !is_extension && DeploymentScope::of_id(extended).is_some() {
                    self.is_in_scope(request)
                } else if request.has_approximate(extended) {
                    unplaced()
                } else {
                    // An extension is related to what it extends, and to nothing else.
                    sure(is_extension)
                }
            }
        };
        let named = match (&self.name, request.name.as_str()) {
            (None, _) => Truth::from(true),
            (Some(_), None) => unplaced(),
            (Some(wanted), Some(found)) => {
                let part = if wanted.contains('/') { found } else { last_segment(found) };
                Truth::from(part.eq_ignore_ascii_case(wanted))
            }
        };
        placed.and(named)
    }

    fn is_in_scope(&self, request: &Request) -> Truth {
        let own = self.own;
        let is_same = |a: Option<&str>, b: Option<&str>| match (a, b) {
            (Some(a), Some(b)) if request.is_approximate(a) || own.is_approximate(b) => unplaced(),
            (Some(a), Some(b)) if a.eq_ignore_ascii_case(b) => Truth::from(true),
            // A placeholder may stand for the group that is named.
            (Some(a), Some(b)) if request.is_open(a) || own.is_open(b) => unplaced(),
            _ => Truth::from(false),
        };
        let in_subscription = is_same(request.subscription(), own.subscription());
        if self.is_in_subscription {
            return in_subscription;
        }
        in_subscription.and(is_same(request.group_name(), self.group.as_deref().or_else(|| own.group_name())))
    }
}

fn unplaced() -> Truth {
    Truth::unknown("whether a resource of the deployment is the related one is not known")
}

/// True if a type is that of a child of the type `above`.
fn is_below(kind: &str, above: &str) -> bool {
    starts_with(kind, above) && kind.as_bytes().get(above.len()) == Some(&b'/')
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}
