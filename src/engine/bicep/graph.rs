//! Which Bicep files hang on which. The sources tell, so no CLI is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::bicep::cli::configuration;
use crate::bicep::reader::{DeclarationKind, File};
use crate::engine::bicep::BicepFiles;
use crate::engine::bicep::names::{By, Name, Target, names};

/// What a `using` statement says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Using {
    /// A local file.
    File(PathBuf),
    /// `none`, or there is no statement.
    Nothing,
    /// A module of a registry, or a template spec.
    Remote,
}

/// What one file says of others.
#[derive(Debug)]
struct Node {
    /// Bicep files, and templates in JSON.
    sources: Vec<PathBuf>,
    /// Other files.
    loads: Vec<PathBuf>,
    /// Whether it names something in a registry.
    is_remote: bool,
    using: Using,
    /// The base of a parameter file.
    extends: Option<PathBuf>,
}

/// Files and what they hang on.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: BTreeMap<PathBuf, Node>,
}

impl Graph {
    /// Adds a file and everything that it hangs on.
    pub(super) fn add(&mut self, path: &Path, files: &mut BicepFiles<'_>) {
        let mut waiting = vec![path.to_owned()];
        while let Some(path) = waiting.pop() {
            // What is missing or broken is for the compiler to report.
            if self.nodes.contains_key(&path) || !is_bicep(&path) || !path.is_file() {
                continue;
            }
            let Some(file) = files.read(&path) else { continue };
            let node = Node::of(&file, path.parent().unwrap_or(&path));
            waiting.extend(node.sources.iter().cloned());
            self.nodes.insert(path, node);
        }
    }

    /// Those of `files` that no other uses. Of files that use each other in a circle, the first is one of them.
    pub(super) fn roots(&self, files: &[PathBuf]) -> Vec<PathBuf> {
        let used: BTreeSet<&PathBuf> = self.nodes.values().flat_map(|it| &it.sources).collect();
        let (inner, mut roots): (Vec<&PathBuf>, Vec<&PathBuf>) = files.iter().partition(|it| used.contains(it));
        let outer = self.nodes.keys().filter(|it| !used.contains(it));
        let mut reached: BTreeSet<&Path> = outer.flat_map(|it| self.below(it)).collect();
        for file in inner {
            if !reached.contains(file.as_path()) {
                reached.extend(self.below(file));
                roots.push(file);
            }
        }
        roots.into_iter().cloned().collect()
    }

    /// The file and all sources that it hangs on.
    fn below<'a>(&'a self, path: &'a Path) -> BTreeSet<&'a Path> {
        let mut reached = BTreeSet::new();
        let mut waiting = vec![path];
        while let Some(path) = waiting.pop() {
            if reached.insert(path) {
                let sources = self.nodes.get(path).into_iter().flat_map(|it| &it.sources);
                waiting.extend(sources.map(PathBuf::as_path));
            }
        }
        reached
    }

    /// Everything that a build of the file hangs on.
    pub(super) fn references(&self, path: &Path) -> Vec<PathBuf> {
        let below = self.below(path);
        let loads = below.iter().filter_map(|it| self.nodes.get(*it)).flat_map(|it| it.loads.iter().cloned());
        let configurations = below.iter().filter_map(|it| configuration(it.parent()?));
        let all: BTreeSet<PathBuf> =
            below.iter().map(|it| it.to_path_buf()).chain(loads).chain(configurations).collect();
        all.into_iter().collect()
    }

    /// Whether a build of the file wants something from a registry.
    pub(super) fn needs_restore(&self, path: &Path) -> bool {
        self.below(path).into_iter().any(|it| self.nodes.get(it).is_some_and(|it| it.is_remote))
    }

    /// The template of a parameter file.
    pub(super) fn using(&self, path: &Path) -> Using {
        self.nodes.get(path).map_or(Using::Nothing, |it| it.using.clone())
    }

    /// A parameter file and the bases that it extends, nearest first.
    pub(super) fn bases(&self, path: &Path) -> Vec<PathBuf> {
        let mut bases = vec![path.to_owned()];
        while let Some(base) = bases.last().and_then(|it| self.nodes.get(it)?.extends.clone())
            && !bases.contains(&base)
        {
            bases.push(base);
        }
        bases
    }
}

