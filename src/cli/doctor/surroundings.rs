//! The tools and files of the machine: the Bicep CLI, git, the cache, and settings files.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::bicep;
use crate::bicep::Options;
use crate::cli::Environment;
use crate::config::settings_places;
use crate::engine::Repository;
use crate::files::{Disk, Programs, display_name};

#[derive(Debug, Default, Serialize)]
pub(super) struct Bicep {
    pub(super) program: Option<String>,
    /// The name of the variable or setting that names the program, or `PATH`.
    pub(super) found_by: Option<&'static str>,
    pub(super) version: Option<String>,
    /// The reason why the Bicep CLI cannot be used.
    pub(super) error: Option<String>,
}

/// The installed git, and the repository around the working folder.
#[derive(Debug, Default, Serialize)]
pub(super) struct Git {
    pub(super) version: Option<String>,
    pub(super) repository: Option<String>,
    pub(super) head: Option<String>,
    /// The number of commits in a shallow clone. `None` if the history is complete.
    pub(super) depth: Option<u64>,
    /// The reason why git cannot be used.
    pub(super) error: Option<String>,
}

/// The cache of compiled Bicep files.
#[derive(Debug, Serialize)]
pub(super) struct Cache {
    pub(super) folder: String,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

/// Returns the Bicep CLI, and whether it is broken although the settings or the environment name it.
pub(super) fn bicep(options: &Options) -> (Bicep, bool) {
    let probe = match bicep::cli::probe(options) {
        Ok(probe) => probe,
        Err(error) => {
            return (Bicep { error: Some(error.to_string()), ..Bicep::default() }, bicep::cli::is_asked_for(options));
        }
    };
    let (version, error) = match probe.version {
        Ok(version) => (version.map(|error| error.to_string()), None),
        Err(error) => (None, Some(error.to_string())),
    };
    let is_broken = error.is_some() && bicep::cli::is_asked_for(options);
    let program = Some(probe.program.display().to_string());
    (Bicep { program, found_by: Some(probe.found_by), version, error }, is_broken)
}

pub(super) fn git(working: &Path) -> Git {
    match Repository::around(working, Programs::of_command_line()) {
        Ok(it) => Git {
            version: Some(it.version),
            repository: it.root.map(|path| path.display().to_string()),
            head: it.head,
            depth: it.depth,
            error: None,
        },
        Err(error) => Git { error: Some(error.to_string()), ..Git::default() },
    }
}

/// Counts the files in a folder and their bytes. Symbolic links are not followed.
pub(super) fn cache(folder: PathBuf) -> Cache {
    let (mut files, mut bytes) = (0, 0);
    let mut waiting = vec![folder.clone()];
    while let Some(entries) = waiting.pop().map(fs::read_dir) {
        for entry in entries.into_iter().flatten().filter_map(Result::ok) {
            match entry.metadata() {
                Ok(it) if it.is_dir() => waiting.push(entry.path()),
                Ok(it) if it.is_file() => {
                    files += 1;
                    bytes += it.len();
                }
                _ => {}
            }
        }
    }
    Cache { folder: folder.display().to_string(), files, bytes }
}

/// Returns the settings files that a check would read: those of formwork and of `PSRule`.
pub(super) fn settings_files(named: Option<&Path>, environment: &Environment) -> Vec<String> {
    let places = settings_places(&Disk, &environment.working);
    let is_ours = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("formwork"));
    let found = |ours| places.iter().find(|place| is_ours(place) == ours && place.is_file());
    let own = named.or_else(|| found(true).map(PathBuf::as_path));
    let files = own.into_iter().chain(found(false).map(PathBuf::as_path));
    files.map(|file| display_name(&environment.working, file)).collect()
}
