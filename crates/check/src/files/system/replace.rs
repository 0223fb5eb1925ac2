//! Writes the user's files, each whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::cleanup::{self, Noted};
use crate::files::fault::NotWritten;
use crate::files::system::destination::{Destination, is_open_file};
use crate::files::system::pipe;

/// The beginning of the names of files that are still being written, next to those that they are going to replace. One
/// that a run leaves behind because it was killed is of no use, and no other run reads it.
const PREFIX: &str = ".formwork-";

/// Function that writes the content of a file. It may be called twice.
type Fill<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

impl Destination {
    /// Replaces the file in one step, so that no other program reads half of it, and the old one stays if that fails.
    /// The file keeps its permissions; a new one gets those of any other new file.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), NotWritten> {
        self.persist(filled(&self.real()?, &|out| out.write_all(bytes))?)
    }

    /// Creates the file, whole or not at all, and the folders around it. Unlike replacing, this fails if there is one,
    /// even if another program has created it meanwhile.
    pub fn create(&self, bytes: &[u8]) -> Result<(), NotWritten> {
        self.create_folder()?;
        let (file, _noted) = filled(&self.real()?, &|out| out.write_all(bytes))?;
        file.persist_noclobber(self.real()?).map_err(|error| error.error)?;
        Ok(())
    }

    /// Creates the folder of the file.
    pub fn create_folder(&self) -> Result<(), NotWritten> {
        Ok(self.real()?.parent().map_or(Ok(()), fs::create_dir_all)?)
    }

    /// Adds to the end of the file.
    pub fn append(&self, bytes: &[u8]) -> Result<(), NotWritten> {
        Ok(opened(OpenOptions::new().append(true), &self.real()?)?.write_all(bytes)?)
    }

    /// Writes a file that the user named for output. It is replaced in one step where that is possible. A pipe or a
    /// device is written into, and so is a file in a folder where no other can be made.
    pub fn write(&self, fill: Fill<'_>) -> Result<(), NotWritten> {
        let real = self.real()?;
        match fs::metadata(&real) {
            Ok(metadata) if metadata.is_dir() => Err(io::Error::from(io::ErrorKind::IsADirectory).into()),
            Ok(metadata) if !metadata.is_file() => {
                let mut bytes = Vec::new();
                fill(&mut bytes)?;
                Ok(pipe::write(&real, bytes, pipe::PATIENCE)?)
            }
            Ok(_) if is_open_file(&real) => Ok(fill_in_place(File::create(&real)?, fill)?),
            Ok(_) => match filled(&real, fill).map_err(NotWritten::from).and_then(|file| self.persist(file)) {
                Err(NotWritten::Io(error)) if is_refused_by_folder(&error) => {
                    let file = opened(OpenOptions::new().write(true).truncate(true), &self.real()?)?;
                    Ok(fill_in_place(file, fill)?)
                }
                written => written,
            },
            Err(_) => self.persist(filled(&real, fill)?),
        }
    }

    /// Moves a file to its place, unless a link has been made on the way there.
    fn persist(&self, (file, _noted): (NamedTempFile, Noted)) -> Result<(), NotWritten> {
        file.persist(self.real()?).map_err(|error| error.error)?;
        Ok(())
    }
}

/// Creates a temporary file next to a path, with this content.
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
    let (mut file, noted) = cleanup::file(&builder, folder)?;
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

/// Opens a file that is written where it is, or creates it. A link that has just taken its place is an error.
fn opened(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed());
    }
    options.create(true).open(path)
}

fn fill_in_place(file: File, fill: Fill<'_>) -> io::Result<()> {
    let mut out = BufWriter::new(file);
    fill(&mut out)?;
    out.flush()
}

/// Returns `true` if the folder does not allow another file, or if this file cannot be replaced by renaming, for
/// example because a container mounts it.
fn is_refused_by_folder(error: &io::Error) -> bool {
    use io::ErrorKind::{PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn destination(path: &Path) -> Destination {
        Destination::new(Path::new("/"), path)
    }

    #[test]
    fn a_file_is_replaced_and_nothing_is_left_behind() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        destination(&path).replace(b"1").unwrap();
        destination(&path).replace(b"22").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"22");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        assert!(destination(&folder.path().join("gone/a.json")).replace(b"").is_err());
    }

    #[test]
    fn what_fails_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "old").unwrap();
        let kind = |written: Result<(), NotWritten>| match written {
            Err(NotWritten::Io(error)) => Some(error.kind()),
            _ => None,
        };
        let fails = |out: &mut dyn Write| out.write_all(b"half").and(Err(io::ErrorKind::StorageFull.into()));
        assert_eq!(kind(destination(&path).write(&fails)), Some(io::ErrorKind::StorageFull));
        assert_eq!(kind(destination(&path).create(b"new")), Some(io::ErrorKind::AlreadyExists));
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    #[cfg(unix)]
    fn links_of_the_user_stay_links() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("b")).unwrap();
        for (link, target) in [("link", "a"), ("far", "b/hop"), ("b/hop", "c"), ("loop", "loop")] {
            symlink(target, at(link)).unwrap();
        }
        for text in ["1", "2"] {
            for (link, target) in [("link", "a"), ("far", "b/c")] {
                destination(&at(link)).write(&|out| out.write_all(text.as_bytes())).unwrap();
                assert_eq!(fs::read_to_string(at(target)).unwrap(), text);
                assert!(at(link).is_symlink());
            }
        }
        assert!(destination(&at("loop")).write(&|_| Ok(())).is_err());
        assert!(destination(folder.path()).write(&|_| Ok(())).is_err());
    }

    #[test]
    #[cfg(unix)]
    fn a_link_that_is_made_meanwhile_is_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("real")).unwrap();
        fs::create_dir(at("other")).unwrap();
        let swaps = |out: &mut dyn Write| {
            fs::rename(at("real"), at("moved"))?;
            symlink("other", at("real"))?;
            out.write_all(b"new")
        };
        let written = Destination::new(folder.path(), Path::new("real/a.json")).write(&swaps);
        assert!(matches!(written, Err(NotWritten::Link { .. })), "{written:?}");
        assert_eq!(fs::read_dir(at("other")).unwrap().count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(&path, "1").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        destination(&path).replace(b"2").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
