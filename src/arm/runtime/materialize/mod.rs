//! Properties that children or later deployments decide.
//!
//! A template can set a property of a resource in more than one place: the subnets of a network in the network or as
//! resources of their own, the configuration of a site as `siteConfig` or as its child `config/web`. What the resource
//! will be is known only when all of them are.

mod collection;
mod owner;
mod site;
mod twin;

use crate::model::{Document, Presence, Resource, ResourceId};
use crate::value::Value;

/// Settles the states of resources by those of their children and of their later declarations.
pub(in crate::arm) fn materialize(document: &mut Document) {
    twin::merge(document);
    for at in 0..document.resources.len() {
        if let Some(settled) = settled(document, ResourceId(at)) {
            let resource = &mut document.resources[at];
            resource.state = settled.state;
            resource.implied.extend(settled.implied);
            for (child, state) in settled.children {
                document.resources[child.0].state = state;
            }
        }
    }
    twin::supersede(document);
}

/// What becomes of a resource and its children.
struct Settled {
    state: Value,
    /// The children whose states change with it.
    children: Vec<(ResourceId, Value)>,
    /// A child that nobody wrote.
    implied: Option<Value>,
}

fn settled(document: &Document, id: ResourceId) -> Option<Settled> {
    let resource = document.resource(id);
    if site::is_site(&resource.type_name) {
        return site::settled(document, resource);
    }
    let state = collection::settled(document, resource);
    let state = owner::settled(document, resource, state.as_ref().unwrap_or(&resource.state)).or(state)?;
    Some(Settled { state, children: Vec::new(), implied: None })
}

/// The children of a resource that are deployed for certain, with the last segments of their types.
fn children<'a>(
    document: &'a Document,
    resource: &'a Resource,
) -> impl Iterator<Item = (ResourceId, &'a Resource, &'a str)> {
    let below = |child: &'a Resource| {
        let (parent, kind) = child.type_name.rsplit_once('/')?;
        parent.eq_ignore_ascii_case(&resource.type_name).then_some(kind)
    };
    let children = resource.children.iter().map(|&id| (id, document.resource(id)));
    let certain = children.filter(|(_, child)| matches!(child.presence, Presence::Deployed));
    certain.filter_map(move |(id, child)| Some((id, child, below(child)?)))
}

/// The last segment of a name.
fn own_name(resource: &Resource) -> &str {
    resource.name.rsplit('/').next().unwrap_or(&resource.name)
}
