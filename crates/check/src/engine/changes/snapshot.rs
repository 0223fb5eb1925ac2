//! Copies the files of the index or of a commit to a temporary folder.
//!
//! Templates refer to each other by path, and the Bicep CLI reads files, not an index. If the working tree differs from
//! the index, the index is written to a folder, and that folder is checked. Nothing is checked out: only objects of git
//! are read.

use std::fs;
use std::path::{Component, Path, PathBuf};

use crate::cleanup::Folder;
use crate::engine::changes::git::{DIFF, Git, path_of};
use crate::engine::changes::{Changes, Error};
use crate::files::{Programs, is_glob};

/// Number of bytes of contents after which another `git cat-file` is started for the rest.
const BATCH_BYTES: u64 = 32 << 20;

/// A copy of the index or of a commit. Dropping it removes the folder.
#[derive(Debug)]
pub struct Snapshot {
    /// Removes the folder when it is dropped.
    _folder: Folder,
    root: PathBuf,
    original: PathBuf,
}

/// A file of the index.
struct Blob {
    path: PathBuf,
    id: String,
    is_link: bool,
    size: u64,
}

impl Snapshot {
    /// Copies the index of the repository of `changes`. Returns `None` if the tracked files of the working tree are the
    /// same. Files of more than `limit` bytes are omitted.
    pub fn take(changes: &Changes, limit: u64, programs: Programs) -> Result<Option<Self>, Error> {
        let git = Git::around(&changes.root, programs)?;
        let names = [&DIFF[..], &["--name-only", "--no-renames", "--"]].concat();
        if git.ask(&names)?.is_empty() {
            return Ok(None);
        }
        Self::of_index(&changes.root, limit, programs).map(Some)
    }

    /// Copies the index of the repository at `root`. Files of more than `limit` bytes are omitted.
    pub fn of_index(root: &Path, limit: u64, programs: Programs) -> Result<Self, Error> {
        let git = Git::around(root, programs)?;
        let listed = git.ask(&["ls-files", "--stage", "--full-name", "-z", "--", ":/"])?;
        Self::copy_files(&git, root, &listed, limit)
    }

    /// Copies the files of a commit or a tree of the repository at `root`. Files of more than `limit` bytes are
    /// omitted.
    pub fn of_commit(root: &Path, commit: &str, limit: u64, programs: Programs) -> Result<Self, Error> {
        let git = Git::around(root, programs)?;
        let listed = git.ask(&["ls-tree", "-r", "-z", "--full-tree", commit, "--"])?;
        Self::copy_files(&git, root, &listed, limit)
    }

    fn copy_files(git: &Git, original: &Path, listed: &[u8], limit: u64) -> Result<Self, Error> {
        let folder = Folder::new().map_err(Error::Snapshot)?;
        let root = fs::canonicalize(folder.path()).map_err(Error::Snapshot)?;
        let snapshot = Self { _folder: folder, root, original: original.to_owned() };
        // Marks the copy as a repository, so that a search for its root stops here.
        fs::create_dir(snapshot.root.join(".git")).map_err(Error::Snapshot)?;
        fs::write(snapshot.root.join(".git/config"), remotes(git)?).map_err(Error::Snapshot)?;
        let blobs = blobs(git, listed)?;
        // A folder that is made after a link could be made where the link leads, if it differs only in the case of letters.
        for folder in blobs.iter().filter(|blob| blob.is_link).filter_map(|blob| blob.path.parent()) {
            fs::create_dir_all(snapshot.root.join(folder)).map_err(Error::Snapshot)?;
        }
        let mut batch = Vec::new();
        let mut bytes = 0;
        for blob in blobs.into_iter().filter(|blob| blob.size <= limit) {
            bytes += blob.size;
            batch.push(blob);
            if bytes > BATCH_BYTES {
                snapshot.write(git, &std::mem::take(&mut batch))?;
                bytes = 0;
            }
        }
        snapshot.write(git, &batch)?;
        Ok(snapshot)
    }

