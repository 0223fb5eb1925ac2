//! Selects the files of a narrowed run as the run before it, if nothing but the texts of some files has changed.
//!
//! An editor checks after every key. The folder is walked, and all its files are read, only if they may be other ones;
//! of a file with another text, the references are read again, and only if they differ, files are selected again.
//!
//! # Invariant
//!
//! A run that selects files from the last selection selects the same files as one without the cache.

use std::collections::BTreeSet;
use std::mem;
use std::path::{Path, PathBuf};

use foldhash::HashSet;

use crate::engine::Inputs;
use crate::engine::inputs::discover::{self, Input};
use crate::engine::inputs::graph::Graph;
use crate::engine::inputs::inventory::Inventory;
use crate::engine::narrowing::Narrowing;
use crate::files::Fence;
use crate::text::Sources;

/// Files and selection of a narrowed run.
#[derive(Debug)]
struct Selected {
    /// Paths that the run was narrowed to.
    named: Vec<PathBuf>,
    /// All files of the walk.
    found: Vec<Input>,
    /// The references between them.
    graph: Graph,
    choice: Choice,
}

/// The files that were selected.
#[derive(Debug)]
struct Choice {
    paths: BTreeSet<PathBuf>,
    /// The files outside of the walk that others refer to: a selected file may depend on the change by way of them.
    outside: Vec<PathBuf>,
}

impl Choice {
    fn select(inventory: &mut Inventory<'_>, narrowing: &Narrowing<'_>) -> Self {
        let paths = inventory.select(Some(narrowing)).paths();
        let found: HashSet<&Path> = inventory.found.iter().map(|input| input.path.as_path()).collect();
        let others = inventory.graph.files().filter(|path| !found.contains(path));
        let outside = others.filter(|path| inventory.store.fence.is_file(path)).map(Path::to_path_buf).collect();
        Self { paths, outside }
    }

    /// Returns `true` if all files still exist.
    fn is_there(&self, fence: &Fence<'_>) -> bool {
        self.paths.iter().chain(&self.outside).all(|path| fence.is_file(path))
    }
}

/// Returns the files of a narrowed run.
pub(in crate::engine::inputs) fn narrowed<'a>(
    inputs: &'a Inputs<'a>,
    sources: &'a Sources,
    narrowing: &Narrowing<'_>,
) -> Inventory<'a> {
    let Some(cache) = inputs.cache else {
        let mut inventory = Inventory::open(inputs, sources);
        inventory.narrow(narrowing);
        return inventory;
    };
    let (known, changed) = cache.take_selected();
    // Whatever is checked depends on these.
    let is_basis = |path: &PathBuf| narrowing.basis.iter().any(|basis| basis.paths().any(|own| path.starts_with(own)));
    let known = known.filter(|known: &Selected| known.named == inputs.paths && !changed.iter().any(is_basis));
    let renewed = known.map(|known| renewed(inputs, sources, narrowing, known, &changed));
    // Where a file is gone of which nobody has told, others may be other ones as well.
    let renewed = renewed.filter(|(inventory, choice)| choice.is_there(&inventory.store.fence));
    let (mut inventory, choice) = renewed.unwrap_or_else(|| {
        let mut inventory = Inventory::open(inputs, sources);
        let choice = Choice::select(&mut inventory, narrowing);
        (inventory, choice)
    });
    let found = mem::take(&mut inventory.found);
    let of_them = found.iter().filter(|input| choice.paths.contains(&input.path)).cloned().collect();
    inventory.found = discover::narrow(of_them, &choice.paths, inputs.working);
    // A problem of the walk is one of each run.
    if inventory.problems.is_empty() {
        let graph = mem::take(&mut inventory.graph);
        cache.keep_selected(Selected { named: inputs.paths.to_vec(), found, graph, choice });
    }
    inventory
}

/// Returns the files of the run before, and those that are selected of them if only the texts of some files have
/// changed.
fn renewed<'a>(
    inputs: &'a Inputs<'a>,
    sources: &'a Sources,
    narrowing: &Narrowing<'_>,
    known: Selected,
    changed: &BTreeSet<PathBuf>,
) -> (Inventory<'a>, Choice) {
    let Selected { found, graph, choice, .. } = known;
    let mut inventory = Inventory { graph, ..Inventory::from_walk(inputs, sources, found, Vec::new()) };
    let is_same = inventory.graph.renew(changed, &inventory.store, &inventory.roots);
    let choice = if is_same { choice } else { Choice::select(&mut inventory, narrowing) };
    (inventory, choice)
}
