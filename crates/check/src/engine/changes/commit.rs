//! The files of a commit, read from the objects of git, without a checkout.
//!
//! A check of a pull request takes its settings from the base. What the pull request added is not there, whatever way
//! leads to it: another case of the letters, a symbolic link, or a submodule. Files that no commit has are read from
//! the disk: the workflow put them there.
//!
//! **Invariant:** a path that a workflow or a user names is either read, from the commit or from the disk, or
//! [`CommitTree::source`] returns the reason why not. A change can commit something at any path, and must not hide with
//! it what the workflow put there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::engine::basis::ReadFrom;
use crate::engine::changes::Error;
use crate::engine::changes::git::{DIFF, Git, path_of};
use crate::engine::changes::list::paths;
use crate::engine::changes::refusal::Refusal;
use crate::files::{self, Contents, Disk, Programs, Tree, Unreadable};
use crate::syntax;
use crate::text::Sources;
use crate::value::Value;

/// Maximum number of symbolic links that are followed on the way to one file.
const MAX_LINKS: usize = 40;

/// Maximum number of `bicepconfig.json` files that extend each other.
const MAX_EXTENDS: usize = 10;

/// Maximum nesting depth of a `bicepconfig.json`.
const MAX_DEPTH: u32 = 50;

/// Mode of a symbolic link in lists of git, and that of a submodule.
const LINK: &str = "120000";
const SUBMODULE: &str = "160000";

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
enum Place<'a> {
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
            Place::Blob(_) => Ok(ReadFrom::Base),
            Place::Folder(at) => self.covered(&at).map_or(Ok(ReadFrom::Base), |path| Err(Refusal::Covered(path))),
            Place::Refused(why) => Err(why),
            Place::Disk(at) => {
                let refused = |file: PathBuf| match self.place(&file) {
                    Place::Refused(why) => Some(why),
                    _ => None,
                };
                let files = Disk.files(&at).into_iter().filter(|file| !is_of_git(file));
                files.into_iter().find_map(refused).map_or(Ok(ReadFrom::Disk), Err)
            }
        }
    }

    /// Returns the settings of the Bicep compiler that the commit and the disk have with different contents, by the
    /// name of their files, and what they extend: the contents in the commit, or `None` for a file that it does not
    /// have.
    pub(crate) fn bicep_settings(&self, name: &str) -> Result<BTreeMap<PathBuf, Option<Vec<u8>>>, Error> {
        let mut contents = BTreeMap::new();
        for (path, bytes) in self.of_name(name)? {
            let full = self.root.join(&path);
            let is_same = fs::read(&full).is_ok_and(|disk| same_text(&disk, &bytes));
            for base in self.extended(&path, &bytes)? {
                let place = self.root.join(&base);
                let old = self.blob(&base)?;
                let is_known = match &old {
                    Some(old) => is_same && fs::read(&place).is_ok_and(|disk| same_text(&disk, old)),
                    None => !matches!(self.place(&place), Place::Refused(_)),
                };
                if !is_known {
                    contents.insert(place, old);
                }
            }
            if !is_same {
                contents.insert(full, Some(bytes));
            }
        }
        let added =
            self.head.iter().filter(|(path, _)| Path::new(path).ends_with(name) && !self.folded.contains_key(*path));
        contents.extend(added.map(|(_, (path, _))| (self.root.join(path), None)));
        Ok(contents)
    }

    /// Returns the files that settings of the Bicep compiler of this name extend in the commit.
    pub(crate) fn extended_by(&self, name: &str) -> Result<Vec<PathBuf>, Error> {
        let mut all = Vec::new();
        for (path, bytes) in self.of_name(name)? {
            all.extend(self.extended(&path, &bytes)?.into_iter().map(|path| self.root.join(path)));
        }
        Ok(all)
    }

    /// Returns the files of this name in the commit, with their contents. Links are followed.
    fn of_name(&self, name: &str) -> Result<Vec<(PathBuf, Vec<u8>)>, Error> {
        let mut all = Vec::new();
        for path in self.entries.keys().filter(|path| path.ends_with(name)) {
            if let Some(bytes) = self.blob(path)? {
                all.push((path.clone(), bytes));
            }
        }
        Ok(all)
    }

    /// Returns the files that the settings at `path` extend, the nearest first. Files outside of the repository are not
    /// among them.
    fn extended(&self, path: &Path, bytes: &[u8]) -> Result<Vec<PathBuf>, Error> {
        let (mut all, mut path, mut bytes) = (Vec::new(), path.to_owned(), Some(bytes.to_owned()));
        while let Some(text) = bytes.take().filter(|_| all.len() < MAX_EXTENDS) {
            let sources = Sources::new();
            let text = String::from_utf8_lossy(&text).into_owned();
            let file = sources.add("", text);
            let value = syntax::json::parse(file, sources.get(file).text(), MAX_DEPTH).value;
            let base = value.as_ref().and_then(|value| value.get("extends")).and_then(Value::as_str);
            let Some(base) = base else { break };
            let full = crate::path::normalize(&self.root.join(path.parent().unwrap_or(&path)), Path::new(base));
            let Ok(inside) = full.strip_prefix(&self.root) else { break };
            inside.clone_into(&mut path);
            bytes = self.blob(&path)?;
            all.push(path.clone());
        }
        Ok(all)
    }

    /// Returns the contents of a file of the commit, by its path in the repository.
    fn blob(&self, inside: &Path) -> Result<Option<Vec<u8>>, Error> {
        match self.resolve(inside) {
            Resolved::Blob(object) => Ok(Some(self.git.ask(&["cat-file", "blob", &object.id])?)),
            _ => Ok(None),
        }
    }

    fn place(&self, path: &Path) -> Place<'_> {
        let Some(mut inside) = self.inside(path) else { return Place::Disk(path.to_owned()) };
        // A link that git does not track leads to another path, which may be one of the commit.
        for _ in 0..MAX_LINKS {
            let at = match self.resolve(&inside) {
                Resolved::Blob(object) => return Place::Blob(object),
                Resolved::Folder(at) => return Place::Folder(at),
                Resolved::Out => return Place::Refused(Refusal::LeadsOut),
                Resolved::Missing(at) => at,
            };
            if let Some(why) = self.refusal(&at) {
                return Place::Refused(why);
            }
            let disk = self.repository.join(&at);
            match fs::canonicalize(&disk).ok().and_then(|real| self.inside_real(&real)) {
                Some(real) if real != at => inside = real,
                _ => return Place::Disk(disk),
            }
        }
        Place::Refused(Refusal::LeadsOut)
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
            Place::Blob(_) => Some(files::Entry::File),
            Place::Folder(_) => Some(files::Entry::Folder),
            Place::Refused(_) => None,
            Place::Disk(path) => Disk.entry(&path),
        }
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        match self.place(path) {
            Place::Blob(object) => {
                let bytes = self.git.ask(&["cat-file", "blob", &object.id]).map_err(io::Error::other)?;
                if bytes.len() as u64 > limit { Err(Unreadable::TooLarge { limit }) } else { Ok(bytes.into()) }
            }
            Place::Folder(_) => Err(Unreadable::Folder),
            Place::Refused(_) => Err(io::Error::from(io::ErrorKind::NotFound).into()),
            Place::Disk(path) => Disk.read(&path, limit),
        }
    }

    /// Returns the files of the commit in a folder, and those that the workflow added.
    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let (on_disk, mut files) = match self.place(folder) {
            Place::Folder(at) => {
                let below = self.entries.range(at.clone()..).take_while(|(path, _)| path.starts_with(&at));
                let files = below.filter(|(_, object)| object.mode != SUBMODULE);
                let files = files.filter_map(|(path, _)| Some(folder.join(path.strip_prefix(&at).ok()?)));
                (self.repository.join(&at), files.collect())
            }
            Place::Disk(at) => (at, Vec::new()),
            Place::Blob(_) | Place::Refused(_) => return Vec::new(),
        };
        let on_disk_too = Disk.files(&on_disk).into_iter().filter(|file| !is_of_git(file));
        let added = on_disk_too.filter_map(|file| {
            let is_known = self.inside(&file).is_some_and(|inside| self.entries.contains_key(&inside));
            let is_read = !is_known && !matches!(self.place(&file), Place::Refused(_));
            Some(folder.join(file.strip_prefix(&on_disk).ok().filter(|_| is_read)?))
        });
        files.extend(added);
        files.sort();
        files
    }

    /// Links of the commit are its own choice.
    fn real(&self, path: &Path) -> PathBuf {
        match self.place(path) {
            Place::Disk(path) => Disk.real(&path),
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

/// Returns `true` if two texts are the same except for their line endings, which git may convert.
fn same_text(one: &[u8], other: &[u8]) -> bool {
    let plain = |text: &[u8]| text.iter().copied().filter(|byte| *byte != b'\r').collect::<Vec<u8>>();
    one == other || plain(one) == plain(other)
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
    fn what_is_named_has_one_of_two_sources_or_a_reason() {
        let sample = Sample::new();
        let source = |path: &str| sample.tree.source(&sample.root.join(path));
        for path in ["base", "dir", "link/x", "removed", "removed/settings"] {
            assert_eq!(source(path), Ok(ReadFrom::Base), "{path}");
        }
        for path in ["module", "module/file", "nowhere", "added-beside", "/dev/null"] {
            assert_eq!(source(path), Ok(ReadFrom::Disk), "{path}");
        }
        let added = |path: &str| Err(Refusal::Added(path.into()));
        for (path, expected) in [
            ("added", added("added/dir")),
            ("added/settings", added("added/settings")),
            ("added/settings/more", added("added/settings")),
            ("ADDED/Settings", added("added/settings")),
            ("moved/file", added("moved")),
            ("loose", added("added/settings")),
            ("Dir/x", Err(Refusal::OtherCase("dir/x".into()))),
            ("REMOVED", Err(Refusal::OtherCase("removed/settings".into()))),
            ("out", Err(Refusal::LeadsOut)),
            ("round", Err(Refusal::LeadsOut)),
            ("far/passwd", Err(Refusal::LeadsOut)),
        ] {
            assert_eq!(source(path), expected, "{path}");
        }
        // The disk has something else where the change adds a file.
        git(
            &sample.root,
            &["update-index", "--add", "--cacheinfo", &format!("100644,{},dir/more", blob(&sample.root))],
        );
        let base = git(&sample.root, &["rev-parse", "HEAD"]);
        let tree = CommitTree::open(&sample.root, &sample.root, &base, Programs::of_command_line()).unwrap();
        assert_eq!(tree.source(&sample.root.join("dir")), Ok(ReadFrom::Base));
        write(&sample.root, &[("dir/more", "of the workflow")]);
        assert_eq!(tree.source(&sample.root.join("dir")), Err(Refusal::Covered("dir/more".into())));
    }

    fn blob(root: &Path) -> String {
        crate::engine::changes::sample::feed(root, &["hash-object", "-w", "--stdin"], "of the change")
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
    fn files_of_a_name_are_compared_with_the_disk() {
        let sample = Sample::new();
        let differing = sample.tree.bicep_settings("settings").unwrap();
        let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).unwrap());
        let found: Vec<_> = differing.into_iter().map(|(path, bytes)| (path, text(bytes))).collect();
        let expected = [("added", None), ("edited", Some("edited")), ("removed", Some("removed"))];
        let expected =
            expected.map(|(folder, text)| (sample.root.join(folder).join("settings"), text.map(str::to_owned)));
        assert_eq!(found, expected);
    }
}
