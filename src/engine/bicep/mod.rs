//! Bicep in the pipeline: which files are built, and what becomes of the results.
//!
//! A `.bicep` file that no other uses is a template of its own; modules are checked through their users. A parameter
//! file brings its template. All files are built at once, by one process.

mod files;
mod graph;
mod harvest;
mod messages;
mod names;
mod origin;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::engine::Inputs;
use crate::engine::discover::Input;
use crate::text::Sources;

use self::graph::{Graph, Using, is_parameters};

pub use self::files::BicepFiles;
pub(crate) use self::origin::Origins;

pub(super) use self::graph::{is_bicep, is_template};
pub(super) use self::origin::Authored;

pub(super) use self::harvest::{Compiled, Harvest};
pub(super) use self::names::{By, Target, names};

/// Finds out which Bicep files are to be built.
pub(super) struct Stage<'a> {
    inputs: &'a Inputs<'a>,
    sources: &'a Sources,
    files: BicepFiles<'a>,
    graph: Graph,
    /// What will be built, without repetition.
    wanted: Vec<Input>,
    known: BTreeSet<PathBuf>,
}

impl<'a> Stage<'a> {
    pub(super) fn new(inputs: &'a Inputs<'a>, sources: &'a Sources) -> Self {
        let files = BicepFiles::new(inputs.working, sources, inputs.limits);
        Self { inputs, sources, files, graph: Graph::default(), wanted: Vec::new(), known: BTreeSet::new() }
    }

    /// Takes the Bicep files that were found. `with_parameters` says whether parameter files count that nobody named.
    pub(super) fn take(&mut self, found: Vec<Input>, with_parameters: bool) {
        let options = self.inputs.bicep;
        let (parameters, templates): (Vec<_>, Vec<_>) = found.into_iter().partition(|it| is_parameters(&it.path));
        let mut parameters: Vec<Input> =
            parameters.into_iter().filter(|it| it.named || (with_parameters && options.builds_parameters)).collect();
        let templates: Vec<Input> = templates.into_iter().filter(|it| it.named || options.builds_files).collect();
        if with_parameters && options.builds_parameters {
            parameters.extend(self.beside(&templates));
        }
        for input in templates.iter().chain(&parameters) {
            if input.path.is_file() {
                self.graph.add(&input.path, &mut self.files);
            } else {
                // To have the problem among the diagnostics.
                self.files.read(&input.path);
            }
        }
        for input in parameters {
            self.take_parameters(input);
        }
        let (named, walked): (Vec<_>, Vec<_>) = templates.into_iter().partition(|it| it.named);
        let paths: Vec<PathBuf> = walked.into_iter().map(|it| it.path).collect();
        for input in named {
            self.want(input);
        }
        for path in self.graph.roots(&paths) {
            self.want(Input::new(self.inputs.working, &path, false));
        }
    }

    /// Parameter files that lie beside templates which the user named.
    fn beside(&self, templates: &[Input]) -> Vec<Input> {
        let named = templates.iter().filter(|it| it.named);
        let folders: BTreeSet<&Path> = named.filter_map(|it| it.path.parent()).collect();
        let entries = folders.into_iter().filter_map(|it| fs::read_dir(it).ok()).flatten();
        let paths = entries.filter_map(Result::ok).map(|it| it.path()).filter(|it| is_parameters(it));
        let mut paths: Vec<PathBuf> = paths.collect();
        paths.sort();
        let mut files = BicepFiles::new(self.inputs.working, self.sources, self.inputs.limits);
        let mut graph = Graph::default();
        paths.retain(|path| {
            graph.add(path, &mut files);
            matches!(graph.using(path), Using::File(target) if templates.iter().any(|it| it.named && it.path == target))
        });
        paths.iter().map(|it| Input::new(self.inputs.working, it, false)).collect()
    }

    /// A parameter file without a template is only of use to who names it.
    fn take_parameters(&mut self, input: Input) {
        match self.graph.using(&input.path) {
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

    /// Takes parameter files that are laid over every template.
    pub(super) fn take_given(&mut self, given: Vec<Input>) {
        for input in given {
            self.graph.add(&input.path, &mut self.files);
            self.want(input);
        }
    }

    /// Takes a template that a parameter file belongs to.
    pub(super) fn want_template(&mut self, path: &Path) {
        self.graph.add(path, &mut self.files);
        self.want(Input::new(self.inputs.working, path, false));
    }

    /// The paths of the templates that will be built.
    pub(super) fn templates(&self) -> impl Iterator<Item = &Input> {
        self.wanted.iter().filter(|it| is_template(&it.path))
    }

    fn want(&mut self, input: Input) {
        if input.path.is_file() && self.known.insert(input.path.clone()) {
            self.wanted.push(input);
        }
    }
}
