//! The references between files.
//!
//! References are read from the sources, so no compiler is needed. References to missing files are included: if a
//! module was deleted, the files that use it must be checked again.

mod bicep;
mod json;

use std::collections::{BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use foldhash::{HashMap, HashSet};
use rayon::prelude::*;

use crate::engine::bicep::names::is_bicep;
use crate::engine::inputs::discover::has_our_extension;
use crate::engine::inputs::graph::bicep::CONFIGURATION;
use crate::engine::inputs::store::Store;
use crate::files::Fence;

/// The kind of a reference from one file to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Relation {
    /// Deploys the target as a module.
    Module,
    /// Imports types, variables or functions from the target.
    Import,
    /// Loads the content of the target.
    Load,
    /// Sets values for the parameters of the target.
    Parameters,
    /// Extends the target, another parameter file or configuration, and overrides its values.
    Extends,
    /// Tests the target, a template.
    Test,
    /// Runs the target as an extension.
    Extension,
    /// Is compiled with the configuration in the target.
    Configuration,
    /// Links to the target, a template or a parameter file.
    Link,
    /// The compiler made it from the other.
    Output,
}

impl Relation {
    /// Returns the verb between the names of the two files in an explanation.
    pub(super) const fn verb(self) -> &'static str {
        match self {
            Self::Module => "uses",
            Self::Import => "imports",
            Self::Load => "loads",
            Self::Parameters => "has parameters for",
            Self::Extends => "extends",
            Self::Test => "tests",
            Self::Extension => "runs",
            Self::Configuration => "is configured by",
            Self::Link => "links to",
            Self::Output => "was built from",
        }
    }

    /// Returns `true` if the target is compiled into the referring file, and so needs no check of its own.
    const fn absorbs(self) -> bool {
        matches!(self, Self::Module | Self::Import | Self::Parameters | Self::Extends | Self::Test)
    }

    /// Returns `true` if a build reads the target without compiling it.
    const fn is_load(self) -> bool {
        matches!(self, Self::Load | Self::Extension)
    }
}

/// A reference to a file, or to all files of a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Edge {
    pub(super) relation: Relation,
    /// Absolute, without `.` and `..`.
    pub(super) to: PathBuf,
    pub(super) is_folder: bool,
}

impl Edge {
    fn file(relation: Relation, to: PathBuf) -> Self {
        Self { relation, to, is_folder: false }
    }
}

/// A path in the graph: the edges from a file to one that it depends on.
pub(super) type Way<'a> = Vec<&'a Edge>;

/// The template in the `using` statement of a parameter file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) enum Using {
    /// The path of a local file.
    File(PathBuf),
    /// `none`, or there is no statement.
    #[default]
    Nothing,
    /// A module of a registry, or a template spec.
    Remote,
}

/// The references of one file.
#[derive(Debug, Default, PartialEq, Eq)]
struct FileReferences {
    /// References in the order of the file, each once.
    edges: Vec<Edge>,
    /// True if the file refers to a module in a registry.
    is_remote: bool,
    using: Using,
}

/// Files and their references.
#[derive(Debug, Default)]
pub(in crate::engine) struct Graph {
    nodes: HashMap<PathBuf, FileReferences>,
}

impl Graph {
    /// Adds files, and all that can be reached from them by edges for which `follows` is true.
    pub(super) fn extend(
        &mut self,
        files: &[PathBuf],
        store: &Store<'_>,
        roots: &[PathBuf],
        follows: impl Fn(&Edge) -> bool,
    ) {
        let mut seen: HashSet<PathBuf> = HashSet::default();
        let mut waiting = files.to_vec();
        while !waiting.is_empty() {
            waiting.retain(|path| seen.insert(path.clone()));
            let unknown = waiting.par_iter().filter(|path| !self.nodes.contains_key(*path));
            let read: Vec<_> = unknown.map(|path| (path.clone(), FileReferences::read(path, store, roots))).collect();
            self.nodes.extend(read);
            let edges = waiting.iter().flat_map(|path| self.edges(path));
            let next = edges.filter(|edge| !edge.is_folder && follows(edge)).map(|edge| edge.to.clone());
            waiting = next.collect();
        }
    }

    /// Reads the files that the graph has again. Returns `true` if all their references are unchanged.
    pub(super) fn renew(&mut self, files: &BTreeSet<PathBuf>, store: &Store<'_>, roots: &[PathBuf]) -> bool {
        let mut is_same = true;
        for path in files {
            if let Some(node) = self.nodes.get_mut(path) {
                let renewed = FileReferences::read(path, store, roots);
                is_same &= *node == renewed;
                *node = renewed;
            }
        }
        is_same
    }

    /// Adds Bicep files, and those that are compiled into them.
    pub(in crate::engine) fn extend_bicep(&mut self, files: &[PathBuf], store: &Store<'_>) {
        self.extend(files, store, &[], |edge| edge.relation.absorbs() && is_bicep(&edge.to));
    }

