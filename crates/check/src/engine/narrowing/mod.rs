//! Restrictions of runs to a part of their files.
//!
//! In a build without the feature `system`, the module `without_narrowing` takes its place.

mod basis;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::engine::changes::Changes;

pub(super) use self::basis::Basis;

/// Restriction of a run to a part of its files.
#[derive(Debug)]
pub struct Narrowing<'a> {
    /// Reason why files need a check.
    pub cause: Cause<'a>,
    /// The files that every check depends on, and whose changes count.
    pub basis: Vec<&'a Basis>,
}

/// News that make files need a check.
#[derive(Debug)]
pub enum Cause<'a> {
    /// The files that changed according to git.
    Changes(&'a Changes),
    /// Files and folders that the user named, as if they had changed.
    Named(Vec<PathBuf>),
    /// Exactly these files, which were selected before.
    Selected(&'a BTreeSet<PathBuf>),
}
