//! Positions in a document, and following paths from one to others.

use std::sync::Arc;

use crate::lookup::path::{Path, Segment};
use crate::model::{Deployment, DeploymentId, Document, Resource, ResourceId};
use crate::value::{Data, Kind, Member, Object, Unknown, Value};

/// A position in a document.
#[derive(Clone, Debug)]
pub(crate) struct Position<'a> {
    /// Owner of the value that `steps` start from.
    pub(crate) owner: Owner,
    /// Steps from there. Existing names are spelled as in the document, others as in the rule.
    pub(crate) steps: Vec<PathStep<'a>>,
    /// Target at the end of the steps.
    pub(crate) target: Target<'a>,
}

/// Owner of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Deployment(DeploymentId),
    Resource(ResourceId),
}

/// A step from a value into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStep<'a> {
    /// Into the member of this name.
    Key(&'a str),
    /// Into the item of this index.
    Index(usize),
    /// Into the items of an array that is not known.
    Items,
}

/// Target of a position.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// The `resources` of a deployment or of a resource.
    Resources(&'a [ResourceId]),
    /// A value. Without steps, it is the template of the deployment or the body of the resource.
    Value(&'a Value),
    /// Nothing: the document has no such value.
    Missing,
    /// At most one value inside of an unknown value.
    Unseen(&'a Arc<Unknown>),
    /// Any number of items or members of an unknown value.
    UnseenItems(&'a Arc<Unknown>),
}

impl<'a> Position<'a> {
    /// Returns the template of a deployment.
    pub(crate) fn deployment(document: &'a Document, id: DeploymentId) -> Self {
        let target = Target::Value(&document.deployment(id).template);
        Self { owner: Owner::Deployment(id), steps: Vec::new(), target }
    }

    /// Returns the body of a resource.
    pub(crate) fn resource(document: &'a Document, id: ResourceId) -> Self {
        let target = Target::Value(&document.resource(id).body);
        Self { owner: Owner::Resource(id), steps: Vec::new(), target }
    }

    /// Returns a child that is written in the properties of its parent: the item with this name in the array
    /// `collection`, such as a subnet in its network.
    pub(crate) fn written_child(
        document: &'a Document,
        parent: ResourceId,
        collection: &str,
        name: &str,
    ) -> Option<Self> {
        let resource = Self::resource(document, parent);
        let properties = document.resource(parent).body.as_object()?.member("properties")?;
        let items = properties.value.as_object()?.member(collection)?;
        let is_it =
            |item: &Value| item.get("name").and_then(Value::as_str).is_some_and(|own| own.eq_ignore_ascii_case(name));
        let (at, item) = items.value.as_array()?.iter().enumerate().find(|(_, item)| is_it(item))?;
        let properties = resource.to(PathStep::Key(&properties.key), Target::Value(&properties.value));
        let items = properties.to(PathStep::Key(&items.key), Target::Value(&items.value));
        Some(items.to(PathStep::Index(at), Target::Value(item)))
    }

    /// Adds the objects at and below this position, at any depth, in the order of the text. An unknown value may have
    /// any number of them.
    pub(crate) fn objects(&self, out: &mut Vec<Self>) {
        match self.target {
            Target::Value(value) => match &value.data {
                Data::Object(object) => {
                    out.push(self.clone());
                    for member in object.iter() {
                        self.to(PathStep::Key(&member.key), Target::Value(&member.value)).objects(out);
                    }
                }
                Data::Array(array) => {
                    for (at, item) in array.iter().enumerate() {
                        self.to(PathStep::Index(at), Target::Value(item)).objects(out);
                    }
                }
                Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::Object | Kind::Array) => {
                    out.push(Self { target: Target::UnseenItems(unknown), ..self.clone() });
                }
                _ => {}
            },
            Target::Unseen(unknown) | Target::UnseenItems(unknown) => {
                out.push(Self { target: Target::UnseenItems(unknown), ..self.clone() });
            }
            Target::Missing | Target::Resources(_) => {}
        }
    }

    /// Returns the resource of the position, or `None` for one in a template.
    pub(crate) fn resource_id(&self) -> Option<ResourceId> {
        match self.owner {
            Owner::Resource(id) => Some(id),
            Owner::Deployment(_) => None,
        }
    }

    /// Returns the deployment of the position.
    pub(crate) fn deployment_id(&self, document: &Document) -> DeploymentId {
        match self.owner {
            Owner::Resource(id) => document.resource(id).deployment,
            Owner::Deployment(id) => id,
        }
    }

    fn to(&self, step: PathStep<'a>, target: Target<'a>) -> Self {
        let mut steps = Vec::with_capacity(self.steps.len() + 1);
        steps.extend_from_slice(&self.steps);
        steps.push(step);
        Self { owner: self.owner, steps, target }
    }

    /// Returns the positions that `path` leads to. A path without a wildcard leads to at least one, whose target may be
    /// missing.
    pub(crate) fn resolve(&self, document: &'a Document, path: &'a Path) -> Vec<Self> {
        let mut positions = self.reach(document, path);
        if path.has_wildcard {
            positions.retain(|position| !matches!(position.target, Target::Missing));
        }
        positions
    }

    /// Returns the positions that `path` leads to, like [`resolve`](Self::resolve), but with missing values after a
    /// wildcard.
    pub(crate) fn reach(&self, document: &'a Document, path: &'a Path) -> Vec<Self> {
        let mut steps = Vec::with_capacity(self.steps.len() + path.segments.len());
        steps.extend_from_slice(&self.steps);
        let mut position = Self { steps, ..*self };
        let mut segments = path.segments.iter();
        // Names lead from one position to one, up to the resources of a template, and most paths have only names.
        while let Some(Segment::Name(name)) = segments.as_slice().first()
            && !matches!(position.target, Target::Resources(_))
            && position.spellings(name).nth(1).is_none()
        {
            position = position.member_named(document, name);
            segments.next();
        }
        let mut positions = vec![position];
        let mut next = Vec::new();
        for segment in segments {
            for position in positions.drain(..) {
                position.step(document, segment, &mut next);
            }
            std::mem::swap(&mut positions, &mut next);
        }
        positions
    }

    fn step(self, document: &'a Document, segment: &'a Segment, out: &mut Vec<Self>) {
        match segment {
            Segment::Name(name) => self.named(document, name, out),
            Segment::Members => self.members(document, out),
            Segment::Item(name, index) => {
                let mut arrays = Vec::new();
                self.named(document, name, &mut arrays);
                for array in &arrays {
                    array.item(document, *index, out);
                }
            }
            Segment::Items(name) => {
                let mut arrays = Vec::new();
                self.named(document, name, &mut arrays);
                for array in &arrays {
                    array.items(document, out);
                }
            }
        }
    }

    /// Adds the member with a name. There are several positions if iterations of a loop share the name, or if members
    /// have it in different cases: whichever of their values counts, the rule has tested it.
    fn named(self, document: &'a Document, name: &'a str, out: &mut Vec<Self>) {
        let Target::Resources(ids) = self.target else {
            let before = out.len();
            let spellings = self.spellings(name).skip(1);
            out.extend(spellings.map(|member| self.to(PathStep::Key(&member.key), Target::Value(&member.value))));
            out.insert(before, self.member_named(document, name));
            return;
        };
        let before = out.len();
        let symbols = ids.iter().map(|&id| (id, document.resource(id).symbolic_name.as_deref()));
        let called = symbols.filter(|(_, symbol)| symbol.is_some_and(|symbol| symbol.eq_ignore_ascii_case(name)));
        out.extend(called.map(|(id, _)| Self::resource(document, id)));
        if out.len() == before {
            out.push(self.into_step(PathStep::Key(name), Target::Missing));
        }
    }

    /// Returns the member with a name in a value.
    fn member_named(self, document: &'a Document, name: &'a str) -> Self {
        if name.eq_ignore_ascii_case("resources")
            && let Some((key, ids)) = self.resources(document)
        {
            return self.into_step(PathStep::Key(key), Target::Resources(ids));
        }
        let (key, target) = match (self.member(name), self.target) {
            (Some(member), _) => (&*member.key, Target::Value(&member.value)),
            (None, Target::Value(Value { data: Data::Unknown(unknown), .. }))
                if matches!(unknown.kind, Kind::Any | Kind::Object) =>
            {
                (name, Target::Unseen(unknown))
            }
            (None, Target::Unseen(_) | Target::UnseenItems(_)) => (name, self.target),
            (None, _) => (name, Target::Missing),
        };
        self.into_step(PathStep::Key(key), target)
    }

    /// Moves to a target like [`to`](Self::to), without a copy.
    fn into_step(mut self, step: PathStep<'a>, target: Target<'a>) -> Self {
        self.steps.push(step);
        Self { target, ..self }
    }

    fn member(&self, name: &str) -> Option<&'a Member> {
        self.object()?.member(name)
    }

    /// Returns the members with a name, case-insensitive. The first one is that of [`Self::member`].
    fn spellings<'b>(&self, name: &'b str) -> impl Iterator<Item = &'a Member> + use<'a, 'b> {
        let object = self.object();
        let first = object.and_then(|object| object.member(name));
        first.into_iter().chain(object.into_iter().flat_map(Object::iter).filter(move |member: &&Member| {
            member.key.len() == name.len()
                && first.is_some_and(|first| first.key != member.key)
                && member.key.eq_ignore_ascii_case(name)
        }))
    }

    fn object(&self) -> Option<&'a Object> {
        let Target::Value(value) = self.target else { return None };
        match &value.data {
            Data::Object(object) => Some(object),
            Data::Unknown(unknown) if unknown.open => unknown.approximation.as_object(),
            _ => None,
        }
    }

    /// Returns the `resources` of a whole deployment or resource, which are not in its template or body.
    fn resources(&self, document: &'a Document) -> Option<(&'static str, &'a [ResourceId])> {
        if !self.steps.is_empty() {
            return None;
        }
        let ids = match self.owner {
            Owner::Deployment(id) => &document.deployment(id).resources,
            Owner::Resource(id) => &document.resource(id).children,
        };
        let written = match self.owner {
            Owner::Deployment(_) => true,
            Owner::Resource(id) => ids.iter().any(|&child| is_nested(document, child, id)),
        };
        written.then_some(("resources", ids.as_slice()))
    }

    /// Returns the resources among `ids` that are written in the `resources` at this position.
    fn written<'b>(&'b self, document: &'a Document, ids: &'a [ResourceId]) -> impl Iterator<Item = ResourceId> + 'b
    where
        'a: 'b,
    {
        ids.iter().copied().filter(move |&id| match self.owner {
            Owner::Deployment(_) => true,
            Owner::Resource(parent) => is_nested(document, id, parent),
        })
    }

    /// Adds the item with an index in the array at this position. For resources it is the index in the text, which the
    /// iterations of a loop share.
    fn item(&self, document: &'a Document, index: usize, out: &mut Vec<Self>) {
        let step = PathStep::Index(index);
        let target = match self.target {
            Target::Resources(ids) => {
                let before = out.len();
                let suffix = format!("resources[{index}]");
                out.extend(
                    self.written(document, ids)
                        .filter(|&id: &ResourceId| document.resource(id).path.ends_with(&suffix))
                        .map(|id| Self::resource(document, id)),
                );
                if out.len() > before {
                    return;
                }
                Target::Missing
            }
            Target::Value(value) => match &value.data {
                Data::Array(array) => array.get(index).map_or(Target::Missing, Target::Value),
                Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::Array) => Target::Unseen(unknown),
                _ => Target::Missing,
            },
            Target::Missing => Target::Missing,
            unseen @ (Target::Unseen(_) | Target::UnseenItems(_)) => unseen,
        };
        out.push(self.to(step, target));
    }

    /// Adds the items of the array at this position, for `name[*]`.
    fn items(&self, document: &'a Document, out: &mut Vec<Self>) {
        match self.target {
            Target::Resources(ids) => {
                out.extend(self.written(document, ids).map(|id| Self::resource(document, id)));
            }
            Target::Value(value) => match &value.data {
                Data::Array(array) => {
                    let items = array.iter().enumerate();
                    out.extend(items.map(|(at, item)| self.to(PathStep::Index(at), Target::Value(item))));
                }
                Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::Array) => {
                    out.push(self.to(PathStep::Items, Target::UnseenItems(unknown)));
                }
                _ => {}
            },
            Target::Missing => {}
            Target::Unseen(unknown) | Target::UnseenItems(unknown) => {
                out.push(self.to(PathStep::Items, Target::UnseenItems(unknown)));
            }
        }
    }

    /// Adds the members of an object, for `*`. A member that is an array adds its items instead.
    fn members(&self, document: &'a Document, out: &mut Vec<Self>) {
        match self.target {
            Target::Resources(ids) => {
                out.extend(
                    self.written(document, ids)
                        .filter(|id: &ResourceId| document.resource(*id).symbolic_name.is_some())
                        .map(|id| Self::resource(document, id)),
                );
            }
            Target::Value(value) => match &value.data {
                Data::Object(object) => object.iter().for_each(|member| self.add_member(document, member, out)),
                Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::Object) => {
                    let known = unknown.open.then(|| unknown.approximation.as_object()).flatten();
                    known.into_iter().flatten().for_each(|member| self.add_member(document, member, out));
                    out.push(self.to(PathStep::Key("*"), Target::UnseenItems(unknown)));
                }
                _ => {}
            },
            Target::Missing => {}
            Target::Unseen(unknown) | Target::UnseenItems(unknown) => {
                out.push(self.to(PathStep::Key("*"), Target::UnseenItems(unknown)));
            }
        }
        if let Some((key, ids)) = self.resources(document) {
            self.to(PathStep::Key(key), Target::Resources(ids)).items(document, out);
        }
    }

    fn add_member(&self, document: &'a Document, member: &'a Member, out: &mut Vec<Self>) {
        let position = self.to(PathStep::Key(&member.key), Target::Value(&member.value));
        if member.value.kind() == Kind::Array {
            position.items(document, out);
        } else {
            out.push(position);
        }
    }
}

/// True if `child` is written in the `resources` of `parent`.
fn is_nested(document: &Document, child: ResourceId, parent: ResourceId) -> bool {
    let [child, parent]: [&Resource; 2] = [child, parent].map(|id| document.resource(id));
    let inside = child.path.strip_prefix(parent.path.as_str());
    inside.and_then(|rest| rest.strip_prefix(".resources")).is_some_and(|rest| rest.starts_with(['[', '.']))
}

/// Returns the deployment whose template is at a position, or `None` if no template is there.
pub(super) fn nested_deployment<'a>(
    document: &'a Document,
    position: &Position<'_>,
) -> Option<(DeploymentId, &'a Deployment)> {
    let resource = position.resource_id()?;
    let [PathStep::Key(properties), PathStep::Key(template)] = *position.steps.as_slice() else { return None };
    let is_template = properties.eq_ignore_ascii_case("properties") && template.eq_ignore_ascii_case("template");
    let mut all = (0..).map(DeploymentId).zip(&document.deployments);
    all.find(|(_, deployment)| is_template && deployment.resource == Some(resource))
}
