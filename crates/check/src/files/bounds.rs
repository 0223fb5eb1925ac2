//! Bounds of the files that a run may read.
//!
//! Whoever opens a pull request chooses what its files name and where its links lead, and must not get to read the
//! runner. A file that another one names must be in the repository. A path that the user typed may be anywhere, but a
//! link in a repository does not lead out of it: the user named the link, and the repository its target.
//!
//! # Invariant
//!
//! A file that another file names is read only within these bounds.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::files::{Admitted, Fence, Folders};

/// The folders whose files a run may read.
#[derive(Clone, Debug)]
pub struct Bounds<'h> {
    roots: Vec<Root>,
    folders: Arc<Folders<'h>>,
}

#[derive(Clone, Debug)]
struct Root {
    given: PathBuf,
    real: PathBuf,
    /// Outside of repositories, links are as good as what they lead to.
    is_repository: bool,
}

impl<'h> Bounds<'h> {
    /// Returns the repositories around absolute paths: the folder of the run, and the paths that the user named.
    /// Outside of repositories, the folder of the run is its own bound. A file elsewhere may use files next to its
    /// folder, so the first folder of its path is the bound.
    pub fn around<'a>(run: &Path, named: impl IntoIterator<Item = &'a Path>, folders: &Arc<Folders<'h>>) -> Self {
        let mut bounds = Self { roots: vec![Root::around(run, folders)], folders: Arc::clone(folders) };
        bounds.add(named);
        bounds
    }

    /// Returns the bounds for one file: the repository around it, or else those of the folder of the run if the file is
    /// in there.
    pub fn around_file(run: &Path, file: &Path, folders: &Arc<Folders<'h>>) -> Self {
        if file.starts_with(run) && file.parent().and_then(|folder| folders.repository_of(folder)).is_none() {
            return Self::around(run, [], folders);
        }
        let mut bounds = Self { roots: Vec::new(), folders: Arc::clone(folders) };
        bounds.add([file]);
        bounds
    }

    fn add<'a>(&mut self, named: impl IntoIterator<Item = &'a Path>) {
        for place in named {
            let root = Root::around(place, &self.folders);
            let real = self.folders.real(place).ok();
            let is_known = |known: &Root| {
                (known.is_repository || !root.is_repository)
                    && known.is_around(place)
                    && known.holds(place, real.as_deref())
            };
            if !self.roots.iter().any(is_known) {
                self.roots.push(if root.is_repository { root } else { Root::far_around(place, &self.folders) });
            }
        }
    }

    /// Returns `true` if a file may be read, wherever its name comes from. Nobody is asked for a path whose text leads
    /// out.
    pub fn hold(&self, path: &Path) -> bool {
        self.fence().admit(path).is_some_and(|path| self.hold_links(path))
    }

    /// Returns `true` if the links on the way to a file do not lead out.
    fn hold_links(&self, path: Admitted<'_>) -> bool {
        let real = self.folders.real(path.path()).ok();
        self.roots.iter().any(|root| root.holds(path.path(), real.as_deref()))
    }

    /// Returns the files whose paths do not lead out by their text.
    pub fn fence(&self) -> Fence<'h> {
        let roots = self.roots.iter().flat_map(|root| [root.given.clone(), root.real.clone()]);
        self.folders.fence().narrowed(roots.collect())
    }
}

impl Root {
    fn around(place: &Path, folders: &Folders<'_>) -> Self {
        let folder = if folders.fence().is_folder(place) { Some(place) } else { place.parent() };
        let folder = folder.unwrap_or(place);
        let repository = outermost_of_links(folder, folders);
        let given = repository.clone().unwrap_or_else(|| folder.to_path_buf());
        Self {
            real: folders.real(&given).unwrap_or_else(|_| given.clone()),
            given,
            is_repository: repository.is_some(),
        }
    }

    /// Returns the first folder of a path that is in no repository.
    fn far_around(place: &Path, folders: &Folders<'_>) -> Self {
        let mut above: Vec<&Path> = place.ancestors().collect();
        above.pop();
        let given = above.pop().unwrap_or(place).to_path_buf();
        Self { real: folders.fence().real_path(&given).unwrap_or_else(|_| given.clone()), given, is_repository: false }
    }

    /// Returns `true` if the text of a path is that of one below the root.
    fn is_around(&self, path: &Path) -> bool {
        path.starts_with(&self.given) || path.starts_with(&self.real)
    }

    /// Returns `true` if a path is below the root, given the path without links if it exists.
    fn holds(&self, path: &Path, real: Option<&Path>) -> bool {
        let is_below = || self.is_around(path);
        match real {
            // What is not there is not read either; only its name has to be one of the repository.
            None => is_below(),
            Some(_) if !self.is_repository && is_below() => true,
            Some(real) => is_inside(&self.real, real),
        }
    }
}

