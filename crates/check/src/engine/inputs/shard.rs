//! Splits the files of a run over several machines.
//!
//! Each machine finds all files, and takes its part of them. What is merged into one finding stays together: a template
//! with its parameter files and with the templates that it links to. Modules of Bicep go to every part that uses them.
//! The parts depend on nothing but the files, so together they are the whole run, and no template is in two of them.
//!
//! # Invariant
//!
//! Everything that is merged into one finding is in one part, so the findings of all parts are those of the whole run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use foldhash::{HashMap, HashSet};

use crate::diagnostic::Shard;
use crate::engine::bicep::{is_bicep, is_parameters, is_template};
use crate::engine::inputs::discover::Input;
use crate::engine::inputs::graph::{Graph, Relation};
use crate::engine::inputs::inventory::Inventory;
use crate::engine::inputs::store::Store;
use crate::files::display_name;

/// Cost of opening and reading any file, in bytes of a template.
const FILE: u64 = 200;

/// Cost of a build of Bicep, in bytes of a template.
const BUILD: u64 = 20_000;

/// Files that have to be checked by one machine.
#[derive(Debug, Default)]
struct JoinedFiles {
    files: Vec<PathBuf>,
    cost: u64,
}

impl Inventory<'_> {
    /// Keeps only the files of a part.
    pub(super) fn keep_shard(&mut self, shard: Shard) {
        let files: Vec<PathBuf> = self.found.iter().map(|input| input.path.clone()).collect();
        self.graph.extend(&files, &self.store, &self.roots, |_| true);
        let modules = self.modules();
        let own = files.iter().filter(|path| !modules.contains(*path));
        let groups = groups(own.cloned().collect(), &self.graph, &self.store);
        let mine = dealt(groups, shard, self.inputs.working);
        let starts: Vec<&Path> = mine.iter().map(PathBuf::as_path).filter(|path| is_bicep(path)).collect();
        let used = self.graph.below(&starts);
        self.found.retain(|input| mine.contains(&input.path) || used.contains(input.path.as_path()));
    }

    /// Returns the Bicep files that are checked only as parts of those that use them.
    fn modules(&self) -> HashSet<PathBuf> {
        let bicep: Vec<&Path> =
            self.found.iter().map(|input| input.path.as_path()).filter(|path| is_bicep(path)).collect();
        let is_walked = |input: &&Input| !input.named && is_template(&input.path);
        let walked: Vec<&Path> = self.found.iter().filter(is_walked).map(|input| input.path.as_path()).collect();
        let independent: HashSet<&Path> = self.graph.independent(&walked, &bicep).into_iter().collect();
        walked.into_iter().filter(|path| !independent.contains(path)).map(Path::to_path_buf).collect()
    }
}

/// Returns the groups of files. Those that no reference connects are alone.
fn groups(files: Vec<PathBuf>, graph: &Graph, store: &Store<'_>) -> Vec<JoinedFiles> {
    let mut union = Union::default();
    for path in &files {
        union.join(path, path);
        // A template is skipped if it was built from the Bicep file beside it.
        union.join(path, &path.with_extension("bicep"));
        let connecting = |relation| matches!(relation, Relation::Link | Relation::Parameters);
        for edge in graph.edges(path).iter().filter(|edge| connecting(edge.relation)) {
            union.join(path, &edge.to);
        }
    }
    let mut groups: BTreeMap<usize, JoinedFiles> = BTreeMap::new();
    for path in files {
        groups.entry(union.root_of(&path)).or_default().files.push(path);
    }
    groups.into_values().map(|group| JoinedFiles { cost: cost(&group.files, graph, store), ..group }).collect()
}

/// Returns the approximate cost of a group, in bytes: a template is expanded once for each of its parameter files, with
/// all that is compiled into it.
fn cost(files: &[PathBuf], graph: &Graph, store: &Store<'_>) -> u64 {
    let (mut templates, mut expansions, mut total) = (0, 0, 0);
    let starts: Vec<&Path> = files.iter().map(PathBuf::as_path).filter(|path| is_bicep(path)).collect();
    let modules = graph.below(&starts).into_iter().filter(|path| !starts.contains(path));
    for path in files.iter().map(PathBuf::as_path).chain(modules) {
        total += FILE;
        let size = store.size(path);
        if is_parameters(path) || graph.edges(path).iter().any(|edge| edge.relation == Relation::Parameters) {
            expansions += 1;
            total += size;
        } else {
            templates += size;
        }
        total += if is_bicep(path) { BUILD } else { 0 };
    }
    total + templates * expansions.max(1)
}

/// Returns the files of a part: the group that costs most goes to the part with the least work so far, and so on.
fn dealt(mut groups: Vec<JoinedFiles>, shard: Shard, working: &Path) -> BTreeSet<PathBuf> {
    // Names are the same on all machines, wherever the repository lies there.
    let name = |group: &JoinedFiles| group.files.first().map(|path| display_name(working, path));
    groups.sort_by_cached_key(|group| (std::cmp::Reverse(group.cost), name(group)));
    let mut loads: BTreeSet<(u64, u32)> = (1..=shard.count).map(|index| (0, index)).collect();
    let mut mine = BTreeSet::new();
    for group in groups {
        let Some((load, index)) = loads.pop_first() else { break };
        loads.insert((load + group.cost, index));
        if index == shard.index {
            mine.extend(group.files);
        }
    }
    mine
}

/// Paths that belong together, each with a number for its set.
#[derive(Debug, Default)]
struct Union {
    numbers: HashMap<PathBuf, usize>,
    parents: Vec<usize>,
}

impl Union {
    fn join(&mut self, one: &Path, other: &Path) {
        let (one, other) = (self.root_of(one), self.root_of(other));
        // The lower number wins, so that the number of a set depends only on the order of the paths.
        if let Some(parent) = self.parents.get_mut(one.max(other)) {
            *parent = one.min(other);
        }
    }

    fn root_of(&mut self, path: &Path) -> usize {
        let next = self.parents.len();
        let mut at = *self.numbers.entry(path.to_path_buf()).or_insert(next);
        if at == next {
            self.parents.push(next);
        }
        while let Some(&parent) = self.parents.get(at).filter(|parent| **parent != at) {
            // Each step halves the way for the next one.
            let above = self.parents.get(parent).copied().unwrap_or(parent);
            if let Some(slot) = self.parents.get_mut(at) {
                *slot = above;
            }
            at = parent;
        }
        at
    }
}
