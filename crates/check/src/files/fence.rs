//! Paths are refused by their text, before anybody asks the file system for them.
//!
//! Asking is not harmless: on Windows, whoever asks for `//host/share/x` sends credentials to the host. So a [`Host`]
//! takes only paths that a [`Fence`] has admitted, and a fence looks at nothing but text.
//!
//! # Invariant
//!
//! Nobody asks a [`Host`] for a path that leads out by its text: its methods take an `Admitted`
//! path, which only a `Fence` makes, and a fence looks only at text.

use std::ffi::OsStr;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::files::admitted::Admitted;
use crate::files::host::{FileKind, Host, Listing, Stat};
use crate::files::{Contents, Programs, Unreadable};

/// The files of a host that a run may ask for: those below some folders. Links are not resolved here: see
/// [`Bounds`](crate::files::Bounds).
#[derive(Clone, Debug)]
pub struct Fence<'h> {
    host: &'h dyn Host,
    /// `None` if the user chooses all paths.
    roots: Option<Arc<[PathBuf]>>,
}

impl<'h> Fence<'h> {
    /// Admits every path: for those that the user typed, and what formwork makes of them.
    pub fn of_user(host: &'h dyn Host) -> Self {
        Self { host, roots: None }
    }

    /// Admits only what is below these folders as well.
    #[must_use]
    pub(super) fn narrowed(&self, roots: Vec<PathBuf>) -> Self {
        let roots = roots.into_iter().filter(|root| self.admit(root).is_some()).collect();
        Self::below(self.host, roots)
    }

    /// Admits what is below these folders.
    fn below(host: &'h dyn Host, roots: Vec<PathBuf>) -> Self {
        Self { host, roots: Some(roots.into()) }
    }

    /// Returns the path for a host; `None` if its text leads out of the folders, or to something that is not a file.
    pub fn admit<'p>(&self, path: &'p Path) -> Option<Admitted<'p>> {
        let Some(roots) = &self.roots else { return Some(Admitted::new(path)) };
        let is_below = |root: &PathBuf| path.strip_prefix(root).is_ok_and(has_plain_names);
        roots.iter().any(is_below).then_some(Admitted::new(path))
    }

    /// Returns the path of a file that is looked for in a folder and in all those above it. `None` if the folder is
    /// elsewhere.
    fn admit_above(&self, folder: &Path, name: &'static str) -> Option<PathBuf> {
        let path = folder.join(name);
        let leads_to_root = |root: &PathBuf| root.starts_with(folder);
        let is_known = self.roots.as_ref().is_none_or(|roots| roots.iter().any(leads_to_root));
        (is_known || self.admit(&path).is_some()).then_some(path)
    }

    /// Returns the right to start programs, if the host has it.
    pub fn programs(&self) -> Option<Programs> {
        self.host.programs()
    }

    /// Returns `true` if a folder that has others in it, or is one of them, has something with this name.
    pub fn has(&self, folder: &Path, name: &'static str) -> bool {
        self.admit_above(folder, name).is_some_and(|path| self.host.stat(Admitted::new(&path)).is_ok())
    }

    /// Returns `true` if a folder that has others in it, or is one of them, has a file with this name.
    pub fn has_file(&self, folder: &Path, name: &'static str) -> bool {
        let stat = |path: PathBuf| self.host.stat(Admitted::new(&path));
        self.admit_above(folder, name).is_some_and(|path| stat(path).is_ok_and(|found| found.kind == FileKind::File))
    }

    /// Reads a file that formwork keeps, as in the module cache, whose path no file of a repository chooses.
    ///
    /// # Errors
    ///
    /// Fails as [`Host::read`] does.
    pub fn read_kept(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        self.host.read(Admitted::new(path), limit)
    }

    /// Reads the start of a file that git keeps, which may be in another repository than a worktree of it. A text that
    /// names it has to be [local](is_local).
    ///
    /// # Errors
    ///
    /// Fails as [`Host::read_start`] does.
    pub(crate) fn read_of_git(&self, path: &Path, length: u64) -> io::Result<Vec<u8>> {
        self.host.read_start(Admitted::new(path), length)
    }

    /// Calls [`Host::stat`].
    ///
    /// # Errors
    ///
    /// Fails if nothing is there, and for a path that is not admitted.
    pub fn stat(&self, path: &Path) -> io::Result<Stat> {
        self.host.stat(self.admit(path).ok_or_else(refused)?)
    }

    /// Calls [`Host::is_link`].
    ///
    /// # Errors
    ///
    /// Fails if nothing is there, and for a path that is not admitted.
    pub fn is_link(&self, path: &Path) -> io::Result<bool> {
        self.host.is_link(self.admit(path).ok_or_else(refused)?)
    }

    /// Calls [`Host::real_path`].
    ///
    /// # Errors
    ///
    /// Fails if nothing is there, and for a path that is not admitted.
    pub fn real_path(&self, path: &Path) -> io::Result<PathBuf> {
        self.host.real_path(self.admit(path).ok_or_else(refused)?)
    }

    /// Calls [`Host::list`].
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be read, and for a path that is not admitted.
    pub fn list(&self, folder: &Path) -> io::Result<Listing<'h>> {
        self.host.list(self.admit(folder).ok_or_else(refused)?)
    }

    /// Calls [`Host::read`].
    ///
    /// # Errors
    ///
    /// Fails for anything but a file of at most `limit` bytes, and for a path that is not admitted.
    pub fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        self.host.read(self.admit(path).ok_or(Unreadable::Outside)?, limit)
    }

    /// Calls [`Host::read_given`].
    ///
    /// # Errors
    ///
    /// Fails as [`Fence::read`] does.
    pub fn read_given(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        self.host.read_given(self.admit(path).ok_or(Unreadable::Outside)?, limit)
    }

    /// Calls [`Host::read_start`].
    ///
    /// # Errors
    ///
    /// Fails if there is no file, and for a path that is not admitted.
    pub fn read_start(&self, path: &Path, length: u64) -> io::Result<Vec<u8>> {
        self.host.read_start(self.admit(path).ok_or_else(refused)?, length)
    }

    /// Returns `true` if there is a file at a path, or a link to one.
    pub fn is_file(&self, path: &Path) -> bool {
        self.stat(path).is_ok_and(|found| found.kind == FileKind::File)
    }

    /// Returns `true` if there is a folder at a path, or a link to one.
    pub fn is_folder(&self, path: &Path) -> bool {
        self.stat(path).is_ok_and(|found| found.kind == FileKind::Folder)
    }

    /// Returns `true` if there is anything at a path.
    pub fn exists(&self, path: &Path) -> bool {
        self.stat(path).is_ok()
    }
}

