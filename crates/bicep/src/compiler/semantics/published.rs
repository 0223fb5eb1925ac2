//! Types of resources, from the types that Azure publishes.
//!
//! Properties of every resource and the order of errors are those of Bicep,
//! <https://github.com/Azure/bicep/blob/main/src/Bicep.Core/TypeSystem/Providers/Az/AzResourceTypeProvider.cs>.

use std::rc::Rc;

use crate::compiler::model::{ResourceId, ResourceInfo};
use crate::compiler::semantics::types::{Limited, Object, Property, Rigor, Tagged, Type, Usage};
use crate::compiler::semantics::{Checker, TypeKey};
use crate::language::ast::{DeclarationKind, TypeKind};
use crate::schema::{BodyLookup, PublishedMember, PublishedNode, PublishedShape, body_of};
use crate::text::Span;

/// Properties that every resource has, and that are known before a deployment.
const OF_ALL: [&str; 4] = ["apiVersion", "id", "name", "type"];

/// Properties that resources usually have, although their published types may lack them.
const USUAL: [&str; 14] = [
    "asserts",
    "eTag",
    "extendedLocation",
    "identity",
    "kind",
    "location",
    "managedBy",
    "managedByExtended",
    "placement",
    "plan",
    "properties",
    "scale",
    "sku",
    "tags",
];

/// Type of nested deployments.
const DEPLOYMENTS: &str = "Microsoft.Resources/deployments";

impl Checker<'_, '_> {
    /// Returns the structure of a published type.
    pub(super) fn published(self, node: PublishedNode, is_top: bool) -> Type {
        if let Some(known) = self.program.published.borrow().get(&(node, is_top)) {
            return known.clone();
        }
        let rigor = if is_top { Rigor::TopLevel } else { Rigor::Lenient };
        let found = of_shape(node.shape(), rigor);
        self.program.published.borrow_mut().insert((node, is_top), found.clone());
        found
    }

    /// Returns the type of a resource's body as its declaration has to write it.
    pub(super) fn body_type(self, id: ResourceId) -> Type {
        self.program.once(TypeKey::Body(self.model.id, id), || {
            let Some(resource) = self.model.resources.get(id).filter(|own| own.is_azure()) else { return Type::Any };
            body_of_resource(resource)
        })
    }
    /// Returns the type of a resource, as expressions read it.
    pub(super) fn resource_value(self, id: ResourceId) -> Type {
        match self.body_type(id) {
            Type::Tagged(tagged) => {
                let value = self.model.resources.get(id).and_then(|own| own.body.get(&tagged.key));
                let value = value.map(|value| self.force(&self.quiet().infer(value, None)));
                let Some(Type::Text(Some(value))) = value else { return Type::Any };
                tagged.variants.iter().find(|(name, _)| *name == value).map_or(Type::Any, |(_, ty)| ty.clone())
            }
            other => other,
        }
    }
}

impl Checker<'_, '_> {
    /// Warns of resource types that Azure does not publish.
    pub(super) fn published_types(self) {
        for resource in self.model.resources.iter().filter(|own| own.is_azure()) {
            if let Some(version) = &resource.version {
                self.resource_type_name(&resource.ty, version, resource.declaration.ty.span);
            }
        }
        for declaration in self.model.declarations {
            if let DeclarationKind::Param { ty: Some(ty), .. } | DeclarationKind::Output { ty, .. } = &declaration.kind
                && let TypeKind::Resource(Some(text)) = &ty.bare().kind
                && let Some((name, version)) = text.literal().and_then(|text| text.split_once('@'))
            {
                self.resource_type_name(name, version, text.span);
            }
        }
    }

    fn resource_type_name(self, name: &str, version: &str, span: Span) {
        let found = body_of(name, version);
        if matches!(found, BodyLookup::Body(..) | BodyLookup::Unknown) {
            return;
        }
        let segments: Vec<&str> = name.split('/').collect();
        let inner = segments.get(2..segments.len().saturating_sub(1)).unwrap_or_default();
        if inner.iter().any(|segment| segment.eq_ignore_ascii_case("providers")) {
            let message = "the type of an extension resource is only the part after `providers`; set `scope` instead";
            return self.warn(span, "BCP174", message);
        }
        let what = if matches!(found, BodyLookup::NoType) { "type" } else { "version of the type" };
        self.warn(span, "BCP081", format!("there is no published {what} `{name}@{version}`, so nothing is checked"));
    }
}

fn of_shape(shape: PublishedShape, rigor: Rigor) -> Type {
    match shape {
        PublishedShape::Any => Type::Any,
        PublishedShape::Bool => Type::BOOL,
        PublishedShape::Int { min, max } => limited(Type::INT, min, max, None),
        PublishedShape::Text { min, max, pattern } => limited(Type::TEXT, min, max, pattern),
        PublishedShape::Choice { is_open: true, .. } => Type::TEXT,
        PublishedShape::Choice { values, is_open: false } => {
            Type::union(values.into_iter().map(|value| Type::Text(Some(value.into()))))
        }
        PublishedShape::Array { item, min, max } => {
            limited(Type::array_of(Type::Published(item, false)), min, max, None)
        }
        PublishedShape::Object { members, additional } => {
            let additional = additional.map(|node| Type::Published(node, false));
            Type::Object(Rc::new(Object { properties: members_below(members), additional, rigor }))
        }
        PublishedShape::Tagged { key, base, branches } => {
            let variants = branches.into_iter().filter_map(|(name, node)| {
                let own = branch(&base, node)?;
                Some((name.into(), Type::Object(Rc::new(Object { rigor, ..below(own) }))))
            });
            Type::Tagged(Rc::new(Tagged { key: key.into(), variants: variants.collect(), rigor }))
        }
        PublishedShape::Union(parts) => Type::union(parts.into_iter().map(|node| Type::Published(node, false))),
    }
}

