//! Finds renamed files that are as new to a check as added ones.
//!
//! For a template that only moved, only the changed lines are of interest. A file that was not checked under its old
//! name is new with all of its lines, and so is a parameter file: its name decides which template gets its values.

use std::path::{Path, PathBuf};

use crate::engine::bicep::is_parameters;
use crate::engine::inputs::discover::has_our_extension;
use crate::engine::inputs::link::candidates;
use crate::files::{Disk, Fence, PathFilter, glob_of, read_bytes};
use crate::path::normalize;

/// Maximum number of bytes of a file that are read to find out if it has parameters.
const LIMIT: u64 = 4 << 20;

/// Texts that only parameter files contain.
const SIGNS: [&[u8]; 2] = [b"deploymentParameters.json", b"\"ParameterKey\""];

/// The files that a check takes, to judge their old names.
#[derive(Debug)]
pub(in crate::engine) struct Taken<'a> {
    /// The current folder, absolute.
    pub(in crate::engine) working: &'a Path,
    /// Templates, parameter files, folders and globs.
    pub(in crate::engine) paths: &'a [PathBuf],
    pub(in crate::engine) filter: &'a PathFilter,
}

impl Taken<'_> {
    /// Returns `true` if a renamed file is new to the check: it was not checked under its old name, or it may have
    /// parameters.
    pub(in crate::engine) fn is_new(&self, old: &Path, new: &Path) -> bool {
        !self.takes(old) || may_have_parameters(new)
    }

    fn takes(&self, path: &Path) -> bool {
        let is_inside = |place: &PathBuf| match glob_of(self.working, place, &Fence::of_user(&Disk)) {
            Some((_, globs)) => globs.matches(path),
            None => path.starts_with(normalize(self.working, place)),
        };
        has_our_extension(path) && self.filter.takes_file(path) && self.paths.iter().any(is_inside)
    }
}

fn may_have_parameters(path: &Path) -> bool {
    let has_sign = || {
        let bytes = read_bytes(path, LIMIT).unwrap_or_default();
        SIGNS.iter().any(|sign| memchr::memmem::find(&bytes, sign).is_some())
    };
    is_parameters(path) || !candidates(path).is_empty() || has_sign()
}
