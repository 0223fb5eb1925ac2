//! Request that a deployment sends to Azure for a resource, as policies see it.

use crate::model::{Document, Resource};
use crate::policy::Request;
use crate::value::{Str, Traits, Value};

/// Returns the request that deploys a resource.
pub(super) fn request(document: &Document, resource: &Resource) -> Request {
    let known = |name: &str| resource.body.get(name).cloned().unwrap_or(Value::NULL);
    Request {
        id: resource.id.clone(),
        approximate: approximate(document, resource),
        type_name: resource.type_name.clone(),
        name: known("name"),
        api_version: known("apiVersion"),
        body: resource.body.clone(),
        is_secret: document.hidden.named(&resource.id).traits.has(Traits::SECRET),
        doubt: is_doubted(document, resource)
            .then(|| Str::from("whether the resource is deployed is known only at deployment")),
    }
}

/// True if it is not certain that a resource is deployed, or a deployment around it.
pub(super) fn is_doubted(document: &Document, resource: &Resource) -> bool {
    let around =
        |resource: &&Resource| document.deployment(resource.deployment).resource.map(|id| document.resource(id));
    std::iter::successors(Some(resource), around).any(|resource| resource.presence.doubt().is_some())
}

/// The members of a nested deployment that say where its resources are deployed to.
const SCOPES: [&str; 3] = ["scope", "subscriptionId", "resourceGroup"];

/// Returns the segments of the ID of a resource that are approximations of unknown values.
pub(super) fn approximate(document: &Document, resource: &Resource) -> Vec<Str> {
    let mut all = unknown(&resource.body, "name").map(|name| segments(&name)).unwrap_or_default();
    if let Some(scope) = unknown(&resource.body, "scope") {
        // What it extends may be a resource at any depth.
        let whole = if scope.is_empty() { &resource.id } else { &resource.scope };
        all.extend(decided("scope", &scope, whole));
    }
    let mut open = SCOPES.to_vec();
    let mut deployment = document.deployment(resource.deployment);
    while let Some(id) = deployment.resource {
        let around = document.resource(id);
        for member in &open {
            let approximation = unknown(&around.body, member);
            all.extend(approximation.iter().flat_map(|text| decided(member, text, &deployment.scope)));
        }
        // Deployments around this one do not decide what it says itself.
        open.retain(|member| around.body.get(member).is_none_or(Value::is_null));
        deployment = document.deployment(around.deployment);
    }
    all
}

/// Returns the approximation of a member whose value is unknown.
fn unknown(body: &Value, member: &str) -> Option<String> {
    let value = body.get(member).filter(|value| value.as_unknown().is_some())?;
    Some(value.approximate().as_str().unwrap_or_default().to_owned())
}

/// Returns the segments of the ID `scope` that an unknown member decides, given by its approximation. Segments that are
/// empty there are taken from `scope`: they come from the settings, or from the parent deployment.
fn decided(member: &str, approximation: &str, scope: &str) -> Vec<Str> {
    let after = |name: &str| {
        let mut rest = scope.split('/').skip_while(|segment| !segment.eq_ignore_ascii_case(name));
        Vec::from_iter(rest.nth(1).map(Str::from))
    };
    match (member, approximation) {
        ("subscriptionId", "") => after("subscriptions"),
        ("resourceGroup", "") => after("resourceGroups"),
        (_, "") => segments(scope),
        _ => {
            let pairs = approximation.rsplit('/').zip(scope.rsplit('/'));
            let filled = pairs.filter(|(left, filled)| left.is_empty() && !filled.is_empty());
            segments(approximation).into_iter().chain(filled.map(|(_, filled)| Str::from(filled))).collect()
        }
    }
}

fn segments(id: &str) -> Vec<Str> {
    id.split('/').filter(|segment| !segment.is_empty()).map(Str::from).collect()
}
