//! Types: what a declaration says of its values, and the JSON schema that it becomes.

use crate::bicep::reader::{DeclarationKind as Kind, Decorator, Member, Node, Shape};
use crate::bicep::source_map::pointer::{Step, child};
use crate::bicep::source_map::property::{Found, property_of};
use crate::bicep::source_map::unit::Unit;
use crate::value::Value;

/// How many type names are followed for one member of a union; they may name each other.
const MAX_FOLLOWED: u32 = 32;

impl Unit {
    /// Goes along `steps` in the schema of a type. `here` is the place of what has the type.
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
        let whole = annotation.map_or(here, |it| Found::exact(it.range));
        match &**step {
            "metadata" => self.described(decorators, rest, value).unwrap_or(here),
            "allowedValues" => match (self.argument_of(decorators, "allowed"), annotation) {
                (Some((node, found)), _) => self.property(node, rest, value, found),
                (None, Some(node)) if rest.len() > 1 => self.property(node, &rest[1..], None, whole),
                _ => whole,
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

    /// The decorator of this name.
    pub(super) fn decorated(&self, decorators: &[Decorator], name: &str) -> Option<Found> {
        let it = decorators.iter().find(|it| self.file.slice(it.name) == name)?;
        Some(Found::exact(it.range))
    }

    fn argument_of<'a>(&self, decorators: &'a [Decorator], name: &str) -> Option<(&'a Node, Found)> {
        let it = decorators.iter().find(|it| self.file.slice(it.name) == name)?;
        Some((it.arguments.first()?, Found::exact(it.range)))
    }

    /// `metadata/…`: `@description()` and `@metadata()` are one object in JSON.
    fn described(&self, decorators: &[Decorator], steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        if steps.first().is_none_or(|it| it == "description")
            && let Some(found) = self.decorated(decorators, "description")
        {
            return Some(found);
        }
        let (node, found) = self.argument_of(decorators, "metadata")?;
        Some(self.property(node, steps, value, found))
    }

    fn field(&self, annotation: Option<&Node>, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (name, rest) = steps.split_first()?;
        let it = objects(annotation?).find_map(|members| property_of(self, members, name))?;
        let here = Found { value: it.value.range, ..Found::exact(it.range()) };
        Some(self.constraint(Some(&it.value), &it.decorators, rest, child(value, name), here))
    }

    /// `*: type`
    fn any_field(&self, annotation: Option<&Node>, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let it = objects(annotation?).find_map(|members| property_of(self, members, "*"))?;
        let here = Found { value: it.value.range, ..Found::exact(it.range()) };
        Some(self.constraint(Some(&it.value), &it.decorators, steps, value, here))
    }

    fn tuple_item(&self, annotation: Option<&Node>, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (step, rest) = steps.split_first()?;
        let items = literals(annotation?).find_map(|node| match &node.shape {
            Shape::Array(items) => Some(items),
            _ => None,
        })?;
        let it = items.get(step.parse::<usize>().ok()?)?;
        let here = Found::exact(it.value.range);
        Some(self.constraint(Some(&it.value), &it.decorators, rest, child(value, step), here))
    }

    /// `discriminator/mapping/tag/…`: the member of the union that has the literal `tag`, here or in a type that is named
    /// here.
    fn variant(&self, annotation: Option<&Node>, steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let [mapping, tag, rest @ ..] = steps else { return None };
        let value = child(child(value, mapping), tag);
        let annotation = annotation?;
        let is_named = value.is_some_and(|it| it.get("$ref").is_some());
        if is_named {
            return None;
        }
        let node = self.tagged(annotation, tag, &mut { MAX_FOLLOWED })?;
        Some(self.constraint(Some(node), &[], rest, value, Found::exact(node.range)))
    }

    fn tagged<'a>(&'a self, annotation: &'a Node, tag: &str, budget: &mut u32) -> Option<&'a Node> {
        *budget = budget.checked_sub(1)?;
        let has_tag = |member: &Member| match member {
            Member::Property(it) => {
                let raw = self.file.slice(it.value.range);
                raw.starts_with('\'') && self.file.word(it.value.range).is_some_and(|it| it == tag)
            }
            _ => false,
        };
        let own = literals(annotation).find(|node| match &node.shape {
            Shape::Object(members) => members.iter().any(has_tag),
            _ => false,
        });
        let named = || {
            let words = self.file.slice(annotation.range).split(|it: char| !it.is_alphanumeric() && it != '_');
            let mut types = words.filter_map(|word| self.declared(Kind::Type, word)?.value.as_ref());
            types.find_map(|it| self.tagged(it, tag, budget))
        };
        own.or_else(named)
    }
}

/// The literals in a type, or the type itself if it is one.
fn literals(node: &Node) -> impl Iterator<Item = &Node> {
    let parts = match &node.shape {
        Shape::Expression(parts) => parts.as_slice(),
        _ => std::slice::from_ref(node),
    };
    parts.iter()
}

fn objects(node: &Node) -> impl Iterator<Item = &[Member]> {
    literals(node).filter_map(|it| match &it.shape {
        Shape::Object(members) => Some(members.as_slice()),
        _ => None,
    })
}
