//! The on-disk cache of build results.
//!
//! The key of an entry is made of a file, the version of the CLI and its arguments. The entry lists the files that the
//! result depends on with their hashes, and is valid as long as these are unchanged. Several runs may share a cache
//! folder, so an entry is written to a temporary file and then renamed. If the folder cannot be used, everything is
//! built again.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::UNIX_EPOCH;

use foldhash::HashMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::bicep::cli::Request;
use crate::bicep::cli::locate::Tool;
use crate::bicep::cli::passed::chosen;
use crate::bicep::{Built, Options, Version};
use crate::cleanup;
use crate::files::{Destination, NotWritten, read_bytes};

/// The version of the entry format, part of the path of the cache.
const FORMAT: &str = "v2";

/// The compiler's configuration file, in the folder of a source file or the nearest folder above it.
pub(super) const CONFIGURATION: &str = "bicepconfig.json";

/// The greatest length of a file that a cached result may depend on, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The greatest length of an entry that is read, in bytes: it holds what the CLI printed, and that is bounded too.
const MAX_ENTRY: u64 = 1 << 30;

/// The stored entries, and the hashes of files that were read so far.
#[derive(Debug)]
pub(super) struct Cache {
    /// The folder of the user. `None` if nothing is cached.
    root: Option<PathBuf>,
    /// Each file is read once in a run. `None` for a file that cannot be read.
    digests: Mutex<HashMap<PathBuf, Option<String>>>,
}

/// A stored build result.
#[derive(Debug, Serialize, Deserialize)]
struct CacheEntry {
    /// The files that it depends on with their hashes. `None` for a file that did not exist.
    files: Vec<(PathBuf, Option<String>)>,
    built: Built,
}

/// Identifies an installed CLI, to tell whether it was upgraded.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Identity {
    /// The programs with their sizes, and their modification times in nanoseconds.
    files: Vec<(PathBuf, u64, u128)>,
    version: String,
}

impl Cache {
    pub(super) fn new(options: &Options) -> Self {
        Self { root: options.cache.clone(), digests: Mutex::default() }
    }

    /// Returns the version that the CLI reported last time. `None` if it has changed since, or was never asked.
    pub(super) fn version(&self, tool: &Tool) -> Option<Version> {
        let known: Identity = self.read(&tool_key(tool))?;
        (known.files == identity(tool)).then(|| known.version.parse().ok())?
    }

    pub(super) fn remember_version(&self, tool: &Tool, version: Version) {
        self.write(&tool_key(tool), &Identity { files: identity(tool), version: version.to_string() });
    }

    /// Returns the result with this key. `None` if there is none, or if a file that it depends on has changed.
    pub(super) fn get(&self, key: &str) -> Option<Built> {
        let entry: CacheEntry = self.read(key)?;
        let is_same = |(path, digest): &(PathBuf, Option<String>)| self.digest(path) == *digest;
        (entry.files.iter().all(is_same) && has_its_configurations(&entry.files)).then_some(entry.built)
    }

    /// Stores a build result. `files` are all files that it depends on.
    pub(super) fn put(&self, key: &str, files: &[PathBuf], built: Built) {
        if self.root.is_none() {
            return;
        }
        let files: Vec<_> = files.iter().map(|file| (file.clone(), self.digest(file))).collect();
        // A change of a file without a hash would go unnoticed.
        let is_known = |(path, digest): &(PathBuf, Option<String>)| digest.is_some() || !path.exists();
        // The CLI does not always list the configuration. A change of an unlisted file would go unnoticed.
        if has_its_configurations(&files) && files.iter().all(is_known) {
            self.write(key, &CacheEntry { files, built });
        }
    }

    /// Hashes a file before it is built. Otherwise a change during the build would go unnoticed.
    pub(super) fn look_at(&self, path: &Path) {
        if self.root.is_some() {
            self.digest(path);
        }
    }

    fn digest(&self, path: &Path) -> Option<String> {
        let known = self.digests.lock().unwrap_or_else(PoisonError::into_inner).get(path).cloned();
        known.unwrap_or_else(|| {
            let digest = content(path).map(|bytes| hex(&[&bytes]));
            let mut digests = self.digests.lock().unwrap_or_else(PoisonError::into_inner);
            digests.insert(path.to_owned(), digest.clone());
            digest
        })
    }

    fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let bytes = read_bytes(&self.root.as_ref()?.join(place(key)), MAX_ENTRY).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Writes an entry. Errors are ignored: the next run then builds the file again.
    fn write<T: Serialize>(&self, key: &str, value: &T) {
        if let (Some(root), Ok(bytes)) = (&self.root, serde_json::to_vec(value)) {
            let _ = replace(&Destination::new(root, &place(key)), &bytes);
        }
    }
}

/// Returns the key of the entry for a file, a hash of everything that determines the result besides the contents of
/// files.
pub(super) fn key(options: &Options, tool: &Tool, version: Version, request: &Request) -> String {
    let kind = if request.is_parameters { "parameters" } else { "template" };
    let program = if tool.is_azure_cli { "az" } else { "bicep" };
    let (version, arguments) = (version.to_string(), options.arguments().join(" "));
    let overrides = options.overrides().filter(|_| request.is_parameters).unwrap_or_default();
    let path = request.path.to_string_lossy();
    // A parameter file can read these; the others are the same from run to run.
    let chosen: Vec<&str> = chosen(&options.variables).flat_map(|(name, value)| [name, value]).collect();
    let parts = [kind, program, &version, &arguments, overrides, &path];
    hex(&parts.into_iter().chain(chosen).map(str::as_bytes).collect::<Vec<_>>())
}

