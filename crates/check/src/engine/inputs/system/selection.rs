//! Selects the files that are checked, and explains why.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use foldhash::HashSet;

use crate::diagnostic::Diagnostic;
use crate::engine::bicep::{is_bicep, is_parameters};
use crate::engine::changes::{Changes, Event};
use crate::engine::given::Inputs;
use crate::engine::inputs::beside::{beside, is_using};
use crate::engine::inputs::built::{bicep_beside, has_signature};
use crate::engine::inputs::discover::{self, Input};
use crate::engine::inputs::graph::{Edge, Graph};
use crate::engine::inputs::inventory::Inventory;
use crate::engine::inputs::link::{candidates, link};
use crate::engine::inputs::store::Store;
use crate::engine::narrowing::{Basis, Cause, Narrowing};
use crate::files::{Fence, PathFilter, display_name};
use crate::path::normalize;
use crate::text::Sources;
use crate::text::escape::file_name;

/// The files of a run, and why each is checked.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// The reasons by absolute path, for templates, parameter files and modules.
    reasons: BTreeMap<PathBuf, String>,
    /// The modules, which are checked only as part of the files that use them.
    absorbed: HashSet<PathBuf>,
}

impl Inventory<'_> {
    /// Keeps only the files that the change affects.
    pub(super) fn narrow(&mut self, narrowing: &Narrowing<'_>) {
        let own;
        let paths = match &narrowing.cause {
            Cause::Selected(paths) => paths,
            Cause::Changes(_) | Cause::Named(_) => {
                own = self.select(Some(narrowing)).paths();
                &own
            }
        };
        self.found = discover::narrow(std::mem::take(&mut self.found), paths, self.inputs.working);
    }

    /// Selects the files that were found. With `narrowing`, only those that changed or that depend on a changed file.
    pub(super) fn select(&mut self, narrowing: Option<&Narrowing<'_>>) -> Selection {
        let mut paths: BTreeMap<PathBuf, bool> =
            self.found.iter().map(|input| (input.path.clone(), input.named)).collect();
        let named: HashSet<&Path> =
            self.found.iter().filter(|input| input.named).map(|input| input.path.as_path()).collect();
        let beside: Vec<PathBuf> =
            beside(&named, &self.store.fence).into_iter().filter(|path| !paths.contains_key(path)).collect();
        let files: Vec<PathBuf> = paths.keys().chain(&beside).cloned().collect();
        self.graph.extend(&files, &self.store, &self.roots, |_| true);
        let belonging = beside.into_iter().filter(|path| self.is_of(path, &named));
        paths.extend(belonging.map(|path| (path, false)));

        let bicep: Vec<&Path> = files.iter().map(PathBuf::as_path).filter(|path| is_bicep(path)).collect();
        let independent: HashSet<&Path> = self.graph.independent(&bicep, &bicep).into_iter().collect();
        let is_absorbed = |path: &&Path| !independent.contains(path) && !named.contains(path);
        let absorbed = bicep.iter().copied().filter(is_absorbed).map(Path::to_path_buf).collect();

        let own;
        let changes = match narrowing.map(|narrowing| &narrowing.cause) {
            None | Some(Cause::Selected(_)) => None,
            Some(Cause::Changes(changes)) => Some(*changes),
            Some(Cause::Named(paths)) => {
                own = Changes::named(
                    self.inputs.working,
                    paths,
                    &self.store.fence,
                    self.found.iter().map(|input| input.path.as_path()),
                );
                Some(&own)
            }
        };
        let selector = Selector {
            inputs: self.inputs,
            fence: &self.store.fence,
            graph: &self.graph,
            changes,
            lost: lost(changes, self.inputs.filter),
        };
        let all = narrowing.and_then(|narrowing| selector.reason_for_all(&narrowing.basis));
        let reason = |path: PathBuf, named| {
            let reason = match changes {
                None => Some(selector.place(&path, named)),
                Some(_) => selector
                    .reason(&path)
                    .or_else(|| selector.reason_of_aliases(&path, &self.store))
                    .or_else(|| all.clone().filter(|_| self.store.fence.exists(&path))),
            };
            Some((path, reason?))
        };
        let reasons = paths.into_iter().filter_map(|(path, named)| reason(path, named)).collect();
        Selection { reasons, absorbed }
    }

    /// Returns `true` if a file beside `templates` is a parameter file of one of them.
    fn is_of(&self, path: &Path, templates: &HashSet<&Path>) -> bool {
        if is_parameters(path) {
            return is_using(&self.graph, path, templates);
        }
        let (loaded, _) = self.store.inspect(self.unnamed(path));
        loaded
            .filter(|file| file.kind.is_of_parameters())
            .is_some_and(|file| link(&self.roots, &self.store, &file).leads_to(templates))
    }
}

