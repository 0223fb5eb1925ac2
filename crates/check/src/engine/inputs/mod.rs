//! From the paths of the user to the templates of a run.
//!
//! The stages, in their order:
//!
//! 1. `discover` returns the paths that may be ours, judging by their names. `walk` finds those in folders of the disk.
//! 2. `store` reads each file at most once, and parses it, for all later stages. `engine::detect` decides by content what
//!    a file is, and `load` makes a template or a parameter file of it.
//! 3. `graph` knows which files refer to which. If a run is narrowed, it contains all files; otherwise only Bicep
//!    files, because their modules are not checked on their own. That of a run of an editor is kept for the next one when
//!    the files are selected, and later stages begin with an empty one.
//! 4. `selection` narrows a run to what a change touches, and explains why a file is checked; `again` does that for the next
//!    run of an editor.
//!    `shard` narrows it to the part of one of several machines.
//! 5. `link` and `beside` find the template that each parameter file belongs to.
//! 6. `plan` makes a job of each template with its parameter files, and builds Bicep files. `fragments` finds what completes
//!    a template that is only a part of one.
//! 7. `linked` loads the files that templates link to while they are expanded. `urls` finds those that URLs name, with
//!    the `remotes` of the repository.
//!
//! The [`Inventory`] holds the results of the first stages. `walk`, `selection`, `again` and whatever else needs the disk
//! or git are in `system`.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod beside;
mod built;
mod cookiecutter;
mod discover;
mod fragments;
mod graph;
mod head;
mod inventory;
mod job;
mod layout;
mod link;
mod linked;
mod load;
mod meaning;
mod plan;
mod remotes;
mod shard;
mod store;
#[cfg_attr(not(feature = "system"), path = "without_system.rs")]
pub(super) mod system;
mod test_folders;
mod urls;

#[cfg(test)]
mod tests;

use crate::diagnostic::Diagnostic;
use crate::engine::Inputs;
use crate::text::Sources;

use self::inventory::Inventory;

pub(super) use self::beside::{beside, is_using};
pub(super) use self::built::Stale;
pub(super) use self::discover::Input;
pub(super) use self::graph::{Graph, Using};
pub(super) use self::job::Job;
pub(super) use self::linked::Linker;
pub(super) use self::load::Loaded;
pub(super) use self::store::Store;

/// The input of expansion.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    /// The templates to expand, ordered by path.
    pub(super) jobs: Vec<Job>,
    /// Loads the files that the templates link to.
    pub(super) linker: Linker<'a>,
    /// The problems with the files.
    pub(super) diagnostics: Vec<Diagnostic>,
}

/// Finds, reads, builds and links the files of a run.
pub(super) fn prepare<'a>(inputs: &'a Inputs<'a>, sources: &'a Sources) -> Prepared<'a> {
    let mut inventory = opened(inputs, sources);
    if let Some(shard) = inputs.shard {
        inventory.keep_shard(shard);
    }
    let store = inventory.store.clone();
    let roots = inventory.roots.clone();
    let (jobs, diagnostics) = plan::plan(inventory);
    let linker = Linker::new(store, roots, &jobs);
    Prepared { jobs, linker, diagnostics }
}

/// Returns the inventory of a run, narrowed if the run is.
fn opened<'a>(inputs: &'a Inputs<'a>, sources: &'a Sources) -> Inventory<'a> {
    match inputs.narrowing {
        Some(narrowing) => system::narrowed(inputs, sources, narrowing),
        None => Inventory::open(inputs, sources),
    }
}
