//! Describes the repository around the current folder, for `formwork doctor`.

use std::path::{Path, PathBuf};

use crate::engine::changes::Error;
use crate::engine::changes::git::{self, Git};
use crate::files::Programs;

/// The installed git and the repository around a folder.
#[derive(Debug)]
pub struct Repository {
    /// The version of git, as it prints it.
    pub version: String,
    /// The root of the working tree; `None` outside a repository.
    pub root: Option<PathBuf>,
    /// The commit that is checked out; `None` in a repository without one.
    pub head: Option<String>,
    /// The number of commits in a shallow clone; `None` in a complete one.
    pub depth: Option<u64>,
}

impl Repository {
    /// Asks git. Fails if git cannot be run.
    pub fn around(working: &Path, programs: Programs) -> Result<Self, Error> {
        let version = git::version(working, programs)?;
        let git = match Git::around(working, programs) {
            Err(Error::NoRepository { .. }) => return Ok(Self { version, root: None, head: None, depth: None }),
            git => git?,
        };
        let answer = |arguments: &[&str]| git.run(arguments).map(|answer| answer.is_success().then(|| answer.line()));
        let root = Some(git.root().to_owned());
        let head = answer(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        let is_shallow = answer(&["rev-parse", "--is-shallow-repository"])?.is_some_and(|answer| answer == "true");
        // Counting the commits of a complete history would be slow and useless.
        let depth = if is_shallow { answer(&["rev-list", "--count", "HEAD"])? } else { None };
        Ok(Self { version, root, head, depth: depth.and_then(|number| number.parse().ok()) })
    }
}
