//! The files of a commit, read from the objects of git, without a checkout.
//!
//! A check of a pull request takes its settings from the base. What the pull request added is not there, whatever way
//! leads to it: another case of the letters, a symbolic link, or a submodule. Files that no commit has are read from the
//! disk: the workflow put them there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use rustc_hash::FxHashMap;

use crate::engine::changes::Error;
use crate::engine::changes::git::{Git, path_of};
use crate::files::{self, Disk, Tree, Unreadable};

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
    head: FxHashMap<String, Object>,
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
    pub(crate) fn open(repository: &Path, root: &Path, commit: &str) -> Result<Self, Error> {
        let git = Git::new(repository)?;
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

    fn read(&self, path: &Path, limit: u64) -> Result<Vec<u8>, Unreadable> {
        match self.place(path) {
            Place::Blob(object) => {
                let bytes = self.git.ask(&["cat-file", "blob", &object.id]).map_err(io::Error::other)?;
                if bytes.len() as u64 > limit { Err(Unreadable::TooLarge { limit }) } else { Ok(bytes) }
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
