//! Whether a related resource exists that satisfies a policy with the effect `auditIfNotExists` or `deployIfNotExists`.

use std::rc::Rc;

use crate::documents::Rule;
use crate::judge::Request;
use crate::judge::conditions::Judge;
use crate::judge::scene::Scene;
use crate::judge::truth::Truth;
use crate::value::{Str, Value};

/// Whether no related resource satisfies the policy, so that its effect happens.
pub(super) fn is_missing<'a>(judge: &Judge<'_, 'a>, rule: &Rule, scene: &Rc<Scene<'a>>) -> Truth {
    let elsewhere = "the related resource may exist already, or be deployed elsewhere";
    let part = |name: &str| {
        let written = rule.details.get(name)?;
        judge.functions.within(Rc::clone(scene), || judge.value(written)).ok()
    };
    let text = |name: &str| part(name).and_then(|value| value.as_shared_str().cloned());
    let Some(kind) = text("type") else {
        return Truth::unknown("the policy does not say the type of the related resource");
    };
    let name = part("name");
    let wanted = Wanted {
        kind,
        name: name.as_ref().and_then(Value::as_shared_str).cloned().filter(|name| !name.ends_with('?')),
        group: text("resourceGroupName"),
        is_in_subscription: text("existenceScope").is_some_and(|scope| scope.eq_ignore_ascii_case("subscription")),
    };
    let own = scene.request;
    let mut truth = Truth::unknown(elsewhere);
    for request in judge.functions.requests.iter().filter(|request| wanted.is_met_by(request, own)) {
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
        let satisfied = match &request.doubt {
            Some(why) => satisfied.and(Truth::unknown(why.clone())),
            None => satisfied,
        };
        // Only one that is named is the only one that counts.
        truth = if satisfied.holds() {
            return Truth::from(false);
        } else if satisfied.is_false() && wanted.name.is_some() {
            Truth::from(true)
        } else {
            Truth::unknown(satisfied.why().cloned().unwrap_or_else(|| Str::from(elsewhere)))
        };
    }
    truth
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
    fn is_met_by(&self, request: &Request, own: &Request) -> bool {
        if !request.judged_type().eq_ignore_ascii_case(&self.kind) {
            return false;
        }
        let is_own_type = self.kind.eq_ignore_ascii_case(own.judged_type());
        let is_below = starts_with(&self.kind, &format!("{}/", own.judged_type()));
        let is_extension = starts_with(&request.id, &format!("{}/", own.id));
        let is_placed = if is_own_type {
            request.id.eq_ignore_ascii_case(&own.id)
        } else if is_below || is_extension {
            is_extension
        } else {
            self.is_in_scope(request, own)
        };
        let is_named = self.name.as_ref().is_none_or(|wanted| {
            let Some(found) = request.name.as_str() else { return false };
            let last = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
            found.eq_ignore_ascii_case(wanted) || last(found).eq_ignore_ascii_case(&last(wanted))
        });
        is_placed && is_named
    }

    fn is_in_scope(&self, request: &Request, own: &Request) -> bool {
        let is_same = |a: Option<String>, b: Option<String>| match (a, b) {
            (Some(a), Some(b)) => a.eq_ignore_ascii_case(&b),
            _ => false,
        };
        let subscription = |request: &Request| request.subscription().map(str::to_owned);
        let group = |request: &Request| request.resource_group().map(|(_, name)| name);
        let wanted = self.group.as_ref().map(|group| (**group).to_owned());
        is_same(subscription(request), subscription(own))
            && (self.is_in_subscription || is_same(group(request), wanted.or_else(|| group(own))))
    }
}

fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|found| found.eq_ignore_ascii_case(start))
}
