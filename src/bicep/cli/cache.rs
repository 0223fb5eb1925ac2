//! What was built before, on disk.
//!
//! An entry belongs to a file, a version of the CLI and its arguments. It says which files the result hangs on and what
//! was in them, and counts as long as that is so. Many runs may use one folder: an entry is written beside its place and
//! then moved there. A folder that cannot be used costs time and nothing else.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::bicep::cli::locate::Tool;
use crate::bicep::cli::{Built, Options, Request, Version};

/// Counts changes of what is stored.
const FORMAT: &str = "v1";

/// The file that steers the compiler, in the folder of a source or any above it.
const CONFIGURATION: &str = "bicepconfig.json";

/// The entries, and what is known of the files that they hang on.
#[derive(Debug)]
pub(super) struct Cache {
    /// `None` where nothing is kept.
    folder: Option<PathBuf>,
    digests: Mutex<HashMap<PathBuf, Option<String>>>,
}

/// A stored result.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The files that it hangs on, with the hash of each; `None` for one that is not there.
    files: Vec<(PathBuf, Option<String>)>,
    built: Built,
}

/// What is known of the files of a CLI.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    /// Path, size, and time of the last change.
    files: Vec<(PathBuf, u64, u128)>,
    version: String,
}

impl Cache {
    pub(super) fn new(options: &Options) -> Self {
        let folder = options.cache.as_ref().map(|it| it.join("bicep").join(FORMAT));
        Self { folder, digests: Mutex::default() }
    }

    /// The version that a CLI had when it was last asked, if its files are still the same.
    pub(super) fn version(&self, tool: &Tool) -> Option<Version> {
        let known: Identity = self.read(&tool_key(tool))?;
        (known.files == identity(tool)).then(|| known.version.parse().ok())?
    }

    pub(super) fn remember_version(&self, tool: &Tool, version: Version) {
        self.write(&tool_key(tool), &Identity { files: identity(tool), version: version.to_string() });
    }

    /// What the file was built to, if nothing has changed since.
    pub(super) fn get(&self, key: &str) -> Option<Built> {
        let entry: Entry = self.read(key)?;
        let is_same = |(path, digest): &(PathBuf, Option<String>)| self.digest(path) == *digest;
        (entry.files.iter().all(is_same) && has_its_configurations(&entry.files)).then_some(entry.built)
    }

    /// Keeps what a file was built to. `files` is all that it hangs on.
    pub(super) fn put(&self, key: &str, files: &[PathBuf], built: Built) {
        if self.folder.is_none() {
            return;
        }
        let files: Vec<_> = files.iter().map(|it| (it.clone(), self.digest(it))).collect();
        // What the CLI does not know as one of its files would never be missed.
        if has_its_configurations(&files) {
            self.write(key, &Entry { files, built });
        }
    }

    /// Takes note of what is in a file before it is built, so that a change in the meantime is not missed.
    pub(super) fn look_at(&self, path: &Path) {
        if self.folder.is_some() {
            self.digest(path);
        }
    }

    fn digest(&self, path: &Path) -> Option<String> {
        let known = self.digests.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let digest = content(path).map(|it| hex(&[&it]));
            let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
            digests.insert(path.to_owned(), digest.clone());
            digest
        })
    }

    fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let bytes = fs::read(self.folder.as_ref()?.join(key)).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Where it cannot be written, there is nothing to be found next time.
    fn write<T: Serialize>(&self, key: &str, value: &T) {
        if let (Some(folder), Ok(bytes)) = (&self.folder, serde_json::to_vec(value)) {
            let _ = replace(folder, key, &bytes);
        }
    }
}

/// The name of the entry for a file.
pub(super) fn key(options: &Options, tool: &Tool, version: Version, request: &Request) -> String {
    let kind = if request.is_parameters { "parameters" } else { "template" };
    let way = if tool.is_azure_cli { "az" } else { "bicep" };
    let (version, arguments) = (version.to_string(), options.arguments().join(" "));
    let overrides = options.overrides().filter(|_| request.is_parameters).unwrap_or_default();
    let path = request.path.to_string_lossy();
    hex(&[kind, way, &version, &arguments, overrides, &path].map(str::as_bytes))
}

fn tool_key(tool: &Tool) -> String {
    format!("tool-{}", hex(&[tool.program.as_os_str().as_encoded_bytes()]))
}

fn identity(tool: &Tool) -> Vec<(PathBuf, u64, u128)> {
    let known = tool.files.iter().filter_map(|it| {
        let metadata = fs::metadata(it).ok()?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((it.clone(), metadata.len(), changed.as_nanos()))
    });
    known.collect()
}

