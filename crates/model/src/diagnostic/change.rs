//! The change that a run checks, from the event of its workflow.

use std::sync::Arc;

use foldhash::HashMap;

use crate::text::{FileId, LineMap};

/// The event of a run, and the differences between the files of the run and the head of the pull request.
#[derive(Clone, Debug, Default)]
pub struct EventChange {
    /// The name of the event.
    pub event: String,
    /// The number of the pull request. `None` for other events.
    pub pull_request: Option<u64>,
    /// The commit that the run was compared with.
    pub base: Option<String>,
    /// The head of the pull request.
    pub head: Option<String>,
    /// The commit that was checked out.
    pub commit: String,
    /// The files of the run that have another name or other lines in the head. All other files are assumed to be
    /// unchanged there.
    pub files: HashMap<FileId, HeadFile>,
}

/// A file in the head of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadFile {
    /// The path, relative to the root of the repository.
    pub name: Arc<str>,
    /// Maps lines of the run to those of the head. `None` if the head does not contain the file.
    pub lines: Option<LineMap>,
}

/// Returns whether a string is a complete commit ID, in SHA-1 or SHA-256.
pub fn is_commit_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
