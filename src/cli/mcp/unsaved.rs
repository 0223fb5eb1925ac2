//! Unsaved texts of a call, over the files of the workspace.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use arcstr::ArcStr;
use formwork_mcp::Arguments;

use crate::files::Overlay;
use crate::path::normalize;
use crate::report::brief::quoted;

/// The files of a workspace, some of which have unsaved texts or count as deleted.
#[derive(Clone, Debug, Default)]
pub(super) struct Unsaved {
    pub(super) texts: Arc<BTreeMap<PathBuf, ArcStr>>,
    pub(super) deleted: Arc<BTreeSet<PathBuf>>,
}

impl Unsaved {
    /// Reads the argument `files`.
    pub(super) fn of_arguments(arguments: &Arguments, root: &Path) -> Result<Self, String> {
        let (mut texts, mut deleted) = (BTreeMap::new(), BTreeSet::new());
        for (name, text) in arguments.files() {
            let path = inside(&name, root)?;
            match text {
                Some(text) => {
                    texts.insert(path, ArcStr::from(text));
                }
                None => {
                    deleted.insert(path);
                }
            }
        }
        Ok(Self { texts: Arc::new(texts), deleted: Arc::new(deleted) })
    }

    /// True if nothing differs from the disk.
    pub(super) fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.deleted.is_empty()
    }

    /// Returns the files below these folders.
    pub(super) fn files(&self, roots: &[PathBuf]) -> Overlay {
        Overlay::new(Arc::clone(&self.texts)).without(Arc::clone(&self.deleted)).confined(roots.iter().cloned())
    }

    /// True if there is a file or a folder with this path.
    pub(super) fn has(&self, path: &Path) -> bool {
        !self.deleted.contains(path) && (path.exists() || self.texts.keys().any(|own| own.starts_with(path)))
    }

    /// Returns the templates of a folder that are not on the disk.
    pub(super) fn new_templates<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = PathBuf> + 'a {
        let new = self.texts.iter().filter(move |(path, _)| path.starts_with(folder) && !path.exists());
        new.filter(|(path, text)| is_template(path, text)).map(|(path, _)| path.clone())
    }
}

/// True if a text is probably a template. A folder may get other files as well.
fn is_template(path: &Path, text: &str) -> bool {
    let is_bicep = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("bicep"));
    is_bicep
        || ["deploymentTemplate.json", "AWSTemplateFormatVersion", "Resources"].iter().any(|word| text.contains(word))
}

/// Returns the absolute path of a name that a client sends. It must be inside the root, also after links are followed.
pub(super) fn inside(name: &str, root: &Path) -> Result<PathBuf, String> {
    let outside = || format!("{} is outside the workspace; paths are relative to it", quoted(name));
    if name.is_empty() || name.contains('\0') {
        return Err("a path is empty; paths are relative to the workspace".to_owned());
    }
    let path = normalize(root, Path::new(name));
    let below = path.strip_prefix(root).map_err(|_| outside())?;
    if below.components().any(|part| matches!(part, Component::Normal(name) if name.eq_ignore_ascii_case(".git"))) {
        return Err(format!("{} is a file of git, which is not read", quoted(name)));
    }
    // The deepest folder that exists decides where a new file would be.
    let existing = path.ancestors().find(|path| path.symlink_metadata().is_ok()).unwrap_or(root);
    match existing.canonicalize() {
        Ok(real) if real.starts_with(root) => {}
        _ => return Err(outside()),
    }
    match path.metadata() {
        Ok(found) if !found.is_file() && !found.is_dir() => {
            Err(format!("{} is neither a file nor a folder", quoted(name)))
        }
        _ => Ok(path),
    }
}
