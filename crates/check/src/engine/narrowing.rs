//! What narrows a run to a part of its files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::engine::changes::Changes;

/// A file that every check depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A rule file, or a folder of rule files.
    Rules(PathBuf),
    /// A settings file, whether or not it is there.
    Settings(PathBuf),
    /// A parameter file of the command line.
    Parameters(PathBuf),
}

impl Basis {
    /// The file or folder.
    pub(super) fn path(&self) -> &Path {
        match self {
            Self::Rules(path) | Self::Settings(path) | Self::Parameters(path) => path,
        }
    }

    /// How the file takes part in a check, for the reason why a template is checked.
    pub(super) const fn verb(&self) -> &'static str {
        match self {
            Self::Rules(_) => "is checked by the rules of",
            Self::Settings(_) => "is checked under",
            Self::Parameters(_) => "takes parameters from",
        }
    }
}

/// What narrows a run to a part of its files.
#[derive(Debug)]
pub struct Narrowing<'a> {
    /// What the files have to do with.
    pub cause: Cause<'a>,
    /// Files that every check depends on.
    pub basis: Vec<Basis>,
}

/// What is new, so that files need a check.
#[derive(Debug)]
pub enum Cause<'a> {
    /// The files that changed, as git tells.
    Changes(&'a Changes),
    /// Files and folders that the user named, as if they had changed.
    Named(Vec<PathBuf>),
    /// Exactly these files, which were selected before.
    Selected(&'a BTreeSet<PathBuf>),
}
