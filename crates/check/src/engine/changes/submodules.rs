//! Finds the submodules that are not checked out.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::engine::changes::Error;
use crate::engine::changes::git::{Git, path_of};
use crate::files::{Programs, repository_of};

/// The mode of a submodule in a list of files.
const MODE: &[u8] = b"160000 ";

/// Returns the submodules in `folder`, an absolute path, that are not checked out. With `base`, only those of which
/// this commit or tree has another version, or none.
///
/// # Errors
///
/// Fails if git cannot be run, or refuses to read the repository.
pub(in crate::engine) fn absent_submodules(
    folder: &Path,
    base: Option<&str>,
    programs: Programs,
) -> Result<Vec<PathBuf>, Error> {
    // Without this file, git checks out no submodule, and few repositories have one.
    if repository_of(folder).is_none_or(|root| !root.join(".gitmodules").is_file()) {
        return Ok(Vec::new());
    }
    let git = match Git::around(folder, programs) {
        // Something else may be called `.git`.
        Err(Error::NoRepository { .. }) => return Ok(Vec::new()),
        git => git?,
    };
    // Git knows a folder by its real path only.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let Ok(inside) = real(folder).strip_prefix(real(git.root())).map(Path::to_path_buf) else { return Ok(Vec::new()) };
    let mut absent = links(&git.ask(&["ls-files", "--cached", "--stage", "-z"])?);
    absent.retain(|(path, _)| path.starts_with(&inside) && !git.root().join(path).join(".git").exists());
    if let Some(base) = base.filter(|_| !absent.is_empty()) {
        let old = links(&git.ask(&["ls-tree", "-r", "-z", base])?);
        absent.retain(|link| !old.contains(link));
    }
    Ok(absent.iter().filter_map(|(path, _)| path.strip_prefix(&inside).map(|path| folder.join(path)).ok()).collect())
}

/// Returns the submodules of a list, with the commits that they are at: `MODE ID STAGE<TAB>PATH` or `MODE commit
/// ID<TAB>PATH`.
fn links(list: &[u8]) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let lines = list.split(|&byte| byte == 0).filter_map(|line| line.strip_prefix(MODE));
    let link = |line: &[u8]| {
        let tab = line.iter().position(|&byte| byte == b'\t')?;
        let (head, path) = line.split_at_checked(tab)?;
        // The longest word is the ID.
        let id = head.split(|&byte| byte == b' ').max_by_key(|word| word.len())?;
        Some((path_of(path.get(1..)?), id.to_vec()))
    };
    lines.filter_map(link).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::changes::sample::{git, write};

    #[test]
    fn submodules_that_are_not_checked_out_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let (root, programs) = (folder.path(), Programs::of_command_line());
        write(root, &[("a", ""), (".gitmodules", "")]);
        git(root, &["init", "--quiet"]);
        let link = |path: &str, digit: &str| {
            let entry = format!("160000,{},{path}", digit.repeat(40));
            git(root, &["update-index", "--add", "--cacheinfo", &entry]);
        };
        git(root, &["add", "a", ".gitmodules"]);
        link("infra/old", "1");
        link("infra/new", "1");
        link("out", "1");
        write(root, &[("out/.git", "gitdir: ../x"), ("infra/b", "")]);
        git(root, &["-c", "user.name=x", "-c", "user.email=x", "commit", "--quiet", "--message", "x"]);
        let (old, new) = (root.join("infra/old"), root.join("infra/new"));
        assert_eq!(absent_submodules(root, None, programs).unwrap(), [new.clone(), old]);
        assert_eq!(absent_submodules(root, Some("HEAD"), programs).unwrap(), [] as [PathBuf; 0]);
        link("infra/new", "2");
        assert_eq!(absent_submodules(root, Some("HEAD"), programs).unwrap(), std::slice::from_ref(&new));
        assert_eq!(absent_submodules(&root.join("infra"), Some("HEAD"), programs).unwrap(), [new]);
        std::fs::remove_file(root.join(".gitmodules")).unwrap();
        assert_eq!(absent_submodules(root, None, programs).unwrap(), [] as [PathBuf; 0]);
    }
}
