//! Finding resources by their type.

use rustc_hash::FxHashMap;

use crate::model::{DeploymentId, Document, Presence, Resource, ResourceId};
use crate::rules::json::place::{Origin, Place, nested_deployment};
use crate::value::Str;

/// How far `dependsOn` is followed from a resource to what it is a child of; types have fewer segments.
const MAX_ANCESTORS: u32 = 16;

/// The resources of a document by deployment and type.
#[derive(Debug)]
pub(in crate::rules) struct TypeIndex<'a> {
    document: &'a Document,
    /// By deployment: lower-case type -> resources in the order of the text.
    types: Vec<FxHashMap<Box<str>, Vec<ResourceId>>>,
}

impl<'a> TypeIndex<'a> {
    /// Looks at every resource once.
    pub(in crate::rules) fn new(document: &'a Document) -> Self {
        let mut types: Vec<FxHashMap<Box<str>, Vec<ResourceId>>> = Vec::new();
        types.resize_with(document.deployments.len(), FxHashMap::default);
        for (at, resource) in document.resources.iter().enumerate() {
            if let Some(types) = types.get_mut(resource.deployment.0) {
                let name = resource.type_name.to_ascii_lowercase().into_boxed_str();
                types.entry(name).or_default().push(ResourceId(at));
            }
        }
        for ids in types.iter_mut().flat_map(FxHashMap::values_mut) {
            ids.sort_by_key(|&id| (document.resource(id).span.start, id));
        }
        Self { document, types }
    }

    /// The types of a deployment's resources, in lower case.
    pub(in crate::rules) fn types(&self, deployment: DeploymentId) -> impl Iterator<Item = &str> {
        self.types.get(deployment.0).into_iter().flat_map(|it| it.keys()).map(|name| &**name)
    }

    fn of_type(&self, deployment: DeploymentId, type_name: &str) -> &[ResourceId] {
        self.types.get(deployment.0).and_then(|it| it.get(type_name)).map_or(&[], Vec::as_slice)
    }

    /// The resources of a type (in lower case) that a search from `scope` finds: all of a deployment, or the children of
    /// a resource.
    pub(super) fn select(&self, scope: &Place<'a>, type_name: &str) -> Vec<Place<'a>> {
        let found: Vec<ResourceId> = match (scope.origin, scope.trail.is_empty()) {
            (Origin::Deployment(id), true) => self.of_type(id, type_name).to_vec(),
            (Origin::Resource(id), true) => self.children(id, type_name),
            (_, false) => match nested_deployment(self.document, scope) {
                Some((id, _)) => self.of_type(id, type_name).to_vec(),
                None => Vec::new(),
            },
        };
        found.into_iter().map(|id| Place::resource(self.document, id)).collect()
    }

    fn children(&self, parent: ResourceId, type_name: &str) -> Vec<ResourceId> {
        let resource = self.document.resource(parent);
        if !is_below(type_name, &resource.type_name) {
            return Vec::new();
        }
        let candidates = self.of_type(resource.deployment, type_name).iter().copied();
        candidates.filter(|&it| self.belongs(it, parent, MAX_ANCESTORS)).collect()
    }

    /// Whether `child` is below `parent`, whose type is known to be a prefix: by the document, by its name, or because it
    /// depends on it or on something that is below it.
    fn belongs(&self, child: ResourceId, parent: ResourceId, depth: u32) -> bool {
        let [resource, above] = [child, parent].map(|id| self.document.resource(id));
        if is_named_below(resource, above) || self.ancestors(child).any(|it| it == parent) {
            return true;
        }
        resource.depends_on.iter().any(|&it| {
            it == parent
                || depth > 0
                    && is_below(&resource.type_name, &self.document.resource(it).type_name)
                    && is_below(&self.document.resource(it).type_name, &above.type_name)
                    && self.belongs(it, parent, depth - 1)
        })
    }

    fn ancestors(&self, id: ResourceId) -> impl Iterator<Item = ResourceId> {
        let above = |&id: &ResourceId| self.document.resource(id).parent;
        std::iter::successors(above(&id), above).take(MAX_ANCESTORS as usize)
    }

    /// Why it is not known whether a resource is deployed.
    pub(super) fn doubt(&self, id: ResourceId) -> Option<&'a Str> {
        let mut id = Some(id);
        for _ in 0..MAX_ANCESTORS {
            let resource = self.document.resource(id?);
            if let Presence::Maybe(unknown) = &resource.presence {
                return Some(&unknown.why);
            }
            id = self.document.deployment(resource.deployment).resource;
        }
        None
    }
}

/// Whether a type is a child type of another, in any spelling.
pub(super) fn is_below(child: &str, parent: &str) -> bool {
    child.len() > parent.len()
        && child.as_bytes()[parent.len()] == b'/'
        && child.is_char_boundary(parent.len())
        && child[..parent.len()].eq_ignore_ascii_case(parent)
}

fn is_named_below(child: &Resource, parent: &Resource) -> bool {
    !parent.name.is_empty() && is_below(&child.name, &parent.name)
}

#[cfg(test)]
mod tests {
    use super::is_below;

    #[test]
    fn a_child_type_has_further_segments() {
        assert!(is_below("microsoft.sql/servers/databases", "Microsoft.Sql/servers"));
        assert!(!is_below("microsoft.sql/serversx", "Microsoft.Sql/servers"));
        assert!(!is_below("microsoft.sql/servers", "Microsoft.Sql/servers"));
        assert!(!is_below("é", "Microsoft.Sql/servers"));
    }
}
