//! Resolves IDs in values to resources.
//!
//! Azure's IDs are strings, and an ID that is not known completely is compared by its approximation: it is the ID of a
//! resource if both lack the same value. In CloudFormation, a reference by `Ref` or `Fn::GetAtt` has the approximation
//! `${ID}` or `${ID.Attribute}`; a string refers to a resource that one of its properties gives this name.

use foldhash::HashMap;

use crate::lookup::position::Position;
use crate::model::{DeploymentId, Document, Resource, ResourceId};
use crate::value::{Data, Kind, Str, Unknown, Value};

/// Segment before the namespace of a provider in an ID.
const PROVIDERS: &str = "/providers/";

/// Resources of a document, by their identifiers in values.
#[derive(Debug)]
pub(crate) struct References {
    /// Resources, by ID in lower case.
    ids: HashMap<String, Vec<ResourceId>>,
    /// Resources, by type in lower case; an extension resource has its own type.
    types: HashMap<String, Vec<ResourceId>>,
    /// Resources of CloudFormation, by the names in their properties.
    names: HashMap<(DeploymentId, Str), ResourceId>,
}

/// Target of a reference.
#[derive(Debug)]
pub(crate) enum ReferenceTarget<'a> {
    /// A resource of the deployment, or a child that is written inside of it.
    To(Position<'a>),
    /// A resource outside of the deployment, by a known ID.
    Elsewhere,
    /// An unknown target.
    Unknown(&'a Unknown),
    /// No resource: the value is not an ID.
    Nothing,
}

impl References {
    pub(super) fn new(document: &Document) -> Self {
        let mut references = Self { ids: HashMap::default(), types: HashMap::default(), names: HashMap::default() };
        for (at, resource) in document.resources.iter().enumerate() {
            let id = ResourceId(at);
            references.ids.entry(key(&resource.id)).or_default().push(id);
            references.types.entry(own_type(resource)).or_default().push(id);
            // Azure's resources are never called by a name alone.
            if resource.id.starts_with('/') {
                continue;
            }
            let own = resource.body.get("Properties").and_then(Value::as_object);
            let named = own.into_iter().flatten().filter(|member| member.key.ends_with("Name"));
            for name in named.filter_map(|member| member.value.as_shared_str()) {
                references.names.entry((resource.deployment, name.clone())).or_insert(id);
            }
        }
        references
    }

    /// Returns the resources of a type (in lower case), including extension resources.
    pub(crate) fn of_type(&self, type_name: &str) -> &[ResourceId] {
        self.types.get(type_name).map_or(&[], Vec::as_slice)
    }

    /// Resolves a value of a resource in `deployment`.
    pub(crate) fn follow<'a>(
        &self,
        document: &'a Document,
        deployment: DeploymentId,
        value: &'a Value,
    ) -> ReferenceTarget<'a> {
        match &value.data {
            Data::String(text) if text.trim().is_empty() => ReferenceTarget::Nothing,
            Data::String(text) => match self.named(document, deployment, text, None) {
                Some(position) => ReferenceTarget::To(position),
                None => ReferenceTarget::Elsewhere,
            },
            Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::String) => {
                let text = unknown.approximation.as_str().filter(|text| !text.is_empty());
                let found = text.and_then(|text| self.named(document, deployment, text, Some(unknown)));
                found.map_or(ReferenceTarget::Unknown(unknown), ReferenceTarget::To)
            }
            _ => ReferenceTarget::Nothing,
        }
    }

    /// Returns the resource that a string means. `unknown` is the unknown value of which the string is the
    /// approximation.
    fn named<'a>(
        &self,
        document: &'a Document,
        deployment: DeploymentId,
        text: &str,
        unknown: Option<&Unknown>,
    ) -> Option<Position<'a>> {
        if let Some(logical) = text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
            let logical = logical.split('.').next().unwrap_or_default();
            let called = self.ids.get(&key(logical)).into_iter().flatten().copied();
            let mut own = called.filter(|id| {
                let resource = document.resource(*id);
                resource.deployment == deployment && *resource.id == *logical
            });
            return own.next().map(|id| Position::resource(document, id));
        }
        let known = |id: &str| {
            self.ids
                .get(&key(id))
                .into_iter()
                .flatten()
                .copied()
                .find(|id: &ResourceId| cause(document.resource(*id)) == unknown.map(|unknown| &unknown.why))
        };
        if let Some(id) = known(text) {
            return Some(Position::resource(document, id));
        }
        if let Some(id) = self.names.get(&(deployment, Str::from(text))).filter(|_| unknown.is_none()) {
            return Some(Position::resource(document, *id));
        }
        let (above, name) = text.rsplit_once('/')?;
        let (parent, collection) = above.rsplit_once('/')?;
        Position::written_child(document, known(parent)?, collection, name)
    }

    /// Returns the resources that `resource` extends, or is a child of.
    pub(crate) fn scopes<'a>(
        &'a self,
        document: &'a Document,
        resource: ResourceId,
    ) -> impl Iterator<Item = ResourceId> + 'a {
        let resource = document.resource(resource);
        let of_scope = resource.body.get("scope").and_then(Value::first_unknown).map(|unknown| &unknown.why);
        let own = of_scope.or_else(|| cause(resource));
        self.ids
            .get(&key(&resource.scope))
            .into_iter()
            .flatten()
            .copied()
            .filter(move |id: &ResourceId| cause(document.resource(*id)).is_none_or(|wanted| own == Some(wanted)))
    }
}

/// Returns the reason for which the name of a resource is unknown, or `None` if it is known.
fn cause(resource: &Resource) -> Option<&Str> {
    resource.body.get("name").and_then(Value::first_unknown).map(|unknown| &unknown.why)
}

/// Returns an ID in the form in which IDs are compared: in lower case, without a slash at the end.
fn key(id: &str) -> String {
    id.trim_end_matches('/').to_ascii_lowercase()
}

/// Returns the type of a resource in lower case. An extension resource that is written with the type of the resource
/// that it extends (`A.B/c/providers/d`) has its own type in its ID.
fn own_type(resource: &Resource) -> String {
    let written = resource.type_name.to_ascii_lowercase();
    let extension = written.contains(PROVIDERS).then(|| resource.id.to_ascii_lowercase());
    let Some((_, own)) = extension.as_deref().and_then(|id| id.rsplit_once(PROVIDERS)) else { return written };
    let mut segments = own.split('/');
    let namespace = segments.next().unwrap_or_default();
    std::iter::once(namespace).chain(segments.step_by(2)).collect::<Vec<_>>().join("/")
}
