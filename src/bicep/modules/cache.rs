//! Folders with modules, laid out as the Bicep CLI does: `br/REGISTRY/REPOSITORY/TAG$/main.json`.

#[cfg(feature = "github")]
use std::io;
use std::path::{Path, PathBuf};

use crate::bicep::compiler::Artifact;
#[cfg(feature = "github")]
use crate::files::replace;

/// Where a cache keeps the template of a module.
pub(super) fn place(root: &Path, artifact: &Artifact) -> PathBuf {
    let folders = artifact.folders();
    folders.iter().fold(root.join("br"), |path, folder| path.join(folder)).join("main.json")
}

/// The template of a module, if it is in the cache.
pub(super) fn find(root: &Path, artifact: &Artifact) -> Option<PathBuf> {
    let path = place(root, artifact);
    // `bicepconfig.json` may name a folder whose links a stranger made, so that one of them is no way out of it.
    let (root, resolved) = (root.canonicalize().ok()?, path.canonicalize().ok()?);
    (resolved.is_file() && resolved.starts_with(root)).then_some(path)
}

/// Stores a module. The template comes last: a module whose template is there is complete. Runs at the same time
/// replace it by the same bytes.
#[cfg(feature = "github")]
pub(super) fn store(template_path: &Path, manifest: &[u8], template: &[u8]) -> io::Result<()> {
    let folder = template_path.parent().unwrap_or(template_path);
    std::fs::create_dir_all(folder)?;
    replace(&folder.join("manifest"), manifest)?;
    replace(template_path, template)
}
