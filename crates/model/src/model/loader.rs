//! Files that a template links to.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::text::FileId;
use crate::value::Value;

/// Reads the files that templates link to. Expansion itself touches neither disk nor network.
pub trait Loader: std::fmt::Debug + Sync {
    /// The JSON or YAML file at `path`, which is relative to the folder of the file `from` and has `/` between its parts. A
    /// file has the same ID each time, whatever the path to it.
    fn load(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem>;

    /// Finds the file that a URL in the file `from` names, if that is in the same repository. The path of the result is
    /// for [`Loader::load`]. There are no URLs without a file system.
    fn locate(&self, _from: FileId, _url: &str) -> Option<Located> {
        None
    }
}

/// A file of the repository that a URL names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The path, relative to the folder of the file with the URL.
    pub path: String,
    /// Whether the URL names this repository, or the folder of the template that it is in. Otherwise only the end of its
    /// path is that of the file.
    pub is_certain: bool,
}

/// A linked file that was read.
#[derive(Clone, Debug)]
pub struct Linked {
    /// The ID of the file.
    pub file: FileId,
    /// The name of the file in reports.
    pub name: Arc<str>,
    /// The content of the file.
    pub value: Value,
}

/// Why the file of a link cannot be used.
#[derive(Clone, Debug)]
pub enum LinkProblem {
    /// The file does not exist.
    Missing,
    /// The file is not in the repository.
    Outside,
    /// The file cannot be read, or is neither JSON nor YAML.
    Unusable(Vec<Diagnostic>),
}

/// Finds no files: for templates outside of a file system.
#[derive(Clone, Copy, Debug)]
pub struct Offline;

impl Loader for Offline {
    fn load(&self, _: FileId, _: &str) -> Result<Linked, LinkProblem> {
        Err(LinkProblem::Missing)
    }
}
