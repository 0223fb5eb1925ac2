//! One resource that several deployments declare.

use rustc_hash::FxHashMap;

use crate::arm::runtime::lay::{Arrays, over};
use crate::model::{Document, Presence, Resource, ResourceId};

/// Types whose provider changes what it is told and keeps the rest. Of others the last declaration counts as a whole.
const KEEPING: &[&str] = &["Microsoft.Storage/storageAccounts"];

/// Gives each declaration the state that the resource has after its deployment: what earlier ones set stays.
pub(super) fn merge(document: &mut Document) {
    let mut latest: FxHashMap<String, usize> = FxHashMap::default();
    for at in 0..document.resources.len() {
        let resource = &document.resources[at];
        let keeps = KEEPING.iter().any(|it| it.eq_ignore_ascii_case(&resource.type_name));
        if !keeps || !is_certain(resource) {
            continue;
        }
        let Some(before) = latest.insert(resource.id.to_lowercase(), at) else { continue };
        let before = &document.resources[before];
        if before.deployment != resource.deployment {
            let state = over(&before.state, &resource.state, Arrays::United);
            document.resources[at].state = state;
        }
    }
}

/// Leaves under a parent only the last declaration of a child: the parent has one child of that id in the end. Earlier
/// ones stand for themselves.
pub(super) fn supersede(document: &mut Document) {
    for parent in 0..document.resources.len() {
        if document.resources[parent].children.len() < 2 {
            continue;
        }
        let children = std::mem::take(&mut document.resources[parent].children);
        let (kept, superseded) = split(document, children);
        for child in superseded {
            document.resources[child.0].parent = None;
        }
        document.resources[parent].children = kept;
    }
}

/// The children that are the last of their ids, and the others.
fn split(document: &Document, children: Vec<ResourceId>) -> (Vec<ResourceId>, Vec<ResourceId>) {
    let mut last: FxHashMap<String, ResourceId> = FxHashMap::default();
    for &child in children.iter().filter(|&&it| is_certain(document.resource(it))) {
        last.insert(document.resource(child).id.to_lowercase(), child);
    }
    children.into_iter().partition(|&child| {
        let resource = document.resource(child);
        let later = last.get(&resource.id.to_lowercase()).map(|&it| (it, document.resource(it)));
        later.is_none_or(|(id, later)| id <= child || later.deployment == resource.deployment)
    })
}

/// Whether it is deployed under a name that is known.
fn is_certain(resource: &Resource) -> bool {
    matches!(resource.presence, Presence::Deployed)
        && resource.body.get("name").is_some_and(|it| it.as_unknown().is_none())
}