    /// Returns the root of the copy.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the copy of a folder; an empty one if it has no staged files.
    pub fn folder(&self, path: &Path) -> Result<PathBuf, Error> {
        let Ok(inside) = path.strip_prefix(&self.original) else { return Ok(path.to_owned()) };
        let folder = self.root.join(inside);
        fs::create_dir_all(&folder).map_err(Error::Snapshot)?;
        Ok(folder)
    }

    /// Returns the path of the copy of a file or folder; `path` itself if it is not in the index and is no glob.
    pub fn place(&self, path: &Path) -> PathBuf {
        let inside = path.strip_prefix(&self.original).map(|inside| self.root.join(inside));
        inside.ok().filter(|path| path.exists() || is_glob(path)).unwrap_or_else(|| path.to_owned())
    }

    /// Replaces the absolute paths of copies in `text` with those of the originals.
    pub fn with_original_names(&self, text: &str) -> String {
        text.replace(&*self.root.to_string_lossy(), &self.original.to_string_lossy())
    }

    fn write(&self, git: &Git, blobs: &[Blob]) -> Result<(), Error> {
        let ids: String = blobs.iter().flat_map(|blob| [blob.id.as_str(), "\n"]).collect();
        let contents = git.ask_with(&["cat-file", "--batch"], ids.into_bytes())?;
        let mut rest = contents.as_slice();
        for blob in blobs {
            // `<id> blob <size>`, the content, and a line break.
            let head = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
            let end = usize::try_from(blob.size).unwrap_or(usize::MAX).saturating_add(head);
            let Some(content) = rest.get(head..end) else { return Err(short()) };
            rest = rest.get(end + 1..).unwrap_or_default();
            self.write_one(blob, content).map_err(Error::Snapshot)?;
        }
        Ok(())
    }

