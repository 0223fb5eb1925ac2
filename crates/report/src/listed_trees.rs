//! Selection of the resources that a report lists as trees.

use crate::model::{Report, ResourceNode, ResourceTree};

/// Resources that a report lists. Browsers are slow with more.
pub(super) const MAX_RESOURCES: usize = 20_000;

/// Returns the trees of a report, sorted by file names, each with as many resources as fit.
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
