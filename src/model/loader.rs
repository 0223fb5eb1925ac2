//! Files that a template links to.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::text::FileId;
use crate::value::Value;

/// Reads the files that templates link to. Expansion itself touches neither disk nor network.
pub trait Loader: std::fmt::Debug + Sync {
    /// The JSON or YAML file at `path`, which is relative to the folder of the file `from` and has `/` between its parts. The
    /// same file has the same id, whoever asks and by whatever path.
    fn load(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem>;
}

/// A file that was linked to.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The file.
    pub file: FileId,
    /// How reports name it.
    pub name: Arc<str>,
    /// What it holds.
    pub value: Value,
}

/// Why a link leads to nothing that can be used.
#[derive(Clone, Debug)]
pub enum LinkProblem {
    /// There is no such file.
    Missing,
    /// The file is not in the repository.
    Outside,
    /// The file cannot be read, or is neither JSON nor YAML.
    Unusable(Vec<Diagnostic>),
}

/// Finds nothing: for templates that have no place in a file system.
#[derive(Clone, Copy, Debug)]
pub struct Offline;

impl Loader for Offline {
    fn load(&self, _: FileId, _: &str) -> Result<Linked, LinkProblem> {
        Err(LinkProblem::Missing)
    }
}
