//! Which trees of resources a report has room for.

use crate::diagnostic::{ResourceNode, ResourceTree, Run};

/// How many resources a report lists. A browser is slow with more.
pub(super) const MAX_RESOURCES: usize = 20_000;

/// The trees of a run by the names of their files, each with as many of its resources as the report has room for.
pub(super) fn listed_trees(run: &Run) -> impl Iterator<Item = (&ResourceTree, &[ResourceNode])> {
    let name = |file| run.sources.get(file).name().clone();
    let mut trees: Vec<&ResourceTree> = run.trees.iter().collect();
    trees.sort_by_cached_key(|tree| (name(tree.template), tree.parameters.map(name)));
    let mut room = MAX_RESOURCES;
    trees.into_iter().map(move |tree| {
        let nodes = tree.nodes.get(..room).unwrap_or(&tree.nodes);
        room -= nodes.len();
        (tree, nodes)
    })
}
