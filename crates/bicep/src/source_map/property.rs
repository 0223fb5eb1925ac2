//! Follows a path into objects and arrays. The path is the same in JSON and in Bicep, as long as both are literals.

use crate::language::ast::{ArrayItem, Expr, ExprKind, For, Item, Name, Property};
use crate::source_map::Exactness;
use crate::source_map::pointer::{PathStep, child};
use crate::source_map::unit::Unit;
use crate::text::Span;
use crate::value::Value;

/// Maximum number of variables that one search follows. They can refer to each other in cycles, and to several others
/// each.
const MAX_FOLLOWED: u32 = 32;

/// A [`SourceLocation`](super::SourceLocation) in one file.
#[derive(Clone, Copy, Debug)]
pub(super) struct FileLocation {
    pub(super) span: Span,
    /// Span of the value, without the name of a property. Otherwise the same as `span`.
    pub(super) value: Span,
    pub(super) exactness: Exactness,
}

impl FileLocation {
    /// Returns a location whose span is the source.
    pub(super) fn exact(span: Span) -> Self {
        Self { span, value: span, exactness: Exactness::Exact }
    }

    /// Returns a location whose span contains the source.
    pub(super) fn nearest(span: Span) -> Self {
        Self { exactness: Exactness::Nearest, ..Self::exact(span) }
    }

    /// Returns the location of a property.
    pub(super) fn property(property: &Property) -> Self {
        Self { value: property.value.span, ..Self::exact(property.span()) }
    }

    pub(super) fn is_exact(self) -> bool {
        self.exactness == Exactness::Exact
    }
}

/// Search for the end of a path.
pub(super) struct PathSearch<'a> {
    unit: &'a Unit,
    followed: u32,
}

impl Unit {
    /// Starts a search in this file.
    pub(super) fn search(&self) -> PathSearch<'_> {
        PathSearch { unit: self, followed: 0 }
    }
}

/// Returns the last property with this name, which overrides earlier ones. If there is none, the last one whose name
/// differs only in case.
pub(super) fn property_of<'a>(items: &'a [Item], name: &str) -> Option<&'a Property> {
    let named = items.iter().rev().filter_map(as_property).filter_map(|property| Some((property, property.name()?)));
    let mut similar = named.filter(|(_, own)| own.eq_ignore_ascii_case(name)).peekable();
    let last = similar.peek().copied();
    similar.find(|(_, own)| *own == name).or(last).map(|(property, _)| property)
}

fn as_property(item: &Item) -> Option<&Property> {
    match item {
        Item::Property(property) => Some(property),
        Item::Spread(_) | Item::Resource(_) => None,
    }
}

