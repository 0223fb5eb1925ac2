//! Which resource of the document another one is nested in, told by ids.

use rustc_hash::FxHashMap;

use crate::arm::expand::registry::{Instance, Registry};

/// The resources of a document by their ids.
pub(super) struct Parents<'a> {
    registry: &'a Registry<'a>,
    /// Lower-case id -> instances in the order they are deployed: several where deployments declare it again, or where
    /// names are unknown.
    by_id: FxHashMap<String, Vec<usize>>,
}

impl<'a> Parents<'a> {
    /// Indexes what is deployed.
    pub(super) fn new(registry: &'a Registry<'a>, order: &[usize]) -> Self {
        let mut by_id: FxHashMap<String, Vec<usize>> = FxHashMap::default();
        for &at in order {
            by_id.entry(registry.instance(at).id.to_ascii_lowercase()).or_default().push(at);
        }
        Self { registry, by_id }
    }

    /// The resource that an instance lies in: the one that its declaration stands in, else what has the id of its scope.
    /// Where that is no resource of the document (a subnet that is written in its network), the nearest one above.
    pub(super) fn of(&self, instance: &Instance) -> Option<usize> {
        if instance.parent.is_some() {
            return instance.parent;
        }
        let scope = scope_of(instance);
        let mut next = Some(scope.as_str());
        while let Some(id) = next {
            if let Some(found) = self.at(id, instance) {
                return Some(found);
            }
            next = if instance.is_deployment() { None } else { above(id) };
        }
        None
    }

    /// What has this id. The declaration of the own deployment goes before others; of things whose names are unknown
    /// nobody can tell which is meant.
    fn at(&self, id: &str, child: &Instance) -> Option<usize> {
        let found = self.by_id.get(&id.to_ascii_lowercase())?;
        let mut others = found.iter().rev().copied().filter(|&it| it != child.index).peekable();
        let last = *others.peek()?;
        if found.len() > 1 && self.registry.instance(last).name.as_unknown().is_some() {
            return None;
        }
        others.find(|&it| self.registry.instance(it).node == child.node).or(Some(last))
    }
}

/// The id that a resource lies in: of a child without the last type and name, of an extension what it extends, else what
/// its deployment deploys to.
pub(super) fn scope_of(instance: &Instance) -> String {
    let is_child = instance.type_name.split('/').count() > 2 && !instance.is_deployment();
    let outer = instance.id.rsplitn(3, '/').nth(2).filter(|_| is_child);
    outer.map_or(instance.scope.as_str(), without_provider).to_owned()
}

/// The id of the resource that an id lies in. `None` for one that lies in no other resource.
fn above(id: &str) -> Option<&str> {
    let outer = without_provider(id.rsplitn(3, '/').nth(2)?);
    outer.contains("/providers/").then_some(outer)
}

/// An id without the provider at its end: `A.B/c/providers/locks` extends `A.B/c` and lies in no resource of its own.
fn without_provider(id: &str) -> &str {
    let head = id.rsplit_once('/').and_then(|(head, _)| head.strip_suffix("/providers"));
    head.unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_lies_in_the_one_before_its_last_type_and_name() {
        let check = |id: &str, wanted: Option<&str>| assert_eq!(above(id), wanted, "{id}");
        let vnet = "/subscriptions/s/resourceGroups/g/providers/Microsoft.Network/virtualNetworks/v";
        check(&format!("{vnet}/subnets/a"), Some(vnet));
        check(
            &format!("{vnet}/subnets/a/providers/Microsoft.Authorization/locks/l"),
            Some(&format!("{vnet}/subnets/a")),
        );
        check(vnet, None);
        check("/subscriptions/s/resourceGroups/g", None);
        check("/", None);
        check("", None);
    }
}
