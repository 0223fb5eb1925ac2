//! The folders in which the Bicep CLI may be.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::bicep::Options;
use crate::files::{SearchPath, repository_of};

impl Options {
    /// Excludes CLIs that are in the repository around the folder `working` of the run, or in the checkout of a
    /// workflow.
    #[must_use]
    pub fn in_folder(self, working: &Path) -> Self {
        let of_workflow = self.variable("GITHUB_WORKSPACE").map(PathBuf::from);
        Self { checkouts: repository_of(working).into_iter().chain(of_workflow).collect(), ..self }
    }

    /// Returns the folders in which programs are searched for. `None` if no program may be started.
    pub(super) fn search_path(&self) -> Option<SearchPath> {
        // Windows writes `Path`.
        let path = self.variables.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"));
        let path = OsStr::new(path.map_or("", |(_, folders)| folders));
        Some(SearchPath::new(path, self.checkouts.iter().cloned(), self.programs?))
    }
}
