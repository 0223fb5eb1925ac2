//! Which of the files that a run finds are looked at, and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;

use crate::engine::Inputs;
use crate::engine::bicep::is_bicep;
use crate::engine::changes::{Changes, Event};
use crate::engine::discover::{Input, discover};
use crate::engine::graph::{Edge, Graph, Relation};
use crate::engine::link::candidates;
use crate::engine::load::load;
use crate::engine::plan::source_of_built;
use crate::files::{display_name, normalize};
use crate::text::Sources;
use crate::text::escape::file_name;

/// A file that every check hangs on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// A rule file, or a folder of rule files.
    Rules(PathBuf),
    /// A settings file.
    Settings(PathBuf),
    /// A parameter file of the command line.
    Parameters(PathBuf),
}

impl Basis {
    fn path(&self) -> &Path {
        match self {
            Self::Rules(path) | Self::Settings(path) | Self::Parameters(path) => path,
        }
    }

    const fn verb(&self) -> &'static str {
        match self {
            Self::Rules(_) => "is checked by the rules of",
            Self::Settings(_) => "is checked under",
            Self::Parameters(_) => "takes parameters from",
        }
    }
}

/// The files of a run, and why each is looked at.
#[derive(Debug, Default)]
pub(crate) struct Selection {
    /// By the absolute path: templates, parameter files, and modules, which are checked through their users.
    reasons: BTreeMap<PathBuf, String>,
    /// Those that are no input of their own.
    absorbed: FxHashSet<PathBuf>,
}

impl Selection {
    /// The files that the paths of `inputs` lead to and, with `changes`, that the change touches, if only by something
    /// that they hang on. All hang on each `basis`.
    pub(crate) fn new(inputs: &Inputs<'_>, changes: Option<&Changes>, basis: &[Basis]) -> Self {
        // What cannot be walked is reported when it is checked.
        let (found, _) = discover(inputs.working, inputs.paths, inputs.filter, &Sources::new());
        let mut paths: BTreeMap<PathBuf, bool> = found.into_iter().map(|it| (it.path, it.named)).collect();
        let named: FxHashSet<PathBuf> = paths.iter().filter(|(_, named)| **named).map(|it| it.0.clone()).collect();
        let beside: Vec<PathBuf> = beside(&named).into_iter().filter(|it| !paths.contains_key(it)).collect();
        paths.extend(beside.iter().map(|it| (it.clone(), false)));
        let files: Vec<PathBuf> = paths.keys().cloned().collect();
        let folders = inputs.paths.iter().map(|it| inputs.working.join(it)).filter(|it| it.is_dir());
        let roots: Vec<PathBuf> = std::iter::once(inputs.working.to_path_buf()).chain(folders).collect();
        let graph = Graph::new(&files, &roots, inputs.limits);
        for path in beside {
            let belongs = |it: &Edge| it.relation == Relation::Parameters && named.contains(&it.to);
            if !graph.edges(&path).iter().any(belongs) {
                paths.remove(&path);
            }
        }
        let mut absorbed = absorbed(&files, &graph);
        absorbed.retain(|it| !named.contains(it));
        let selector = Selector { inputs, graph: &graph, changes };
        let all = selector.reason_for_all(basis);
        let reason = |path: PathBuf, named| {
            let reason = match changes {
                None => Some(selector.place(&path, named)),
                Some(_) => selector.reason(&path).or_else(|| all.clone().filter(|_| path.exists())),
            };
            Some((path, reason?))
        };
        let reasons = paths.into_iter().filter_map(|(path, named)| reason(path, named)).collect();
        Self { reasons, absorbed }
    }

    /// All files.
    pub(crate) fn paths(&self) -> BTreeSet<PathBuf> {
        self.reasons.keys().cloned().collect()
    }

    /// The names of the templates and parameter files, in the order of their paths, and why each is looked at. Modules
    /// are not among them: the reason of their user names them.
    pub(crate) fn explain(&self, inputs: &Inputs<'_>) -> Vec<(String, String)> {
        let own = self.reasons.iter().filter(|(path, _)| !self.absorbed.contains(*path));
        let reason = |path: &PathBuf, reason: &String| {
            if is_bicep(path) {
                return Some(reason.clone());
            }
            let named = inputs.paths.iter().any(|it| inputs.working.join(it) == *path);
            let (loaded, problems) = load(Input::new(inputs.working, path, named), &Sources::new(), inputs.limits);
            let source = loaded.as_ref().and_then(source_of_built).filter(|it| self.is_built(it, inputs));
            let passed_over = source.map(|it| format!("is passed over for {}", shown(inputs.working, &it)));
            let is_ours = loaded.is_some() || !problems.is_empty();
            passed_over.or_else(|| is_ours.then(|| reason.clone()))
        };
        own.filter_map(|(path, it)| Some((shown(inputs.working, path), reason(path, it)?))).collect()
    }

    /// Whether a Bicep file is checked for itself.
    fn is_built(&self, path: &Path, inputs: &Inputs<'_>) -> bool {
        inputs.bicep.builds_files && self.reasons.contains_key(path) && !self.absorbed.contains(path)
    }
}

