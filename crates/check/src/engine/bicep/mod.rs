//! Bicep in the pipeline: decides which files are built and what the results are used for.
//!
//! A `.bicep` file that no other file uses is checked as a template. Modules are checked as part of the files that use
//! them. A parameter file is checked together with its template. One process builds all files.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod alone;
mod builtin;
mod files;
mod gaps;
mod harvest;
mod host;
mod messages;
pub(super) mod names;
mod origin;
mod pruned;
#[cfg_attr(not(feature = "system"), path = "without_tool.rs")]
mod tool;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use foldhash::HashSet;

use crate::engine::Inputs;
use crate::engine::inputs::{Graph, Input, Store, Using, beside, is_using};
use crate::text::Sources;

pub use self::alone::compile_file;
pub use self::builtin::json;
pub use self::files::BicepFiles;
pub use self::origin::Origins;

pub(super) use self::gaps::Gaps;
pub(super) use self::harvest::{Compiled, Harvest};
pub(super) use self::names::{By, Target, is_bicep, is_parameters, is_template, names};
pub(super) use self::origin::Authored;

/// Collects the Bicep files to build.
pub(super) struct Stage<'a> {
    inputs: &'a Inputs<'a>,
    sources: &'a Sources,
    store: Arc<Store<'a>>,
    files: BicepFiles<'a>,
    graph: Graph,
    /// The files to build, each once.
    wanted: Vec<Input>,
    known: BTreeSet<PathBuf>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(inputs: &'a Inputs<'a>, store: Arc<Store<'a>>, graph: Graph) -> Self {
        let (sources, files) = (store.sources, BicepFiles::from_store(Arc::clone(&store)));
        Self { inputs, sources, store, files, graph, wanted: Vec::new(), known: BTreeSet::new() }
    }

    /// Adds the Bicep files that were found. `with_parameters` says whether to include parameter files that the user
    /// did not name.
    pub(super) fn take(&mut self, found: Vec<Input>, with_parameters: bool) {
        let options = self.inputs.bicep;
        let (parameters, templates): (Vec<_>, Vec<_>) = found.into_iter().partition(|input| is_parameters(&input.path));
        let counts = |input: &Input| input.named || (with_parameters && options.builds_parameters);
        let mut parameters: Vec<Input> = parameters.into_iter().filter(counts).collect();
        let templates: Vec<Input> = templates.into_iter().filter(|input| input.named || options.builds_files).collect();
        if with_parameters && options.builds_parameters {
            parameters.extend(self.beside(&templates, &parameters));
        }
        let taken: Vec<PathBuf> = templates.iter().chain(&parameters).map(|input| input.path.clone()).collect();
        self.add(&taken);
        for input in parameters {
            self.take_parameters(input);
        }
        let (named, walked): (Vec<_>, Vec<_>) = templates.into_iter().partition(|input| input.named);
        for input in named {
            self.want(input);
        }
        let walked: Vec<&Path> = walked.iter().map(|input| input.path.as_path()).collect();
        let taken: Vec<&Path> = taken.iter().map(PathBuf::as_path).collect();
        let independent: Vec<PathBuf> =
            self.graph.independent(&walked, &taken).into_iter().map(Path::to_path_buf).collect();
        for path in independent {
            self.want(Input::new(self.inputs.working, &path, false));
        }
    }

    /// Returns the parameter files beside the templates that the user named.
    fn beside(&mut self, templates: &[Input], known: &[Input]) -> Vec<Input> {
        let named: HashSet<&Path> =
            templates.iter().filter(|input| input.named).map(|input| input.path.as_path()).collect();
        let known: HashSet<&Path> = known.iter().map(|input| input.path.as_path()).collect();
        let mut paths: Vec<PathBuf> = beside(&named, &self.store.fence).into_iter().collect();
        paths.retain(|path| is_parameters(path) && !known.contains(path.as_path()));
        self.graph.extend_bicep(&paths, &self.store);
        paths.retain(|path| is_using(&self.graph, path, &named));
        paths.iter().map(|path| Input::new(self.inputs.working, path, false)).collect()
    }

    /// Adds a parameter file and its template. A parameter file without a template is skipped unless the user named it.
    fn take_parameters(&mut self, input: Input) {
        match self.graph.using(&input.path).clone() {
            Using::File(target) => {
                if is_template(&target) {
                    self.want_template(&target);
                }
            }
            Using::Remote => {}
            Using::Nothing if input.named => {}
            Using::Nothing => return,
        }
        self.want(input);
    }

    /// Adds parameter files of the command line, which apply to every template.
    pub(super) fn take_given(&mut self, given: Vec<Input>) {
        let paths: Vec<PathBuf> = given.iter().map(|input| input.path.clone()).collect();
        self.add(&paths);
        for input in given {
            self.want(input);
        }
    }

    /// Adds a template because a parameter file belongs to it.
    pub(super) fn want_template(&mut self, path: &Path) {
        self.add(&[path.to_owned()]);
        self.want(Input::new(self.inputs.working, path, false));
    }

    /// Returns the paths of the templates that will be built.
    pub(super) fn templates(&self) -> impl Iterator<Item = &Input> {
        self.wanted.iter().filter(|input| is_template(&input.path))
    }

    /// Adds files to the run, with all that are compiled into them.
    fn add(&mut self, paths: &[PathBuf]) {
        self.graph.extend_bicep(paths, &self.store);
        let starts: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let below = self.graph.below(&starts);
        let starts: HashSet<&Path> = starts.into_iter().collect();
        for path in below {
            // The compiler reports files that are named and do not exist.
            if is_bicep(path) && (starts.contains(&path) || self.store.fence.is_file(path)) {
                self.files.read(path);
            }
        }
    }

    fn want(&mut self, input: Input) {
        if !self.store.fence.is_file(&input.path) || !self.known.insert(input.path.clone()) {
            return;
        }
        // The compiler would read it, too; the problem is reported once.
        if self.files.may_read(&input.path) {
            self.wanted.push(input);
        } else {
            self.files.read(&input.path);
        }
    }
}