    fn write_one(&self, blob: &Blob, content: &[u8]) -> std::io::Result<()> {
        let path = self.root.join(&blob.path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        #[cfg(unix)]
        if blob.is_link {
            return match std::os::unix::fs::symlink(path_of(content), path) {
                // Of two names that are one here, the first counts.
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
                made => made,
            };
        }
        fs::write(path, content)
    }
}

/// Returns the files of a list. Symbolic links come last, so that no file is written through one.
fn blobs(git: &Git, listed: &[u8]) -> Result<Vec<Blob>, Error> {
    let mut blobs: Vec<Blob> = listed.split(|&byte| byte == 0).filter_map(blob).collect();
    let ids: String = blobs.iter().flat_map(|blob| [blob.id.as_str(), "\n"]).collect();
    let sizes = git.ask_with(&["cat-file", "--batch-check=%(objectsize)"], ids.into_bytes())?;
    let sizes = String::from_utf8_lossy(&sizes);
    for (blob, size) in blobs.iter_mut().zip(sizes.lines()) {
        // A partial clone may print `<id> missing` instead of a size.
        blob.size = size.parse().unwrap_or(u64::MAX);
    }
    blobs.sort_by_key(|blob| blob.is_link);
    Ok(blobs)
}

/// Parses `100644 <id> <stage>` of an index or `100644 blob <id>` of a commit, a tab, and the path. For an unmerged
/// file, our side is used.
fn blob(entry: &[u8]) -> Option<Blob> {
    let at = memchr::memchr(b'\t', entry)?;
    let head = std::str::from_utf8(&entry[..at]).ok()?;
    let mut words = head.split(' ');
    let (mode, id, stage) = match (words.next()?, words.next()?, words.next()?) {
        (mode, "blob", id) => (mode, id, "0"),
        of_index => of_index,
    };
    let is_file = matches!(mode, "100644" | "100755" | "120000") && matches!(stage, "0" | "2");
    let path = path_of(&entry[at + 1..]);
    // Git itself never creates other paths, but a crafted index or tree may have them.
    let is_inside = path.components().all(|component| match component {
        Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
        _ => false,
    });
    (is_file && is_inside).then(|| Blob { path, id: id.to_owned(), is_link: mode == "120000", size: 0 })
}

/// Returns the remotes of the repository, in the form of a file of settings: they decide which URLs in templates are
/// files of the repository. Credentials in their URLs are left out.
fn remotes(git: &Git) -> Result<String, Error> {
    // Exits with an error if there is none.
    let listed = git.run(&["config", "-z", "--get-regexp", r"^remote\..*\.url$"])?.stdout;
    let listed = String::from_utf8_lossy(&listed);
    let urls = listed.split('\0').filter_map(|entry| entry.split_once('\n')).map(|(_, url)| url);
    let urls = urls.filter(|url| !url.contains(['\n', '"', '\\']));
    let sections = urls.map(|url| format!("[remote \"origin\"]\n\turl = {}\n", without_credentials(url)));
    Ok(sections.collect::<Vec<_>>().concat())
}

fn without_credentials(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    let host = authority.rsplit('@').next().unwrap_or(authority);
    format!("{scheme}://{host}/{path}")
}

fn short() -> Error {
    Error::Failed { command: "cat-file".to_owned(), message: "it printed less than was asked for".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_url_of_a_remote_has_no_credentials() {
        for (url, expected) in [
            ("https://github.com/a/b.git", "https://github.com/a/b.git"),
            ("https://user:secret@github.com/a/b", "https://github.com/a/b"),
            ("https://x@y@github.com/a@b/c", "https://github.com/a@b/c"),
            ("https://token@github.com", "https://github.com/"),
            ("git@github.com:a/b.git", "git@github.com:a/b.git"),
        ] {
            assert_eq!(without_credentials(url), expected);
        }
    }

    #[test]
    fn only_files_of_our_side_that_stay_in_the_copy_are_copied() {
        for row in ["100644 1 0\ta/b", "100755 1 2\tb", "120000 1 0\tlink", "100644 blob 1\ta", "100644 1 0\t.github"] {
            assert!(blob(row.as_bytes()).is_some(), "{row}");
        }
        for row in [
            "100644 1 1\tthe base of a merge",
            "100644 1 3\ttheir side of it",
            "160000 1 0\tsubmodule",
            "160000 commit 1\tsubmodule",
            "100644 1 0\t.git/config",
            "100644 blob 1\ta/.GIT/config",
            "100644 1 0\t../above",
            "100644 1 0\t/etc/passwd",
            "100644 1 0",
        ] {
            assert!(blob(row.as_bytes()).is_none(), "{row}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_copy_has_the_remotes_and_each_link_once() {
        use crate::engine::changes::sample::{feed, git};

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        git(root, &["init", "--quiet"]);
        for (name, url) in [("origin", "https://x@github.com/a/b"), ("odd", "https://c\"d"), ("other", "../c")] {
            git(root, &["config", &format!("remote.{name}.url"), url]);
        }
        let [one, two, none] = ["one", "two", ""].map(|text| feed(root, &["hash-object", "-w", "--stdin"], text));
        let copy = |rows: &[(&str, &str)]| {
            let rows: Vec<String> = rows.iter().map(|(id, name)| format!("120000 blob {id}\t{name}\n")).collect();
            let tree = feed(root, &["mktree"], &rows.concat());
            Snapshot::of_commit(root, &tree, 100, Programs::of_command_line())
        };
        // As where `link` and `LINK` are one name.
        let twice = copy(&[(&one, "link"), (&two, "link")]).unwrap();
        assert_eq!(fs::read_link(twice.root().join("link")).unwrap(), Path::new("one"));
        assert_eq!(
            fs::read_to_string(twice.root().join(".git/config")).unwrap(),
            "[remote \"origin\"]\n\turl = https://github.com/a/b\n[remote \"origin\"]\n\turl = ../c\n"
        );
        assert!(matches!(copy(&[(&none, "to-nowhere")]), Err(Error::Snapshot(_))));
    }
}
