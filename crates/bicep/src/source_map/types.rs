//! Maps the JSON schema of a type to the annotation and the decorators from which it is compiled.

use crate::language::ast::{Decorator, Expr, TypeExpr, TypeItem, TypeKind, TypeProperty};
use crate::source_map::pointer::{PathStep, child};
use crate::source_map::property::FileLocation;
use crate::source_map::unit::Unit;
use crate::value::Value;

/// Maximum number of type names that are followed for one member of a union. They can refer to each other in cycles.
const MAX_FOLLOWED: u32 = 32;

impl Unit {
    /// Follows `steps` in the schema of a type. `here` is the location of the declaration with that type.
    pub(super) fn constraint(
        &self,
        ty: Option<&TypeExpr>,
        decorators: &[Decorator],
        steps: &[PathStep<'_>],
        value: Option<&Value>,
        here: FileLocation,
    ) -> FileLocation {
        let Some((step, rest)) = steps.split_first() else { return here };
        let value = child(value, step);
        let whole = ty.map_or(here, |ty| FileLocation::exact(ty.span));
        match &**step {
            "metadata" => self.described(decorators, rest, value).unwrap_or(here),
            "allowedValues" => match argument_of(decorators, "allowed") {
                Some((argument, found)) => self.search().property(argument, rest, value, found),
                // A union of literals. The index of a value says nothing about its place.
                None => whole,
            },
            "properties" => self.field(ty, rest, value).unwrap_or(whole),
            "prefixItems" => self.tuple_item(ty, rest, value).unwrap_or(whole),
            "items" => self.constraint(ty, &[], rest, value, whole),
            "additionalProperties" => {
                let rest_of = self.any_field(ty, rest, value);
                rest_of.or_else(|| decorated(decorators, "sealed")).unwrap_or(whole)
            }
            "discriminator" => self.variant(ty, rest, value).unwrap_or(whole),
            _ => decorated(decorators, step).unwrap_or(whole),
        }
    }

    /// Locates `metadata/…`, which is compiled from both `@description()` and `@metadata()`.
    fn described(
        &self,
        decorators: &[Decorator],
        steps: &[PathStep<'_>],
        value: Option<&Value>,
    ) -> Option<FileLocation> {
        if steps.first().is_none_or(|step| step == "description")
            && let Some(found) = decorated(decorators, "description")
        {
            return Some(found);
        }
        let (argument, found) = argument_of(decorators, "metadata")?;
        Some(self.search().property(argument, steps, value, found))
    }

    /// Locates `properties/<name>/…`.
    fn field(&self, ty: Option<&TypeExpr>, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (name, rest) = steps.split_first()?;
        let literals = ty?.literals();
        let mut objects = literals.iter().filter_map(|literal| properties(literal));
        let field = objects.find_map(|(properties, _)| named(properties, name))?;
        let TypeItem { decorators, ty } = &field.item;
        Some(self.constraint(Some(ty), decorators, rest, child(value, name), place(field)))
    }

    /// Locates `additionalProperties/…`, which is compiled from `*: type`.
    fn any_field(&self, ty: Option<&TypeExpr>, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let literals = ty?.literals();
        let field = literals.iter().find_map(|literal| properties(literal)?.1)?;
        let TypeItem { decorators, ty } = &field.item;
        Some(self.constraint(Some(ty), decorators, steps, value, place(field)))
    }

    /// Locates `prefixItems/<index>/…`.
    fn tuple_item(&self, ty: Option<&TypeExpr>, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (step, rest) = steps.split_first()?;
        let items = ty?.literals().into_iter().find_map(|literal| match &literal.kind {
            TypeKind::Tuple(items) => Some(items),
            _ => None,
        })?;
        let TypeItem { decorators, ty } = items.get(step.parse::<usize>().ok()?)?;
        Some(self.constraint(Some(ty), decorators, rest, child(value, step), FileLocation::exact(ty.span)))
    }

    /// Locates `discriminator/mapping/<tag>/…`: the member of the union with the literal `tag`, which may be in a
    /// type that the union refers to. `None` if the compiled member is a reference to a named type.
    fn variant(&self, ty: Option<&TypeExpr>, steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let [mapping, tag, rest @ ..] = steps else { return None };
        let value = child(child(value, mapping), tag);
        let is_named = value.is_some_and(|member| member.get("$ref").is_some());
        if is_named {
            return None;
        }
        let variant = self.tagged(ty?, tag, &mut { MAX_FOLLOWED })?;
        Some(self.constraint(Some(variant), &[], rest, value, FileLocation::exact(variant.span)))
    }

    /// Finds the object type with a property whose type is the literal `tag`, in a type or in those that it names.
    fn tagged<'a>(&'a self, ty: &'a TypeExpr, tag: &str, budget: &mut u32) -> Option<&'a TypeExpr> {
        *budget = budget.checked_sub(1)?;
        let own = ty.literals().into_iter().find(|literal| is_tagged(literal, tag));
        own.or_else(|| {
            let words = self.tree.slice(ty.span).split(|c: char| !c.is_alphanumeric() && c != '_');
            let mut types = words.filter_map(|word| self.named_type(word));
            types.find_map(|ty| self.tagged(ty, tag, budget))
        })
    }
}

/// True if an object type has a property whose type is the literal `tag`.
fn is_tagged(ty: &TypeExpr, tag: &str) -> bool {
    let Some((properties, additional)) = properties(ty) else { return false };
    properties.iter().chain(additional).any(|property| match &property.item.ty.kind {
        TypeKind::Text(text) => text.literal() == Some(tag),
        _ => false,
    })
}

/// Returns the properties of an object type, and the type of additional ones.
fn properties(ty: &TypeExpr) -> Option<(&[TypeProperty], Option<&TypeProperty>)> {
    match &ty.kind {
        TypeKind::Object { properties, additional } => Some((properties, additional.as_deref())),
        _ => None,
    }
}

/// Returns the last property with this name. If there is none, the last one whose name differs only in case.
fn named<'a>(properties: &'a [TypeProperty], name: &str) -> Option<&'a TypeProperty> {
    let mut similar = properties.iter().rev().filter(|own| own.name.text.eq_ignore_ascii_case(name)).peekable();
    let last = similar.peek().copied();
    similar.find(|property| &*property.name.text == name).or(last)
}

fn place(property: &TypeProperty) -> FileLocation {
    let ty = property.item.ty.span;
    FileLocation { value: ty, ..FileLocation::exact(property.name.span.to(ty)) }
}

/// Returns the location of a decorator.
pub(super) fn decorated(decorators: &[Decorator], name: &str) -> Option<FileLocation> {
    decorator(decorators, name).map(|decorator| FileLocation::exact(decorator.span))
}

fn decorator<'a>(decorators: &'a [Decorator], name: &str) -> Option<&'a Decorator> {
    decorators.iter().find(|decorator| &*decorator.name.text == name)
}

/// Returns the first argument of a decorator, and the location of the decorator.
fn argument_of<'a>(decorators: &'a [Decorator], name: &str) -> Option<(&'a Expr, FileLocation)> {
    let decorator = decorator(decorators, name)?;
    Some((decorator.arguments.first()?, FileLocation::exact(decorator.span)))
}
