//! Lists the files that git tracks without starting git, from the file in which git keeps them.
//!
//! Format: <https://git-scm.com/docs/index-format>. Of a split index, only a part is in this file, so it is refused.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::files::system::disk::{open, read_bytes};
use crate::files::{Unreadable, is_local, repository_of};
use crate::path::normalize;

/// The longest index that is read, in bytes: that of about two million files.
const MAX_BYTES: u64 = 256 << 20;

/// The longest file that says where a repository is, in bytes.
const MAX_POINTER: u64 = 1 << 16;

/// Maximum depth of submodules in submodules.
const MAX_NESTING: usize = 8;

/// The lengths of the IDs of objects: SHA-1 and SHA-256.
const ID_LENGTHS: [usize; 2] = [20, 32];

/// The kinds of entries, by the highest bits of their modes.
const SUBMODULE: u32 = 0o160_000;
const FOLDER: u32 = 0o040_000;
const KINDS: [u32; 4] = [0o100_000, 0o120_000, SUBMODULE, FOLDER];

/// Returns the tracked files in `folder`, an absolute path, with those of submodules; `None` outside of a repository.
///
/// # Errors
///
/// Fails if the index cannot be read.
pub fn tracked_by_index(folder: &Path) -> Result<Option<Vec<PathBuf>>, Unreadable> {
    tracked_below(folder, 0)
}

fn tracked_below(folder: &Path, nesting: usize) -> Result<Option<Vec<PathBuf>>, Unreadable> {
    let Some(root) = repository_of(folder) else { return Ok(None) };
    let Some(kept) = git_folder(&root).filter(|kept| kept.join("HEAD").is_file()) else { return Ok(None) };
    let index = kept.join("index");
    // Before anything is added, there is none.
    if fs::symlink_metadata(&index).is_err_and(|error| error.kind() == ErrorKind::NotFound) {
        return Ok(Some(Vec::new()));
    }
    let bytes = read_bytes(&index, MAX_BYTES)?;
    let entries = ID_LENGTHS.iter().find_map(|length| parse(&bytes, *length));
    let entries = entries.ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "the index of git has another form"))?;
    // Git knows a folder by its real path only.
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    let Ok(inside) = real(folder).strip_prefix(real(&root)).map(Path::to_path_buf) else { return Ok(None) };
    let mut files = Vec::new();
    for (mode, path) in entries {
        let Ok(below) = path.strip_prefix(&inside) else { continue };
        let path = folder.join(below);
        match mode {
            SUBMODULE if nesting < MAX_NESTING && path.join(".git").exists() => {
                files.extend(tracked_below(&path, nesting + 1)?.unwrap_or_default());
            }
            SUBMODULE | FOLDER => {}
            _ => files.push(path),
        }
    }
    Ok(Some(files))
}

/// Returns the folder with the index of a repository. In a worktree and in a submodule, `.git` is a file that leads to
/// it.
fn git_folder(root: &Path) -> Option<PathBuf> {
    let git = root.join(".git");
    if git.is_dir() {
        return Some(git);
    }
    let mut text = String::new();
    io::Read::read_to_string(&mut io::Read::take(open(&git).ok()?, MAX_POINTER), &mut text).ok()?;
    let named = text.strip_prefix("gitdir:")?.trim();
    is_local(named).then(|| normalize(root, Path::new(named)))
}

/// Returns the kinds and the paths of all entries; `None` if the file is not an index whose IDs have this length.
fn parse(bytes: &[u8], id: usize) -> Option<Vec<(u32, PathBuf)>> {
    let number = |at: usize| Some(u32::from_be_bytes(bytes.get(at..at.checked_add(4)?)?.try_into().ok()?));
    let version = number(4)?;
    if !bytes.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let (mut at, mut name): (usize, Vec<u8>) = (12, Vec::new());
    let mut entries = Vec::new();
    for _ in 0..number(8)? {
        let start = at;
        let mode = number(start + 24)? & 0o170_000;
        let flags = bytes.get(start + 40 + id..start + 42 + id)?;
        let is_extended = flags.first()? & 0x40 != 0;
        at = start + 42 + id + if is_extended { 2 } else { 0 };
        if version == 4 {
            let kept = name.len().checked_sub(varint(bytes, &mut at)?)?;
            name.truncate(kept);
        } else {
            name.clear();
        }
        let rest = bytes.get(at..)?;
        let length = memchr::memchr(0, rest)?;
        name.extend(rest.get(..length)?);
        at += length + 1;
        if version < 4 {
            // An entry ends with one to eight zero bytes, so that its length is a multiple of eight.
            at = start + (at - start).next_multiple_of(8);
        }
        if !KINDS.contains(&mode) || name.is_empty() {
            return None;
        }
        entries.push((mode, path_of(&name)?));
    }
    // What follows are extensions, and the checksum.
    let end = bytes.len().checked_sub(id)?;
    while at < end {
        if bytes.get(at..at + 4)? == b"link" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(usize::try_from(number(at + 4)?).ok()?)?;
    }
    (at == end).then_some(entries)
}

