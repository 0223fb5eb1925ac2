//! Parameter files that a change adds.
//!
//! A parameter file replaces the check of the defaults of its template. One that nobody has reviewed does not:
//! otherwise a change could hide what its template deploys.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The parameter files that do not replace the check of the defaults.
#[derive(Clone, Debug, Default)]
pub struct Unreviewed {
    files: BTreeSet<PathBuf>,
    /// The path of each file before it was moved, if its reference to a template is unchanged.
    moved: BTreeMap<PathBuf, PathBuf>,
    /// True if the change may have written the settings of parameter files.
    are_settings: bool,
}

impl Unreviewed {
    /// No parameter files, as if nothing changes.
    pub(super) const NONE: &'static Self =
        &Self { files: BTreeSet::new(), moved: BTreeMap::new(), are_settings: false };

    /// Creates a set of files and folders, by their absolute paths, and of files that were moved. `are_settings` if the
    /// settings are among what changes.
    pub(super) fn new(files: BTreeSet<PathBuf>, moved: BTreeMap<PathBuf, PathBuf>, are_settings: bool) -> Self {
        Self { files, moved, are_settings }
    }

    /// True if a parameter file of a template is one of them. One that settings name counts if these are reviewed, and
    /// one that was moved with its template belongs to it as before. `may_belong` returns `true` if a parameter file
    /// has a name that matches a template.
    pub(super) fn has(
        &self,
        path: &Path,
        template: &Path,
        is_of_settings: bool,
        may_belong: fn(&Path, &Path) -> bool,
    ) -> bool {
        let is_reviewed = is_of_settings && !self.are_settings;
        !is_reviewed
            && !self.files.is_empty()
            && path.ancestors().any(|path| self.files.contains(path))
            && !self.has_moved(path, template, may_belong)
    }

    /// True if a parameter file was moved together with the template that it belonged to.
    fn has_moved(&self, path: &Path, template: &Path, may_belong: fn(&Path, &Path) -> bool) -> bool {
        let (Some(old), Some(old_template)) = (self.moved.get(path), self.moved.get(template)) else { return false };
        let is_beside = |path: &Path, template: &Path| path.parent() == template.parent();
        let is_same_name = template.file_name() == old_template.file_name();
        may_belong(old, old_template) || is_same_name && is_beside(path, template) && is_beside(old, old_template)
    }
}
