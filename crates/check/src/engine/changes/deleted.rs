//! Lists the files that a commit deletes. A hook is told of all others.

use std::path::{Path, PathBuf};

use crate::engine::changes::git::{DIFF, Git};
use crate::engine::changes::{Error, list};
use crate::files::Programs;

/// Commit or comparison whose deletions are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deleted {
    /// Deletions in the next commit.
    Staged,
    /// Deletions since one commit left another: `from...to`.
    Between {
        /// The commit with which the comparison starts.
        from: String,
        /// The commit that was made since.
        to: String,
    },
}

/// Returns the files that are deleted, with the old paths of those that are renamed. Absolute. There are none outside
/// of a repository.
pub(crate) fn deleted(working: &Path, what: &Deleted, programs: Programs) -> Result<Vec<PathBuf>, Error> {
    let git = match Git::around(working, programs) {
        Err(Error::NoRepository { .. }) => return Ok(Vec::new()),
        git => git?,
    };
    let range = match what {
        Deleted::Staged => vec!["--cached".to_owned()],
        Deleted::Between { from, to } => {
            if let Some(name) = [from, to].into_iter().find(|name| name.starts_with('-')) {
                return Err(Error::BaseName { name: name.clone() });
            }
            vec![format!("{from}...{to}")]
        }
    };
    let form = ["--name-only", "--no-renames", "--diff-filter=D"];
    let words = DIFF.into_iter().chain(form).map(str::to_owned).chain(range).chain(["--".to_owned()]);
    let listed = git.ask(&words.collect::<Vec<_>>())?;
    Ok(list::paths(&listed).map(|path| git.root().join(path)).collect())
}
