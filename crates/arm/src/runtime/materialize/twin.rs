//! Resources that more than one deployment declares.

use foldhash::HashMap;

use crate::model::{DeploymentId, Document, Presence, Resource, ResourceId};
use crate::runtime::lay::{Arrays, over};
use crate::value::Value;

/// Types whose properties persist: a later deployment only changes those that it sets. For other types the last
/// declaration replaces the earlier ones.
const PERSISTENT: &[&str] = &["Microsoft.Storage/storageAccounts"];

/// Gives each declaration the state that the resource has after that deployment, with the properties of earlier ones.
pub(super) fn merge(document: &mut Document) {
    // The last declaration so far of each resource: its deployment, and the state after it.
    let mut latest: HashMap<String, (DeploymentId, Value)> = HashMap::default();
    for resource in &mut document.resources {
        let is_persistent = PERSISTENT.iter().any(|name| name.eq_ignore_ascii_case(&resource.type_name));
        if !is_persistent || !is_certain(resource) {
            continue;
        }
        let before = latest.get(&resource.id.to_lowercase());
        if let Some((_, state)) = before.filter(|(deployment, _)| *deployment != resource.deployment) {
            resource.state = over(state, &resource.state, Arrays::United);
        }
        latest.insert(resource.id.to_lowercase(), (resource.deployment, resource.state.clone()));
    }
}

/// Removes from each parent the earlier declarations of a child that is declared again: the deployed parent has only
/// one child with that ID. The earlier declarations remain in the document, without a parent.
pub(super) fn supersede(document: &mut Document) {
    for parent in 0..document.resources.len() {
        let Some(resource) = document.resources.get_mut(parent) else { continue };
        if resource.children.len() < 2 {
            continue;
        }
        let children = std::mem::take(&mut resource.children);
        let (kept, superseded) = split(document, children);
        for child in superseded {
            if let Some(child) = document.resources.get_mut(child.0) {
                child.parent = None;
            }
        }
        if let Some(resource) = document.resources.get_mut(parent) {
            resource.children = kept;
        }
    }
}

/// Splits children into those that remain and those that a later deployment declares again.
fn split(document: &Document, children: Vec<ResourceId>) -> (Vec<ResourceId>, Vec<ResourceId>) {
    let mut last: HashMap<String, ResourceId> = HashMap::default();
    for &child in children.iter().filter(|&&child| is_certain(document.resource(child))) {
        last.insert(document.resource(child).id.to_lowercase(), child);
    }
    children.into_iter().partition(|&child| {
        let resource = document.resource(child);
        let later = last.get(&resource.id.to_lowercase()).map(|&id| (id, document.resource(id)));
        later.is_none_or(|(id, later)| id <= child || later.deployment == resource.deployment)
    })
}

/// Returns `true` if the resource is certainly deployed, under a known name.
fn is_certain(resource: &Resource) -> bool {
    matches!(resource.presence, Presence::Deployed)
        && resource.body.get("name").is_some_and(|name| name.as_unknown().is_none())
}
