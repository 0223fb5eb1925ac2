//! Reasons why a file that a workflow names is not read.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::files::display_name;
use crate::text::escape::file_name;

/// Reason why a path is read neither from the commit nor from the disk. Paths are relative to the root of the
/// repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The change has something there.
    Added(PathBuf),
    /// The change has something there, and the disk has something else.
    Covered(PathBuf),
    /// The repository has it with other capital letters.
    OtherCase(PathBuf),
    /// A link of the commit leads out of the repository.
    LeadsOut,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |path: &Path| file_name(&display_name(Path::new(""), path)).into_owned();
        match self {
            Self::Added(path) => write!(
                f,
                "the base does not have it, and the change has `{}` there; keep what the workflow adds where the \
                 repository has nothing, or merge the file before the workflow names it",
                name(path)
            ),
            Self::Covered(path) => write!(
                f,
                "the change has `{}` there, and the disk has something else; keep what the workflow adds where the \
                 repository has nothing",
                name(path)
            ),
            Self::OtherCase(path) => write!(
                f,
                "the repository has `{}`, which differs only in the case of its letters; write the name in the same way",
                name(path)
            ),
            Self::LeadsOut => {
                f.write_str("it is a link of the base that leads out of the repository; name what it leads to")
            }
        }
    }
}
