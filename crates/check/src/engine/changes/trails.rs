//! Paths of a repository that lead to a file.
//!
//! Git lists a symbolic link under its own path, and what it leads to under another; nothing is listed behind a link. A
//! run may get to a file through links, and what it reads there changes with each of them.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use foldhash::HashMap;

/// Maximum number of links that are followed on the way to one file.
const MAX_LINKS: usize = 40;

/// The longest path that is followed, in bytes. Systems take no longer ones.
const MAX_LENGTH: usize = 4096;

/// The way to a file or folder, which may be missing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Trail {
    /// The links on the way, in their order. The folder of each has no links in its own path.
    pub(super) links: Vec<PathBuf>,
    /// Path at the end of the way, without links.
    pub(super) real: PathBuf,
}

/// The ways to files and folders. Each is looked at once.
#[derive(Debug, Default)]
pub(super) struct Trails {
    known: Mutex<HashMap<PathBuf, Arc<Trail>>>,
}

impl Trails {
    /// Returns the way to an absolute path.
    pub(super) fn to(&self, path: &Path) -> Arc<Trail> {
        if path.as_os_str().len() > MAX_LENGTH {
            return Arc::new(Trail { links: Vec::new(), real: path.to_path_buf() });
        }
        self.known_or(path, || match (path.parent(), path.file_name()) {
            (Some(folder), Some(name)) => {
                let folder = self.known_or(folder, || follow(Trail::default(), parts(folder)));
                follow((*folder).clone(), VecDeque::from([name.to_owned()]))
            }
            _ => follow(Trail::default(), parts(path)),
        })
    }

    fn known_or(&self, path: &Path, find: impl FnOnce() -> Trail) -> Arc<Trail> {
        let known = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(trail) = known().get(path) {
            return Arc::clone(trail);
        }
        let trail = Arc::new(find());
        known().insert(path.to_path_buf(), Arc::clone(&trail));
        trail
    }
}

/// Goes on from a real path. After [`MAX_LINKS`], a link is an end like any other file.
fn follow(mut trail: Trail, mut rest: VecDeque<OsString>) -> Trail {
    while let Some(part) = rest.pop_front() {
        if part == ".." {
            trail.real.pop();
            continue;
        }
        let at = trail.real.join(&part);
        match fs::read_link(&at) {
            Ok(target) if trail.links.len() < MAX_LINKS => {
                trail.links.push(at);
                let mut target = parts(&target);
                target.append(&mut rest);
                rest = target;
            }
            _ => trail.real = at,
        }
    }
    trail
}

fn parts(path: &Path) -> VecDeque<OsString> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.map(|part| part.as_os_str().to_owned()).collect()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_on_the_way_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join("a/b")).unwrap();
        fs::create_dir_all(root.join("c")).unwrap();
        fs::write(root.join("a/b/x.json"), "").unwrap();
        for (target, name) in [
            ("a/b", "one"),
            ("../one", "c/two"),
            ("x.json", "a/b/y.json"),
            ("loop", "loop"),
            ("c/two/../b/./x.json", "turn"),
            ("nowhere/x", "broken"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        symlink(root.join("c"), root.join("absolute")).unwrap();
        let trails = Trails::default();
        let shown = |path: &Path| path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned();
        let way = |path: &str| {
            let trail = trails.to(&root.join(path));
            (trail.links.iter().map(|link| shown(link)).collect::<Vec<_>>().join(" "), shown(&trail.real))
        };
        for (path, links, real) in [
            ("a/b/x.json", "", "a/b/x.json"),
            ("a/b/gone/z.json", "", "a/b/gone/z.json"),
            ("one/x.json", "one", "a/b/x.json"),
            ("one", "one", "a/b"),
            ("c/two/y.json", "c/two one a/b/y.json", "a/b/x.json"),
            ("absolute/two/x.json", "absolute c/two one", "a/b/x.json"),
            ("turn", "turn c/two one", "a/b/x.json"),
            ("broken/y", "broken", "nowhere/x/y"),
        ] {
            assert_eq!(way(path), (links.to_owned(), real.to_owned()), "{path}");
        }
        assert_eq!(trails.to(&root.join("loop/x")).links.len(), MAX_LINKS);
        let long = root.join("x/".repeat(1 << 20));
        assert_eq!(*trails.to(&long), Trail { links: Vec::new(), real: long.clone() });
        assert_eq!(trails.to(Path::new("/")).real, Path::new("/"));
    }
}