impl PathSearch<'_> {
    /// Follows `steps` from `expr`, from which `value` was compiled. `value` is `None` inside an expression, where the
    /// compiled value has no structure. `here` is the location of the node itself.
    pub(super) fn property(
        &mut self,
        expr: &Expr,
        steps: &[PathStep<'_>],
        value: Option<&Value>,
        here: FileLocation,
    ) -> FileLocation {
        let Some((step, rest)) = steps.split_first() else { return here };
        let missing = FileLocation::nearest(here.span);
        match &expr.kind {
            ExprKind::Object(items) => self.object(items, steps, value).unwrap_or(missing),
            ExprKind::Array(items) => self.array(items, steps, value).unwrap_or(missing),
            // An index into the array of a loop.
            ExprKind::For(inner) if step.parse::<usize>().is_ok() => {
                self.property(&inner.body, rest, None, FileLocation::exact(inner.body.span))
            }
            ExprKind::For(_) => missing,
            ExprKind::If(inner) => self.property(&inner.1, steps, value, here),
            ExprKind::Variable(name) => self.variable(name, steps).unwrap_or(missing),
            _ => self.any_of(&expr.literals(), steps).unwrap_or(missing),
        }
    }

    fn object(&mut self, items: &[Item], steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (step, rest) = steps.split_first()?;
        if let Some(found) = self.copied(items, steps, value) {
            return Some(found);
        }
        let inner = child(value, step);
        let property = property_of(items, literal_key(step)).or_else(|| computed(items, step, value));
        if let Some(property) = property {
            return Some(self.property(&property.value, rest, inner, FileLocation::property(property)));
        }
        let mut spreads = items.iter().rev().filter_map(|item| match item {
            Item::Spread(spread) => Some(spread),
            _ => None,
        });
        spreads.find_map(|spread| {
            let found = self.property(spread, steps, None, FileLocation::exact(spread.span));
            found.is_exact().then_some(found)
        })
    }

    /// Follows `copy/0/input/…`. The entries of `copy` are compiled from the properties that they name, whose values
    /// are loops. `copy` alone means the first entry.
    fn copied(&mut self, items: &[Item], steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (step, rest) = steps.split_first().filter(|(step, _)| *step == "copy")?;
        let (index, rest) = rest.split_first().map_or(("0", rest), |(index, rest)| (&**index, rest));
        let entry = child(child(value, step), index);
        let name = entry?.get("name")?.as_str()?;
        let property = property_of(items, name)?;
        Some(self.entry(&property.value, rest, entry, FileLocation::property(property)))
    }

    /// Follows `steps` from a value that is compiled from a loop. They start with `copy` and an index.
    pub(super) fn looped(
        &mut self,
        expr: &Expr,
        steps: &[PathStep<'_>],
        value: Option<&Value>,
        here: FileLocation,
    ) -> FileLocation {
        match steps {
            [step, index, rest @ ..] if step == "copy" => {
                self.entry(expr, rest, child(child(value, step), index), here)
            }
            _ => here,
        }
    }

    /// Follows `steps` from one entry of `copy`, which is compiled from the loop `expr`.
    fn entry(
        &mut self,
        expr: &Expr,
        steps: &[PathStep<'_>],
        entry: Option<&Value>,
        here: FileLocation,
    ) -> FileLocation {
        let ExprKind::For(iteration) = &expr.kind else { return FileLocation::nearest(here.span) };
        self.copy(iteration, steps, entry, here)
    }

    /// Follows `steps` from one entry of `copy`, which is compiled from `iteration`.
    pub(super) fn copy(
        &mut self,
        iteration: &For,
        steps: &[PathStep<'_>],
        entry: Option<&Value>,
        here: FileLocation,
    ) -> FileLocation {
        match steps.split_first() {
            Some((step, _)) if step == "count" => FileLocation::exact(iteration.source.span),
            Some((step, rest)) if step == "input" => {
                self.property(&iteration.body, rest, child(entry, step), FileLocation::exact(iteration.body.span))
            }
            _ => here,
        }
    }

    fn array(&mut self, items: &[ArrayItem], steps: &[PathStep<'_>], value: Option<&Value>) -> Option<FileLocation> {
        let (step, rest) = steps.split_first()?;
        let at = step.parse::<usize>().ok()?;
        // After a spread, the position in the source does not determine the index.
        if items.iter().take(at.saturating_add(1)).any(|item| item.is_spread) {
            return None;
        }
        let item = items.get(at)?;
        Some(self.property(&item.value, rest, child(value, step), FileLocation::exact(item.value.span)))
    }

    /// Follows `steps` in the literals of an expression, any of which may be its value. `None` if several contain the
    /// path: only the value of a condition tells which of them is meant.
    fn any_of(&mut self, literals: &[&Expr], steps: &[PathStep<'_>]) -> Option<FileLocation> {
        let mut first: Option<FileLocation> = None;
        for literal in literals {
            let found = self.property(literal, steps, None, FileLocation::exact(literal.span));
            if found.is_exact() {
                if first.is_some() {
                    return None;
                }
                first = Some(found);
            }
        }
        first
    }

    /// Follows `steps` in the value of a variable.
    fn variable(&mut self, name: &Name, steps: &[PathStep<'_>]) -> Option<FileLocation> {
        if self.followed >= MAX_FOLLOWED {
            return None;
        }
        self.followed += 1;
        let value = self.unit.variable_value(&name.text)?;
        let found = self.property(value, steps, None, FileLocation::exact(value.span));
        found.is_exact().then_some(found)
    }
}

/// Returns the property with a computed name, which is an expression in JSON. Computed names are matched by their
/// order, which is the same in both languages.
fn computed<'a>(items: &'a [Item], step: &str, value: Option<&Value>) -> Option<&'a Property> {
    if !is_expression(step) {
        return None;
    }
    let keys = value?.as_object()?.iter().map(|member| &*member.key);
    let mut computed_keys = keys.filter(|key| is_expression(key) && literal_key(key) == *key);
    let at = computed_keys.position(|key| key == step)?;
    let properties = items.iter().filter_map(as_property);
    let mut computed = properties.filter(|property| property.name().is_none());
    computed.nth(at)
}

fn is_expression(key: &str) -> bool {
    key.starts_with('[') && key.ends_with(']') && !key.starts_with("[[")
}

/// Returns the Bicep name of a JSON property. The compiler writes names with a meaning in templates as
/// `[string('copy')]`, and adds a bracket to names that look like expressions.
fn literal_key(key: &str) -> &str {
    if let Some(unescaped) = key.strip_prefix('[').filter(|rest| rest.starts_with('[')) {
        return unescaped;
    }
    let inner = key.strip_prefix("[string('").and_then(|rest| rest.strip_suffix("')]"));
    inner.unwrap_or(key)
}