/// The bytes of a file; of a folder the names in it.
fn content(path: &Path) -> Option<Vec<u8>> {
    if !path.is_dir() {
        return fs::read(path).ok();
    }
    let entries = fs::read_dir(path).ok()?.filter_map(Result::ok);
    let mut names: Vec<_> = entries.map(|it| it.file_name()).collect();
    names.sort();
    Some(names.into_iter().flat_map(|it| [it.as_encoded_bytes(), b"\0"].concat()).collect())
}

/// Whether the `bicepconfig.json` of each source is among the files: one that came into being since is not.
fn has_its_configurations(files: &[(PathBuf, Option<String>)]) -> bool {
    let is_source = |it: &&Path| it.extension().is_some_and(|it| it == "bicep" || it == "bicepparam");
    let sources = files.iter().map(|it| it.0.as_path()).filter(is_source);
    let mut folders: Vec<&Path> = sources.filter_map(Path::parent).collect();
    folders.sort();
    folders.dedup();
    let nearest = folders.into_iter().filter_map(configuration);
    nearest.into_iter().all(|it| files.iter().any(|(path, _)| *path == it))
}

/// The `bicepconfig.json` that counts for the sources in a folder.
pub(crate) fn configuration(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|it| it.join(CONFIGURATION)).find(|it| it.is_file())
}

fn hex(parts: &[&[u8]]) -> String {
    use std::fmt::Write;

    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a text cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Writes a file that is there as a whole or not at all. Only its owner can read it: values of parameters may be in it.
fn replace(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    let unique = format!("{name}.{}.{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let temporary = folder.join(unique);
    let moved = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, folder.join(name)));
    if moved.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    moved
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sample {
        folder: tempfile::TempDir,
        files: Vec<PathBuf>,
    }

    impl Sample {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let files = ["a/main.bicep", "a/data.txt", "bicepconfig.json"].map(|it| folder.path().join(it)).to_vec();
            fs::create_dir(folder.path().join("a")).unwrap();
            for file in &files {
                fs::write(file, "x").unwrap();
            }
            Self { folder, files }
        }

        /// As a run of its own would: nothing is known of the files.
        fn cache(&self) -> Cache {
            let cache = Some(self.folder.path().join("cache"));
            Cache::new(&Options { cache, ..Options::default() })
        }

        fn put(&self) {
            let built = Built { template: Some("{}".to_owned()), ..Built::default() };
            self.cache().put("key", &self.files, built);
        }

        fn is_known(&self) -> bool {
            self.cache().get("key").is_some()
        }
    }

    #[test]
    fn an_entry_counts_until_a_file_changes_that_it_hangs_on() {
        let it = Sample::new();
        assert!(!it.is_known());
        it.put();
        assert!(it.is_known());
        for path in &it.files {
            fs::write(path, "other").unwrap();
            assert!(!it.is_known(), "{}", path.display());
            it.put();
            assert!(it.is_known());
            fs::remove_file(path).unwrap();
            assert!(!it.is_known(), "{}", path.display());
            fs::write(path, "x").unwrap();
            it.put();
        }
    }

    #[test]
    fn a_nearer_configuration_is_not_missed() {
        let it = Sample::new();
        it.put();
        fs::write(it.folder.path().join("a/bicepconfig.json"), "{}").unwrap();
        assert!(!it.is_known());
    }

    #[test]
    fn an_entry_that_is_damaged_counts_for_nothing() {
        let it = Sample::new();
        it.put();
        fs::write(it.folder.path().join("cache/bicep/v1/key"), "{").unwrap();
        assert!(!it.is_known());
    }

    #[test]
    fn the_version_is_known_until_the_program_changes() {
        let it = Sample::new();
        let program = it.folder.path().join("bicep");
        fs::write(&program, "1").unwrap();
        let tool = Tool { program: program.clone(), is_azure_cli: false, files: vec![program.clone()] };
        let version: Version = "0.46.1".parse().unwrap();
        assert_eq!(it.cache().version(&tool), None);
        it.cache().remember_version(&tool, version);
        assert_eq!(it.cache().version(&tool), Some(version));
        fs::write(&program, "12").unwrap();
        assert_eq!(it.cache().version(&tool), None);
    }

    #[test]
    fn many_writers_leave_one_whole_entry_and_nothing_else() {
        let it = Sample::new();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..20).for_each(|_| it.put()));
            }
        });
        assert!(it.is_known());
        let names = fs::read_dir(it.folder.path().join("cache/bicep/v1")).unwrap();
        assert_eq!(names.count(), 1);
    }
}