/// What lies beside templates that the user named and may be their parameter files. A walk finds them by itself.
fn beside(named: &FxHashSet<PathBuf>) -> Vec<PathBuf> {
    let folders: BTreeSet<&Path> = named.iter().filter_map(|it| it.parent()).collect();
    let entries = folders.into_iter().filter_map(|it| fs::read_dir(it).ok()).flatten().filter_map(Result::ok);
    let may_belong = |it: &PathBuf| is_bicep(it) || candidates(it).iter().any(|it| named.contains(it));
    entries.map(|it| it.path()).filter(may_belong).collect()
}

/// The Bicep files that are checked through others. Of files that use each other in a circle, one is not.
fn absorbed(files: &[PathBuf], graph: &Graph<'_>) -> FxHashSet<PathBuf> {
    let files: Vec<&PathBuf> = files.iter().filter(|it| is_bicep(it)).collect();
    let uses = |path: &Path| graph.edges(path).iter().filter(|it| it.relation.absorbs()).map(|it| it.to.as_path());
    let used: FxHashSet<&Path> = files.iter().flat_map(|it| uses(it)).collect();
    let (inner, outer): (Vec<&PathBuf>, Vec<&PathBuf>) = files.into_iter().partition(|it| used.contains(it.as_path()));
    let mut reached: FxHashSet<&Path> = FxHashSet::default();
    let mut absorbed = FxHashSet::default();
    for file in outer.into_iter().chain(inner) {
        if reached.contains(file.as_path()) {
            absorbed.insert(file.clone());
            continue;
        }
        let mut waiting = vec![file.as_path()];
        while let Some(path) = waiting.pop() {
            if reached.insert(path) {
                waiting.extend(uses(path));
            }
        }
    }
    absorbed
}

struct Selector<'a> {
    inputs: &'a Inputs<'a>,
    graph: &'a Graph<'a>,
    changes: Option<&'a Changes>,
}

impl<'a> Selector<'a> {
    /// Why a file is found.
    fn place(&self, path: &Path, named: bool) -> String {
        if named {
            return "was named".to_owned();
        }
        let folders = self.inputs.paths.iter().map(|it| normalize(self.inputs.working, it));
        match folders.filter(|it| path.starts_with(it)).max() {
            Some(folder) if folder != self.inputs.working => format!("lies in {}", self.name(&folder)),
            _ => "lies in the current folder".to_owned(),
        }
    }

    /// Why everything is looked at, if it is.
    fn reason_for_all(&self, basis: &[Basis]) -> Option<String> {
        let Some(files) = &self.changes?.files else {
            return Some("is checked, as nothing tells what changed".to_owned());
        };
        basis.iter().find_map(|it| {
            let (path, event) = files.iter().find(|(path, _)| path.starts_with(it.path()))?;
            Some(format!("{} {}, which {}", it.verb(), self.name(path), self.event(event)))
        })
    }

    /// Why the change touches a file, if it does.
    fn reason(&self, path: &Path) -> Option<String> {
        let files = self.changes?.files.as_ref()?;
        match files.get(path) {
            // The user named it, as pre-commit hooks do.
            Some(Event::Deleted | Event::RenamedTo(_)) => return None,
            Some(event) => return Some(self.event(event)),
            None => {}
        }
        let way = self.graph.way(path, |edge| self.touched(edge).is_some())?;
        let (touched, event) = self.touched(way.last()?)?;
        let step = |edge: &&Edge| {
            let (verb, name) = (edge.relation.verb(), self.name(&edge.to));
            if edge.is_folder {
                format!("{verb} files of {name}, of which {}", self.name(touched))
            } else {
                format!("{verb} {name}")
            }
        };
        let steps: Vec<String> = way.iter().map(step).collect();
        let joint = if way.last()?.is_folder { " " } else { ", which " };
        Some(format!("{}{joint}{}", steps.join(", which "), self.event(event)))
    }

    /// The file at the end of an edge that the change touches.
    fn touched(&self, edge: &Edge) -> Option<(&'a PathBuf, &'a Event)> {
        let files = self.changes?.files.as_ref()?;
        if edge.is_folder {
            return files.range(edge.to.clone()..).next().filter(|(path, _)| path.starts_with(&edge.to));
        }
        files.get_key_value(&edge.to)
    }

    /// What happened to a file, behind its name.
    fn event(&self, event: &Event) -> String {
        match event {
            Event::Added => "is new".to_owned(),
            Event::Modified => "changed".to_owned(),
            Event::Named => "was named".to_owned(),
            Event::Deleted => "was deleted".to_owned(),
            Event::RenamedFrom(path) => format!("was renamed from {}", self.name(path)),
            Event::RenamedTo(path) => format!("was renamed to {}", self.name(path)),
        }
    }

    fn name(&self, path: &Path) -> String {
        shown(self.inputs.working, path)
    }
}

/// A name that stays on its line, and is no command to a runner that reads the line.
fn shown(working: &Path, path: &Path) -> String {
    file_name(&display_name(working, path)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_on_their_line_and_command_nothing() {
        let check =
            |name: &str, expected: &str| assert_eq!(shown(Path::new("/r"), &Path::new("/r").join(name)), expected);
        check("a b/ü.json", "a b/ü.json");
        check("a\nb\u{1b}.json", "a\\nb\\u{1b}.json");
        check("::error::x.json", "./::error::x.json");
        check("##[error]x.json", "##\\u{5b}error]x.json");
    }
}
