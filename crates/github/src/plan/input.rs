//! Input of a plan: the state of the pull request, and the options.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::report::difference::Difference;
use crate::wire::{IssueComment, PullFile, ReviewComment};

/// Current state of the pull request.
#[derive(Clone, Debug)]
pub(crate) struct Existing {
    /// Login of the account that the token belongs to. The login of an app ends with `[bot]`.
    pub(crate) viewer: String,
    /// Full ID of the newest commit.
    pub(crate) head: String,
    /// The changed files.
    pub(crate) files: Vec<PullFile>,
    /// Comments on its lines, from all pages.
    pub(crate) comments: Vec<ReviewComment>,
    /// Comments on the pull request as a whole, from all pages.
    pub(crate) summaries: Vec<IssueComment>,
    /// `node_id`s of those `comments` that are minimized. `None` if unknown.
    pub(crate) hidden: Option<BTreeSet<String>>,
}

/// Options of a plan.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// True if findings get comments on lines.
    pub(crate) review: bool,
    /// True to write a summary.
    pub(crate) summary: bool,
    /// Distinguishes the comments of several jobs on one pull request.
    pub(crate) category: String,
    /// Fingerprints whose comments GitHub rejected.
    pub(crate) rejected: BTreeSet<String>,
    /// True if the lines of a report without a change are those of the head.
    pub(crate) is_of_head: bool,
    /// Repository, as `owner/name`.
    pub(crate) repository: String,
    /// Address of GitHub, without a `/` at the end.
    pub(crate) server_url: String,
    /// Address of the workflow run.
    pub(crate) run_url: Option<String>,
    /// Effects of the change on the deployed resources, for the summary.
    pub(crate) difference: Option<Arc<Difference>>,
}
