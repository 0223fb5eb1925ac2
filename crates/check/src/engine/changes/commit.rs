//! The files of a commit, read from the objects of git, without a checkout.
//!
//! A check of a pull request takes its settings from the base. What the pull request added is not there, whatever way
//! leads to it: another case of the letters, a symbolic link, or a submodule. Files that no commit has are read from the
//! disk: the workflow put them there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use foldhash::HashMap;

use crate::engine::changes::Error;
use crate::engine::changes::git::{Git, path_of};
use crate::files::{self, Contents, Disk, Programs, Tree, Unreadable};

/// How many symbolic links are followed on the way to one file.
const MAX_LINKS: usize = 40;

/// How a list of git names the mode of a symbolic link, and that of a submodule.
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

/// The files of a commit at the places that they have on the disk.
#[derive(Debug)]
pub(crate) struct CommitTree {
    git: Git,
    /// The folder that the paths of the commit are relative to.
    root: PathBuf,
    entries: BTreeMap<PathBuf, Object>,
    /// What is checked out, by paths in lower case: a file system may ignore case.
    head: HashMap<String, Object>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    mode: String,
    id: String,
}

enum Place<'a> {
    Blob(&'a Object),
    /// Its path in the commit, without links.
    Folder(PathBuf),
    /// The commit does not have it.
    Nowhere,
    /// Neither the commit nor what is checked out has it.
    Disk,
}

impl CommitTree {
    /// Lists the files of a commit of the repository at `repository`. They get paths below `root`, which differs from it
    /// for a copy of the repository.
    pub(crate) fn open(repository: &Path, root: &Path, commit: &str, programs: Programs) -> Result<Self, Error> {
        let git = Git::around(repository, programs)?;
        let listed = git.ask(&["ls-tree", "-r", "-z", "--full-tree", commit, "--"])?;
        // `100644 blob <id>`, a tab, and the path.
        let entries = rows(&listed, 2).collect();
        let listed = git.ask(&["ls-files", "--stage", "--full-name", "-z", "--", ":/"])?;
        // `100644 <id> <stage>`, a tab, and the path.
        let head = rows(&listed, 1).map(|(path, object)| (folded(&path), object)).collect();
        Ok(Self { git, root: root.to_owned(), entries, head })
    }

    /// The files of this name that the commit and the checkout have with different contents: the contents in the commit,
    /// or `None` for a file that it does not have.
    pub(crate) fn other_contents(&self, name: &str) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>, Error> {
        let mut contents = BTreeMap::new();
        for (path, object) in self.entries.iter().filter(|(path, _)| path.ends_with(name)) {
            if self.head.get(&folded(path)) != Some(object) {
                contents.insert(self.root.join(path), Some(self.git.ask(&["cat-file", "blob", &object.id])?));
            }
        }
        let known: BTreeSet<String> = self.entries.keys().map(|path| folded(path)).collect();
        let added = self.head.keys().filter(|path| Path::new(path).ends_with(name) && !known.contains(*path));
        contents.extend(added.map(|path| (self.root.join(path), None)));
        Ok(contents)
    }

    fn place(&self, path: &Path) -> Place<'_> {
        let Ok(inside) = path.strip_prefix(&self.root) else { return Place::Disk };
        match self.resolve(inside) {
            Some(place) => place,
            None if self.is_checked_out(inside, path) => Place::Nowhere,
            None => Place::Disk,
        }
    }

    /// The place of a path in the commit, with its symbolic links followed. `None` if there is none, or if a link leads
    /// out of the repository.
    fn resolve(&self, inside: &Path) -> Option<Place<'_>> {
        let mut at = PathBuf::new();
        let mut links = 0;
        let mut rest: VecDeque<PathBuf> = parts(inside)?;
        while let Some(part) = rest.pop_front() {
            if part == Path::new("..") {
                if !at.pop() {
                    return None;
                }
                continue;
            }
            at.push(part);
            let Some(object) = self.entries.get(&at).filter(|object| object.mode == LINK) else { continue };
            links += 1;
            let target = self.git.ask(&["cat-file", "blob", &object.id]).ok().filter(|_| links <= MAX_LINKS)?;
            at.pop();
            for part in parts(&path_of(&target))?.into_iter().rev() {
                rest.push_front(part);
            }
        }
        if let Some(object) = self.entries.get(&at) {
            return (object.mode != SUBMODULE).then_some(Place::Blob(object));
        }
        let mut below = self.entries.range(at.clone()..);
        let is_folder = below.next().is_some_and(|(path, _)| path.starts_with(&at));
        is_folder.then_some(Place::Folder(at))
    }

    /// Whether a path, or what it leads to on the disk, is part of what is checked out. A submodule that is the same in
    /// the commit is not: its files are those of the commit.
    fn is_checked_out(&self, inside: &Path, path: &Path) -> bool {
        let real = || {
            let (root, real) = (fs::canonicalize(&self.root).ok()?, fs::canonicalize(path).ok()?);
            real.strip_prefix(root).map(Path::to_path_buf).ok()
        };
        let is_listed = |inside: &Path| {
            let mut above = inside.ancestors().filter(|path| !path.as_os_str().is_empty());
            above.any(|path| {
                let object = self.head.get(&folded(path));
                object.is_some_and(|object| object.mode != SUBMODULE || self.entries.get(path) != Some(object))
            })
        };
        is_listed(inside) || real().is_some_and(|inside| is_listed(&inside))
    }
}

