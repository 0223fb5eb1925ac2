//! Writes the user's files, each whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use tempfile::NamedTempFile;

use crate::files::pipe;
use crate::leftovers::{self, Noted};

/// The beginning of the names of files that are still being written, next to those that they are going to replace. One
/// that a run leaves behind because it was killed is of no use, and no other run reads it.
const PREFIX: &str = ".formwork-";

/// What writes the content of a file. It may be called twice.
type Fill<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Replaces a file in one step, so that no other program reads half of it, and the old one stays if that fails. The file
/// keeps its permissions; a new one gets those of any other new file.
pub(crate) fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    persist(filled(path, &|out| out.write_all(bytes))?, path)
}

/// Creates a file, whole or not at all. Unlike replacing, this fails if there is one, even if another program has created
/// it meanwhile.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let (file, _noted) = filled(path, &|out| out.write_all(bytes))?;
    file.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(())
}

/// Writes a file that the user named for output. It is replaced in one step where that is possible, and a link stays what
/// it is. A pipe or a device is written into, and so is a file in a folder where no other can be made.
pub(crate) fn write(path: &Path, fill: Fill<'_>) -> io::Result<()> {
    let target = followed(path)?;
    match fs::metadata(&target) {
        Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(metadata) if !metadata.is_file() => {
            let mut bytes = Vec::new();
            fill(&mut bytes)?;
            pipe::write(&target, bytes, pipe::PATIENCE)
        }
        // What the process has open, such as `/dev/stdout`, is that file and no other with its name.
        Ok(_) if is_open_file(path) => fill_in_place(path, fill),
        Ok(_) => filled(&target, fill)
            .and_then(|file| persist(file, &target))
            .or_else(|error| if is_refused_by_folder(&error) { fill_in_place(&target, fill) } else { Err(error) }),
        Err(_) => filled(&target, fill).and_then(|file| persist(file, &target)),
    }
}

/// A temporary file next to a path, with this content.
fn filled(path: &Path, fill: Fill<'_>) -> io::Result<(NamedTempFile, Noted)> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // The umask removes the permissions that new files do not get.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let (mut file, noted) = leftovers::file(&builder, folder)?;
    // Set before the content is written, which may be confidential.
    if let Ok(metadata) = fs::metadata(path) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    let mut out = BufWriter::new(&mut file);
    fill(&mut out)?;
    out.flush()?;
    drop(out);
    // Some file systems notice only here that they are full.
    file.as_file().sync_all()?;
    Ok((file, noted))
}

fn persist((file, _noted): (NamedTempFile, Noted), path: &Path) -> io::Result<()> {
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn fill_in_place(path: &Path, fill: Fill<'_>) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    fill(&mut out)?;
    out.flush()
}

/// What a path leads to, even if nothing is there yet.
fn followed(path: &Path) -> io::Result<PathBuf> {
    match path.canonicalize() {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        // Of what is no file, such as an open pipe, the resolved name is not one that can be opened.
        Ok(real) if real.exists() => return Ok(real),
        _ => {}
    }
    match fs::read_link(path) {
        Ok(target) if !path.exists() => followed(&path.parent().unwrap_or(Path::new(".")).join(target)),
        _ => Ok(path.to_path_buf()),
    }
}

/// Whether a path names a file by the number under which a process has it open.
fn is_open_file(path: &Path) -> bool {
    let names: Vec<_> = path.components().filter(|part| matches!(part, Component::Normal(_))).collect();
    let is = |at: usize, wanted: &str| names.get(at).is_some_and(|name| name.as_os_str() == wanted);
    path.is_absolute() && (is(0, "proc") || is(0, "dev") && (is(1, "fd") || is(1, "stdout") || is(1, "stderr")))
}

/// Whether the folder does not allow another file, or this one cannot be renamed over, as one that a container mounts.
fn is_refused_by_folder(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        replace(&path, b"1").unwrap();
        replace(&path, b"22").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"22");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(replace(&folder.path().join("gone/a.json"), b"").is_err());
    }

    #[test]
    fn what_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "old").unwrap();
        let fails = |out: &mut dyn Write| out.write_all(b"half").and(Err(io::ErrorKind::StorageFull.into()));
        assert_eq!(write(&path, &fails).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(create(&path, b"new").unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn links_stay_links() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("b")).unwrap();
        for (link, target) in [("link", "a"), ("far", "b/hop"), ("b/hop", "c"), ("loop", "loop")] {
            symlink(target, at(link)).unwrap();
        }
        for text in ["1", "2"] {
            for (link, target) in [("link", "a"), ("far", "b/c")] {
                write(&at(link), &|out| out.write_all(text.as_bytes())).unwrap();
                assert_eq!(fs::read_to_string(at(target)).unwrap(), text);
                assert!(at(link).is_symlink());
            }
        }
        assert!(write(&at("loop"), &|_| Ok(())).is_err());
        assert!(write(folder.path(), &|_| Ok(())).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "1").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, b"2").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