impl Node {
    fn of(file: &File, folder: &Path) -> Self {
        let mut node =
            Self { sources: Vec::new(), loads: Vec::new(), is_remote: false, using: Using::Nothing, extends: None };
        for name in names(file, folder) {
            node.take(name);
        }
        node
    }

    fn take(&mut self, name: Name) {
        match (name.by, name.target) {
            (By::Declaration(DeclarationKind::Using), Target::Registry) => {
                self.is_remote = true;
                self.using = Using::Remote;
            }
            (_, Target::Registry) => self.is_remote = true,
            (By::Load | By::LoadFolder | By::Declaration(DeclarationKind::Extension), Target::Local(path)) => {
                self.loads.push(path);
            }
            (By::Declaration(kind), Target::Local(path)) => {
                match kind {
                    DeclarationKind::Using => self.using = Using::File(path.clone()),
                    DeclarationKind::Extends => self.extends = Some(path.clone()),
                    _ => {}
                }
                self.sources.push(path);
            }
        }
    }
}

/// Whether it is a Bicep file of either kind.
pub(in crate::engine) fn is_bicep(path: &Path) -> bool {
    is_template(path) || is_parameters(path)
}

/// Whether it is a `.bicep` file.
pub(in crate::engine) fn is_template(path: &Path) -> bool {
    path.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicep"))
}

/// Whether it is a `.bicepparam` file.
pub(in crate::engine) fn is_parameters(path: &Path) -> bool {
    path.extension().is_some_and(|it| it.eq_ignore_ascii_case("bicepparam"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limits;
    use crate::text::Sources;

    /// The graph of files, which lie in a folder.
    fn graph(files: &[(&str, &str)]) -> (tempfile::TempDir, Graph) {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let (sources, limits, mut graph) = (Sources::new(), Limits::default(), Graph::default());
        let mut read = BicepFiles::new(folder.path(), &sources, &limits);
        for (name, _) in files {
            graph.add(&folder.path().join(name), &mut read);
        }
        (folder, graph)
    }

    fn names(folder: &Path, paths: &[PathBuf]) -> Vec<String> {
        paths.iter().map(|it| it.strip_prefix(folder).unwrap().display().to_string()).collect()
    }

    #[track_caller]
    fn check_roots(files: &[(&str, &str)], expected: &[&str]) {
        let (folder, graph) = graph(files);
        let all: Vec<PathBuf> = files.iter().map(|it| folder.path().join(it.0)).filter(|it| is_template(it)).collect();
        assert_eq!(names(folder.path(), &graph.roots(&all)), expected);
    }

    #[test]
    fn files_that_no_other_uses_are_roots() {
        check_roots(
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
    fn the_template_of_a_parameter_file_is_none() {
        check_roots(&[("main.bicep", ""), ("main.bicepparam", "using './main.bicep'")], &[]);
    }

    #[test]
    fn of_a_circle_one_file_is_a_root() {
        check_roots(&[("a.bicep", "module b 'b.bicep' = {}"), ("b.bicep", "module a 'a.bicep' = {}")], &["a.bicep"]);
    }

    #[test]
    fn a_build_hangs_on_all_that_is_below() {
        let (folder, graph) = graph(&[
            ("x/main.bicep", "module m '../m.bicep' = {}\nvar t = loadTextContent('t.txt')"),
            ("m.bicep", "var j = json(loadTextContent( 'data/j.json', 'utf-8'))\nmodule r 'br:x.io/m:1' = {}"),
            ("x/bicepconfig.json", "{}"),
            ("other.bicep", ""),
        ]);
        let path = folder.path().join("x/main.bicep");
        let found = graph.references(&path);
        assert_eq!(
            names(folder.path(), &found),
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
        assert_eq!(graph.using(&at("a.bicepparam")), Using::File(at("main.bicep")));
        assert_eq!(graph.using(&at("b.bicepparam")), Using::Nothing);
        assert_eq!(graph.using(&at("c.bicepparam")), Using::Remote);
        assert_eq!(names(folder.path(), &graph.bases(&at("a.bicepparam"))), ["a.bicepparam", "b.bicepparam"]);
    }
}
