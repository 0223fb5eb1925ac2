//! Which trees of resources a report has room for.

use crate::model::{Report, ResourceNode, ResourceTree};

/// How many resources a report lists. A browser is slow with more.
pub(super) const MAX_RESOURCES: usize = 20_000;

/// The trees of a report by the names of their files, each with as many of its resources as the report has room for.
pub(super) fn listed_trees(report: &Report) -> impl Iterator<Item = (&ResourceTree, &[ResourceNode])> {
    let mut trees: Vec<&ResourceTree> = report.trees.iter().collect();
    trees.sort_by(|a, b| (&a.template, &a.parameters).cmp(&(&b.template, &b.parameters)));
    let mut room = MAX_RESOURCES;
    trees.into_iter().map(move |tree| {
        let nodes = tree.nodes.get(..room).unwrap_or(&tree.nodes);
        room -= nodes.len();
        (tree, nodes)
    })
}
