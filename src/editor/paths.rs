//! Checks of named paths, for a server whose client has no open documents.

use std::path::PathBuf;
use std::sync::Arc;

use crate::diagnostic::Severity;
use crate::editor::Analyst;
use crate::engine::{CheckOptions, Error, Finished, Isolation, Observer, Session};
use crate::files::Overlay;
use crate::model::Cancellation;
use formwork_lsp::Job;

/// A check as `formwork check PATH…` does it, on unsaved texts.
#[derive(Clone, Debug)]
pub(crate) struct PathCheck {
    /// The current folder, absolute.
    pub(crate) folder: PathBuf,
    /// The disk under the unsaved texts.
    pub(crate) files: Overlay,
    /// Templates and folders, absolute.
    pub(crate) paths: Vec<PathBuf>,
    /// Findings below this severity are not reported. `None` for that of the settings.
    pub(crate) least: Option<Severity>,
    pub(crate) cancellation: Cancellation,
}

impl Analyst {
    /// Checks paths. The parsed files of the folder are kept, and compared with the disk again at each call.
    pub(crate) fn check_paths(&mut self, check: &PathCheck, observer: &dyn Observer) -> Result<Finished, Error> {
        self.calls += 1;
        let job = Job { folder: check.folder.clone(), disk: self.calls, ..Job::default() };
        let cache = self.cache(&job, &check.files);
        let mut given = self.options.given.clone();
        given.choices.min_severity = check.least.or(given.choices.min_severity);
        let options = CheckOptions {
            working: check.folder.clone(),
            files: Arc::new(check.files.clone()),
            cache: Some(cache),
            paths: check.paths.clone(),
            dependents: false,
            isolation: Arc::new(Isolation::until(&check.cancellation)),
            given,
            ..self.options.clone()
        };
        Session::open(&options, observer)?.check(observer)
    }
}
