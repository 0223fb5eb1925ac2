//! A copy of the files of a build, for settings of the compiler that differ from those on the disk.
//!
//! The compiler looks for `bicepconfig.json` beside and above each file, and no option names another one.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::bicep::cli::Request;
use crate::bicep::cli::cache::CONFIGURATION;
use crate::bicep::{Built, Failure, Options};
use crate::cleanup::Folder;

/// The copy. Dropping it removes the folder.
#[derive(Debug)]
pub(super) struct Mirror {
    /// Removes the folder when it is dropped.
    _folder: Folder,
    root: PathBuf,
}

impl Mirror {
    /// Copies the files of the requests. `None` if no other settings concern them.
    pub(super) fn of(options: &Options, requests: &[Request]) -> io::Result<Option<Self>> {
        let files: BTreeSet<&Path> =
            requests.iter().flat_map(|request| &request.references).map(PathBuf::as_path).collect();
        let concerns =
            |settings: &Path| settings.parent().is_some_and(|folder| files.iter().any(|file| file.starts_with(folder)));
        if !options.settings.keys().any(|settings| concerns(settings)) {
            return Ok(None);
        }
        let folder = Folder::new()?;
        // The compiler names files by their real paths.
        let mirror = Self { root: fs::canonicalize(folder.path())?, _folder: folder };
        for file in files.iter().filter(|file| !file.ends_with(CONFIGURATION)) {
            mirror.copy(file)?;
        }
        let folders: BTreeSet<&Path> = files.iter().flat_map(|file| file.ancestors().skip(1)).collect();
        for settings in folders.into_iter().map(|folder| folder.join(CONFIGURATION)) {
            match options.settings.get(&settings) {
                Some(Some(bytes)) => mirror.write(&settings, bytes)?,
                Some(None) => {}
                None if settings.is_file() => mirror.copy(&settings)?,
                None => {}
            }
        }
        Ok(Some(mirror))
    }

    /// The request for the copies.
    pub(super) fn request(&self, request: &Request) -> Request {
        Request {
            path: self.place(&request.path),
            references: request.references.iter().map(|path| self.place(path)).collect(),
            ..request.clone()
        }
    }

    /// Gives a result the names of the originals.
    pub(super) fn restore(&self, result: &mut Result<Built, Failure>) {
        match result {
            Ok(built) => {
                for message in &mut built.messages {
                    if let Ok(inside) = message.file.strip_prefix(&self.root) {
                        message.file = Path::new("/").join(inside);
                    }
                    message.text = self.original(&message.text);
                }
            }
            Err(Failure::Refused(text)) => *text = self.original(text),
            Err(_) => {}
        }
    }

    fn original(&self, text: &str) -> String {
        text.replace(&*self.root.to_string_lossy(), "")
    }

    /// The path of the copy of a file or folder.
    fn place(&self, path: &Path) -> PathBuf {
        let names = path.components().filter(|component| matches!(component, Component::Normal(_)));
        names.fold(self.root.clone(), |folder, name| folder.join(name))
    }

    /// Copies a file, or the files of a folder that is loaded. The compiler reports what does not exist.
    fn copy(&self, path: &Path) -> io::Result<()> {
        if path.is_dir() {
            for entry in fs::read_dir(path)?.filter_map(Result::ok).filter(|entry| entry.path().is_file()) {
                self.copy(&entry.path())?;
            }
            return Ok(());
        }
        if path.is_file() { self.write(path, &fs::read(path)?) } else { Ok(()) }
    }

    fn write(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let place = self.place(path);
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(place, bytes)
    }
}
