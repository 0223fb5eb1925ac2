//! Selects the files of a narrowed run as the run before it, if nothing but the texts of some files has changed.
//!
//! An editor checks after every key. The folder is walked, and all its files are read, only if they may be other ones; of a
//! file with another text, the references are read again, and only if they differ, files are selected again.

use std::collections::BTreeSet;
use std::mem;
use std::path::PathBuf;

use crate::engine::Inputs;
use crate::engine::inputs::discover::{self, Input};
use crate::engine::inputs::graph::Graph;
use crate::engine::inputs::inventory::Inventory;
use crate::engine::narrowing::Narrowing;
use crate::text::Sources;

/// What a narrowed run found and selected.
#[derive(Debug)]
struct Selected {
    /// What the run was narrowed to.
    named: Vec<PathBuf>,
    /// All files of the walk.
    found: Vec<Input>,
    /// The references between them.
    graph: Graph,
    /// The files that were selected.
    paths: BTreeSet<PathBuf>,
}

/// The files of a narrowed run.
pub(super) fn narrowed<'a>(inputs: &'a Inputs<'a>, sources: &'a Sources, narrowing: &Narrowing<'_>) -> Inventory<'a> {
    let Some(cache) = inputs.cache else {
        let mut inventory = Inventory::open(inputs, sources);
        inventory.narrow(narrowing);
        return inventory;
    };
    let (known, changed) = cache.take_selected();
    // Whatever is checked depends on these.
    let is_basis = |path: &PathBuf| narrowing.basis.iter().any(|basis| path.starts_with(basis.path()));
    let known = known.filter(|known: &Selected| known.named == inputs.paths && !changed.iter().any(is_basis));
    let (mut inventory, selected) = if let Some(Selected { found, graph, paths, .. }) = known {
        let mut inventory = Inventory { graph, ..Inventory::of(inputs, sources, found, Vec::new()) };
        let is_same = inventory.graph.renew(&changed, &inventory.store, &inventory.roots);
        (inventory, is_same.then_some(paths))
    } else {
        (Inventory::open(inputs, sources), None)
    };
    let selected = selected.unwrap_or_else(|| inventory.select(Some(narrowing)).paths());
    let found = mem::take(&mut inventory.found);
    let of_them = found.iter().filter(|input| selected.contains(&input.path)).cloned().collect();
    inventory.found = discover::narrow(of_them, &selected, inputs.working);
    // A problem of the walk is one of each run.
    if inventory.problems.is_empty() {
        let graph = mem::take(&mut inventory.graph);
        cache.keep_selected(Selected { named: inputs.paths.to_vec(), found, graph, paths: selected });
    }
    inventory
}
