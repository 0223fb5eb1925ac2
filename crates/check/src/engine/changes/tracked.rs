//! Lists the files that git tracks. Ignore files are about others: git itself never leaves out what it tracks.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::engine::changes::git::Git;
use crate::engine::changes::{Error, list};
use crate::files::Programs;

/// Returns the tracked files in `folder`, an absolute path, with those of submodules. `None` outside of a repository.
///
/// # Errors
///
/// Fails if git cannot be run, or refuses to read the repository.
pub(in crate::engine) fn tracked(folder: &Path, programs: Programs) -> Result<Option<Vec<PathBuf>>, Error> {
    let git = match Git::around(folder, programs) {
        // Something else may be called `.git`.
        Err(Error::NoRepository { .. }) => return Ok(None),
        git => git?,
    };
    // Git knows a folder by its real path only.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let Ok(inside) = real(folder).strip_prefix(real(git.root())).map(Path::to_path_buf) else { return Ok(None) };
    let mut pathspec = OsString::from(":(top,literal)");
    pathspec.push(&inside);
    let list = ["ls-files", "--cached", "--recurse-submodules", "-z", "--"].map(OsString::from);
    let listed = git.ask(&[&list[..], &[pathspec]].concat())?;
    // A submodule that is not checked out is listed by its own path.
    let below = list::paths(&listed).filter(|path| *path != inside);
    Ok(Some(below.filter_map(|path| Some(folder.join(path.strip_prefix(&inside).ok()?))).collect()))
}

/// Returns the tracked files of this name in the repository at `root`.
///
/// # Errors
///
/// Fails if git cannot be run, or refuses to read the repository.
pub(in crate::engine) fn tracked_of_name(root: &Path, name: &str, programs: Programs) -> Result<Vec<PathBuf>, Error> {
    let git = Git::around(root, programs)?;
    let pattern = format!(":(top,icase,glob)**/{name}");
    let listed = git.ask(&["ls-files", "--cached", "--full-name", "-z", "--", &pattern])?;
    Ok(list::paths(&listed).map(|path| root.join(path)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::changes::sample::{git, write};

    #[test]
    fn what_git_cannot_read_is_not_taken_for_a_folder_outside_of_repositories() {
        let folder = tempfile::tempdir().unwrap();
        let (root, programs) = (folder.path(), Programs::of_command_line());
        write(root, &[("a", ""), ("b/c", ""), (".git/x", "")]);
        assert_eq!(tracked(root, programs).unwrap(), None, "something else is called `.git`");
        git(root, &["init", "--quiet"]);
        git(root, &["add", "b"]);
        assert_eq!(tracked(root, programs).unwrap(), Some(vec![root.join("b/c")]));
        assert_eq!(tracked(&root.join("b"), programs).unwrap(), Some(vec![root.join("b/c")]));
        write(root, &[(".git/config", "[core")]);
        assert!(matches!(tracked(root, programs), Err(Error::Failed { .. })));
    }
}
