//! Children of resources.
//!
//! A resource is a child of another whose type is a prefix of its own if the template nests it there, if its name
//! begins with the name of the other, or if it depends on the other. It is also a child of that resource's parents.

use foldhash::{HashMap, HashSet};

use crate::model::{DeploymentId, Document, Resource, ResourceId};

/// Segments of a type or a name that are considered. Resource Manager has no deeper types.
const MAX_SEGMENTS: usize = 16;

/// Length in bytes above which types and names are ignored. Resource Manager accepts 260 characters.
const MAX_NAME: usize = 1024;

/// Pairs of parent and child that are kept. Real templates have far fewer, but two loops of which each iteration of one
/// depends on all of the other may have more.
const MAX_PAIRS: usize = 500_000;

/// Children of each resource that has any, in the order of the text.
#[derive(Debug)]
pub(super) struct Children {
    of: HashMap<ResourceId, Vec<ResourceId>>,
}

impl Children {
    /// Finds the children of all resources of a document.
    pub(super) fn new(document: &Document) -> Self {
        let mut linker = Linker::new(document);
        let mut order: Vec<ResourceId> = (0..document.resources.len()).map(ResourceId).collect();
        // Parents come before their children.
        order.sort_by_key(|&id| document.resource(id).type_name.split('/').count());
        for id in order {
            linker.link(id);
        }
        let mut of: HashMap<ResourceId, Vec<ResourceId>> = HashMap::default();
        for (at, parents) in linker.parents.iter().enumerate() {
            for &parent in parents {
                of.entry(parent).or_default().push(ResourceId(at));
            }
        }
        for children in of.values_mut() {
            children.sort_by_key(|&id| (document.resource(id).span.start, id));
        }
        Self { of }
    }

    /// Returns the children of a resource and their children, in the order of the text.
    pub(super) fn descendants(&self, parent: ResourceId) -> &[ResourceId] {
        self.of.get(&parent).map_or(&[], Vec::as_slice)
    }
}

/// Finds the parents of resources.
struct Linker<'a> {
    document: &'a Document,
    /// Resources, by deployment, type and name. Type and name are in lower case.
    named: HashMap<(DeploymentId, String, String), Vec<ResourceId>>,
    /// Parents of each resource, and their parents.
    parents: Vec<Vec<ResourceId>>,
    pairs: usize,
}

impl<'a> Linker<'a> {
    fn new(document: &'a Document) -> Self {
        let mut named: HashMap<_, Vec<ResourceId>> = HashMap::default();
        for (at, resource) in document.resources.iter().enumerate() {
            let key = [&resource.type_name, &resource.name].map(|text| text.to_ascii_lowercase());
            let [type_name, name] = key;
            named.entry((resource.deployment, type_name, name)).or_default().push(ResourceId(at));
        }
        Self { document, named, parents: vec![Vec::new(); document.resources.len()], pairs: 0 }
    }

    /// Finds the parents of a resource, after those of all resources with shorter types.
    fn link(&mut self, id: ResourceId) {
        let resource = self.document.resource(id);
        let mut direct = self.by_nesting_and_name(resource);
        direct.extend(self.by_dependency(resource, &direct));
        let mut all: HashSet<ResourceId> = HashSet::default();
        for parent in direct {
            all.insert(parent);
            all.extend(self.parents.get(parent.0).into_iter().flatten());
        }
        let room = MAX_PAIRS - self.pairs;
        let mut all: Vec<ResourceId> = all.into_iter().collect();
        all.sort_unstable();
        all.truncate(room);
        self.pairs += all.len();
        if let Some(parents) = self.parents.get_mut(id.0) {
            *parents = all;
        }
    }

    fn by_nesting_and_name(&self, resource: &Resource) -> Vec<ResourceId> {
        let nested_in = resource.parent.filter(|&parent| self.is_child(resource, parent));
        let mut parents: Vec<ResourceId> = nested_in.into_iter().collect();
        let [type_name, name] = [&resource.type_name, &resource.name].map(|text| text.to_ascii_lowercase());
        for type_prefix in prefixes(&type_name).filter(|prefix| prefix.contains('/')) {
            for name_prefix in prefixes(&name).filter(|prefix| !prefix.is_empty()) {
                let key = (resource.deployment, type_prefix.to_owned(), name_prefix.to_owned());
                parents.extend(self.named.get(&key).into_iter().flatten());
            }
        }
        parents
    }

