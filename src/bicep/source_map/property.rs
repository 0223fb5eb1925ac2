//! Into objects and arrays: a path in JSON is the same path in Bicep, as far as both are literals.

use crate::bicep::reader::{DeclarationKind as Kind, Item, Loop, Member, Node, Property, Range, Shape};
use crate::bicep::source_map::Exactness;
use crate::bicep::source_map::pointer::{Step, child};
use crate::bicep::source_map::unit::Unit;
use crate::value::Value;

/// How many variables one search follows: they may lead to each other in circles, and fan out.
const MAX_FOLLOWED: u32 = 32;

/// A place in one file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) range: Range,
    /// The value alone, where the place is a property.
    pub(super) value: Range,
    pub(super) exactness: Exactness,
}

impl Found {
    /// Just this.
    pub(super) fn exact(range: Range) -> Self {
        Self { range, value: range, exactness: Exactness::Exact }
    }

    /// Somewhere in this.
    pub(super) fn nearest(range: Range) -> Self {
        Self { exactness: Exactness::Nearest, ..Self::exact(range) }
    }

    fn property(it: &Property) -> Self {
        Self { value: it.value.range, ..Self::exact(it.range()) }
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
    /// Goes from `node`, which is what `value` was compiled from, along `steps`. `here` is the place of the node itself.
    pub(super) fn property(&self, node: &Node, steps: &[Step<'_>], value: Option<&Value>, here: Found) -> Found {
        Search { unit: self, followed: 0 }.go(node, steps, value, here)
    }

    /// Goes into the object that stands in place of a value that is made by a loop: `steps` begin with `copy` and an
    /// index.
    pub(super) fn looped(&self, node: &Node, steps: &[Step<'_>], value: Option<&Value>, here: Found) -> Found {
        Search { unit: self, followed: 0 }.iteration(node, steps, value, here)
    }

    /// Goes into one entry of `copy`, which the loop was compiled to.
    pub(super) fn copy(&self, it: &Loop, steps: &[Step<'_>], entry: Option<&Value>, here: Found) -> Found {
        Search { unit: self, followed: 0 }.entry_of(it, steps, entry, here)
    }
}

/// The last property of this name: of several the last counts.
pub(super) fn property_of<'a>(unit: &Unit, members: &'a [Member], name: &str) -> Option<&'a Property> {
    let properties = || members.iter().rev().filter_map(as_property);
    let is_named =
        |it: &&Property, test: fn(&str, &str) -> bool| unit.file.word(it.key).is_some_and(|key| test(&key, name));
    properties()
        .find(|it| is_named(it, |a, b| a == b))
        .or_else(|| properties().find(|it| is_named(it, str::eq_ignore_ascii_case)))
}

fn as_property(member: &Member) -> Option<&Property> {
    match member {
        Member::Property(it) => Some(it),
        Member::Spread(_) | Member::Resource(_) => None,
    }
}

impl Search<'_> {
    fn go(&mut self, node: &Node, steps: &[Step<'_>], value: Option<&Value>, here: Found) -> Found {
        let Some((step, rest)) = steps.split_first() else { return here };
        let missing = Found::nearest(here.range);
        match &node.shape {
            Shape::Object(members) => self.object(members, steps, value).unwrap_or(missing),
            Shape::Array(items) => self.array(items, steps, value).unwrap_or(missing),
            Shape::Loop(it) if step.parse::<usize>().is_ok() => {
                self.go(&it.body, rest, None, Found::exact(it.body.range))
            }
            Shape::Loop(_) => missing,
            Shape::Condition(it) => self.go(&it.body, steps, value, here),
            Shape::Expression(parts) if parts.is_empty() => self.variable(node, steps).unwrap_or(missing),
            Shape::Expression(parts) => self.any_of(parts, steps).unwrap_or(missing),
        }
    }

    fn object(&mut self, members: &[Member], steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (step, rest) = steps.split_first()?;
        if let Some(found) = self.copied(members, steps, value) {
            return Some(found);
        }
        let inner = child(value, step);
        let property =
            property_of(self.unit, members, literal_key(step)).or_else(|| self.computed(members, step, value));
        if let Some(it) = property {
            return Some(self.go(&it.value, rest, inner, Found::property(it)));
        }
        let mut spreads = members.iter().rev().filter_map(|member| match member {
            Member::Spread(it) => Some(it),
            _ => None,
        });
        spreads.find_map(|it| Some(self.go(it, steps, None, Found::exact(it.range))).filter(|it| it.is_exact()))
    }

    /// `copy/0/input/…` is the loop in the property that `copy[0]` names; `copy` itself is that of the first.
    fn copied(&mut self, members: &[Member], steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
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

    /// In one entry of `copy`, which is made of the loop `node`.
    fn entry(&mut self, node: &Node, steps: &[Step<'_>], entry: Option<&Value>, here: Found) -> Found {
        let Shape::Loop(it) = &node.shape else { return Found::nearest(here.range) };
        self.entry_of(it, steps, entry, here)
    }

    fn entry_of(&mut self, it: &Loop, steps: &[Step<'_>], entry: Option<&Value>, here: Found) -> Found {
        match steps.split_first() {
            Some((step, _)) if step == "count" => Found::exact(it.source.range),
            Some((step, rest)) if step == "input" => {
                self.go(&it.body, rest, child(entry, step), Found::exact(it.body.range))
            }
            _ => here,
        }
    }

    /// Names that are computed are texts with brackets in JSON. Their order is the same on both sides.
    fn computed<'a>(&self, members: &'a [Member], step: &str, value: Option<&Value>) -> Option<&'a Property> {
        if !is_expression(step) {
            return None;
        }
        let keys = value?.as_object()?.iter().filter(|it| is_expression(&it.key) && *literal_key(&it.key) == *it.key);
        let at = keys.into_iter().position(|it| *it.key == *step)?;
        let mut computed = members.iter().filter_map(as_property).filter(|it| self.unit.file.word(it.key).is_none());
        computed.nth(at)
    }

    fn array(&mut self, items: &[Item], steps: &[Step<'_>], value: Option<&Value>) -> Option<Found> {
        let (step, rest) = steps.split_first()?;
        let at = step.parse::<usize>().ok()?;
        if items.iter().take(at.saturating_add(1)).any(|it| it.spread) {
            return None;
        }
        let item = items.get(at)?;
        Some(self.go(&item.value, rest, child(value, step), Found::exact(item.value.range)))
    }

    /// The literals in an expression are what it may evaluate to. Where several have the path, the first is as good as
    /// any.
    fn any_of(&mut self, parts: &[Node], steps: &[Step<'_>]) -> Option<Found> {
        let mut first: Option<Found> = None;
        for part in parts {
            let found = self.go(part, steps, None, Found::exact(part.range));
            if found.is_exact() {
                match first {
                    Some(it) => return Some(Found { exactness: Exactness::Nearest, ..it }),
                    None => first = Some(found),
                }
            }
        }
        first
    }

    /// A name alone: what the variable of that name says.
    fn variable(&mut self, node: &Node, steps: &[Step<'_>]) -> Option<Found> {
        if self.followed >= MAX_FOLLOWED {
            return None;
        }
        self.followed += 1;
        let name = self.unit.file.slice(node.range);
        let value = self.unit.declared(Kind::Var, name)?.value.as_ref()?;
        Some(self.go(value, steps, None, Found::exact(value.range))).filter(|it| it.is_exact())
    }
}

fn is_expression(key: &str) -> bool {
    key.starts_with('[') && key.ends_with(']') && !key.starts_with("[[")
}

/// A name that means something in templates is written as `[string('copy')]`, one that looks like an expression with
/// another bracket before it.
fn literal_key(key: &str) -> &str {
    if key.starts_with("[[") {
        return &key[1..];
    }
    let inner = key.strip_prefix("[string('").and_then(|it| it.strip_suffix("')]"));
    inner.unwrap_or(key)
}
