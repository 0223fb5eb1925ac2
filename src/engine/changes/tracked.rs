//! Lists the files that git tracks. Ignore files are about others: git itself never leaves out what it tracks.

use std::path::{Path, PathBuf};

use crate::engine::changes::git::Git;
use crate::engine::changes::{Error, list};
use crate::files::repository_of;

/// The tracked files in `folder`, an absolute path, with those of submodules. `None` outside of a repository.
///
/// # Errors
///
/// Fails if git cannot be run, or refuses to read the repository.
pub(in crate::engine) fn tracked(folder: &Path) -> Result<Option<Vec<PathBuf>>, Error> {
    if repository_of(folder).is_none() {
        return Ok(None);
    }
    let git = Git::new(folder)?;
    let listed = match git.ask(&["ls-files", "--cached", "--recurse-submodules", "-z"]) {
        Ok(listed) => listed,
        // Something else is called `.git`.
        Err(Error::Failed { message, .. }) if message.contains("not a git repository") => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(list::paths(&listed).map(|path| folder.join(path)).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::changes::sample::{git, write};

    #[test]
    fn what_git_cannot_read_is_not_taken_for_a_folder_outside_of_repositories() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        write(root, &[("a", ""), ("b/c", ""), (".git/x", "")]);
        assert_eq!(tracked(root).unwrap(), None, "something else is called `.git`");
        git(root, &["init", "--quiet"]);
        git(root, &["add", "b"]);
        assert_eq!(tracked(root).unwrap(), Some(vec![root.join("b/c")]));
        assert_eq!(tracked(&root.join("b")).unwrap(), Some(vec![root.join("b/c")]));
        write(root, &[(".git/config", "[core")]);
        assert!(matches!(tracked(root), Err(Error::Failed { .. })));
    }
}