    /// Returns the parents among the dependencies of a resource. If a resource depends on a whole loop, and one
    /// iteration is `known` to be its parent, the other iterations are not.
    fn by_dependency(&self, resource: &Resource, known: &[ResourceId]) -> Vec<ResourceId> {
        let loops: HashSet<&str> = known.iter().map(|&id| self.document.resource(id).path.as_str()).collect();
        resource
            .depends_on
            .iter()
            .copied()
            .filter(|id: &ResourceId| {
                self.is_child(resource, *id) && !loops.contains(self.document.resource(*id).path.as_str())
            })
            .collect()
    }

    fn is_child(&self, resource: &Resource, parent: ResourceId) -> bool {
        let parent = self.document.resource(parent);
        parent.deployment == resource.deployment && is_below(&resource.type_name, &parent.type_name)
    }
}

/// Returns the proper prefixes of a type or a name that end before a `/`.
fn prefixes(text: &str) -> impl Iterator<Item = &str> {
    let sensible = if text.len() <= MAX_NAME { text } else { "" };
    sensible.match_indices('/').take(MAX_SEGMENTS).filter_map(|(at, _)| text.get(..at))
}

/// True if a type is a child type of another, case-insensitive.
pub(crate) fn is_below(child: &str, parent: &str) -> bool {
    let split = child.split_at_checked(parent.len());
    split.is_some_and(|(start, rest)| rest.starts_with('/') && start.eq_ignore_ascii_case(parent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::testing;

    #[track_caller]
    fn check(resources: &str, expected: &[&[usize]]) {
        let (_, document) = testing::document(&format!(r#"{{"resources": [{resources}]}}"#));
        let children = Children::new(&document);
        for (parent, expected) in expected.iter().enumerate() {
            let found: Vec<usize> = children.descendants(ResourceId(parent)).iter().map(|id| id.0).collect();
            assert_eq!(found, *expected, "children of {parent}");
        }
    }

    #[test]
    fn a_child_type_has_further_segments() {
        assert!(is_below("microsoft.sql/servers/databases", "Microsoft.Sql/servers"));
        assert!(!is_below("microsoft.sql/serversx", "Microsoft.Sql/servers"));
        assert!(!is_below("microsoft.sql/servers", "Microsoft.Sql/servers"));
        assert!(!is_below("é", "Microsoft.Sql/servers"));
    }

    #[test]
    fn a_child_is_nested_named_or_dependent() {
        check(
            r#"{"type": "A/b", "name": "x", "resources": [{"type": "c", "name": "1"}]},
               {"type": "a/B/c", "name": "X/2"},
               {"type": "A/b/c", "name": "3", "dependsOn": ["x"]},
               {"type": "A/b/c", "name": "xx/4"},
               {"type": "A/bb/c", "name": "x/5", "dependsOn": ["x"]}"#,
            &[&[1, 2, 3], &[], &[], &[], &[], &[]],
        );
    }

    #[test]
    fn a_grandchild_is_below_both() {
        check(
            r#"{"type": "A/b/c/d", "name": "2", "dependsOn": ["1"]},
               {"type": "A/b/c", "name": "1", "dependsOn": ["x"]},
               {"type": "A/b", "name": "x"},
               {"type": "A/b/c/d", "name": "x/y/z"}"#,
            &[&[], &[0], &[0, 1, 3], &[]],
        );
    }

    #[test]
    fn of_a_loop_only_the_iteration_that_a_child_is_named_after_is_its_parent() {
        let (_, mut document) = testing::document(
            r#"{"resources": [
                {"type": "A/b", "name": "x0"}, {"type": "A/b", "name": "x1"},
                {"type": "A/b/c", "name": "x1/c", "dependsOn": ["x0", "x1"]},
                {"type": "A/b/c", "name": "other", "dependsOn": ["x0", "x1"]}]}"#,
        );
        document.resources[1].path = document.resources[0].path.clone();
        let children = Children::new(&document);
        assert_eq!(children.descendants(ResourceId(0)), [ResourceId(3)]);
        assert_eq!(children.descendants(ResourceId(1)), [ResourceId(2), ResourceId(3)]);
    }

    #[test]
    fn no_more_pairs_are_kept_than_the_limit() {
        let parents = vec![r#"{"type": "A/b", "name": "x"}"#; 720];
        let children = vec![r#"{"type": "A/b/c", "name": "x/y"}"#; 720];
        let (_, document) =
            testing::document(&format!(r#"{{"resources": [{}]}}"#, [parents, children].concat().join(",")));
        let children = Children::new(&document);
        let pairs: usize = (0..720).map(|parent| children.descendants(ResourceId(parent)).len()).sum();
        assert_eq!(pairs, MAX_PAIRS);
    }
}
