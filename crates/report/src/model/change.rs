//! Changes: pull requests and pushes, from the event of the workflow.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::HeadFile;
use crate::model::{Head, Place};

/// Event of a run, and the differences between the files of the run and the head of the pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Name of the event.
    pub event: String,
    /// Number of the pull request, if there is one.
    pub pull_request: Option<u64>,
    /// Commit that the run was compared with.
    pub base: Option<String>,
    /// Head of the pull request.
    pub head: Option<String>,
    /// Commit that was checked out.
    pub commit: String,
    /// Files of the run that may have other names or lines in the head, by their names in the run. As far as is known,
    /// other files are equal in the head.
    pub files: BTreeMap<Arc<str>, HeadFile>,
}

impl Change {
    /// Returns the position of a place in the head, or `None` if it is the same as in the run.
    pub(crate) fn head_of(&self, place: &Place) -> Option<Head> {
        let there = self.files.get(&**place.file.name())?;
        Some(Head::new(there, place.is_whole_file(), (place.start.line, place.end.line)))
    }
}
