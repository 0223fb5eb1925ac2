//! The files of a commit, read from the objects of git, without a checkout.
//!
//! A check of a pull request takes its settings from the base. What the pull request added is not there, whatever way
//! leads to it: another case of the letters, a symbolic link, or a submodule. Files that no commit has are read from
//! the disk: the workflow put them there.
//!
//! **Invariant:** a path that a workflow or a user names is either read, from the commit or from the disk, or
//! [`CommitTree::source`] returns the reason why not. A change can commit something at any path, and must not hide with
//! it what the workflow put there.

mod bicep_settings;
#[cfg(test)]
#[cfg(unix)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::engine::changes::Error;
use crate::engine::changes::git::{DIFF, Git, path_of};
use crate::engine::changes::list::paths;
use crate::engine::changes::refusal::Refusal;
use crate::files::{self, Contents, Disk, Programs, Tree, Unreadable};

/// Maximum number of symbolic links that are followed on the way to one file.
const MAX_LINKS: usize = 40;

/// Mode of a symbolic link in lists of git, and that of a submodule.
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

/// Source that a file is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadFrom {
    /// The newest commit of the base of the change.
    Base,
    /// The disk of the runner. If the settings of the base count, the change has nothing there.
    Disk,
}

/// The files of a commit at the paths that they have on the disk.
#[derive(Debug)]
pub(crate) struct CommitTree {
    git: Git,
    /// The folder that the paths of the commit are relative to.
    root: PathBuf,
    /// The root of the repository, which differs from `root` for a copy of the repository.
    repository: PathBuf,
    entries: BTreeMap<PathBuf, Object>,
    /// The paths of the commit in lower case.
    folded: BTreeMap<String, PathBuf>,
    /// Files that are checked out, by paths in lower case: a file system may ignore case.
    head: BTreeMap<String, (PathBuf, Object)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    mode: String,
    id: String,
}

/// Content at a path.
enum PathContent<'a> {
    Blob(&'a Object),
    /// A folder, by its path in the commit without links.
    Folder(PathBuf),
    /// The commit does not have it, and what is checked out does not count.
    Refused(Refusal),
    /// Neither the commit nor what is checked out has it. The path on the disk.
    Disk(PathBuf),
}

/// End of a path of the commit, after its links are followed.
enum Resolved<'a> {
    Blob(&'a Object),
    Folder(PathBuf),
    /// The commit has nothing there. The path without links.
    Missing(PathBuf),
    /// A link leads out of the repository, or in a circle.
    Out,
}

impl CommitTree {
    /// Lists the files of a commit of the repository at `repository`. They get paths below `root`, which differs from
    /// it for a copy of the repository.
    pub(crate) fn open(repository: &Path, root: &Path, commit: &str, programs: Programs) -> Result<Self, Error> {
        let git = Git::around(repository, programs)?;
        let listed = git.ask(&["ls-tree", "-r", "-z", "--full-tree", commit, "--"])?;
        // `100644 blob <id>`, a tab, and the path.
        let entries: BTreeMap<PathBuf, Object> = rows(&listed, 2).collect();
        let folded_paths = entries.keys().map(|path| (folded(path), path.clone())).collect();
        let listed = git.ask(&["ls-files", "--stage", "--full-name", "-z", "--", ":/"])?;
        // `100644 <id> <stage>`, a tab, and the path.
        let head = rows(&listed, 1).map(|(path, object)| (folded(&path), (path, object))).collect();
        let (root, repository) = (root.to_owned(), repository.to_owned());
        Ok(Self { git, root, repository, entries, folded: folded_paths, head })
    }

    /// Returns the source from which a file or folder that the user or the workflow names is read.
    ///
    /// # Errors
    ///
    /// Fails if the change put something there that would take the place of what is named, or hide it.
    pub(crate) fn source(&self, path: &Path) -> Result<ReadFrom, Refusal> {
        match self.place(path) {
            PathContent::Blob(_) => Ok(ReadFrom::Base),
            PathContent::Folder(at) => self.covered(&at).map_or(Ok(ReadFrom::Base), |path| Err(Refusal::Covered(path))),
            PathContent::Refused(why) => Err(why),
            PathContent::Disk(at) => {
                let refused = |file: PathBuf| match self.place(&file) {
                    PathContent::Refused(why) => Some(why),
                    _ => None,
                };
                let files = Disk.files(&at).into_iter().filter(|file| !is_of_git(file));
                files.into_iter().find_map(refused).map_or(Ok(ReadFrom::Disk), Err)
            }
        }
    }

    /// Returns the contents of a file of the commit, by its path in the repository.
    fn blob(&self, inside: &Path) -> Result<Option<Vec<u8>>, Error> {
        match self.resolve(inside) {
            Resolved::Blob(object) => Ok(Some(self.git.ask(&["cat-file", "blob", &object.id])?)),
            _ => Ok(None),
        }
    }