fn tool_key(tool: &Tool) -> String {
    format!("tool-{}", hex(&[tool.program.as_os_str().as_encoded_bytes()]))
}

fn identity(tool: &Tool) -> Vec<(PathBuf, u64, u128)> {
    let known = tool.files.iter().filter_map(|file| {
        let metadata = fs::metadata(file).ok()?;
        let changed = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some((file.clone(), metadata.len(), changed.as_nanos()))
    });
    known.collect()
}

/// Returns the bytes of a file, or the sorted names in a folder. `None` if it cannot be read, or is a device, a pipe,
/// or huge: a template names files with `loadTextContent`.
fn content(path: &Path) -> Option<Vec<u8>> {
    if !path.is_dir() {
        return read_bytes(path, MAX_FILE).ok();
    }
    let entries = fs::read_dir(path).ok()?.filter_map(Result::ok);
    let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
    names.sort();
    Some(names.into_iter().flat_map(|name| [name.as_encoded_bytes(), b"\0"].concat()).collect())
}

/// Returns `true` if `files` include the `bicepconfig.json` that currently applies to each source file. A new one is
/// not included, and invalidates the entry.
fn has_its_configurations(files: &[(PathBuf, Option<String>)]) -> bool {
    let is_source = |path: &&Path| {
        let is = |known: &str| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(known));
        is("bicep") || is("bicepparam")
    };
    let sources = files.iter().map(|(path, _)| path.as_path()).filter(is_source);
    let mut folders: Vec<&Path> = sources.filter_map(Path::parent).collect();
    folders.sort();
    folders.dedup();
    let nearest = folders.into_iter().filter_map(configuration);
    nearest.into_iter().all(|configuration| files.iter().any(|(path, _)| *path == configuration))
}

/// Returns the `bicepconfig.json` that applies to the source files in a folder: the nearest one in it or above it.
fn configuration(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|ancestor| ancestor.join(CONFIGURATION)).find(|path| path.is_file())
}

/// Returns the hash of the parts, in hexadecimal. The length of each part is hashed too, so the boundaries matter.
fn hex(parts: &[&[u8]]) -> String {
    use std::fmt::Write;

    let mut hash = Sha256::new();
    for part in parts {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the path of an entry, relative to the folder of the cache.
fn place(key: &str) -> PathBuf {
    ["bicep", FORMAT, key].iter().collect()
}

/// Writes a file atomically. The folder is accessible only to its owner, because results may contain parameter values.
fn replace(destination: &Destination, bytes: &[u8]) -> Result<(), NotWritten> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    let real = destination.real()?;
    let folder = real.parent().unwrap_or(&real);
    builder.create(folder)?;
    let (mut file, _noted) = cleanup::file(tempfile::Builder::new().prefix(".formwork-"), folder)?;
    file.write_all(bytes)?;
    file.persist(destination.real()?).map_err(|error| error.error)?;
    Ok(())
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
            let files =
                ["a/main.bicep", "a/data.txt", "bicepconfig.json"].map(|name| folder.path().join(name)).to_vec();
            fs::create_dir(folder.path().join("a")).unwrap();
            for file in &files {
                fs::write(file, "x").unwrap();
            }
            Self { folder, files }
        }

        /// Returns the cache of a new run, which has not read any file yet.
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
    fn an_entry_is_valid_until_a_file_that_it_depends_on_changes() {
        let sample = Sample::new();
        assert!(!sample.is_known());
        sample.put();
        assert!(sample.is_known());
        for path in &sample.files {
            fs::write(path, "other").unwrap();
            assert!(!sample.is_known(), "{}", path.display());
            sample.put();
            assert!(sample.is_known());
            fs::remove_file(path).unwrap();
            assert!(!sample.is_known(), "{}", path.display());
            fs::write(path, "x").unwrap();
            sample.put();
        }
    }

    #[test]
    fn a_new_configuration_invalidates_an_entry() {
        let sample = Sample::new();
        sample.put();
        fs::write(sample.folder.path().join("a/bicepconfig.json"), "{}").unwrap();
        assert!(!sample.is_known());
    }

    #[test]
    fn a_damaged_entry_is_ignored() {
        let sample = Sample::new();
        sample.put();
        fs::write(sample.folder.path().join("cache/bicep/v2/key"), "{").unwrap();
        assert!(!sample.is_known());
    }

    #[test]
    fn the_version_is_known_until_the_program_changes() {
        let sample = Sample::new();
        let program = sample.folder.path().join("bicep");
        fs::write(&program, "1").unwrap();
        let tool = Tool { program: program.clone(), is_azure_cli: false, files: vec![program.clone()] };
        let version: Version = "0.46.1".parse().unwrap();
        assert_eq!(sample.cache().version(&tool), None);
        sample.cache().remember_version(&tool, version);
        assert_eq!(sample.cache().version(&tool), Some(version));
        fs::write(&program, "12").unwrap();
        assert_eq!(sample.cache().version(&tool), None);
    }

    #[test]
    fn concurrent_writers_leave_one_complete_entry() {
        let sample = Sample::new();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| (0..20).for_each(|_| sample.put()));
            }
        });
        assert!(sample.is_known());
        let names = fs::read_dir(sample.folder.path().join("cache/bicep/v2")).unwrap();
        assert_eq!(names.count(), 1);
    }
}
