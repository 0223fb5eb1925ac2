//! Which resources the IDs in values refer to.
//!
//! Azure's IDs are texts, and an ID that is not known in full is compared by its approximation: it is the ID of a resource
//! if both lack the same value. In CloudFormation, what refers to a resource by `Ref` or `Fn::GetAtt` is approximated by
//! `${ID}` or `${ID.Attribute}`; a text refers to a resource that one of its properties gives this name.

use foldhash::HashMap;

use crate::lookup::position::Position;
use crate::model::{DeploymentId, Document, Resource, ResourceId};
use crate::value::{Data, Kind, Str, Unknown, Value};

/// The segment before the namespace of a provider in an ID.
const PROVIDERS: &str = "/providers/";

/// The resources of a document by what values call them.
#[derive(Debug)]
pub(crate) struct References {
    /// By their IDs in lower case.
    ids: HashMap<String, Vec<ResourceId>>,
    /// By their types in lower case, where an extension resource has its own type.
    types: HashMap<String, Vec<ResourceId>>,
    /// Those of CloudFormation by the names that their properties give them.
    names: HashMap<(DeploymentId, Str), ResourceId>,
}

/// What a value refers to.
#[derive(Debug)]
pub(crate) enum Referred<'a> {
    /// A resource of the deployment, or a child that is written inside it.
    To(Position<'a>),
    /// Something that the deployment does not have, by an ID that is known.
    Elsewhere,
    /// This is not known.
    Unknown(&'a Unknown),
    /// The value is no ID.
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

    /// The resources of a type (in lower case), those that extend others among them.
    pub(crate) fn of_type(&self, type_name: &str) -> &[ResourceId] {
        self.types.get(type_name).map_or(&[], Vec::as_slice)
    }

    /// What a value of a resource in `deployment` refers to.
    pub(crate) fn follow<'a>(
        &self,
        document: &'a Document,
        deployment: DeploymentId,
        value: &'a Value,
    ) -> Referred<'a> {
        match &value.data {
            Data::String(text) if text.trim().is_empty() => Referred::Nothing,
            Data::String(text) => match self.named(document, deployment, text, None) {
                Some(position) => Referred::To(position),
                None => Referred::Elsewhere,
            },
            Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::String) => {
                let text = unknown.approximation.as_str().filter(|text| !text.is_empty());
                let found = text.and_then(|text| self.named(document, deployment, text, Some(unknown)));
                found.map_or(Referred::Unknown(unknown), Referred::To)
            }
            _ => Referred::Nothing,
        }
    }

    /// The resource that a text means, of which this may be unknown.
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
        let is_it = |id: &ResourceId| cause(document.resource(*id)) == unknown.map(|unknown| &unknown.why);
        let known = |id: &str| self.ids.get(&key(id)).into_iter().flatten().copied().find(is_it);
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

    /// The resources that `resource` extends, or is a child of.
    pub(crate) fn scopes<'a>(
        &'a self,
        document: &'a Document,
        resource: ResourceId,
    ) -> impl Iterator<Item = ResourceId> + 'a {
        let resource = document.resource(resource);
        let of_scope = resource.body.get("scope").and_then(Value::first_unknown).map(|unknown| &unknown.why);
        let own = of_scope.or_else(|| cause(resource));
        let is_it = move |id: &ResourceId| cause(document.resource(*id)).is_none_or(|wanted| own == Some(wanted));
        self.ids.get(&key(&resource.scope)).into_iter().flatten().copied().filter(is_it)
    }
}

/// Why the name of a resource is not known. `None` if it is.
fn cause(resource: &Resource) -> Option<&Str> {
    resource.body.get("name").and_then(Value::first_unknown).map(|unknown| &unknown.why)
}

/// IDs are compared without their case.
fn key(id: &str) -> String {
    id.trim_end_matches('/').to_ascii_lowercase()
}

/// The type of a resource in lower case. An extension resource that is written with the type of what it extends
/// (`A.B/c/providers/d`) has its own type in its ID.
fn own_type(resource: &Resource) -> String {
    let written = resource.type_name.to_ascii_lowercase();
    let extension = written.contains(PROVIDERS).then(|| resource.id.to_ascii_lowercase());
    let Some((_, own)) = extension.as_deref().and_then(|id| id.rsplit_once(PROVIDERS)) else { return written };
    let mut segments = own.split('/');
    let namespace = segments.next().unwrap_or_default();
    std::iter::once(namespace).chain(segments.step_by(2)).collect::<Vec<_>>().join("/")
}
