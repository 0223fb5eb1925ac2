//! Finds the parent of a resource in the document by its ID.

use foldhash::HashMap;

use crate::expand::registry::{Instance, Registry};

/// An index of the resources of a document by ID.
pub(super) struct Parents<'a> {
    registry: &'a Registry<'a>,
    /// Instances by lowercase ID, in the order of deployment. There are several if more than one deployment declares
    /// the resource, or if unknown names have the same approximation.
    by_id: HashMap<String, Vec<usize>>,
}

impl<'a> Parents<'a> {
    /// Indexes the deployed instances, which `order` lists.
    pub(super) fn new(registry: &'a Registry<'a>, order: &[usize]) -> Self {
        let mut by_id: HashMap<String, Vec<usize>> = HashMap::default();
        // Resources of extensions have no ID.
        for &index in order.iter().filter(|&&index| !registry.instance(index).id.is_empty()) {
            by_id.entry(registry.instance(index).id.to_ascii_lowercase()).or_default().push(index);
        }
        Self { registry, by_id }
    }

    /// Returns the parent of an instance: the resource that encloses its declaration, or else the one with the ID of
    /// its scope. If the document does not have that resource (a subnet that is a property of its network), returns the
    /// nearest ancestor.
    pub(super) fn parent_of(&self, instance: &Instance) -> Option<usize> {
        if instance.parent.is_some() {
            return instance.parent;
        }
        let scope = scope_of(instance);
        let mut next = Some(scope.as_str());
        while let Some(id) = next {
            if let Some(found) = self.instance_with_id(id, instance) {
                return Some(found);
            }
            next = if instance.is_deployment() { None } else { outer_id(id) };
        }
        None
    }

    /// Returns the instance with this ID. The declaration in the child's own deployment takes precedence. `None` if
    /// several have it because their names are unknown, which makes the parent ambiguous.
    fn instance_with_id(&self, id: &str, child: &Instance) -> Option<usize> {
        let found = self.by_id.get(&id.to_ascii_lowercase())?;
        let mut others = found.iter().rev().copied().filter(|&index| index != child.index).peekable();
        let last = *others.peek()?;
        if found.len() > 1 && self.registry.instance(last).name.as_unknown().is_some() {
            return None;
        }
        others.find(|&index| self.registry.instance(index).node == child.node).or(Some(last))
    }
}

/// Returns the ID of the scope of a resource: the parent of a child, the resource that an extension resource extends,
/// or else the scope of the deployment.
pub(super) fn scope_of(instance: &Instance) -> String {
    let is_child = instance.type_name.split('/').count() > 2 && !instance.is_deployment();
    let outer = instance.id.rsplitn(3, '/').nth(2).filter(|_| is_child);
    outer.map_or(instance.scope.as_str(), without_provider).to_owned()
}

/// Returns the ID of the resource that contains the resource with this ID. `None` if the container is a scope such as a
/// resource group.
fn outer_id(id: &str) -> Option<&str> {
    let outer = without_provider(id.rsplitn(3, '/').nth(2)?);
    outer.contains("/providers/").then_some(outer)
}

/// Removes a trailing `/providers/<provider>` from an ID: `…/A.B/c/n/providers/C.D` extends `…/A.B/c/n`.
fn without_provider(id: &str) -> &str {
    let head = id.rsplit_once('/').and_then(|(head, _)| head.strip_suffix("/providers"));
    head.unwrap_or(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outer_id_lacks_the_last_type_and_name() {
        let check = |id: &str, expected: Option<&str>| assert_eq!(outer_id(id), expected, "{id}");
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