fn limited(ty: Type, least: Option<i64>, most: Option<i64>, pattern: Option<&'static str>) -> Type {
    if least.is_none() && most.is_none() && pattern.is_none() {
        return ty;
    }
    Type::Limited(Rc::new(Limited { ty, least, most, pattern }))
}

fn members_of(members: Vec<PublishedMember>) -> Vec<Property> {
    members
        .into_iter()
        .map(|member| {
            let usage = match (member.is_read_only, member.is_write_only) {
                (true, _) => Usage::ReadOnly,
                (_, true) => Usage::WriteOnly,
                _ => Usage::Any,
            };
            Property { usage, ..Property::new(member.name, Type::Published(member.ty, true), member.is_required) }
        })
        .collect()
}

fn members_below(members: Vec<PublishedMember>) -> Vec<Property> {
    let mut properties = members_of(members);
    for property in &mut properties {
        lower(&mut property.ty);
    }
    properties
}

/// Changes the types of a body's properties to those below the top level.
fn below(mut object: Object) -> Object {
    object.properties.iter_mut().for_each(|property| lower(&mut property.ty));
    object.additional.iter_mut().for_each(lower);
    object
}

fn lower(ty: &mut Type) {
    if let Type::Published(_, is_top) = ty {
        *is_top = false;
    }
}

/// Returns a branch of a discriminated union with the properties that all branches have.
fn branch(base: &[PublishedMember], node: PublishedNode) -> Option<Object> {
    let PublishedShape::Object { members, additional } = node.shape() else { return None };
    let mut properties = members_of(members);
    for member in members_of(base.to_vec()) {
        if !properties.iter().any(|own| own.name == member.name) {
            properties.push(member);
        }
    }
    Some(Object { properties, additional: additional.map(|node| Type::Published(node, true)), rigor: Rigor::Strict })
}

/// Returns the usual properties of a resource for which `has` returns `true`.
fn usual(has: impl Fn(&str) -> bool) -> Object {
    let names = USUAL.iter().chain(&["zones"]).filter(|name| has(name));
    Object { properties: names.map(|name| Property::new(*name, Type::Any, false)).collect(), ..Object::default() }
}

/// Adds the properties that Bicep adds to each resource.
fn with_usual(resource: &ResourceInfo<'_>, mut body: Object) -> Type {
    for name in OF_ALL {
        let usage = if name == "name" { Usage::Any } else { Usage::ReadOnly };
        match body.properties.iter_mut().find(|own| &*own.name == name) {
            Some(own) => {
                own.usage = usage;
                own.is_required = name == "name";
            }
            None => body.properties.push(Property { usage, ..Property::new(name, Type::TEXT, name == "name") }),
        }
    }
    for name in ["dependsOn", "parent", "scope"] {
        body.properties.retain(|own| &*own.name != name);
        body.properties.push(Property { usage: Usage::WriteOnly, ..Property::new(name, Type::Any, false) });
    }
    if resource.ty.eq_ignore_ascii_case(DEPLOYMENTS) {
        for name in ["resourceGroup", "subscriptionId"] {
            if body.get(name).is_none() {
                body.properties.push(Property::new(name, Type::TEXT, false));
            }
        }
    }
    for name in USUAL.iter().chain(&["zones"]) {
        if body.get(name).is_none() {
            let usage = if *name == "asserts" { Usage::Any } else { Usage::Fallback };
            body.properties.push(Property { usage, ..Property::new(*name, Type::Any, false) });
        }
    }
    Type::Object(Rc::new(body))
}

/// Returns the type of a resource's body as its published type describes it.
fn body_of_resource(resource: &ResourceInfo<'_>) -> Type {
    let Some(version) = &resource.version else { return Type::Any };
    let shape = match body_of(&resource.ty, version) {
        BodyLookup::Body(node, _) => node.shape(),
        BodyLookup::NoType | BodyLookup::NoVersion => return with_usual(resource, usual(|_| true)),
        BodyLookup::Unknown => return Type::Any,
    };
    // Without a parent, the name also contains those of the ancestors.
    let has_own_name = resource.parent.is_some() || resource.ty.matches('/').count() == 1;
    match shape {
        PublishedShape::Object { members, additional } => {
            let mut properties = members_of(members);
            if !has_own_name && let Some(name) = properties.iter_mut().find(|own| &*own.name == "name") {
                name.ty = Type::TEXT;
            }
            let additional = additional.map(|node| Type::Published(node, true));
            with_usual(resource, Object { properties, additional, rigor: Rigor::Strict })
        }
        PublishedShape::Tagged { key, base, branches } => {
            let is_name = key == "name";
            let variants: Vec<(Rc<str>, Object)> =
                branches.into_iter().filter_map(|(name, node)| Some((name.into(), branch(&base, node)?))).collect();
            if is_name && !has_own_name || !is_name && resource.declaration.is_existing {
                let has = |name: &str| variants.iter().any(|(_, own)| own.get(name).is_some());
                return with_usual(resource, usual(has));
            }
            let variants = variants.into_iter().map(|(name, own)| (name, with_usual(resource, own)));
            Type::Tagged(Rc::new(Tagged { key: key.into(), variants: variants.collect(), rigor: Rigor::Strict }))
        }
        _ => Type::Any,
    }
}