impl Tree for CommitTree {
    fn entry(&self, path: &Path) -> Option<files::Entry> {
        match self.place(path) {
            Place::Blob(_) => Some(files::Entry::File),
            Place::Folder(_) => Some(files::Entry::Folder),
            Place::Nowhere => None,
            Place::Disk => Disk.entry(path),
        }
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        match self.place(path) {
            Place::Blob(object) => {
                let bytes = self.git.ask(&["cat-file", "blob", &object.id]).map_err(io::Error::other)?;
                if bytes.len() as u64 > limit { Err(Unreadable::TooLarge { limit }) } else { Ok(bytes.into()) }
            }
            Place::Folder(_) => Err(Unreadable::Folder),
            Place::Nowhere => Err(io::Error::from(io::ErrorKind::NotFound).into()),
            Place::Disk => Disk.read(path, limit),
        }
    }

    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        match self.place(folder) {
            Place::Folder(at) => {
                let below = self.entries.range(at.clone()..).take_while(|(path, _)| path.starts_with(&at));
                let files = below.filter(|(_, object)| object.mode != SUBMODULE);
                files.filter_map(|(path, _)| Some(folder.join(path.strip_prefix(&at).ok()?))).collect()
            }
            Place::Disk => {
                let files = Disk.files(folder).into_iter();
                files.filter(|path| matches!(self.place(path), Place::Disk)).collect()
            }
            Place::Blob(_) | Place::Nowhere => Vec::new(),
        }
    }

    /// Links of the commit are its own choice.
    fn real(&self, path: &Path) -> PathBuf {
        if matches!(self.place(path), Place::Disk) { Disk.real(path) } else { path.to_path_buf() }
    }

    fn top(&self, folder: &Path) -> PathBuf {
        if folder.starts_with(&self.root) { self.root.clone() } else { Disk.top(folder) }
    }
}

/// The rows of a list in which a zero byte follows each: words, of which the first is the mode and one is the id, a tab,
/// and the path.
fn rows(listed: &[u8], id: usize) -> impl Iterator<Item = (PathBuf, Object)> + '_ {
    listed.split(|&byte| byte == 0).filter_map(move |row| {
        let at = memchr::memchr(b'\t', row)?;
        let mut words = std::str::from_utf8(&row[..at]).ok()?.split(' ');
        let mode = words.next()?.to_owned();
        let id = words.nth(id - 1)?.to_owned();
        Some((path_of(&row[at + 1..]), Object { mode, id }))
    })
}

/// The names in a relative path, and `..`. `None` for an absolute path.
fn parts(path: &Path) -> Option<VecDeque<PathBuf>> {
    let mut parts = VecDeque::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(_) | Component::ParentDir => parts.push_back(PathBuf::from(component.as_os_str())),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts)
}

