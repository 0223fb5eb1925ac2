//! Basis of every check besides its inputs: settings, rules, policies, and the baseline.
//!
//! The list is made in one place, from the table of settings. It decides which files narrow a check, and which edits of
//! a change weaken its own check.
//!
//! # Invariant
//!
//! Everything that a flag or a setting names, and that a check depends on, is read from the base of the change or from
//! the disk, or the run ends with exit code 2.

use std::path::{Path, PathBuf};

use crate::config::Role;
use crate::engine::changes::ReadFrom;

/// A file or folder that every check depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Basis {
    /// The part that it takes in a check.
    pub role: Role,
    /// The file or folder, whether or not it is there.
    pub path: PathBuf,
    /// Targets of its links, and the links on the way to them.
    pub linked: Vec<PathBuf>,
    /// Source that it is read from.
    pub from: ReadFrom,
}

impl Basis {
    /// Returns the paths at which a change of a file is one of the basis.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(&self.path).chain(&self.linked).map(PathBuf::as_path)
    }

    /// True if a changed file is a part of it, or is in the way to it.
    pub fn depends_on(&self, changed: &Path) -> bool {
        self.paths().any(|path| changed.starts_with(path) || path.starts_with(changed))
    }

    /// Returns the predicate of a sentence about a template that is checked again because the basis changed. `None` if
    /// only some templates depend on it.
    pub const fn verb(&self) -> Option<&'static str> {
        match self.role {
            Role::Rules => Some("is checked by the rules of"),
            Role::Policies | Role::PolicyParameters => Some("is judged by the policies of"),
            Role::Settings => Some("is checked under"),
            Role::Baseline => Some("is compared with"),
            Role::Parameters => Some("takes parameters from"),
            Role::BicepSettings => None,
        }
    }
}
