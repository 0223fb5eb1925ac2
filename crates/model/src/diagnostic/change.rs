//! The change that a run checks, from the event of its workflow.

use std::sync::Arc;

use foldhash::HashMap;

use crate::text::{FileId, LineMap};

/// What an event says about a run, and how the files of the run differ from the head of the pull request.
#[derive(Clone, Debug, Default)]
pub struct EventChange {
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
    /// The files of the run in the head, where they may have other names or lines there. One that is not listed is in
    /// the head as it is in the run, as far as that is known.
    pub files: HashMap<FileId, HeadFile>,
}

/// A file in the head of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadFile {
    /// Its path from the root of the repository.
    pub name: Arc<str>,
    /// From the lines of the run to those of the head; `None` for a file that the head does not have.
    pub lines: Option<LineMap>,
}

/// Whether a string is a complete commit ID, in SHA-1 or SHA-256.
pub fn is_commit_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
