//! The resources of a document by their types, so that what is about one type does not look at all resources.

use foldhash::HashMap;

use crate::value::{Data, Str, Value};

/// The positions of resources in the object that has them, in its order.
#[derive(Debug, Default)]
pub(super) struct Types {
    by_type: HashMap<Str, Vec<usize>>,
    /// Resources whose type is not a known string, or not where it should be: any filter may select them.
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

    /// The resources of the types that `is_it` selects.
    pub(super) fn of(&self, is_it: impl Fn(&str) -> bool) -> Vec<usize> {
        let of_types = self.by_type.iter().filter(|(own, _)| is_it(own)).flat_map(|(_, at)| at);
        let mut found: Vec<usize> = of_types.copied().collect();
        found.sort_unstable();
        found
    }

    /// Those, and the resources of which a filter has to see whether they are.
    pub(super) fn may_be(&self, is_it: impl Fn(&str) -> bool) -> Vec<usize> {
        let mut found = self.of(is_it);
        if !self.others.is_empty() {
            found.extend(&self.others);
            found.sort_unstable();
        }
        found
    }
}
