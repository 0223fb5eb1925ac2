//! The change that a run checks, from the event of its workflow.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::diagnostic::HeadFile;
use crate::model::{Head, Place};

/// What an event says about a run, and how the files of the run differ from the head of the pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// The name of the event.
    pub event: String,
    /// The number of the pull request, where there is one.
    pub pull_request: Option<u64>,
    /// The commit that the run was compared with.
    pub base: Option<String>,
    /// The head of the pull request.
    pub head: Option<String>,
    /// The commit that was checked out.
    pub commit: String,
    /// The files of the run in the head, by their names in the run, where they may have other names or lines there. One
    /// that is not listed is in the head as it is in the run, as far as that is known.
    pub files: BTreeMap<Arc<str>, HeadFile>,
}

impl Change {
    /// Where a place is in the head. `None` where it is the same as in the run.
    pub(crate) fn head_of(&self, place: &Place) -> Option<Head> {
        let there = self.files.get(&**place.file.name())?;
        Some(Head::of(there, place.is_whole_file(), (place.start.line, place.end.line)))
    }
}
