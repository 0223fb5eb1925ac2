//! Selects on both sides of a comparison the files that a change can touch, as a check of a change selects them.
//!
//! A deployment is compared only if both sides expand it, so what one side selects, the other one does too. What is not
//! selected is the same on both sides.
//!
//! # Invariant
//!
//! With and without this selection, a comparison finds the same differences.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::engine::bicep::is_bicep;
use crate::engine::changes::{Changes, Event};
use crate::engine::inputs::discover::Input;
use crate::engine::inputs::graph::Relation;
use crate::engine::inputs::inventory::Inventory;
use crate::engine::narrowing::{Cause, Narrowing};
use crate::engine::{Inputs, RunError, Threads};
use crate::text::Sources;

/// Maximum number of rounds in which each side selects files because of the other one. Mostly, the second round adds
/// nothing.
const MAX_ROUNDS: usize = 16;

/// The inputs of one side, and the folder to which paths are relative that both sides have.
#[derive(Clone, Copy, Debug)]
pub struct OneSide<'a> {
    pub inputs: &'a Inputs<'a>,
    pub root: &'a Path,
}

/// The files that each side has to expand.
#[derive(Debug)]
pub struct Affected {
    pub old: BTreeSet<PathBuf>,
    pub new: BTreeSet<PathBuf>,
    /// Number of templates and parameter files of the new side that are not among them.
    pub untouched: usize,
}

/// Returns the files that the change of `files`, relative to the roots, can touch. `None` if that cannot be told, so
/// that all have to be expanded.
pub fn affected(
    old: OneSide<'_>,
    new: OneSide<'_>,
    files: &BTreeMap<PathBuf, Event>,
    threads: usize,
) -> Result<Option<Affected>, RunError> {
    // Parsing needs the stack of these threads.
    let threads = Threads::start(threads)?;
    threads.install(|| {
        let sources = [Sources::new(), Sources::new()];
        let [old_sources, new_sources] = &sources;
        let backwards = files.iter().map(|(path, event)| (path.clone(), reversed(event))).collect();
        let mut old = Side::open(old, backwards, old_sources);
        let mut new = Side::open(new, files.clone(), new_sources);
        for _ in 0..MAX_ROUNDS {
            old.select();
            new.select();
            let (to_old, to_new) = (new.wanted_by(&old), old.wanted_by(&new));
            if to_old.is_empty() && to_new.is_empty() {
                return Ok(Some(Affected { untouched: new.untouched(), old: old.selected, new: new.selected }));
            }
            old.events.extend(to_old);
            new.events.extend(to_new);
        }
        Ok(None)
    })
}

/// Returns the event as seen from its end.
fn reversed(event: &Event) -> Event {
    match event {
        Event::Added => Event::Deleted,
        Event::Deleted => Event::Added,
        Event::RenamedFrom(path) => Event::RenamedTo(path.clone()),
        Event::RenamedTo(path) => Event::RenamedFrom(path.clone()),
        Event::Modified => Event::Modified,
        Event::Named => Event::Named,
    }
}

struct Side<'a> {
    inventory: Inventory<'a>,
    root: &'a Path,
    /// Events that change files, by their path relative to the root.
    events: BTreeMap<PathBuf, Event>,
    selected: BTreeSet<PathBuf>,
}

impl<'a> Side<'a> {
    fn open(side: OneSide<'a>, events: BTreeMap<PathBuf, Event>, sources: &'a Sources) -> Self {
        let inventory = Inventory::open(side.inputs, sources);
        Self { inventory, root: side.root, events, selected: BTreeSet::new() }
    }

    fn select(&mut self) {
        let absolute = |path: &PathBuf| self.root.join(path);
        let event = |event: &Event| match event {
            Event::RenamedFrom(path) => Event::RenamedFrom(absolute(path)),
            Event::RenamedTo(path) => Event::RenamedTo(absolute(path)),
            other => other.clone(),
        };
        let files = self.events.iter().map(|(path, what)| (absolute(path), event(what))).collect();
        let changes = Changes::of_files(self.root, files);
        // Both sides have the same settings.
        let narrowing = Narrowing { cause: Cause::Changes(&changes), basis: Vec::new() };
        self.selected = self.inventory.select(Some(&narrowing)).paths();
    }

    /// Returns the files that the other side has to select because of the selection of this one, as events of the other
    /// side.
    fn wanted_by(&self, other: &Side<'_>) -> Vec<(PathBuf, Event)> {
        let mut wanted = BTreeSet::new();
        for path in &self.selected {
            let counterparts = self.counterparts(path);
            let is_alone = !counterparts.iter().any(|path| other.has(path));
            wanted.extend(counterparts);
            // Without this parameter file, its template is another deployment.
            let edges = self.inventory.graph.edges(path).iter();
            for edge in edges.filter(|edge| is_alone && edge.relation == Relation::Parameters) {
                wanted.extend(self.counterparts(&edge.to));
            }
        }
        // Git does not list what it ignores.
        let found = other.inventory.found.iter().map(|input| input.path.as_path());
        let alone = found.filter(|path| !other.counterparts(path).iter().any(|path| self.has(path)));
        wanted.extend(alone.filter_map(|path| Some(path.strip_prefix(other.root).ok()?.to_path_buf())));
        let is_new = |path: &PathBuf| {
            let place = other.root.join(path);
            other.inventory.store.fence.exists(&place)
                && !other.selected.contains(&place)
                && !is_named(other.events.get(path))
        };
        wanted.into_iter().filter(is_new).map(|path| (path, Event::Named)).collect()
    }

    /// Returns `true` if this side has a file at a path that is relative to the root.
    fn has(&self, path: &Path) -> bool {
        self.inventory.store.fence.exists(&self.root.join(path))
    }

    /// Returns the paths that a file of this side may have on the other one, relative to the root.
    fn counterparts(&self, path: &Path) -> Vec<PathBuf> {
        let Ok(inside) = path.strip_prefix(self.root) else { return Vec::new() };
        let renamed = self.events.get(inside).and_then(|event| match event {
            Event::RenamedFrom(path) | Event::RenamedTo(path) => Some(path.clone()),
            _ => None,
        });
        std::iter::once(inside.to_path_buf()).chain(renamed).collect()
    }

    /// Returns the number of templates and parameter files that are not selected.
    fn untouched(&self) -> usize {
        let rest = self.inventory.found.par_iter().filter(|input| !self.selected.contains(&input.path));
        let is_ours = |input: &Input| is_bicep(&input.path) || self.inventory.store.inspect(input.clone()).0.is_some();
        rest.filter(|input| is_ours(input)).count()
    }
}

/// Returns `true` if the user named a file, which is then selected even if it did not change.
fn is_named(event: Option<&Event>) -> bool {
    matches!(event, Some(Event::Named))
}
