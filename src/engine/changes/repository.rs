//! What git says of the folder that formwork is called in.

use std::path::{Path, PathBuf};

use crate::engine::changes::Error;
use crate::engine::changes::git::{Git, path_of};

/// The git of the machine and the repository around a folder.
#[derive(Debug)]
pub(crate) struct Repository {
    /// The version of git, as it says it.
    pub version: String,
    /// The root of the working tree; `None` where there is none.
    pub root: Option<PathBuf>,
    /// The commit that is checked out.
    pub head: Option<String>,
    /// How many commits there are where the history is cut off; `None` where it is whole.
    pub depth: Option<u64>,
}

impl Repository {
    /// Asks git. An error says that there is none.
    pub(crate) fn around(working: &Path) -> Result<Self, Error> {
        let git = Git::new(working)?;
        let version = git.run(&["--version"])?.line();
        let version = version.strip_prefix("git version ").map_or(version.clone(), str::to_owned);
        let answer = |arguments: &[&str]| git.run(arguments).map(|answer| answer.is_success().then(|| answer.line()));
        let root = git.run(&["rev-parse", "--show-toplevel"])?;
        let root = root.is_success().then(|| path_of(root.line().as_bytes()));
        let head = answer(&["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])?;
        let is_shallow = answer(&["rev-parse", "--is-shallow-repository"])?.is_some_and(|answer| answer == "true");
        // Of a whole history the count would take its time, and tell nothing.
        let depth = if is_shallow { answer(&["rev-list", "--count", "HEAD"])? } else { None };
        Ok(Self { version, root, head, depth: depth.and_then(|number| number.parse().ok()) })
    }
}
