//! Follows a path into objects and arrays. The path is the same in JSON and in Bicep as long as both are literals.

use crate::bicep::reader::{ArrayItem, DeclarationKind as Kind, Loop, Node, ObjectItem, Property, Range, Shape};
use crate::bicep::source_map::Exactness;
use crate::bicep::source_map::pointer::{Step, child};
use crate::bicep::source_map::unit::Unit;
use crate::value::Value;

/// How many variables one search follows. They may refer to each other in cycles, and to several others each.
const MAX_FOLLOWED: u32 = 32;

/// A [`Place`](super::Place) in one file, as ranges.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) range: Range,
    /// The value without the name if the place is a property. Otherwise the same as `range`.
    pub(super) value: Range,
    pub(super) exactness: Exactness,
}

impl Found {
    /// The range is the source.
    pub(super) fn exact(range: Range) -> Self {
        Self { range, value: range, exactness: Exactness::Exact }
    }

    /// The source is somewhere inside the range.
    pub(super) fn nearest(range: Range) -> Self {
        Self { exactness: Exactness::Nearest, ..Self::exact(range) }
    }

    /// The property is the source.
    pub(super) fn property(property: &Property) -> Self {
        Self { value: property.value.range, ..Self::exact(property.range()) }
    }

    pub(super) fn is_exact(self) -> bool {
        self.exactness == Exactness::Exact
    }
}

/// One search for the end of a path.
struct Search<'a> {
    unit: &'a Unit,
    followed: u32,
}

