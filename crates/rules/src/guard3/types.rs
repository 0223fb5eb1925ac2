//! Index of a document's resources by type, so that filters by type do not visit all resources.

use foldhash::HashMap;

use crate::value::{Data, Str, Value};

/// Positions of resources in the object that has them.
#[derive(Debug, Default)]
pub(super) struct Types {
    by_type: HashMap<Str, Vec<usize>>,
    /// Resources without a known type: any filter may select them.
    others: Vec<usize>,
}

impl Types {
    pub(super) fn new(resources: &Value, ignores_case: bool) -> Self {
        let mut types = Self::default();
        for (at, resource) in resources.as_object().into_iter().flatten().enumerate() {
            let own = resource.value.as_object().and_then(|resource| resource.member("Type"));
            match own.filter(|own| ignores_case || own.key == *"Type").map(|own| &own.value.data) {
                Some(Data::String(own)) => types.by_type.entry(own.clone()).or_default().push(at),
                _ => types.others.push(at),
            }
        }
        types
    }

    /// Returns the resources whose type is known and selected by `is_it`.
    pub(super) fn of_known_type(&self, is_it: impl Fn(&str) -> bool) -> Vec<usize> {
        let of_types = self.by_type.iter().filter(|(own, _)| is_it(own)).flat_map(|(_, at)| at);
        let mut found: Vec<usize> = of_types.copied().collect();
        found.sort_unstable();
        found
    }

    /// Returns the resources that a filter may select: those whose type `is_it` selects, and those without a known
    /// type.
    pub(super) fn may_be(&self, is_it: impl Fn(&str) -> bool) -> Vec<usize> {
        let mut found = self.of_known_type(is_it);
        if !self.others.is_empty() {
            found.extend(&self.others);
            found.sort_unstable();
        }
        found
    }
}
