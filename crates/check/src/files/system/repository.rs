//! The repositories on the disk that paths are in.

use std::path::{Path, PathBuf};

use crate::files::display_name;

/// Returns the root of the repository around a file or folder. `None` outside a repository.
pub fn repository_of(path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|folder| is_repository(folder)).map(Path::to_path_buf)
}

/// Returns `true` if a folder is the root of a repository.
fn is_repository(folder: &Path) -> bool {
    folder.join(".git").exists()
}

/// Returns the name that a file has in its repository: relative to `root`, with `/`, and without symbolic links on the
/// way, as git and services around it know it. A link that leads out of the repository is a file of the repository
/// itself. `None` for a file that lies elsewhere. Both paths are absolute.
pub fn repository_name(root: &Path, path: &Path) -> Option<String> {
    let below = |root: &Path, path: &Path| path.starts_with(root).then(|| display_name(root, path));
    let resolved = root.canonicalize().ok().zip(path.canonicalize().ok());
    resolved.and_then(|(root, path)| below(&root, &path)).or_else(|| below(root, path))
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_file_is_named_as_its_repository_knows_it() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository");
        fs::create_dir_all(root.join("infra")).unwrap();
        fs::write(root.join("infra/main.json"), "").unwrap();
        fs::write(folder.path().join("outside.json"), "").unwrap();
        symlink(root.join("infra"), root.join("linked")).unwrap();
        symlink(folder.path().join("outside.json"), root.join("out.json")).unwrap();
        symlink(&root, folder.path().join("also")).unwrap();
        let name = |path: &str| repository_name(&root, &folder.path().join(path));
        for path in ["repository/infra/main.json", "repository/linked/main.json", "also/infra/main.json"] {
            assert_eq!(name(path).as_deref(), Some("infra/main.json"), "{path}");
        }
        assert_eq!(name("repository/out.json").as_deref(), Some("out.json"));
        assert_eq!(name("repository/gone.json").as_deref(), Some("gone.json"));
        assert_eq!(name("outside.json"), None);
    }
}
