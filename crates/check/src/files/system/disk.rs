//! The files of the operating system, which are read up to a limit.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use arcstr::ArcStr;

use crate::files::admitted::Admitted;
use crate::files::host::{FileKind, Host, Listing, Stat};
use crate::files::system::pipe;
use crate::files::{Contents, Entry, Fence, Tree, Unreadable, leads_out, repository_of};

/// The files on the disk.
#[derive(Debug)]
pub struct Disk;

impl Host for Disk {
    fn stat(&self, path: Admitted<'_>) -> io::Result<Stat> {
        let found = fs::metadata(path.path())?;
        let kind = match (found.is_file(), found.is_dir()) {
            (true, _) => FileKind::File,
            (false, true) => FileKind::Folder,
            (false, false) => FileKind::Special,
        };
        Ok(Stat { kind, length: found.len() })
    }

    fn is_link(&self, path: Admitted<'_>) -> io::Result<bool> {
        Ok(fs::symlink_metadata(path.path())?.is_symlink())
    }

    fn real_path(&self, path: Admitted<'_>) -> io::Result<PathBuf> {
        path.path().canonicalize()
    }

    fn list(&self, folder: Admitted<'_>) -> io::Result<Listing<'_>> {
        Ok(Box::new(fs::read_dir(folder.path())?.filter_map(|entry| Some(entry.ok()?.path()))))
    }

    fn read(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        read_contents(path.path(), limit)
    }

    fn read_given(&self, path: Admitted<'_>, limit: u64) -> Result<Contents, Unreadable> {
        read_given(path.path(), limit)
    }

    fn read_start(&self, path: Admitted<'_>, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        open(path.path())?.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

impl Tree for Disk {
    fn entry(&self, path: &Path) -> Option<Entry> {
        match fs::metadata(path).ok()? {
            kind if kind.is_dir() => Some(Entry::Folder),
            _ => Some(Entry::File),
        }
    }

    fn read(&self, path: &Path, limit: u64) -> Result<Contents, Unreadable> {
        read_named(path, limit)
    }

    fn files(&self, folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        collect(folder, &mut files);
        files.sort();
        files
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
    }

    fn top(&self, folder: &Path) -> PathBuf {
        repository_of(folder).unwrap_or_else(|| folder.to_path_buf())
    }
}

/// Links to folders are not followed, so this ends.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => collect(&entry.path(), files),
            // A link that leads nowhere is reported when it is read. Pipes and devices are no files.
            Ok(_) if fs::metadata(entry.path()).map_or(true, |found| found.is_file() || found.is_dir()) => {
                files.push(entry.path());
            }
            _ => {}
        }
    }
}

/// Returns the bytes of a file that the user or the settings named, unless a link leads out of the repository.
pub fn read_named(path: &Path, limit: u64) -> Result<Contents, Unreadable> {
    if leads_out(path, &Fence::of_user(&Disk)) { Err(Unreadable::Outside) } else { read_given(path, limit) }
}

/// Returns the bytes of a file that the user named, which may also be a pipe or a device.
pub fn read_given(path: &Path, limit: u64) -> Result<Contents, Unreadable> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() || metadata.is_dir() {
        return read_contents(path, limit);
    }
    within(pipe::read(path, limit, pipe::PATIENCE)?, limit).map(Contents::Bytes)
}

/// Returns the bytes of a file of at most `limit` bytes.
pub fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let expected = length(path, limit)?;
    let mut bytes = Vec::with_capacity(expected.saturating_add(1));
    // A file may grow, and those of `/proc` have no length: the limit holds for what is read.
    let mut file = File::open(path)?.take(limit.saturating_add(1));
    file.read_to_end(&mut bytes)?;
    within(bytes, limit)
}

/// Reads a file like [`read_bytes`], for contents that are probably kept as a text.
pub(super) fn read_contents(path: &Path, limit: u64) -> Result<Contents, Unreadable> {
    let expected = length(path, limit)?;
    // An `ArcStr` that is to be filled has to have a length.
    if expected > 0 {
        let mut file = File::open(path)?;
        let mut is_whole = false;
        let text = ArcStr::init_with(expected, |bytes| {
            is_whole = file.read_exact(bytes).is_ok() && matches!(file.read(&mut [0]), Ok(0));
        });
        if let Some(text) = text.ok().filter(|text| is_whole && !text.starts_with(BYTE_ORDER_MARK)) {
            return Ok(Contents::Text(text));
        }
    }
    // It has another length by now, or another encoding.
    read_bytes(path, limit).map(Contents::Bytes)
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the length that a file of at most `limit` bytes is said to have.
fn length(path: &Path, limit: u64) -> Result<usize, Unreadable> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(Unreadable::Folder);
    }
    if !metadata.is_file() {
        return Err(Unreadable::Special);
    }
    if metadata.len() > limit {
        return Err(Unreadable::TooLarge { limit });
    }
    Ok(usize::try_from(metadata.len()).unwrap_or(0))
}

fn within(bytes: Vec<u8>, limit: u64) -> Result<Vec<u8>, Unreadable> {
    if bytes.len() as u64 > limit { Err(Unreadable::TooLarge { limit }) } else { Ok(bytes) }
}

/// Opens a file for reading. Opening a pipe might never end, so whatever is not a file is an error.
pub fn open(path: &Path) -> io::Result<File> {
    if fs::metadata(path)?.is_file() {
        return File::open(path);
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "expected a file, found a folder, a pipe, or a device"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_and_folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_bytes(&path, 5).unwrap(), b"12345");
        assert!(matches!(read_bytes(&path, 4), Err(Unreadable::TooLarge { limit: 4 })));
        assert!(matches!(read_bytes(folder.path(), 4), Err(Unreadable::Folder)));
        let missing = read_bytes(&folder.path().join("y"), 4).unwrap_err();
        assert_eq!(missing.to_string(), "the file cannot be read: there is no such file");
    }

    #[test]
    fn a_file_is_kept_as_it_was_read_if_that_is_its_text() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.json");
        for (bytes, text) in [
            (&b""[..], None),
            (b"{}", Some("{}")),
            ("{\"\u{fe}\": 1}".as_bytes(), Some("{\"\u{fe}\": 1}")),
            (b"\xEF\xBB\xBF{}", None),
            (b"\xFF\xFE{\0}\0", None),
            (b"\xFF", None),
        ] {
            fs::write(&path, bytes).unwrap();
            let contents = read_contents(&path, 100).unwrap();
            assert_eq!(&*contents, bytes);
            assert_eq!(matches!(&contents, Contents::Text(it) if Some(it.as_str()) == text), text.is_some());
        }
        assert!(matches!(read_contents(folder.path(), 4), Err(Unreadable::Folder)));
        fs::write(&path, "12345").unwrap();
        assert!(matches!(read_contents(&path, 4), Err(Unreadable::TooLarge { limit: 4 })));
    }

    /// The system says that it has none.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_may_have_another_length() {
        let own = Path::new("/proc/self/status");
        let contents = read_contents(own, 1 << 20).unwrap();
        assert!(contents.starts_with(b"Name:") && matches!(contents, Contents::Bytes(_)));
        assert!(matches!(read_contents(own, 4), Err(Unreadable::TooLarge { limit: 4 })));
    }
}