fn folded(path: &Path) -> String {
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/").to_lowercase()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::engine::changes::sample::{git, write};

    /// A repository whose base has `base`, `dir`, and links, and whose checkout differs from it.
    struct Sample {
        _folder: tempfile::TempDir,
        root: PathBuf,
        tree: CommitTree,
    }

    const ID: &str = "1111111111111111111111111111111111111111";
    const OTHER_ID: &str = "2222222222222222222222222222222222222222";

    impl Sample {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap().join("repository");
            write(&root, &[("base", "old"), ("dir/x", "x"), ("dir/y/z", "z"), ("dir-more", "")]);
            for name in ["same", "edited", "removed"] {
                write(&root, &[(&format!("{name}/settings"), name)]);
            }
            let links =
                [("link", "dir"), ("deep", "./link/y"), ("out", "../loose"), ("round", "round"), ("far", "/etc")];
            for (name, target) in links {
                symlink(target, root.join(name)).unwrap();
            }
            for at in 0..=MAX_LINKS {
                let target = if at == 0 { "base".to_owned() } else { format!("chain-{at}") };
                symlink(target, root.join(format!("chain-{}", at + 1))).unwrap();
            }
            git(&root, &["init", "--quiet"]);
            git(&root, &["add", "."]);
            for name in ["module", "moved"] {
                git(&root, &["update-index", "--add", "--cacheinfo", &format!("{SUBMODULE},{ID},{name}")]);
            }
            git(&root, &["commit", "--quiet", "--message=base"]);
            let base = git(&root, &["rev-parse", "HEAD"]);

            write(&root, &[("base", "new"), ("edited/settings", "?"), ("added/settings", "!"), ("added/dir", "")]);
            fs::remove_dir_all(root.join("removed")).unwrap();
            symlink("../added", root.join("dir/new-link")).unwrap();
            git(&root, &["add", "--all", "--", ":!module", ":!moved"]);
            git(&root, &["update-index", "--add", "--cacheinfo", &format!("{SUBMODULE},{OTHER_ID},moved")]);
            write(&root, &[("module/file", "m"), ("moved/file", "m"), ("loose/file", "l"), ("../loose", "secret")]);
            symlink("../added/settings", root.join("loose/tracked")).unwrap();
            let tree = CommitTree::open(&root, &root, &base, Programs::of_command_line()).unwrap();
            Self { _folder: folder, root, tree }
        }

        fn entry(&self, path: &str) -> Option<files::Entry> {
            self.tree.entry(&self.root.join(path))
        }

        fn read(&self, path: &str, limit: u64) -> Result<String, Unreadable> {
            self.tree.read(&self.root.join(path), limit).map(|bytes| String::from_utf8(bytes.to_vec()).unwrap())
        }

        fn files(&self, path: &str) -> Vec<String> {
            let files = self.tree.files(&self.root.join(path)).into_iter();
            files.map(|path| path.strip_prefix(&self.root).unwrap().display().to_string()).collect()
        }
    }

    #[test]
    fn a_file_is_the_one_of_the_commit_whatever_way_leads_to_it() {
        let sample = Sample::new();
        for (path, text) in [
            ("base", "old"),
            ("dir/x", "x"),
            ("link/x", "x"),
            ("deep/z", "z"),
            ("link/../base", "old"),
            ("removed/settings", "removed"),
            (&format!("chain-{MAX_LINKS}"), "old"),
            // The commit and the checkout do not have these.
            ("loose/file", "l"),
            ("module/file", "m"),
        ] {
            assert_eq!(sample.entry(path), Some(files::Entry::File), "{path}");
            assert_eq!(sample.read(path, 100).unwrap(), text, "{path}");
        }
        for folder in ["dir", "link", "deep", "dir/y", "removed", "loose", ""] {
            assert_eq!(sample.entry(folder), Some(files::Entry::Folder), "{folder}");
        }
        assert!(matches!(sample.read("dir", 100), Err(Unreadable::Folder)));
        assert!(sample.read("base", 3).is_ok());
        assert!(matches!(sample.read("base", 2), Err(Unreadable::TooLarge { limit: 2 })));
    }

    #[test]
    fn what_only_the_change_has_is_not_there() {
        let sample = Sample::new();
        let chain = format!("chain-{}", MAX_LINKS + 1);
        for path in [
            "added/settings",
            "ADDED/Settings",
            "dir/new-link/settings",
            "loose/tracked",
            "out",
            "round",
            "far/passwd",
            "moved/file",
            "gone",
            "di",
            &chain,
        ] {
            assert_eq!(sample.entry(path), None, "{path}");
            assert!(sample.read(path, 100).is_err(), "{path}");
        }
    }

    #[test]
    fn the_files_in_a_folder_are_those_of_the_commit() {
        let sample = Sample::new();
        assert_eq!(sample.files("dir"), ["dir/x", "dir/y/z"]);
        assert_eq!(sample.files("link"), ["link/x", "link/y/z"]);
        assert_eq!(sample.files("loose"), ["loose/file"], "a link leads to what the change added");
        assert_eq!(sample.files("added"), [""; 0]);
        assert_eq!(sample.files("base"), [""; 0]);
        let all = sample.files("");
        assert!(all.contains(&"dir-more".to_owned()) && !all.contains(&"module".to_owned()), "{all:?}");
    }

    #[test]
    fn paths_in_the_commit_stay_as_they_are() {
        let sample = Sample::new();
        let (real, link) = (|path: &str| sample.tree.real(&sample.root.join(path)), sample.root.join("link/x"));
        assert_eq!(real("link/x"), link);
        symlink("file", sample.root.join("loose/other")).unwrap();
        assert_eq!(real("loose/other"), sample.root.join("loose/file"));
        assert_eq!(sample.tree.top(&sample.root.join("dir/y")), sample.root);
        let outside = sample.root.parent().unwrap();
        assert_eq!(sample.tree.top(outside), Disk.top(outside));
    }

    #[test]
    fn files_of_a_name_are_compared_with_the_checkout() {
        let sample = Sample::new();
        let differing = sample.tree.other_contents("settings").unwrap();
        let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).unwrap());
        let found: Vec<_> = differing.into_iter().map(|(path, bytes)| (path, text(bytes))).collect();
        let expected = [("added", None), ("edited", Some("edited")), ("removed", Some("removed"))];
        let expected =
            expected.map(|(folder, text)| (sample.root.join(folder).join("settings"), text.map(str::to_owned)));
        assert_eq!(found, expected);
    }
}
