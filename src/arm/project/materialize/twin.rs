//! One resource that several deployments declare.

use rustc_hash::FxHashMap;

use crate::arm::project::lay::{Arrays, over};
use crate::model::{Document, Presence};

/// Types whose provider changes what it is told and keeps the rest. Of others the last declaration counts as a whole.
const KEEPING: &[&str] = &["Microsoft.Storage/storageAccounts"];

/// Gives each declaration the state that the resource has after its deployment: what earlier ones set stays.
pub(super) fn merge(document: &mut Document) {
    let mut latest: FxHashMap<String, usize> = FxHashMap::default();
    for at in 0..document.resources.len() {
        let resource = &document.resources[at];
        let keeps = KEEPING.iter().any(|it| it.eq_ignore_ascii_case(&resource.type_name));
        let is_certain = matches!(resource.presence, Presence::Deployed)
            && resource.body.get("name").is_some_and(|it| it.as_unknown().is_none());
        if !keeps || !is_certain {
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
