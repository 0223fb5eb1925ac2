//! Where settings are looked for.

use std::path::{Path, PathBuf};

use crate::config::display_name;

/// The names of our file, in the order of precedence.
pub const FORMWORK: [&str; 3] = ["formwork.yaml", "formwork.yml", "formwork.json"];

/// The names that `PSRule` gives its file.
const PS_RULE: [&str; 4] = ["ps-rule.yaml", "ps-rule.yml", "psrule.yaml", "psrule.yml"];

/// The root of the repository that a file or folder lies in.
pub fn repository_of(path: &Path) -> Option<PathBuf> {
    let mut above = path.ancestors();
    above.find(|it| it.join(".git").exists()).map(Path::to_path_buf)
}

/// The name that a file has in its repository: relative to `root`, with `/`, and without symbolic links on the way, as
/// git and services around it know it. A link that leads out of the repository is a file of the repository itself. `None`
/// for a file that lies elsewhere. Both paths are absolute.
pub fn repository_name(root: &Path, path: &Path) -> Option<String> {
    let below = |root: &Path, path: &Path| path.starts_with(root).then(|| display_name(root, path));
    let resolved = root.canonicalize().ok().zip(path.canonicalize().ok());
    resolved.and_then(|(root, path)| below(&root, &path)).or_else(|| below(root, path))
}

/// All places at which settings are looked for from a folder, whether or not there is a file.
pub fn settings_places(working: &Path) -> Vec<PathBuf> {
    let names = || FORMWORK.iter().chain(&PS_RULE);
    folders(working).flat_map(|folder| names().map(move |name| folder.join(name))).collect()
}

/// Our file, from the current folder up to the root of the repository.
pub(super) fn formwork(working: &Path) -> Option<PathBuf> {
    upwards(working, &FORMWORK)
}

/// The file of `PSRule`, looked for in the same folders.
pub(super) fn ps_rule(working: &Path) -> Option<PathBuf> {
    upwards(working, &PS_RULE)
}

/// Outside a repository only the folder itself counts: a stray file far above must not steer a run.
fn folders(working: &Path) -> impl Iterator<Item = &Path> {
    let top = repository_of(working).unwrap_or_else(|| working.to_path_buf());
    working.ancestors().take_while(move |it| it.starts_with(&top))
}

fn upwards(working: &Path, names: &[&str]) -> Option<PathBuf> {
    folders(working).flat_map(|folder| names.iter().map(|name| folder.join(name))).find(|it| it.is_file())
}

#[cfg(all(test, unix))]
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