    /// Returns the files whose references are known, in any order, also those that are not there.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.nodes.keys().map(PathBuf::as_path)
    }

    /// Returns the references of a file, in the order in which they are in it.
    pub(super) fn edges(&self, path: &Path) -> &[Edge] {
        self.nodes.get(path).map_or(&[], |node| &node.edges)
    }

    /// Returns the shortest path from a file that ends with an edge for which `is_end` is true.
    pub(super) fn way(&self, from: &Path, is_end: impl Fn(&Edge) -> bool) -> Option<Way<'_>> {
        // For each file that was reached: the last edge to it, and the file from which that starts.
        let mut steps: HashMap<&Path, (&Edge, &Path)> = HashMap::default();
        let (start, _) = self.nodes.get_key_value(from)?;
        let mut waiting = VecDeque::from([start.as_path()]);
        while let Some(path) = waiting.pop_front() {
            if let Some(end) = self.edges(path).iter().find(|edge| is_end(edge)) {
                let mut way = vec![end];
                let mut at = path;
                while let Some((edge, before)) = steps.get(at) {
                    way.push(edge);
                    at = before;
                }
                way.reverse();
                return Some(way);
            }
            for edge in self.edges(path) {
                let to = edge.to.as_path();
                if self.nodes.contains_key(to) && to != start && !steps.contains_key(to) {
                    steps.insert(to, (edge, path));
                    waiting.push_back(to);
                }
            }
        }
        None
    }

    /// Returns the files of `files` that are not compiled into another file below `all`. If files form a cycle, the
    /// first of them is included.
    pub(in crate::engine) fn independent<'a>(&'a self, files: &[&'a Path], all: &[&'a Path]) -> Vec<&'a Path> {
        let known = self.below(all);
        let used: HashSet<&Path> = known.iter().flat_map(|path| self.sources(path)).collect();
        let (inner, mut independent): (Vec<&Path>, Vec<&Path>) = files.iter().partition(|path| used.contains(*path));
        let outer: Vec<&Path> = known.iter().copied().filter(|path| !used.contains(path)).collect();
        let mut reached = self.below(&outer);
        for file in inner {
            if !reached.contains(file) {
                reached.extend(self.below(&[file]));
                independent.push(file);
            }
        }
        independent
    }

    /// Returns the files themselves and all files that are compiled into them.
    pub(in crate::engine) fn below<'a>(&'a self, files: &[&'a Path]) -> BTreeSet<&'a Path> {
        let mut reached = BTreeSet::new();
        let mut waiting = files.to_vec();
        while let Some(path) = waiting.pop() {
            if reached.insert(path) {
                waiting.extend(self.sources(path));
            }
        }
        reached
    }

    /// Returns the local modules that a file deploys.
    pub(in crate::engine) fn modules(&self, path: &Path) -> impl Iterator<Item = &Path> {
        self.edges(path).iter().filter(|edge| edge.relation == Relation::Module).map(|edge| edge.to.as_path())
    }

    /// Returns everything that a build of the file depends on.
    pub(in crate::engine) fn references(&self, path: &Path, fence: &Fence<'_>) -> Vec<PathBuf> {
        let below = self.below(&[path]);
        let loads = below.iter().flat_map(|path| self.edges(path)).filter(|edge| edge.relation.is_load());
        let loads = loads.map(|edge| edge.to.clone()).filter(|path| fence.admit(path).is_some());
        // The nearest one applies.
        let configuration = |folder: &Path| {
            Some(folder.ancestors().find(|above| fence.has_file(above, CONFIGURATION))?.join(CONFIGURATION))
        };
        let configurations = below.iter().filter_map(|path| configuration(path.parent()?));
        let sources = below.iter().filter(|path| fence.admit(path).is_some()).map(|path| path.to_path_buf());
        let all: BTreeSet<PathBuf> = sources.chain(loads).chain(configurations).collect();
        all.into_iter().collect()
    }

    /// Returns `true` if a build of the file needs a module from a registry.
    pub(in crate::engine) fn needs_restore(&self, path: &Path) -> bool {
        self.below(&[path]).into_iter().any(|path| self.nodes.get(path).is_some_and(|node| node.is_remote))
    }

    /// Returns the template of a parameter file.
    pub(in crate::engine) fn using(&self, path: &Path) -> &Using {
        self.nodes.get(path).map_or(&Using::Nothing, |node| &node.using)
    }

    /// Returns a parameter file and the bases that it extends, nearest first.
    pub(in crate::engine) fn bases<'a>(&'a self, path: &'a Path) -> Vec<&'a Path> {
        let extended = |path: &Path| {
            let mut edges = self.edges(path).iter().filter(|edge| edge.relation == Relation::Extends);
            edges.next_back().map(|edge| edge.to.as_path())
        };
        let mut bases = vec![path];
        while let Some(base) = bases.last().and_then(|path| extended(path))
            && !bases.contains(&base)
        {
            bases.push(base);
        }
        bases
    }

    fn sources(&self, path: &Path) -> impl Iterator<Item = &Path> {
        self.edges(path).iter().filter(|edge| edge.relation.absorbs()).map(|edge| edge.to.as_path())
    }
}