    fn place(&self, path: &Path) -> PathContent<'_> {
        let Some(mut inside) = self.inside(path) else { return PathContent::Disk(path.to_owned()) };
        // A link that git does not track leads to another path, which may be one of the commit.
        for _ in 0..MAX_LINKS {
            let at = match self.resolve(&inside) {
                Resolved::Blob(object) => return PathContent::Blob(object),
                Resolved::Folder(at) => return PathContent::Folder(at),
                Resolved::Out => return PathContent::Refused(Refusal::LeadsOut),
                Resolved::Missing(at) => at,
            };
            if let Some(why) = self.refusal(&at) {
                return PathContent::Refused(why);
            }
            let disk = self.repository.join(&at);
            match fs::canonicalize(&disk).ok().and_then(|real| self.inside_real(&real)) {
                Some(real) if real != at => inside = real,
                _ => return PathContent::Disk(disk),
            }
        }
        PathContent::Refused(Refusal::LeadsOut)
    }

    /// Returns the path relative to the root, also of one that leads there from elsewhere. `None` for what lies
    /// elsewhere.
    fn inside(&self, path: &Path) -> Option<PathBuf> {
        if let Ok(inside) = path.strip_prefix(&self.root).or_else(|_| path.strip_prefix(&self.repository)) {
            return Some(inside.to_owned());
        }
        // What is not there lies where its folder does.
        let above = path.ancestors().find_map(|above| Some((above, fs::canonicalize(above).ok()?)));
        let (above, real) = above?;
        let rest = path.strip_prefix(above).ok()?;
        self.inside_real(&real).map(|inside| inside.join(rest))
    }

    fn inside_real(&self, real: &Path) -> Option<PathBuf> {
        let root = fs::canonicalize(&self.repository).ok()?;
        real.strip_prefix(root).map(Path::to_path_buf).ok()
    }

    /// Returns the place of a path in the commit, with its symbolic links followed.
    fn resolve(&self, inside: &Path) -> Resolved<'_> {
        let mut at = PathBuf::new();
        let mut links = 0;
        let Some(mut rest) = parts(inside) else { return Resolved::Out };
        while let Some(part) = rest.pop_front() {
            if part == Path::new("..") {
                if !at.pop() {
                    return Resolved::Out;
                }
                continue;
            }
            at.push(part);
            let Some(object) = self.entries.get(&at).filter(|object| object.mode == LINK) else { continue };
            links += 1;
            let target = self.git.ask(&["cat-file", "blob", &object.id]).ok().filter(|_| links <= MAX_LINKS);
            let Some(target) = target.and_then(|target| parts(&path_of(&target))) else { return Resolved::Out };
            at.pop();
            for part in target.into_iter().rev() {
                rest.push_front(part);
            }
        }
        if let Some(object) = self.entries.get(&at) {
            return if object.mode == SUBMODULE { Resolved::Missing(at) } else { Resolved::Blob(object) };
        }
        let mut below = self.entries.range(at.clone()..);
        let is_folder = at.as_os_str().is_empty() || below.next().is_some_and(|(path, _)| path.starts_with(&at));
        if is_folder { Resolved::Folder(at) } else { Resolved::Missing(at) }
    }

    /// Returns the reason why a path that the commit does not have is not read from the disk either: something is
    /// checked out there, above it, or below it. A submodule that is the same in the commit is no reason: its files are
    /// those of the commit.
    fn refusal(&self, at: &Path) -> Option<Refusal> {
        let above = at.ancestors().filter(|path| !path.as_os_str().is_empty()).find_map(|path| {
            let (listed, object) = self.head.get(&folded(path))?;
            let is_of_base = object.mode == SUBMODULE && self.entries.get(path) == Some(object);
            (!is_of_base).then_some(listed)
        });
        let start = format!("{}/", folded(at));
        let below = || {
            let (path, (listed, _)) = self.head.range(start.clone()..).next()?;
            path.starts_with(&start).then_some(listed)
        };
        if let Some(listed) = above.or_else(below) {
            let is_same_case = at.starts_with(listed) || listed.starts_with(at);
            let is_of_base = !is_same_case && self.entries.contains_key(listed);
            return Some(if is_of_base { Refusal::OtherCase } else { Refusal::Added }(listed.clone()));
        }
        // What the change deletes may still be there where case is ignored.
        let known = self.folded.get(&folded(at)).or_else(|| {
            let (path, listed) = self.folded.range(start.clone()..).next()?;
            path.starts_with(&start).then_some(listed)
        });
        known.filter(|listed| !listed.starts_with(at)).map(|listed| Refusal::OtherCase(listed.clone()))
    }

    /// Returns a path that the change adds in a folder of the commit, or above it, if the disk has something else
    /// there, which the workflow must have written.
    fn covered(&self, folder: &Path) -> Option<PathBuf> {
        let start = if folder.as_os_str().is_empty() { String::new() } else { format!("{}/", folded(folder)) };
        let below = self.head.range(start.clone()..).take_while(|(path, _)| path.starts_with(&start));
        let above = folder.ancestors().filter_map(|path| self.head.get_key_value(&folded(path)));
        let added: Vec<&(PathBuf, Object)> =
            below.chain(above).map(|(_, listed)| listed).filter(|(path, _)| !self.entries.contains_key(path)).collect();
        let on_disk = |path: &Path| self.repository.join(path);
        let is_filled = |folder: &Path| fs::read_dir(folder).is_ok_and(|mut inside| inside.next().is_some());
        let filled = added.iter().find(|(path, object)| object.mode == SUBMODULE && is_filled(&on_disk(path)));
        if let Some((path, _)) = filled {
            return Some(path.clone());
        }
        if added.is_empty() {
            return None;
        }
        let mut arguments: Vec<String> = DIFF.map(str::to_owned).to_vec();
        arguments.extend(["--name-only", "--no-renames", "--"].map(str::to_owned));
        let listed = self.git.ask(&arguments).ok()?;
        let differing: BTreeSet<PathBuf> = paths(&listed).collect();
        let is_other = |path: &PathBuf| differing.contains(path) && fs::symlink_metadata(on_disk(path)).is_ok();
        added.into_iter().map(|(path, _)| path).find(|path| is_other(path)).cloned()
    }
}

