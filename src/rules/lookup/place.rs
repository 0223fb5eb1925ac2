//! Places in a document, and how a path leads from one to others.

use std::sync::Arc;

use crate::model::{Deployment, DeploymentId, Document, Resource, ResourceId};
use crate::rules::lookup::path::{Path, Segment};
use crate::value::{Data, Kind, Member, Unknown, Value};

/// A place in a document: where rules look, and what they find there.
#[derive(Clone, Debug)]
pub(in crate::rules) struct Place<'a> {
    /// What `trail` starts from.
    pub(in crate::rules) origin: Origin,
    /// The way from there. Names are those of the document as far as it goes, then those of the rule.
    pub(in crate::rules) trail: Vec<Link<'a>>,
    /// What is there.
    pub(in crate::rules) node: Node<'a>,
}

/// Something in a document that has a place of its own in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) enum Origin {
    Deployment(DeploymentId),
    Resource(ResourceId),
}

/// One step of a trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::rules) enum Link<'a> {
    Key(&'a str),
    Index(usize),
    /// The items of an array that is not known.
    Items,
}

/// What is at a place.
#[derive(Clone, Copy, Debug)]
pub(in crate::rules) enum Node<'a> {
    /// The `resources` of a deployment or of a resource.
    Resources(&'a [ResourceId]),
    /// A value; where the trail is empty, the template of the deployment or the body of the resource.
    Value(&'a Value),
    /// Nothing.
    Missing,
    /// Something below a value that is not known: one value, if it is there.
    Unseen(&'a Arc<Unknown>),
    /// Items or members of a value that is not known: any number of values.
    UnseenItems(&'a Arc<Unknown>),
}

impl<'a> Place<'a> {
    pub(in crate::rules) fn deployment(document: &'a Document, id: DeploymentId) -> Self {
        let node = Node::Value(&document.deployment(id).template);
        Self { origin: Origin::Deployment(id), trail: Vec::new(), node }
    }

    pub(in crate::rules) fn resource(document: &'a Document, id: ResourceId) -> Self {
        let node = Node::Value(&document.resource(id).body);
        Self { origin: Origin::Resource(id), trail: Vec::new(), node }
    }

    /// The resource that the place is in.
    pub(in crate::rules) fn resource_id(&self) -> Option<ResourceId> {
        match self.origin {
            Origin::Resource(id) => Some(id),
            Origin::Deployment(_) => None,
        }
    }

    fn to(&self, link: Link<'a>, node: Node<'a>) -> Self {
        let mut trail = Vec::with_capacity(self.trail.len() + 1);
        trail.extend_from_slice(&self.trail);
        trail.push(link);
        Self { origin: self.origin, trail, node }
    }

    /// The places that `path` leads to. A path without a wildcard leads to at least one, which may be missing.
    pub(in crate::rules) fn resolve(&self, document: &'a Document, path: &'a Path) -> Vec<Self> {
        let mut places = vec![self.clone()];
        for segment in &path.segments {
            let mut next = Vec::with_capacity(places.len());
            for place in &places {
                place.step(document, segment, &mut next);
            }
            places = next;
        }
        if path.has_wildcard {
            places.retain(|place| !matches!(place.node, Node::Missing));
        }
        places
    }

    fn step(&self, document: &'a Document, segment: &'a Segment, out: &mut Vec<Self>) {
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

    /// The member of a name: one place, or several where iterations of a loop share the name.
    fn named(&self, document: &'a Document, name: &'a str, out: &mut Vec<Self>) {
        if let Node::Resources(ids) = self.node {
            let before = out.len();
            let symbols = ids.iter().map(|&id| (id, document.resource(id).symbolic_name.as_deref()));
            let called = symbols.filter(|(_, symbol)| symbol.is_some_and(|it| it.eq_ignore_ascii_case(name)));
            out.extend(called.map(|(id, _)| Self::resource(document, id)));
            if out.len() == before {
                out.push(self.to(Link::Key(name), Node::Missing));
            }
            return;
        }
        let resources = self.resources(document);
        if let Some((key, ids)) = resources.filter(|_| name.eq_ignore_ascii_case("resources")) {
            out.push(self.to(Link::Key(key), Node::Resources(ids)));
            return;
        }
        out.push(match (self.member(name), self.node) {
            (Some(member), _) => self.to(Link::Key(&member.key), Node::Value(&member.value)),
            (None, Node::Value(Value { data: Data::Unknown(unknown), .. }))
                if matches!(unknown.kind, Kind::Any | Kind::Object) =>
            {
                self.to(Link::Key(name), Node::Unseen(unknown))
            }
            (None, Node::Unseen(_) | Node::UnseenItems(_)) => self.to(Link::Key(name), self.node),
            (None, _) => self.to(Link::Key(name), Node::Missing),
        });
    }

    fn member(&self, name: &str) -> Option<&'a Member> {
        let Node::Value(value) = self.node else { return None };
        match &value.data {
            Data::Object(object) => object.member(name),
            Data::Unknown(unknown) if unknown.open => unknown.approximation.as_object()?.member(name),
            _ => None,
        }
    }

    /// The `resources` of a whole deployment or resource, which are not in its template or body.
    fn resources(&self, document: &'a Document) -> Option<(&'static str, &'a [ResourceId])> {
        if !self.trail.is_empty() {
            return None;
        }
        let ids = match self.origin {
            Origin::Deployment(id) => &document.deployment(id).resources,
            Origin::Resource(id) => &document.resource(id).children,
        };
        let written = match self.origin {
            Origin::Deployment(_) => true,
            Origin::Resource(id) => ids.iter().any(|&child| is_nested(document, child, id)),
        };
        written.then_some(("resources", ids.as_slice()))
    }

    /// Those of `ids` that are written in the `resources` where this place is.
    fn written<'b>(&'b self, document: &'a Document, ids: &'a [ResourceId]) -> impl Iterator<Item = ResourceId> + 'b
    where
        'a: 'b,
    {
        ids.iter().copied().filter(move |&id| match self.origin {
            Origin::Deployment(_) => true,
            Origin::Resource(parent) => is_nested(document, id, parent),
        })
    }

    /// `name[3]` of the array at this place. For resources it is the index in the text, which iterations share.
    fn item(&self, document: &'a Document, index: usize, out: &mut Vec<Self>) {
        let link = Link::Index(index);
        let node = match self.node {
            Node::Resources(ids) => {
                let before = out.len();
                let suffix = format!("resources[{index}]");
                let at = |&id: &ResourceId| document.resource(id).path.ends_with(&suffix);
                out.extend(self.written(document, ids).filter(at).map(|id| Self::resource(document, id)));
                if out.len() > before {
                    return;
                }
                Node::Missing
            }
            Node::Value(value) => match &value.data {
                Data::Array(array) => array.get(index).map_or(Node::Missing, Node::Value),
                Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::Array) => Node::Unseen(unknown),
                _ => Node::Missing,
            },
            Node::Missing => Node::Missing,
            unseen @ (Node::Unseen(_) | Node::UnseenItems(_)) => unseen,
        };
        out.push(self.to(link, node));
    }

    /// `name[*]` of the array at this place.
    fn items(&self, document: &'a Document, out: &mut Vec<Self>) {
        match self.node {
            Node::Resources(ids) => {
                out.extend(self.written(document, ids).map(|id| Self::resource(document, id)));
            }
            Node::Value(value) => match &value.data {
                Data::Array(array) => {
                    let items = array.iter().enumerate();
                    out.extend(items.map(|(at, item)| self.to(Link::Index(at), Node::Value(item))));
                }
                Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::Array) => {
                    out.push(self.to(Link::Items, Node::UnseenItems(unknown)));
                }
                _ => {}
            },
            Node::Missing => {}
            Node::Unseen(unknown) | Node::UnseenItems(unknown) => {
                out.push(self.to(Link::Items, Node::UnseenItems(unknown)));
            }
        }
    }

    /// `*`: the members of an object. One that is an array gives its items, not itself.
    fn members(&self, document: &'a Document, out: &mut Vec<Self>) {
        match self.node {
            Node::Resources(ids) => {
                let named = |id: &ResourceId| document.resource(*id).symbolic_name.is_some();
                out.extend(self.written(document, ids).filter(named).map(|id| Self::resource(document, id)));
            }
            Node::Value(value) => match &value.data {
                Data::Object(object) => object.iter().for_each(|member| self.add_member(document, member, out)),
                Data::Unknown(unknown) if matches!(unknown.kind, Kind::Any | Kind::Object) => {
                    let known = unknown.open.then(|| unknown.approximation.as_object()).flatten();
                    known.into_iter().flatten().for_each(|member| self.add_member(document, member, out));
                    out.push(self.to(Link::Key("*"), Node::UnseenItems(unknown)));
                }
                _ => {}
            },
            Node::Missing => {}
            Node::Unseen(unknown) | Node::UnseenItems(unknown) => {
                out.push(self.to(Link::Key("*"), Node::UnseenItems(unknown)));
            }
        }
        if let Some((key, ids)) = self.resources(document) {
            self.to(Link::Key(key), Node::Resources(ids)).items(document, out);
        }
    }

    fn add_member(&self, document: &'a Document, member: &'a Member, out: &mut Vec<Self>) {
        let place = self.to(Link::Key(&member.key), Node::Value(&member.value));
        if member.value.kind() == Kind::Array {
            place.items(document, out);
        } else {
            out.push(place);
        }
    }
}

/// Whether `child` is written in the `resources` of `parent`.
fn is_nested(document: &Document, child: ResourceId, parent: ResourceId) -> bool {
    let [child, parent]: [&Resource; 2] = [child, parent].map(|id| document.resource(id));
    let inside = child.path.strip_prefix(parent.path.as_str());
    inside.is_some_and(|it| {
        it.starts_with(".resources[") || it.starts_with(".resources.") || it.starts_with(".resources['")
    })
}

/// The deployment that is nested at a place.
pub(in crate::rules) fn nested_deployment<'a>(
    document: &'a Document,
    place: &Place<'_>,
) -> Option<(DeploymentId, &'a Deployment)> {
    let resource = place.resource_id()?;
    let [Link::Key(properties), Link::Key(template)] = place.trail[..] else { return None };
    let is_template = properties.eq_ignore_ascii_case("properties") && template.eq_ignore_ascii_case("template");
    let mut all = (0..).map(DeploymentId).zip(&document.deployments);
    all.find(|(_, it)| is_template && it.resource == Some(resource))
}