/// Files of a run, with the reasons for checking them.
#[derive(Debug)]
pub(in crate::engine) struct Explained {
    /// The names of the templates and parameter files, in the order of their paths, and why each is checked.
    pub(in crate::engine) files: Vec<(String, String)>,
    /// Reasons why other files were not found.
    pub(in crate::engine) problems: Vec<Diagnostic>,
}

/// Finds the files of a run, and explains why each is checked.
pub(in crate::engine) fn explain(inputs: &Inputs<'_>, sources: &Sources) -> Explained {
    let mut inventory = Inventory::open(inputs, sources);
    if let Some(shard) = inputs.shard {
        if let Some(narrowing) = inputs.narrowing {
            inventory.narrow(narrowing);
        }
        inventory.keep_shard(shard);
    }
    let selection = inventory.select(inputs.narrowing);
    Explained { files: selection.explain(&inventory), problems: inventory.problems }
}

impl Selection {
    /// Returns the paths of all selected files.
    pub(super) fn paths(&self) -> BTreeSet<PathBuf> {
        self.reasons.keys().cloned().collect()
    }

    /// Returns the names of the templates and parameter files, in the order of their paths, and why each is checked.
    /// Modules are not listed: they appear in the reasons of the files that use them.
    pub(super) fn explain(&self, inventory: &Inventory<'_>) -> Vec<(String, String)> {
        let inputs = inventory.inputs;
        let own = self.reasons.iter().filter(|(path, _)| !self.absorbed.contains(*path));
        let reason = |path: &PathBuf, reason: &String| {
            if is_bicep(path) {
                return Some(reason.clone());
            }
            let named = inputs.paths.iter().any(|given| inputs.working.join(given) == *path);
            let (loaded, problems) = inventory.store.inspect(Input::new(inputs.working, path, named));
            let source = loaded.as_ref().and_then(|template| {
                let source = bicep_beside(template).filter(|source| self.is_built(source, inputs))?;
                has_signature(&inventory.store.value(template)).then_some(source)
            });
            let skipped =
                source.map(|source| format!("is skipped if {} still builds the same", shown(inputs.working, &source)));
            let is_ours = loaded.is_some() || !problems.is_empty();
            skipped.or_else(|| is_ours.then(|| reason.clone()))
        };
        own.filter_map(|(path, why)| Some((shown(inputs.working, path), reason(path, why)?))).collect()
    }

    /// Returns `true` if a Bicep file is checked on its own.
    fn is_built(&self, path: &Path, inputs: &Inputs<'_>) -> bool {
        inputs.bicep.builds_files && self.reasons.contains_key(path) && !self.absorbed.contains(path)
    }
}

struct Selector<'a> {
    inputs: &'a Inputs<'a>,
    fence: &'a Fence<'a>,
    graph: &'a Graph,
    changes: Option<&'a Changes>,
    /// The templates that may have lost a parameter file, and that file.
    lost: BTreeMap<PathBuf, (&'a PathBuf, &'a Event)>,
}

/// Returns the templates to which parameter files belonged that are gone, judging by their names and the settings.
/// Nothing refers to such a file, and without it the template has other values.
fn lost<'a>(changes: Option<&'a Changes>, filter: &PathFilter) -> BTreeMap<PathBuf, (&'a PathBuf, &'a Event)> {
    let files = changes.and_then(|changes| changes.files.as_ref()).into_iter().flatten();
    let mut lost = BTreeMap::new();
    for (path, event) in files.filter(|(_, event)| matches!(event, Event::Deleted | Event::RenamedTo(_))) {
        let beside = is_parameters(path).then(|| path.with_extension("bicep"));
        let of_settings = filter.template_of(path).map(Path::to_path_buf);
        lost.extend(
            candidates(path).into_iter().chain(beside).chain(of_settings).map(|template| (template, (path, event))),
        );
    }
    lost
}

