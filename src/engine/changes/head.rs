//! The head of a pull request whose merge with the base is checked out.
//!
//! People see the lines of the head, and a run sees those of the merge: where the base went on in the same file they
//! differ.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::engine::changes::git::Git;
use crate::engine::changes::hunks::{self, Lines};
use crate::engine::changes::list::{self, Event};
use crate::engine::changes::{Error, compare};
use crate::text::LineMap;

/// How the working tree differs from the head, which is what the base did since the branch left it.
#[derive(Debug)]
pub(crate) struct MergedHead {
    /// The head.
    pub commit: String,
    files: BTreeMap<PathBuf, Event>,
    lines: BTreeMap<PathBuf, Lines>,
}

impl MergedHead {
    pub(super) fn read(git: &Git, root: &Path, commit: String) -> Result<Self, Error> {
        let patches = compare(git, "--patch-with-raw", None, &commit)?;
        let files = list::events(list::entries(&patches).0, root);
        Ok(Self { files, lines: hunks::read(&patches, root), commit })
    }

    /// Where a file and its lines are in the head. `None` for a file that it does not have, and for one that git sees no
    /// lines in.
    pub(crate) fn place(&self, path: &Path) -> Option<(PathBuf, LineMap)> {
        let name = match self.files.get(path) {
            None => return Some((path.to_owned(), LineMap::default())),
            Some(Event::RenamedFrom(name)) => name,
            Some(Event::Modified) => path,
            Some(_) => return None,
        };
        match self.lines.get(path)? {
            Lines::All => None,
            Lines::Hunks(map) => Some((name.to_owned(), map.clone())),
        }
    }
}