impl Tree for CommitTree {
    fn entry(&self, path: &Path) -> Option<files::Entry> {
        match self.place(path) {
            PathContent::Blob(_) => Some(files::Entry::File),
            PathContent::Folder(_) => Some(files::Entry::Folder),
            PathContent::Refused(_) => None,
            PathContent::Disk(path) => Disk.entry(&path),
        }
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        match self.place(path) {
            PathContent::Blob(object) => {
                let bytes = self.git.ask(&["cat-file", "blob", &object.id]).map_err(io::Error::other)?;
                if bytes.len() as u64 > limit { Err(Unreadable::TooLarge { limit }) } else { Ok(bytes.into()) }
            }
            PathContent::Folder(_) => Err(Unreadable::Folder),
            PathContent::Refused(_) => Err(io::Error::from(io::ErrorKind::NotFound).into()),
            PathContent::Disk(path) => Disk.read(&path, limit),
        }
    }

    /// Returns the files of the commit in a folder, and those that the workflow added.
    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let (on_disk, mut files) = match self.place(folder) {
            PathContent::Folder(at) => {
                let below = self.entries.range(at.clone()..).take_while(|(path, _)| path.starts_with(&at));
                let files = below.filter(|(_, object)| object.mode != SUBMODULE);
                let files = files.filter_map(|(path, _)| Some(folder.join(path.strip_prefix(&at).ok()?)));
                (self.repository.join(&at), files.collect())
            }
            PathContent::Disk(at) => (at, Vec::new()),
            PathContent::Blob(_) | PathContent::Refused(_) => return Vec::new(),
        };
        let on_disk_too = Disk.files(&on_disk).into_iter().filter(|file| !is_of_git(file));
        let added = on_disk_too.filter_map(|file| {
            let is_known = self.inside(&file).is_some_and(|inside| self.entries.contains_key(&inside));
            let is_read = !is_known && !matches!(self.place(&file), PathContent::Refused(_));
            Some(folder.join(file.strip_prefix(&on_disk).ok().filter(|_| is_read)?))
        });
        files.extend(added);
        files.sort();
        files
    }

    /// Links of the commit are its own choice.
    fn real(&self, path: &Path) -> PathBuf {
        match self.place(path) {
            PathContent::Disk(path) => Disk.real(&path),
            _ => path.to_path_buf(),
        }
    }

    fn top(&self, folder: &Path) -> PathBuf {
        if folder.starts_with(&self.root) { self.root.clone() } else { Disk.top(folder) }
    }
}

/// Returns `true` if a path is that of a `.git` folder or file, or below one.
fn is_of_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}

/// Returns the rows of a list in which a zero byte follows each: words, of which the first is the mode and one is the
/// id, a tab, and the path.
fn rows(listed: &[u8], id: usize) -> impl Iterator<Item = (PathBuf, Object)> + '_ {
    listed.split(|&byte| byte == 0).filter_map(move |row| {
        let at = memchr::memchr(b'\t', row)?;
        let mut words = std::str::from_utf8(&row[..at]).ok()?.split(' ');
        let mode = words.next()?.to_owned();
        let id = words.nth(id - 1)?.to_owned();
        Some((path_of(&row[at + 1..]), Object { mode, id }))
    })
}

/// Returns the names in a relative path, and `..`. `None` for an absolute path.
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
