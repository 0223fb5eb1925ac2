//! Folders with modules, laid out as the Bicep CLI does: `br/REGISTRY/REPOSITORY/TAG$/main.json`.

use std::path::{Path, PathBuf};

use crate::bicep::compiler::Artifact;
use crate::bicep::modules::registry::digest;
use crate::bicep::modules::registry::manifest::{MAX_MANIFEST, Manifest};
use crate::files::read_bytes;
#[cfg(feature = "download")]
use crate::files::{Destination, NotWritten};

/// Returns the folder of a module, relative to the root of a cache.
fn folder(artifact: &Artifact) -> PathBuf {
    let folders = artifact.folders();
    folders.iter().fold(PathBuf::from("br"), |path, folder| path.join(folder))
}

/// Returns the path of the template of a module in the cache at `root`.
pub(super) fn place(root: &Path, artifact: &Artifact) -> PathBuf {
    root.join(folder(artifact)).join("main.json")
}

/// Returns the path of the template of a module, if it is in the cache.
pub(super) fn find(root: &Path, artifact: &Artifact) -> Option<PathBuf> {
    let path = place(root, artifact);
    // `bicepconfig.json` may name a folder whose links a stranger made, so that one of them is no way out of it.
    let (root, resolved) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    (resolved.is_file() && resolved.starts_with(root)).then_some(path)
}

/// Returns the template of a module that is named by its digest. It is in the cache together with the manifest, which
/// has the digest and names that of the template. `limit` is the greatest length of the template, in bytes.
///
/// # Errors
///
/// Says in a message what does not have its digest, or cannot be read.
pub(super) fn verified(path: &Path, artifact: &Artifact, limit: u64) -> Result<Vec<u8>, String> {
    let read = |path: &Path, limit: u64| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        read_bytes(path, limit).map_err(|_| format!("its `{name}` cannot be read"))
    };
    let manifest = read(&path.with_file_name("manifest"), MAX_MANIFEST)?;
    digest::compare("manifest", &artifact.version, &manifest)?;
    let layer = Manifest::parse(&manifest)?.template()?;
    let template = read(path, layer.size.min(limit))?;
    digest::compare("template", &layer.digest, &template)?;
    Ok(template)
}

/// Stores a module. The template comes last: a module whose template is there is complete. Runs at the same time
/// replace it by the same bytes. No link below the folder of the cache is followed.
#[cfg(feature = "download")]
pub(super) fn store(root: &Path, artifact: &Artifact, manifest: &[u8], template: &[u8]) -> Result<(), NotWritten> {
    let at = |name: &str| Destination::new(root, &folder(artifact).join(name));
    at("manifest").create_folder()?;
    at("manifest").replace(manifest)?;
    at("main.json").replace(template)
}
