//! Whether a related resource exists that satisfies a policy with the effect `auditIfNotExists` or `deployIfNotExists`.

use std::rc::Rc;

use formwork_arm::DeploymentScope;

use crate::documents::Rule;
use crate::judge::Request;
use crate::judge::conditions::Judge;
use crate::judge::scene::Scene;
use crate::judge::truth::Truth;
use crate::value::Str;

/// Whether no related resource satisfies the policy, so that its effect happens.
pub(super) fn is_missing<'a>(judge: &Judge<'_, 'a>, rule: &Rule, scene: &Rc<Scene<'a>>) -> Truth {
    let elsewhere = "the related resource may exist already, or be deployed elsewhere";
    let wanted = match Wanted::read(judge, rule, scene) {
        Ok(wanted) => wanted,
        Err(why) => return Truth::unknown(why),
    };
    let own = scene.request;
    let is_only = wanted.is_only(own);
    let (mut violates, mut doubt) = (false, None);
    for request in judge.functions.requests {
        let place = wanted.is_met_by(request, own);
        if place.is_false() {
            continue;
        }
        let satisfied = match &rule.existence {
            None => Truth::from(true),
            Some(condition) => {
                let related = Scene { request, body: request.body.clone(), is_stored: true, ..copy(scene) };
                let related = Rc::new(related);
                judge
                    .functions
                    .within(Rc::clone(scene), || judge.functions.within(related, || judge.condition(condition)))
            }
        };
        let is_deployed = request.doubt.clone().map_or_else(|| Truth::from(true), Truth::unknown);
        let counts = place.and(is_deployed);
        if counts.holds() && satisfied.holds() {
            return Truth::from(false);
        }
        if counts.holds() && satisfied.is_false() {
            violates = true;
        } else {
            doubt = doubt.or_else(|| counts.why().or(satisfied.why()).cloned());
            doubt.get_or_insert_with(|| Str::from(elsewhere));
        }
    }
    match doubt {
        None if violates && is_only => Truth::from(true),
        doubt => Truth::unknown(doubt.unwrap_or_else(|| Str::from(elsewhere))),
    }
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

/// The related resource that a policy looks for.
#[derive(Debug)]
struct Wanted {
    kind: Str,
    name: Option<Str>,
    group: Option<Str>,
    is_in_subscription: bool,
}

impl Wanted {
    /// What the details of a rule say of the related resource, or why that is not known.
    fn read<'a>(judge: &Judge<'_, 'a>, rule: &Rule, scene: &Rc<Scene<'a>>) -> Result<Self, Str> {
        let text = |name: &str| {
            let Some(written) = rule.details.get(name).filter(|written| !written.is_null()) else { return Ok(None) };
            let value = judge.functions.within(Rc::clone(scene), || judge.value(written));
            let value = value.map_err(|fault| Str::from(fault.message()))?;
            match (value.as_shared_str(), value.as_unknown()) {
                (Some(text), _) => Ok(Some(text.clone())),
                (None, Some(unknown)) => Err(unknown.why.clone()),
                (None, None) => Err(Str::from(format!("`{name}` of the related resource is not a string"))),
            }
        };
        let scope = text("existenceScope")?;
        Ok(Self {
            kind: text("type")?.ok_or_else(|| Str::from("the policy does not say the type of the related resource"))?,
            name: text("name")?.filter(|name| !name.ends_with('?')),
            group: text("resourceGroupName")?,
            is_in_subscription: scope.is_some_and(|scope| scope.eq_ignore_ascii_case("subscription")),
        })
    }

    /// Whether it is looked for beside the resource, and not below it.
    fn is_elsewhere(&self, own: &Request) -> bool {
        let is_own_type = self.kind.eq_ignore_ascii_case(own.judged_type());
        !is_own_type && !starts_with(&self.kind, &format!("{}/", own.judged_type()))
    }

    /// Whether there can be only one, since names are unique in a resource group or below a resource.
    fn is_only(&self, own: &Request) -> bool {
        let Some(name) = &self.name else { return false };
        if self.is_in_subscription && self.is_elsewhere(own) {
            return false;
        }
        // A name with fewer segments than the type leaves out the names of parents.
        let segments = self.kind.split('/').count().saturating_sub(1);
        let parent = self.kind.rsplit_once('/').map_or("", |(parent, _)| parent);
        let types = [&*self.kind, parent];
        name.split('/').count() == segments || types.iter().any(|known| known.eq_ignore_ascii_case(own.judged_type()))
    }

    /// Whether a request is for the related resource.
    fn is_met_by(&self, request: &Request, own: &Request) -> Truth {
        if !request.judged_type().eq_ignore_ascii_case(&self.kind) {
            return Truth::from(false);
        }
        let is_known = || !own.id.split('/').skip(1).any(|segment| own.is_approximate(segment));
        let is_below = || starts_with(&request.id, &format!("{}/", own.id));
        let extended = extended(&request.id);
        let placed = if self.kind.eq_ignore_ascii_case(own.judged_type()) {
            // A resource is the related one of itself whatever its ID is.
            let is_same = request.id.eq_ignore_ascii_case(&own.id);
            let is_sure = std::ptr::eq(request, own) || !is_same || is_known();
            return if is_sure { Truth::from(is_same) } else { unplaced() };
        } else if !self.is_elsewhere(own) {
            if is_known() { Truth::from(is_below()) } else { unplaced() }
        } else if extended.eq_ignore_ascii_case(&own.id) || DeploymentScope::of_id(extended).is_none() {
            // An extension is related to what it extends, and to nothing else.
            let is_sure = is_known() && !extended.split('/').skip(1).any(|segment| request.is_approximate(segment));
            if is_sure { Truth::from(extended.eq_ignore_ascii_case(&own.id)) } else { unplaced() }
        } else {
            self.is_in_scope(request, own)
        };
        let named = match (&self.name, request.name.as_str()) {
            (None, _) => Truth::from(true),
            (Some(_), None) => unplaced(),
            (Some(wanted), Some(found)) => {
                let last = found.rsplit('/').next().unwrap_or_default();
                let part = if wanted.contains('/') { found } else { last };
                Truth::from(part.eq_ignore_ascii_case(wanted))
            }
        };
        placed.and(named)
    }

    fn is_in_scope(&self, request: &Request, own: &Request) -> Truth {
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
        let group = own.resource_group().map(|(_, name)| name);
        let wanted = self.group.as_deref().or(group.as_deref());
        in_subscription.and(is_same(request.resource_group().map(|(_, name)| name).as_deref(), wanted))
    }
}

fn unplaced() -> Truth {
    Truth::unknown("whether a resource of the deployment is the related one is not known")
}

/// The ID of what a resource extends, or of the scope that it is deployed to.
fn extended(id: &str) -> &str {
    let at = id.to_ascii_lowercase().rfind("/providers/").unwrap_or_default();
    id.get(..at).unwrap_or_default()
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}
