//! The files that a run found.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::diagnostic::{Code, Diagnostic};
use crate::engine::Inputs;
use crate::engine::changes::Changes;
use crate::engine::given::{Cause, Narrowing};
use crate::engine::inputs::discover::{Input, discover, narrow};
use crate::engine::inputs::graph::Graph;
use crate::engine::inputs::store::{Reader, Store};
use crate::files::{Bounds, normalize};
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
    pub(super) fn open(inputs: &'a Inputs<'a>, sources: &'a Sources, reader: &'a dyn Reader) -> Self {
        let (found, problems) = discover(inputs.working, inputs.paths, inputs.filter, sources);
        let named = found.iter().filter(|input| input.named).map(|input| input.path.clone());
        let given: Vec<PathBuf> =
            inputs.paths.iter().chain(inputs.parameters).map(|path| normalize(inputs.working, path)).collect();
        let parameters = inputs.parameters.iter().map(|path| normalize(inputs.working, path));
        let store = Store::new(inputs.working, sources, inputs.limits, reader, named.chain(parameters).collect());
        let bounds = Bounds::around(inputs.working, given.iter().map(PathBuf::as_path), &store.folders);
        let store = Arc::new(store.isolated(inputs.isolation).within(bounds));
        let folders = inputs.paths.iter().map(|path| inputs.working.join(path)).filter(|path| path.is_dir());
        let roots = std::iter::once(inputs.working.to_path_buf()).chain(folders).collect();
        Self { inputs, store, found, roots, graph: Graph::default(), problems }
    }

    /// Keeps only the files that the change affects.
    pub(super) fn narrow(&mut self, narrowing: &Narrowing<'_>) {
        let own;
        let paths = match &narrowing.cause {
            Cause::Selected(paths) => paths,
            Cause::Changes(_) | Cause::Named(_) => {
                if let Cause::Changes(changes) = narrowing.cause {
                    self.report_missing(changes);
                }
                own = self.select(Some(narrowing)).paths();
                &own
            }
        };
        self.found = narrow(std::mem::take(&mut self.found), paths, self.inputs.working);
    }

    /// Reports what the user named and is not there, unless the change deleted it: nothing of it would be checked.
    fn report_missing(&mut self, changes: &Changes) {
        let is_missing = |input: &&Input| input.named && fs::symlink_metadata(&input.path).is_err();
        for input in self.found.iter().filter(is_missing).filter(|input| !changes.touches(&input.path)) {
            let file = self.store.sources.add(input.name.as_str(), "");
            let problem =
                Diagnostic::of_file(Code::FileUnreadable, file, "the file cannot be read: there is no such file");
            let help = format!("for a commit or a branch of this name, write `--changed={}`", input.name);
            self.problems.push(problem.with_help(help));
        }
    }

    /// The input for a path that the user did not name.
    pub(super) fn unnamed(&self, path: &Path) -> Input {
        Input::new(self.inputs.working, path, false)
    }
}
