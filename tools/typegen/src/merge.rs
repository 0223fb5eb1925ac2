//! Merges structures that cannot be told apart, also those that refer to themselves: the coarsest bisimulation, found by
//! refining a partition until it is stable.

use std::hash::{BuildHasher, Hash, Hasher};

use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::graph::{Graph, Id, Node};

/// Keeps one node of each class that a resource type reaches, in an order that puts similar nodes next to each other.
pub fn merge(graph: &mut Graph) {
    let classes = classes(&graph.nodes);
    let mut order: Vec<Id> = Vec::new();
    let mut numbers: FxHashMap<u32, Id> = FxHashMap::default();
    // The newest version first: older ones then differ from what is known by little.
    for version in graph.types.iter().flat_map(|kind| kind.versions.iter().rev()) {
        let mut next = order.len();
        let mut found = |id: Id, order: &mut Vec<Id>| {
            numbers.entry(classes[id as usize]).or_insert_with(|| {
                order.push(id);
                order.len() as Id - 1
            });
        };
        version.bodies.iter().for_each(|id| found(*id, &mut order));
        while let Some(id) = order.get(next) {
            graph.nodes[*id as usize].children().into_iter().for_each(|id| found(id, &mut order));
            next += 1;
        }
    }
    let number = |id: Id| numbers[&classes[id as usize]];
    let nodes = order.iter().map(|id| graph.nodes[*id as usize].renumbered(&number)).collect();
    graph.nodes = nodes;
    for version in graph.types.iter_mut().flat_map(|kind| &mut kind.versions) {
        version.bodies = version.bodies.iter().map(|id| number(*id)).collect();
        version.bodies.dedup();
    }
}

/// The class of each node.
fn classes(nodes: &[Node]) -> Vec<u32> {
    // What a node is without its children.
    let mut numbers: FxHashMap<Node, u32> = FxHashMap::default();
    let mut classes: Vec<u32> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let next = numbers.len() as u32;
        classes.push(*numbers.entry(node.renumbered(&|_| 0)).or_insert(next));
    }
    let children: Vec<Vec<Id>> = nodes.iter().map(Node::children).collect();
    let mut count = numbers.len();
    loop {
        let mut refined: FxHashMap<(u32, u64, u64), u32> = FxHashMap::default();
        let mut next_classes = Vec::with_capacity(nodes.len());
        for (class, children) in classes.iter().zip(&children) {
            let mut first = FxBuildHasher.build_hasher();
            let mut second = std::hash::DefaultHasher::new();
            for child in children {
                classes[*child as usize].hash(&mut first);
                classes[*child as usize].hash(&mut second);
            }
            let next = refined.len() as u32;
            next_classes.push(*refined.entry((*class, first.finish(), second.finish())).or_insert(next));
        }
        classes = next_classes;
        if refined.len() == count {
            return classes;
        }
        count = refined.len();
    }
}
