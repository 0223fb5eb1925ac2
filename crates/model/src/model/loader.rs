//! Files that a template links to.

use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::text::FileId;
use crate::value::Value;

/// Reads the files that templates link to. Expansion itself uses neither disk nor network.
pub trait Loader: std::fmt::Debug + Sync {
    /// Reads the JSON or YAML file at `path`, which is relative to the folder of the file `from` and has `/` as
    /// separator. A file has the same ID for all paths to it.
    fn load(&self, from: FileId, path: &str) -> Result<Linked, LinkProblem>;

    /// Finds the file of a URL in the file `from`, if it is in the same repository. The path of the result is for
    /// [`Loader::load`]. The default finds nothing.
    fn locate(&self, _from: FileId, _url: &str) -> Option<Located> {
        None
    }
}

/// A file of the repository that a URL refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The path, relative to the folder of the file with the URL.
    pub path: String,
    /// Certainty that the URL leads to the file.
    pub certainty: Certainty,
}

/// Certainty that a link leads to a file of the repository. The file is checked in any case, but only one that is named
/// counts as checked: whoever writes a link controls the result of a guess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    /// The link is a path in the repository, or a URL of this repository.
    Named,
    /// A deployment may read another file, for this reason.
    Guessed(Guess),
}

/// Reason for which a link may lead to another file than the one of the repository.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guess {
    /// The URL names a commit or a tag of this repository.
    Version,
    /// The URL names a repository of another owner, with the same name.
    Fork,
    /// The path of the URL has a folder around the template in it, and ends like that of the file.
    Folder,
    /// The path of the URL ends like that of the file.
    Ending,
    /// The URL is below the value of `_artifactsLocation`.
    Artifacts,
    /// The metadata of a stack name the file, beside a property with another location.
    Asset,
    /// A part of the URL is unknown.
    Computed,
}

impl Certainty {
    /// True unless only the end of a path is that of the file. It is then hardly by chance that the file exists.
    pub const fn is_likely(self) -> bool {
        !matches!(self, Self::Guessed(Guess::Ending | Guess::Fork))
    }

    /// Returns why the link is a guess; `None` if it names the file.
    pub const fn doubt(self) -> Option<&'static str> {
        match self {
            Self::Named => None,
            Self::Guessed(guess) => Some(guess.why()),
        }
    }
}

impl Guess {
    /// Returns the reason, in lower case and without a period.
    pub const fn why(self) -> &'static str {
        match self {
            Self::Version => "the URL names a commit or a tag, in which the file may be a different one",
            Self::Fork => "the URL names the repository of another owner, and only its path is that of the file",
            Self::Folder | Self::Ending => {
                "the URL is not one of this repository, and only its end is the path of the file"
            }
            Self::Artifacts => "the URL is below `_artifactsLocation`, where the file may be a different one",
            Self::Asset => "`aws:asset:path` names the file, but a deployment reads the URL",
            Self::Computed => "a part of the URL is unknown",
        }
    }
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

/// The reason why a linked file cannot be used.
#[derive(Clone, Debug)]
pub enum LinkProblem {
    /// The file does not exist.
    Missing,
    /// The file is not in the repository.
    Outside,
    /// The file cannot be read, or is neither JSON nor YAML.
    Unusable(Vec<Diagnostic>),
}

/// Finds no files, for templates outside a file system.
#[derive(Clone, Copy, Debug)]
pub struct Offline;

impl Loader for Offline {
    fn load(&self, _: FileId, _: &str) -> Result<Linked, LinkProblem> {
        Err(LinkProblem::Missing)
    }
}
