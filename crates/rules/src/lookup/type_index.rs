//! Finds resources by their type.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::lookup::References;
use crate::lookup::children::Children;
use crate::lookup::position::{Owner, Position, nested_deployment};
use crate::model::{DeploymentId, Document, ResourceId};
use crate::value::Str;

/// Levels of nested deployments that [`TypeIndex::doubt`] follows. Front ends stop earlier.
const MAX_NESTING: usize = 64;

/// Stands for all types in a rule.
pub(crate) const ANY_TYPE: &str = "*";

/// Resources of a document, by deployment and type.
#[derive(Debug)]
pub(crate) struct TypeIndex<'a> {
    document: &'a Document,
    /// Resources of each deployment, by type in lower case, in the order of the text.
    types: Vec<HashMap<Box<str>, Vec<ResourceId>>>,
    /// Children, computed on demand: only some rules need them.
    children: OnceLock<Children>,
    /// References, computed on demand: only some rules follow them.
    references: OnceLock<References>,
}

impl<'a> TypeIndex<'a> {
    /// Indexes the resources of a document.
    pub(crate) fn new(document: &'a Document) -> Self {
        let mut types: Vec<HashMap<Box<str>, Vec<ResourceId>>> = Vec::new();
        types.resize_with(document.deployments.len(), HashMap::default);
        for (at, resource) in document.resources.iter().enumerate() {
            if let Some(types) = types.get_mut(resource.deployment.0) {
                let name = resource.type_name.to_ascii_lowercase().into_boxed_str();
                types.entry(name).or_default().push(ResourceId(at));
            }
        }
        for ids in types.iter_mut().flat_map(HashMap::values_mut) {
            ids.sort_by_key(|&id| (document.resource(id).span.start, id));
        }
        Self { document, types, children: OnceLock::new(), references: OnceLock::new() }
    }

    /// Returns the types of a deployment's resources, in lower case.
    pub(crate) fn types(&self, deployment: DeploymentId) -> impl Iterator<Item = &str> {
        self.types.get(deployment.0).into_iter().flat_map(HashMap::keys).map(|name| &**name)
    }

    fn of_type(&self, deployment: DeploymentId, type_name: &str) -> Vec<ResourceId> {
        let Some(types) = self.types.get(deployment.0) else { return Vec::new() };
        if type_name != ANY_TYPE {
            return types.get(type_name).cloned().unwrap_or_default();
        }
        let mut all: Vec<ResourceId> = types.values().flatten().copied().collect();
        all.sort_by_key(|&id| (self.document.resource(id).span.start, id));
        all
    }

    /// Returns the resources of a type (in lower case) or of all types below `scope`: all of a deployment, or the children of a
    /// resource.
    pub(crate) fn select(&self, scope: &Position<'a>, type_name: &str) -> Vec<Position<'a>> {
        let found: Vec<ResourceId> = match (scope.owner, scope.steps.is_empty()) {
            (Owner::Deployment(id), true) => self.of_type(id, type_name),
            (Owner::Resource(id), true) => self.children(id, type_name),
            (_, false) => match nested_deployment(self.document, scope) {
                Some((id, _)) => self.of_type(id, type_name),
                None => Vec::new(),
            },
        };
        found.into_iter().map(|id| Position::resource(self.document, id)).collect()
    }

    fn children(&self, parent: ResourceId, type_name: &str) -> Vec<ResourceId> {
        let children = self.children.get_or_init(|| Children::new(self.document)).descendants(parent);
        children
            .iter()
            .copied()
            .filter(|id: &ResourceId| {
                type_name == ANY_TYPE || self.document.resource(*id).type_name.eq_ignore_ascii_case(type_name)
            })
            .collect()
    }

    /// Returns the index of references.
    pub(crate) fn references(&self) -> &References {
        self.references.get_or_init(|| References::new(self.document))
    }

    /// Returns the reason for which it is unknown whether a resource is deployed. `None` if it certainly is. The
    /// enclosing deployments count, too.
    pub(crate) fn doubt(&self, id: ResourceId) -> Option<&'a Str> {
        let mut id = Some(id);
        for _ in 0..MAX_NESTING {
            let resource = self.document.resource(id?);
            if let Some(doubt) = resource.presence.doubt() {
                return Some(&doubt.unknown.why);
            }
            id = self.document.deployment(resource.deployment).resource;
        }
        None
    }
}