/// Reads the number at a position, and moves the position after it: seven bits a byte, each further byte counts from
/// one.
fn varint(bytes: &[u8], at: &mut usize) -> Option<usize> {
    let mut byte = *bytes.get(*at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        *at += 1;
        byte = *bytes.get(*at)?;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    *at += 1;
    Some(value)
}

/// Returns the path for the bytes of a name. `None` for one that could lead out of the repository.
fn path_of(name: &[u8]) -> Option<PathBuf> {
    let is_plain = |part: &[u8]| !matches!(part, b"" | b"." | b".." | b".git");
    if !name.split(|byte| *byte == b'/').all(is_plain) && !name.ends_with(b"/") {
        return None;
    }
    #[cfg(unix)]
    return Some(PathBuf::from(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(name)));
    #[cfg(not(unix))]
    return std::str::from_utf8(name).ok().map(PathBuf::from);
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    fn git(root: &Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"]).args(arguments);
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1").current_dir(root);
        let output = command.output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn names(folder: &Path) -> Vec<String> {
        let files = tracked_by_index(folder).unwrap().unwrap();
        files.iter().map(|path| path.strip_prefix(folder).unwrap().display().to_string()).collect()
    }

    #[test]
    fn the_index_has_what_git_tracks() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert!(tracked_by_index(root).unwrap().is_none());
        for format in ["sha1", "sha256"] {
            let root = root.join(format);
            fs::create_dir_all(root.join("a/b")).unwrap();
            git(&root, &["init", "--quiet", &format!("--object-format={format}")]);
            assert_eq!(names(&root), [""; 0]);
            let long = format!("a/{}.json", "x".repeat(200));
            for name in ["a/b/main.json", "a/b/main.parameters.json", "a/ü.json", "z.json", &long, ".gitignore"] {
                fs::write(root.join(name), name).unwrap();
            }
            fs::write(root.join("untracked"), "").unwrap();
            for version in ["2", "3", "4"] {
                git(&root, &["add", "--force", "a", "z.json"]);
                git(&root, &["update-index", "--index-version", version]);
                let expected = ["a/b/main.json", "a/b/main.parameters.json", &long, "a/ü.json", "z.json"];
                assert_eq!(names(&root), expected, "{format} {version}");
                assert_eq!(names(&root.join("a/b")), ["main.json", "main.parameters.json"]);
            }
            git(&root, &["update-index", "--split-index"]);
            assert!(tracked_by_index(&root).is_err());
        }
    }

    #[test]
    fn worktrees_and_submodules_have_an_index_of_their_own() {
        let folder = tempfile::tempdir().unwrap();
        let (inner, outer) = (folder.path().join("inner"), folder.path().join("outer"));
        for root in [&inner, &outer] {
            fs::create_dir_all(root).unwrap();
            git(root, &["init", "--quiet"]);
            fs::write(root.join("x.json"), "").unwrap();
            git(root, &["add", "x.json"]);
            git(root, &["commit", "--quiet", "--message=a"]);
        }
        git(&outer, &["submodule", "--quiet", "add", inner.to_str().unwrap(), "sub"]);
        assert_eq!(names(&outer), [".gitmodules", "sub/x.json", "x.json"]);
        git(&outer, &["worktree", "add", "--quiet", "../tree"]);
        assert_eq!(names(&folder.path().join("tree")), ["x.json"]);
    }

    #[test]
    fn what_is_no_index_is_refused() {
        let header = b"DIRC\0\0\0\x02\xff\xff\xff\xff";
        for bytes in [&b""[..], b"DIRC", header, &[header.as_slice(), &[0; 200]].concat()] {
            assert!(parse(bytes, 20).is_none());
        }
        let empty = [&b"DIRC\0\0\0\x02\0\0\0\0"[..], &[0; 20]].concat();
        assert_eq!(parse(&empty, 20), Some(Vec::new()));
        for name in ["../x", "a/.git/x", "/x", "a//b"] {
            assert_eq!(path_of(name.as_bytes()), None, "{name}");
        }
    }
}
