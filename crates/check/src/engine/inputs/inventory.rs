//! The files that a run found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::engine::Inputs;
use crate::engine::inputs::discover::{Input, discover};
use crate::engine::inputs::graph::Graph;
use crate::engine::inputs::store::Store;
use crate::engine::inputs::system;
use crate::path::normalize;
use crate::text::Sources;

/// The files of a run, with their contents and references.
#[derive(Debug)]
pub(super) struct Inventory<'a> {
    pub(super) inputs: &'a Inputs<'a>,
    pub(super) store: Arc<Store<'a>>,
    /// The files of the walk, ordered by path.
    pub(super) found: Vec<Input>,
    /// The folders to search for the template of a parameter file, in addition to its own folder: the current folder
    /// and those that the user named.
    pub(super) roots: Vec<PathBuf>,
    /// The references between files. It has only the files that a stage added.
    pub(super) graph: Graph,
    /// The problems of the walk.
    pub(super) problems: Vec<Diagnostic>,
}

impl<'a> Inventory<'a> {
    /// Walks the paths that the user named. No file is read yet.
    pub(super) fn open(inputs: &'a Inputs<'a>, sources: &'a Sources) -> Self {
        let fence = inputs.bounds().fence();
        let (found, problems) = discover(&fence, inputs.working, inputs.paths, inputs.filter, sources);
        let (found, problems) = system::report(found, problems, (inputs, &fence), sources);
        Self::from_walk(inputs, sources, found, problems)
    }

    /// Returns the inventory of a walk.
    pub(super) fn from_walk(
        inputs: &'a Inputs<'a>,
        sources: &'a Sources,
        found: Vec<Input>,
        problems: Vec<Diagnostic>,
    ) -> Self {
        let named = found.iter().filter(|input| input.named).map(|input| input.path.clone());
        let parameters = inputs.parameters.iter().map(|path| normalize(inputs.working, path));
        let bounds = inputs.bounds();
        let fence = bounds.fence();
        let aliases = found.iter().filter(|input| !input.aliases.is_empty());
        let aliases = aliases.map(|input| (input.path.clone(), input.aliases.clone())).collect();
        let store =
            Store::new(inputs.working, sources, inputs.limits, fence.clone(), named.chain(parameters).collect());
        let store = Arc::new(
            store
                .isolated(inputs.isolation)
                .cached(inputs.cache)
                .within(bounds)
                .filtered(inputs.filter)
                .aliased(aliases),
        );
        let folders = inputs.paths.iter().map(|path| inputs.working.join(path)).filter(|path| fence.is_folder(path));
        let roots = std::iter::once(inputs.working.to_path_buf()).chain(folders).collect();
        Self { inputs, store, found, roots, graph: Graph::default(), problems }
    }

    /// Returns the input for a path that the user did not name.
    pub(super) fn unnamed(&self, path: &Path) -> Input {
        Input::new(self.inputs.working, path, false)
    }
}