/// Returns `true` if a path of the user is a link in a repository, or leads through one, that leads out of the
/// repository.
pub fn leads_out(path: &Path, fence: &Fence<'_>) -> bool {
    let Ok(real) = fence.real_path(path) else { return false };
    let folders = Folders::new(fence.clone());
    let root = path.parent().filter(|_| real != path).and_then(|folder| outermost_of_links(folder, &folders));
    root.is_some_and(|root| {
        fence.real_path(&root).is_ok_and(|root| !is_inside(&root, &real) && !is_named_inside_git(path))
    })
}

/// Returns `true` if a real path is in a folder, and not in its `.git` folder: `.git/config` may have a token.
fn is_inside(root: &Path, real: &Path) -> bool {
    real.strip_prefix(root).is_ok_and(|below| !is_named_inside_git(below))
}

fn is_named_inside_git(path: &Path) -> bool {
    path.components().any(|part| matches!(part, Component::Normal(name) if name.eq_ignore_ascii_case(".git")))
}

/// Returns the root of the repository around a folder. If a link of an outer repository leads to another one, it is the
/// outer one.
fn outermost_of_links(folder: &Path, folders: &Folders<'_>) -> Option<PathBuf> {
    let mut root = folders.repository_of(folder)?;
    while let Some(outer) = root.parent().and_then(|folder| folders.repository_of(folder)) {
        let is_linked = folders.real(&root).ok().zip(folders.real(&outer).ok());
        if is_linked.is_none_or(|(inner, outer)| inner.starts_with(outer)) {
            break;
        }
        root = outer;
    }
    Some(root)
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::files::Disk;

    /// Returns a repository with a link to a folder and to files outside, to one inside, and to what git keeps.
    fn repository() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("repository");
        for name in ["repository/.git/config", "repository/a/b.json", "home/.docker/config.json", "other/.git/config"] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
        fs::write(folder.path().join("other/c.json"), "{}").unwrap();
        symlink("../home/.docker/config.json", root.join("out.json")).unwrap();
        symlink("../home", root.join("home")).unwrap();
        symlink("../other", root.join("other")).unwrap();
        symlink("a/b.json", root.join("in.json")).unwrap();
        symlink(".git/config", root.join("git.json")).unwrap();
        symlink(&root, folder.path().join("also")).unwrap();
        (folder, root)
    }

    #[test]
    fn what_a_file_names_is_in_the_repository() {
        let (folder, root) = repository();
        let bounds = Bounds::around(&root.join("a"), [], &Arc::new(Folders::new(Fence::of_user(&Disk))));
        let holds = |path: &str| bounds.hold(&folder.path().join(path));
        for inside in ["repository/a/b.json", "repository/in.json", "repository/gone.json"] {
            assert!(holds(inside), "{inside}");
        }
        for outside in [
            "repository/out.json",
            "repository/home/.docker/config.json",
            "repository/other/c.json",
            "repository/git.json",
            "repository/.git/config",
            "home/.docker/config.json",
            "gone.json",
            "also/a/b.json",
        ] {
            assert!(!holds(outside), "{outside}");
        }
        assert!(!bounds.hold(Path::new("/proc/self/environ")));
    }

    #[test]
    fn a_user_may_name_any_file_but_no_link_that_leads_out() {
        let (folder, _) = repository();
        let leads_out = |path: &str| leads_out(&folder.path().join(path), &Fence::of_user(&Disk));
        for fine in ["repository/in.json", "home/.docker/config.json", "other/c.json", "also/a/b.json", "also", "gone"]
        {
            assert!(!leads_out(fine), "{fine}");
        }
        for wrong in ["repository/out.json", "repository/home/.docker/config.json", "repository/other/c.json"] {
            assert!(leads_out(wrong), "{wrong}");
        }
        assert!(leads_out("repository/git.json") && leads_out("repository/other"));
        assert!(!leads_out("repository/.git/config"), "it is not a link");
    }

    #[test]
    fn without_a_repository_links_lead_anywhere() {
        let (folder, root) = repository();
        fs::rename(root.join(".git"), root.join("git")).unwrap();
        let bounds = Bounds::around(&root, [], &Arc::new(Folders::new(Fence::of_user(&Disk))));
        assert!(bounds.hold(&root.join("out.json")));
        assert!(!bounds.hold(&folder.path().join("home/.docker/config.json")));
    }

    #[test]
    fn a_file_without_a_repository_may_use_what_is_next_to_its_folder() {
        let (folder, root) = repository();
        let other = folder.path().join("loose/c.json");
        fs::create_dir(folder.path().join("loose")).unwrap();
        fs::write(&other, "{}").unwrap();
        let around_file =
            |run: &Path, file: &Path| Bounds::around_file(run, file, &Arc::new(Folders::new(Fence::of_user(&Disk))));
        assert!(!around_file(&root, &root.join("a/b.json")).hold(&other), "the repository is the bound");
        assert!(around_file(&root, &other).hold(&folder.path().join("home/.docker/config.json")));
        assert!(!around_file(&root, &other).hold(Path::new("/proc/self/environ")));
        let run = folder.path().join("loose");
        assert!(!around_file(&run, &other).hold(&folder.path().join("home/.docker/config.json")));
    }
}