impl FileReferences {
    /// Returns the references of one file. There are none if it cannot be read.
    fn read(path: &Path, store: &Store<'_>, roots: &[PathBuf]) -> Self {
        let mut node = if is_bicep(path) {
            let folder = path.parent().unwrap_or(path);
            store.bicep(path).map_or_else(Self::default, |tree| bicep::node(&tree, folder, &store.folders))
        } else if has_our_extension(path) {
            Self { edges: json::edges(path, store, roots), ..Self::default() }
        } else {
            Self::default()
        };
        let mut known = HashSet::default();
        node.edges.retain(|edge| known.insert(edge.clone()));
        node
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::bicep::is_template;
    use crate::files::Disk;
    use crate::model::Limits;
    use crate::text::Sources;

    /// Returns the graph of files, which lie in a folder.
    fn graph(files: &[(&str, &str)]) -> (tempfile::TempDir, Graph) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let (sources, limits, mut graph) = (Sources::new(), Limits::default(), Graph::default());
        let store = Store::new(folder.path(), &sources, &limits, Fence::of_user(&Disk), HashSet::default());
        let paths: Vec<PathBuf> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
        let bicep: Vec<PathBuf> = paths.into_iter().filter(|path| is_bicep(path)).collect();
        graph.extend_bicep(&bicep, &store);
        (folder, graph)
    }

    fn names<'a>(folder: &Path, paths: impl IntoIterator<Item = &'a Path>) -> Vec<String> {
        paths.into_iter().map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect()
    }

    #[track_caller]
    fn check_independent(files: &[(&str, &str)], expected: &[&str]) {
        let (folder, graph) = graph(files);
        let all: Vec<PathBuf> = files.iter().map(|(name, _)| folder.path().join(name)).collect();
        let all: Vec<&Path> = all.iter().map(PathBuf::as_path).collect();
        let templates: Vec<&Path> = all.iter().copied().filter(|path| is_template(path)).collect();
        assert_eq!(names(folder.path(), graph.independent(&templates, &all)), expected);
    }

    #[test]
    fn files_that_no_other_uses_are_independent() {
        check_independent(
            &[
                ("main.bicep", "module m 'modules/a.bicep' = {}\nimport {x} from './types.bicep'"),
                ("modules/a.bicep", "module m '../modules/b.bicep' = {}"),
                ("modules/b.bicep", ""),
                ("types.bicep", ""),
                ("alone.bicep", "module r 'br/public:avm/x:1.0' = {}"),
            ],
            &["main.bicep", "alone.bicep"],
        );
    }

    #[test]
    fn the_template_of_a_parameter_file_is_not() {
        check_independent(&[("main.bicep", ""), ("main.bicepparam", "using './main.bicep'")], &[]);
    }

    #[test]
    fn of_a_cycle_one_file_is_independent() {
        let files = [("a.bicep", "module b 'b.bicep' = {}"), ("b.bicep", "module a 'a.bicep' = {}")];
        check_independent(&files, &["a.bicep"]);
    }

    #[test]
    fn a_build_depends_on_all_that_is_below() {
        let (folder, graph) = graph(&[
            ("x/main.bicep", "module m '../m.bicep' = {}\nvar t = loadTextContent('t.txt')"),
            ("m.bicep", "var j = json(loadTextContent( 'data/j.json', 'utf-8'))\nmodule r 'br:x.io/m:1' = {}"),
            ("x/bicepconfig.json", "{}"),
            ("other.bicep", ""),
        ]);
        let path = folder.path().join("x/main.bicep");
        let found = graph.references(&path, &Fence::of_user(&Disk));
        assert_eq!(
            names(folder.path(), found.iter().map(PathBuf::as_path)),
            ["data/j.json", "m.bicep", "x/bicepconfig.json", "x/main.bicep", "x/t.txt"]
        );
        assert!(graph.needs_restore(&path));
        assert!(!graph.needs_restore(&folder.path().join("other.bicep")));
    }

    #[test]
    fn a_parameter_file_names_its_template_and_its_bases() {
        let (folder, graph) = graph(&[
            ("a.bicepparam", "using 'main.bicep'\nextends 'b.bicepparam'"),
            ("b.bicepparam", "using none\nextends 'a.bicepparam'"),
            ("c.bicepparam", "using 'br:x.io/m:1'"),
        ]);
        let at = |name: &str| folder.path().join(name);
        assert_eq!(*graph.using(&at("a.bicepparam")), Using::File(at("main.bicep")));
        assert_eq!(*graph.using(&at("b.bicepparam")), Using::Nothing);
        assert_eq!(*graph.using(&at("c.bicepparam")), Using::Remote);
        assert_eq!(names(folder.path(), graph.bases(&at("a.bicepparam"))), ["a.bicepparam", "b.bicepparam"]);
    }
}
