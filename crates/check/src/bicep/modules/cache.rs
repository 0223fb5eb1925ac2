//! Folders with modules, laid out as the Bicep CLI does: `br/REGISTRY/REPOSITORY/TAG$/main.json`.

use std::path::{Path, PathBuf};

use crate::bicep::compiler::Artifact;
#[cfg(feature = "download")]
use crate::files::{Destination, NotWritten};

/// Where a cache keeps the files of a module.
fn folder(artifact: &Artifact) -> PathBuf {
    let folders = artifact.folders();
    folders.iter().fold(PathBuf::from("br"), |path, folder| path.join(folder))
}

/// Where a cache keeps the template of a module.
pub(super) fn place(root: &Path, artifact: &Artifact) -> PathBuf {
    root.join(folder(artifact)).join("main.json")
}

/// The template of a module, if it is in the cache.
pub(super) fn find(root: &Path, artifact: &Artifact) -> Option<PathBuf> {
    let path = place(root, artifact);
    // `bicepconfig.json` may name a folder whose links a stranger made, so that one of them is no way out of it.
    let (root, resolved) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    (resolved.is_file() && resolved.starts_with(root)).then_some(path)
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
