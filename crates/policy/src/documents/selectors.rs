//! Selectors, which restrict an assignment, an override or an exemption to some resources.

use crate::documents::{checked_text, items, mistyped, texts};
use crate::problem::Problem;
use crate::value::{Str, Value};

/// An entry of `resourceSelectors`: all of its selectors have to match, but only one of several entries.
#[derive(Clone, Debug)]
pub struct ResourceSelector {
    /// Selectors that all have to match.
    pub selectors: Vec<Selector>,
}

/// A condition on a resource or a definition.
#[derive(Clone, Debug)]
pub struct Selector {
    /// Compared property: `kind` in the file, such as `resourceLocation`.
    pub kind: SelectorKind,
    /// Values of which one has to match: `in`.
    pub is_in: Option<Vec<Str>>,
    /// Values of which none may match: `notIn`.
    pub not_in: Option<Vec<Str>>,
}

/// Property that a [`Selector`] compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectorKind {
    /// The location of the resource.
    ResourceLocation,
    /// The type of the resource.
    ResourceType,
    /// Existence of a location: the only value, `subscriptionLevelResources`, matches resources without one.
    ResourceWithoutLocation,
    /// Reference of an initiative. Only for overrides.
    PolicyDefinitionReferenceId,
    /// A property that depends on the caller, or an unknown one.
    Other(Str),
}

impl ResourceSelector {
    /// Reads the member `resourceSelectors`.
    pub(super) fn read_all(properties: &Value, problems: &mut Vec<Problem>) -> Vec<Self> {
        const NAME: &str = "resourceSelectors";
        let mut all = Vec::new();
        for entry in items(properties, NAME, problems) {
            if entry.as_object().is_none() {
                problems.push(mistyped(entry, NAME, "an array of objects"));
            }
            all.push(Self { selectors: Selector::read_all(entry, problems) });
        }
        all
    }
}

impl Selector {
    /// Reads the member `selectors`.
    pub(super) fn read_all(entry: &Value, problems: &mut Vec<Problem>) -> Vec<Self> {
        let all = items(entry, "selectors", problems);
        all.iter().map(|selector| Self::read(selector, problems)).collect()
    }

    fn read(selector: &Value, problems: &mut Vec<Problem>) -> Self {
        let kind = checked_text(selector, "kind", problems).unwrap_or_else(|| Str::from(""));
        let mut list = |name: &str| {
            let is_there = selector.get(name).is_some_and(|list| !list.is_null());
            is_there.then(|| texts(selector, name, problems))
        };
        let this = Self { kind: SelectorKind::of_name(&kind), is_in: list("in"), not_in: list("notIn") };
        if this.is_in.is_some() == this.not_in.is_some() {
            problems.push(Problem::new(selector.span, "a selector needs either `in` or `notIn`"));
        }
        this
    }
}

impl SelectorKind {
    fn of_name(name: &Str) -> Self {
        match name.to_ascii_lowercase().as_str() {
            "resourcelocation" => Self::ResourceLocation,
            "resourcetype" => Self::ResourceType,
            "resourcewithoutlocation" => Self::ResourceWithoutLocation,
            "policydefinitionreferenceid" => Self::PolicyDefinitionReferenceId,
            _ => Self::Other(name.clone()),
        }
    }
}
