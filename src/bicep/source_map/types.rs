//! Maps the JSON schema of a type to the annotation and the decorators from which it is compiled.

use crate::bicep::reader::{DeclarationKind as Kind, Decorator, Node, ObjectItem, Shape};
use crate::bicep::source_map::pointer::{Step, child};
use crate::bicep::source_map::property::{Found, property_of};
use crate::bicep::source_map::unit::Unit;
use crate::value::Value;

/// How many type names are followed for one member of a union. They may refer to each other in cycles.
const MAX_FOLLOWED: u32 = 32;

impl Unit {
    /// Follows `steps` in the schema of a type. `here` is the place of the declaration with that type.
    pub(super) fn constraint(
        &self,
        annotation: Option<&Node>,
        decorators: &[Decorator],
        steps: &[Step<'_>],
        value: Option<&Value>,
        here: Found,
    ) -> Found {
        let Some((step, rest)) = steps.split_first() else { return here };
        let value = child(value, step);
        let whole = annotation.map_or(here, |node| Found::exact(node.range));
        match &**step {
            "metadata" => self.described(decorators, rest, value).unwrap_or(here),
            "allowedValues" => match (self.argument_of(decorators, "allowed"), annotation) {
                (Some((node, found)), _) => self.property(node, rest, value, found),
                // A union of literals. The index of a value says nothing about its place.
                (None, Some(node)) => match rest {
                    [_, rest @ ..] if !rest.is_empty() => self.property(node, rest, None, whole),
                    _ => whole,
                },
                (None, None) => whole,
            },
            "properties" => self.field(annotation, rest, value).unwrap_or(whole),
            "prefixItems" => self.tuple_item(annotation, rest, value).unwrap_or(whole),
            "items" => self.constraint(annotation, &[], rest, value, whole),
            "additionalProperties" => {
                let rest_of = self.any_field(annotation, rest, value);
                rest_of.or_else(|| self.decorated(decorators, "sealed")).unwrap_or(whole)
            }
            "discriminator" => self.variant(annotation, rest, value).unwrap_or(whole),
            _ => self.decorated(decorators, step).unwrap_or(whole),
        }
    }

    /// The place of the decorator with this name.
    pub(super) fn decorated(&self, decorators: &[Decorator], name: &str) -> Option<Found> {
        let decorator = self.decorator(decorators, name)?;
        Some(Found::exact(decorator.range))
    }

    fn decorator<'a>(&self, decorators: &'a [Decorator], name: &str) -> Option<&'a Decorator> {
        decorators.iter().find(|decorator| self.file.slice(decorator.name) == name)
    }

    /// The first argument of the decorator with this name, and the place of the decorator.
    fn argument_of<'a>(&self, decorators: &'a [Decorator], name: &str) -> Option<(&'a Node, Found)> {
        let decorator = self.decorator(decorators, name)?;
        Some((decorator.arguments.first()?, Found::exact(decorator.range)))
    }

    /// The place of `metadata/…`, which is compiled from both `@description()` and `@metadata()`.
    fn described(&self, decorators: &[Decorator], steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        if steps.first().is_none_or(|step| step == "description")
            && let Some(found) = self.decorated(decorators, "description")
        {
            return Some(found);
        }
        let (node, found) = self.argument_of(decorators, "metadata")?;
        Some(self.property(node, steps, value, found))
    }

    /// The place of `properties/<name>/…`.
    fn field(&self, annotation: Option<&Node>, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let field = objects(annotation?).find_map(|members| property_of(self, members, name))?;
        let here = Found::property(field);
        Some(self.constraint(Some(&field.value), &field.decorators, rest, child(value, name), here))
    }

    /// The place of `additionalProperties/…`, which is compiled from `*: type`.
    fn any_field(&self, annotation: Option<&Node>, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let field = objects(annotation?).find_map(|members| property_of(self, members, "*"))?;
        Some(self.constraint(Some(&field.value), &field.decorators, steps, value, Found::property(field)))
    }

    /// The place of `prefixItems/<index>/…`.
    fn tuple_item(&self, annotation: Option<&Node>, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (step, rest) = steps.split_first()?;
        let items = literals(annotation?).find_map(|node| match &node.shape {
            Shape::Array(items) => Some(items),
            _ => None,
        })?;
        let item = items.get(step.parse::<usize>().ok()?)?;
        let here = Found::exact(item.value.range);
        Some(self.constraint(Some(&item.value), &item.decorators, rest, child(value, step), here))
    }

    /// The place of `discriminator/mapping/<tag>/…`: the member of the union with the literal `tag`. It may be in a
    /// type that the union refers to. `None` if the compiler made it a reference to a named type.
    fn variant(&self, annotation: Option<&Node>, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let [mapping, tag, rest @ ..] = steps else { return None };
        let value = child(child(value, mapping), tag);
        let annotation = annotation?;
        let is_named = value.is_some_and(|member| member.get("$ref").is_some());
        if is_named {
            return None;
        }
        let node = self.tagged(annotation, tag, &mut { MAX_FOLLOWED })?;
        Some(self.constraint(Some(node), &[], rest, value, Found::exact(node.range)))
    }

    /// The object type with a property whose type is the literal `tag`, in an annotation or in the types that it names.
    fn tagged<'a>(&'a self, annotation: &'a Node, tag: &str, budget: &mut u32) -> Option<&'a Node> {
        *budget = budget.checked_sub(1)?;
        let has_tag = |item: &ObjectItem| match item {
            ObjectItem::Property(property) => {
                let range = property.value.range;
                let is_literal = self.file.slice(range).starts_with('\'');
                is_literal && self.file.word(range).is_some_and(|text| text == tag)
            }
            _ => false,
        };
        let own = literals(annotation).find(|node| match &node.shape {
            Shape::Object(members) => members.iter().any(has_tag),
            _ => false,
        });
        let named = || {
            let words = self.file.slice(annotation.range).split(|c: char| !c.is_alphanumeric() && c != '_');
            let mut types = words.filter_map(|word| self.declared(Kind::Type, word)?.value.as_ref());
            types.find_map(|node| self.tagged(node, tag, budget))
        };
        own.or_else(named)
    }
}

/// The literals in a type expression such as a union, or the type itself if it is a literal.
fn literals(node: &Node) -> impl Iterator<Item = &Node> {
    let parts = match &node.shape {
        Shape::Expression(parts) => parts.as_slice(),
        _ => std::slice::from_ref(node),
    };
    parts.iter()
}

/// The items of the object types in a type expression.
fn objects(node: &Node) -> impl Iterator<Item = &[ObjectItem]> {
    literals(node).filter_map(|literal| match &literal.shape {
        Shape::Object(members) => Some(members.as_slice()),
        _ => None,
    })
}