fn refused() -> io::Error {
    io::Error::new(ErrorKind::NotFound, "it is outside the repository, and is not looked for")
}

/// Returns `true` if all parts of a path are names of files. On Windows, some are those of devices or of streams.
fn has_plain_names(path: &Path) -> bool {
    path.components().all(|part| match part {
        Component::Normal(name) => is_plain_name(name, cfg!(windows)),
        _ => false,
    })
}

fn is_plain_name(name: &OsStr, is_windows: bool) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let name = name.as_encoded_bytes();
    if name.contains(&0) {
        return false;
    }
    if !is_windows {
        return true;
    }
    let stem = name.split(|byte| *byte == b'.').next().unwrap_or_default().trim_ascii_end();
    let is_port = |stem: &[u8]| {
        let kind = stem.get(..3).unwrap_or_default();
        // Digits may also be superscripts: `¹`, `²`, `³`.
        let number = stem.get(3..).unwrap_or_default();
        let is_number = matches!(number, [b'0'..=b'9'] | [0xc2, 0xb9 | 0xb2 | 0xb3]);
        is_number && ["com", "lpt"].iter().any(|port| kind.eq_ignore_ascii_case(port.as_bytes()))
    };
    let is_device = DEVICES.iter().any(|device| stem.eq_ignore_ascii_case(device.as_bytes())) || is_port(stem);
    !is_device && !name.contains(&b':')
}

/// Returns `true` if a path that a file of git names can be one of this machine: neither of a share nor of a device.
pub(crate) fn is_local(text: &str) -> bool {
    let is_separator = |at: usize| matches!(text.as_bytes().get(at), Some(b'/' | b'\\'));
    let names = text.split(['/', '\\']).enumerate();
    let is_drive = |at: usize, name: &str| at == 0 && name.len() == 2 && name.ends_with(':');
    let mut names = names.filter(|(at, name)| !is_drive(*at, name));
    !(is_separator(0) && is_separator(1)) && names.all(|(_, name)| is_plain_name(OsStr::new(name), true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Memory;

    #[test]
    fn the_text_of_a_path_decides() {
        let memory = Memory::default();
        let fence = Fence::below(&memory, vec![PathBuf::from("/r/infra"), PathBuf::from("/real")]);
        for path in ["/r/infra", "/r/infra/a/b.json", "/real/x", "/r/infra/con.json", "/r/infra/a:b"] {
            assert_eq!(fence.admit(Path::new(path)).is_some(), !cfg!(windows) || !path.contains([':', 'c']), "{path}");
        }
        for path in
            ["/r", "/r/infra2/x", "/r/x.json", "//evil/share", "/r/infra/../x", "x", "/r/infra/a\0b", r"\\evil\x"]
        {
            assert!(fence.admit(Path::new(path)).is_none(), "{path}");
        }
        assert!(Fence::of_user(&memory).admit(Path::new("/r/../x")).is_some());
    }

    #[test]
    fn some_names_of_windows_are_no_files() {
        for name in
            ["NUL", "con", "aux.bicep", "COM1", "lpt9.x.json", "com\u{b2}", "nul .txt", "a.json:stream", "CONIN$"]
        {
            assert!(!is_plain_name(OsStr::new(name), true), "{name}");
            assert!(is_plain_name(OsStr::new(name), false), "{name}");
        }
        for name in ["null", "console.json", "com", "com10", "lpt.json", "auxiliary"] {
            assert!(is_plain_name(OsStr::new(name), true), "{name}");
        }
    }

    #[test]
    fn a_share_is_not_local() {
        for text in ["../.git/modules/x", "/home/x/.git/worktrees/y", r"C:\x\.git\worktrees\y", "C:/x/.git/worktrees/y"]
        {
            assert!(is_local(text), "{text}");
        }
        for text in ["//evil/share", r"\\evil\share", r"/\evil\share", r"\\?\UNC\evil\x", "x/NUL", "C:x", "a/b:c"] {
            assert!(!is_local(text), "{text}");
        }
    }
}
