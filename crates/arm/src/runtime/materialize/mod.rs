//! Properties that other resources or later deployments set.
//!
//! A template can set a property of a resource in more than one way: subnets are items of a network's `subnets` or
//! child resources, and the configuration of a site is its `siteConfig` or its child `config/web`. The final state of
//! the resource is only known once all resources have been processed.

mod collection;
mod owner;
mod site;
mod twin;

use crate::model::{Document, Presence, Resource, ResourceId};
use crate::value::Value;

/// Updates the states of resources from their children and from later declarations of the same resource. Without
/// `states`, only the children are updated.
pub(crate) fn materialize(document: &mut Document, states: bool) {
    if states {
        settle(document);
    }
    twin::supersede(document);
}

fn settle(document: &mut Document) {
    twin::merge(document);
    for id in (0..document.resources.len()).map(ResourceId) {
        let Some(settled) = settled(document, id) else { continue };
        if let Some(resource) = document.resources.get_mut(id.0) {
            resource.state = settled.state;
            resource.implied.extend(settled.implied);
        }
        for (child, state) in settled.children {
            if let Some(child) = document.resources.get_mut(child.0) {
                child.state = state;
            }
        }
    }
}

/// The final state of a resource and of its children.
struct Settled {
    state: Value,
    /// The children whose states change as well, with their new states.
    children: Vec<(ResourceId, Value)>,
    /// A child that Azure creates although no template declares it.
    implied: Option<Value>,
}

/// Returns the final state of a resource. `None` if its own declaration determines the state.
fn settled(document: &Document, id: ResourceId) -> Option<Settled> {
    let resource = document.resource(id);
    if site::is_site(&resource.type_name) {
        return site::settled(document, resource);
    }
    let state = collection::settled(document, resource);
    let state = owner::settled(document, resource, state.as_ref().unwrap_or(&resource.state)).or(state)?;
    Some(Settled { state, children: Vec::new(), implied: None })
}

/// Returns the children of a resource that are certainly deployed, each with the last segment of its type.
fn children<'a>(
    document: &'a Document,
    resource: &'a Resource,
) -> impl Iterator<Item = (ResourceId, &'a Resource, &'a str)> {
    let last_segment = |child: &'a Resource| {
        let (parent, kind) = child.type_name.rsplit_once('/')?;
        parent.eq_ignore_ascii_case(&resource.type_name).then_some(kind)
    };
    let children = resource.children.iter().map(|&id| (id, document.resource(id)));
    let certain = children.filter(|(_, child)| matches!(child.presence, Presence::Deployed));
    certain.filter_map(move |(id, child)| Some((id, child, last_segment(child)?)))
}

/// Returns the last segment of a resource's name.
fn own_name(resource: &Resource) -> &str {
    resource.name.rsplit('/').next().unwrap_or(&resource.name)
}
