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
    pub(super) fn create(options: &Options, requests: &[Request]) -> io::Result<Option<Self>> {
        let files: BTreeSet<&Path> =
            requests.iter().flat_map(|request| &request.references).map(PathBuf::as_path).collect();
        // What settings extend may be anywhere.
        let concerns = |settings: &Path| {
            let is_above = |folder: &Path| files.iter().any(|file| file.starts_with(folder));
            !settings.ends_with(CONFIGURATION) || settings.parent().is_some_and(is_above)
        };
        if !options.settings.keys().any(|settings| concerns(settings)) {
            return Ok(None);
        }
        let folder = Folder::new()?;
        // The compiler names files by their real paths.
        let mirror = Self { root: fs::canonicalize(folder.path())?, _folder: folder };
        let is_other = |file: &&&Path| !file.ends_with(CONFIGURATION) && !options.settings.contains_key(**file);
        for file in files.iter().filter(is_other) {
            mirror.copy(file)?;
        }
        for (path, bytes) in options.settings.iter().filter(|(path, _)| !path.ends_with(CONFIGURATION)) {
            bytes.iter().try_for_each(|bytes| mirror.write(path, bytes))?;
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

    /// Returns the request for the copies.
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

    /// Returns the path of the copy of a file or folder.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_others_extend_are_those_that_are_given() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in ["infra/main.bicep", "shared/base.json", "shared/gone.json"] {
            fs::create_dir_all(path(name).parent().unwrap()).unwrap();
            fs::write(path(name), "of the disk").unwrap();
        }
        let given = [(path("shared/base.json"), Some(b"given".to_vec())), (path("shared/gone.json"), None)];
        let options = Options { settings: given.into(), ..Options::default() };
        let references = ["infra/main.bicep", "shared/base.json", "shared/gone.json"].map(path).to_vec();
        let request =
            Request { path: path("infra/main.bicep"), is_parameters: false, needs_restore: false, references };
        let mirror = Mirror::create(&options, &[request]).unwrap().expect("what is extended concerns every build");
        let read = |name: &str| fs::read_to_string(mirror.place(&path(name))).ok();
        assert_eq!(read("infra/main.bicep").as_deref(), Some("of the disk"));
        assert_eq!(read("shared/base.json").as_deref(), Some("given"));
        assert_eq!(read("shared/gone.json"), None);
    }
}