impl<'a> Selector<'a> {
    /// Returns the reason why a file was found, as the predicate of a sentence.
    fn place(&self, path: &Path, named: bool) -> String {
        if named {
            return "was named".to_owned();
        }
        let folders = self.inputs.paths.iter().map(|path| normalize(self.inputs.working, path));
        match folders.filter(|folder| path.starts_with(folder)).max() {
            Some(folder) if folder != self.inputs.working => format!("lies in {}", self.name(&folder)),
            _ => "lies in the current folder".to_owned(),
        }
    }

    /// Returns the reason why all files are checked: the change is unknown, or it touches a file that all depend on.
    /// `None` if neither is the case.
    fn reason_for_all(&self, basis: &[&Basis]) -> Option<String> {
        let changes = self.changes?;
        if changes.files.is_none() {
            return Some("is checked because it is unknown what changed".to_owned());
        }
        basis.iter().find_map(|basis| {
            let verb = basis.verb()?;
            let (path, event) = basis.paths().find_map(|path| changes.touched_within(path))?;
            Some(format!("{verb} {}, which {}", self.name(path), self.event(event)))
        })
    }

    /// Returns the reason why the change affects a file; `None` if it does not.
    fn reason(&self, path: &Path) -> Option<String> {
        let changes = self.changes?;
        match changes.touched(path) {
            // The user named it, as pre-commit hooks do.
            Some((place, event)) if event.is_gone() && (*place == changes.real(path) || !self.fence.exists(path)) => {
                return None;
            }
            Some(touched) => return Some(self.happened(path, touched)),
            None => {}
        }
        let had = |(gone, event): &(&PathBuf, &Event)| {
            format!("had parameters in {}, which {}", self.name(gone), self.event(event))
        };
        if let Some(gone) = self.lost_by(path) {
            return Some(had(gone));
        }
        let way = self.graph.way(path, |edge| self.touched(edge).is_some() || self.lost_by(&edge.to).is_some())?;
        let last = way.last()?;
        let Some((touched, event)) = self.touched(last) else {
            let verbs = way.iter().map(|edge| format!("{} {}", edge.relation.verb(), self.name(&edge.to)));
            let steps: Vec<String> = verbs.chain(self.lost_by(&last.to).map(had)).collect();
            return Some(steps.join(", which "));
        };
        let step = |edge: &&Edge| {
            let (verb, name) = (edge.relation.verb(), self.name(&edge.to));
            if edge.is_folder {
                format!("{verb} files of {name}, of which {}", self.name(touched))
            } else {
                format!("{verb} {name}")
            }
        };
        let steps: Vec<String> = way.iter().map(step).collect();
        let end = if last.is_folder {
            format!(" {}", self.event(event))
        } else {
            format!(", which {}", self.happened(&last.to, (touched, event)))
        };
        Some(format!("{}{end}", steps.join(", which ")))
    }

    /// Returns the reason why the change affects another path of a file; `None` if it does not.
    fn reason_of_aliases(&self, path: &Path, store: &Store<'_>) -> Option<String> {
        store.aliases.get(path)?.iter().find_map(|alias| {
            let (place, event) = self.changes?.touched(alias)?;
            let is_there = !event.is_gone() && *place != self.changes?.real(alias);
            is_there.then(|| format!("is reached through {}, which {}", self.name(place), self.event(event)))
        })
    }

    /// Returns the changed file that an edge leads to.
    fn touched(&self, edge: &Edge) -> Option<(&'a PathBuf, &'a Event)> {
        let changes = self.changes?;
        if edge.is_folder { changes.touched_within(&edge.to) } else { changes.touched(&edge.to) }
    }

    /// Returns the parameter file that a template may have lost, by its own path or by that of its target.
    fn lost_by(&self, path: &Path) -> Option<&(&'a PathBuf, &'a Event)> {
        if self.lost.is_empty() {
            return None;
        }
        self.lost.get(path).or_else(|| self.lost.get(&self.changes?.real(path)))
    }

    /// Describes the event of a file, of a link on the way to it, or of its target.
    fn happened(&self, path: &Path, (place, event): (&PathBuf, &Event)) -> String {
        if place == path {
            return self.event(event);
        }
        let verb = if path.starts_with(place) || self.fence.is_link(place).is_ok_and(|is_link| is_link) {
            "is reached through"
        } else {
            "leads to"
        };
        format!("{verb} {}, which {}", self.name(place), self.event(event))
    }

    /// Describes an event of a file, as the predicate of a sentence whose subject is its name.
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

/// Returns the name of a file on one line, escaped so that a runner does not take it for a workflow command.
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