impl Unit {
    /// Follows `steps` from `node`, from which `value` was compiled. `here` is the place of the node itself.
    pub(super) fn property(&self, node: &Node, steps: &[Step<'_>], value: Option<&Value>, here: Found) -> Found {
        Search { unit: self, followed: 0 }.go(node, steps, value, here)
    }

    /// Follows `steps` from a value that is compiled from a loop: they begin with `copy` and an index.
    pub(super) fn looped(&self, node: &Node, steps: &[Step<'_>], value: Option<&Value>, here: Found) -> Found {
        Search { unit: self, followed: 0 }.iteration(node, steps, value, here)
    }

    /// Follows `steps` from one entry of `copy`, which is compiled from `iteration`.
    pub(super) fn copy(&self, iteration: &Loop, steps: &[Step<'_>], entry: Option<&Value>, here: Found) -> Found {
        Search { unit: self, followed: 0 }.entry_of(iteration, steps, entry, here)
    }
}

/// The last property with this name, which overrides earlier ones. If there is none, the last one whose name differs
/// only in case.
pub(super) fn property_of<'a>(unit: &Unit, members: &'a [ObjectItem], name: &str) -> Option<&'a Property> {
    let properties = || members.iter().rev().filter_map(as_property);
    let is_named = |property: &Property, equals: fn(&str, &str) -> bool| {
        unit.file.word(property.key).is_some_and(|key| equals(&key, name))
    };
    properties()
        .find(|property| is_named(property, |a, b| a == b))
        .or_else(|| properties().find(|property| is_named(property, str::eq_ignore_ascii_case)))
}

fn as_property(item: &ObjectItem) -> Option<&Property> {
    match item {
        ObjectItem::Property(property) => Some(property),
        ObjectItem::Spread(_) | ObjectItem::Resource(_) => None,
    }
}

impl Search<'_> {
    /// Follows `steps` from `node`. `value` is `None` inside an expression, where the compiled value has no structure.
    fn go(&mut self, node: &Node, steps: &[Step<'_>], value: Option<&Value>, here: Found) -> Found {
        let Some((step, rest)) = steps.split_first() else { return here };
        let missing = Found::nearest(here.range);
        match &node.shape {
            Shape::Object(members) => self.object(members, steps, value).unwrap_or(missing),
            Shape::Array(items) => self.array(items, steps, value).unwrap_or(missing),
            // An index into the array that a loop makes.
            Shape::Loop(inner) if step.parse::<usize>().is_ok() => {
                self.go(&inner.body, rest, None, Found::exact(inner.body.range))
            }
            Shape::Loop(_) => missing,
            Shape::Condition(inner) => self.go(&inner.body, steps, value, here),
            Shape::Expression(parts) if parts.is_empty() => self.variable(node, steps).unwrap_or(missing),
            Shape::Expression(parts) => self.any_of(parts, steps).unwrap_or(missing),
        }
    }

    fn object(&mut self, members: &[ObjectItem], steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (step, rest) = steps.split_first()?;
        if let Some(found) = self.copied(members, steps, value) {
            return Some(found);
        }
        let inner = child(value, step);
        let property =
            property_of(self.unit, members, literal_key(step)).or_else(|| self.computed(members, step, value));
        if let Some(property) = property {
            return Some(self.go(&property.value, rest, inner, Found::property(property)));
        }
        let mut spreads = members.iter().rev().filter_map(|item| match item {
            ObjectItem::Spread(spread) => Some(spread),
            _ => None,
        });
        spreads.find_map(|spread| {
            let found = self.go(spread, steps, None, Found::exact(spread.range));
            found.is_exact().then_some(found)
        })
    }

    /// Follows `copy/0/input/…`: the entries of `copy` are compiled from the properties that they name, whose values
    /// are loops. `copy` itself stands for the first entry.
    fn copied(&mut self, members: &[ObjectItem], steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (step, rest) = steps.split_first().filter(|(step, _)| *step == "copy")?;
        let (index, rest) = rest.split_first().map_or(("0", rest), |(index, rest)| (&**index, rest));
        let entry = child(child(value, step), index);
        let name = entry?.get("name")?.as_str()?;
        let property = property_of(self.unit, members, name)?;
        Some(self.entry(&property.value, rest, entry, Found::property(property)))
    }

    fn iteration(&mut self, node: &Node, steps: &[Step<'_>], value: Option<&Value>, here: Found) -> Found {
        match steps {
            [step, index, rest @ ..] if step == "copy" => {
                self.entry(node, rest, child(child(value, step), index), here)
            }
            _ => here,
        }
    }

    /// Follows `steps` from one entry of `copy`, which is compiled from the loop `node`.
    fn entry(&mut self, node: &Node, steps: &[Step<'_>], entry: Option<&Value>, here: Found) -> Found {
        let Shape::Loop(iteration) = &node.shape else { return Found::nearest(here.range) };
        self.entry_of(iteration, steps, entry, here)
    }

    fn entry_of(&mut self, iteration: &Loop, steps: &[Step<'_>], entry: Option<&Value>, here: Found) -> Found {
        match steps.split_first() {
            Some((step, _)) if step == "count" => Found::exact(iteration.source.range),
            Some((step, rest)) if step == "input" => {
                self.go(&iteration.body, rest, child(entry, step), Found::exact(iteration.body.range))
            }
            _ => here,
        }
    }

    /// The property with a computed name, which is an expression in JSON. Computed names are matched by their order,
    /// which is the same in both languages.
    fn computed<'a>(&self, members: &'a [ObjectItem], step: &str, value: Option<&Value>) -> Option<&'a Property> {
        if !is_expression(step) {
            return None;
        }
        let keys = value?.as_object()?.iter().map(|member| &*member.key);
        let mut computed_keys = keys.filter(|key| is_expression(key) && literal_key(key) == *key);
        let at = computed_keys.position(|key| key == step)?;
        let properties = members.iter().filter_map(as_property);
        let mut computed = properties.filter(|property| self.unit.file.word(property.key).is_none());
        computed.nth(at)
    }

    fn array(&mut self, items: &[ArrayItem], steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (step, rest) = steps.split_first()?;
        let at = step.parse::<usize>().ok()?;
        // After a spread, the position in the source does not determine the index.
        if items.iter().take(at.saturating_add(1)).any(|item| item.spread) {
            return None;
        }
        let item = items.get(at)?;
        Some(self.go(&item.value, rest, child(value, step), Found::exact(item.value.range)))
    }

    /// Follows `steps` in the literals of an expression, any of which may be its value. If several have the path, the
    /// place in the first one is the nearest.
    fn any_of(&mut self, parts: &[Node], steps: &[Step<'_>]) -> Option<Found> {
        let mut first: Option<Found> = None;
        for part in parts {
            let found = self.go(part, steps, None, Found::exact(part.range));
            if found.is_exact() {
                match first {
                    Some(first) => return Some(Found { exactness: Exactness::Nearest, ..first }),
                    None => first = Some(found),
                }
            }
        }
        first
    }

    /// Follows `steps` in the value of a variable, if the expression is just its name.
    fn variable(&mut self, node: &Node, steps: &[Step<'_>]) -> Option<Found> {
        if self.followed >= MAX_FOLLOWED {
            return None;
        }
        self.followed += 1;
        let name = self.unit.file.slice(node.range);
        let value = self.unit.declared(Kind::Var, name)?.value.as_ref()?;
        let found = self.go(value, steps, None, Found::exact(value.range));
        found.is_exact().then_some(found)
    }
}

fn is_expression(key: &str) -> bool {
    key.starts_with('[') && key.ends_with(']') && !key.starts_with("[[")
}

/// The name in Bicep of a property in JSON. The compiler writes names that have a meaning in templates as
/// `[string('copy')]`, and adds a bracket to names that look like expressions.
fn literal_key(key: &str) -> &str {
    if let Some(unescaped) = key.strip_prefix('[').filter(|rest| rest.starts_with('[')) {
        return unescaped;
    }
    let inner = key.strip_prefix("[string('").and_then(|rest| rest.strip_suffix("')]"));
    inner.unwrap_or(key)
}
