//! Requests and responses of GitHub's REST API, with only the members that are used. See
//! <https://docs.github.com/rest/pulls>, <https://docs.github.com/rest/issues/comments>, and
//! <https://docs.github.com/rest/checks/runs>.

use serde::{Deserialize, Serialize};

/// Author of a comment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct User {
    /// Login. The login of an app ends with `[bot]`.
    pub(super) login: String,
    /// Kind of account: `User` or `Bot`.
    #[serde(rename = "type")]
    pub(super) kind: String,
}

/// A pull request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PullRequest {
    /// Number in its repository.
    pub(super) number: u64,
    /// State: `open` or `closed`.
    pub(super) state: String,
    /// Branch to be merged.
    pub(super) head: Branch,
}

/// Branch of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Branch {
    /// Newest commit of the branch.
    pub(super) sha: String,
}

/// A file that a pull request changes.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PullFile {
    /// Path from the root of the repository.
    pub(super) filename: String,
    /// `added`, `modified`, `removed`, `renamed`, or another word.
    pub(super) status: String,
    /// Hunks as in a diff, without the header. `None` for a binary file, and for a file that is too large.
    pub(super) patch: Option<String>,
}

/// A comment on a line of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ReviewComment {
    /// ID in the REST API.
    pub(super) id: u64,
    /// ID in the GraphQL API.
    pub(super) node_id: String,
    /// Author. `None` if the account was deleted.
    pub(super) user: Option<User>,
    /// Text in Markdown.
    pub(super) body: String,
    /// Path of the file in the repository.
    pub(super) path: String,
    /// Last line at present. `None` if the line is no longer part of the diff.
    pub(super) line: Option<u32>,
    /// First line. `None` for a comment on one line.
    pub(super) start_line: Option<u32>,
    /// Comment that this one replies to.
    pub(super) in_reply_to_id: Option<u64>,
}

/// A comment on a pull request as a whole.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IssueComment {
    /// ID in the REST API.
    pub(super) id: u64,
    /// Author. `None` if the account was deleted.
    pub(super) user: Option<User>,
    /// Text in Markdown.
    pub(super) body: Option<String>,
    /// Address of the web page.
    pub(super) html_url: String,
}

/// `POST /repos/{owner}/{repo}/pulls/{number}/reviews`: several comments, one notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct NewReview {
    /// Commit of the lines.
    pub(super) commit_id: String,
    /// Always `COMMENT`. Without it, the review would stay pending until somebody submits it.
    pub(super) event: &'static str,
    /// Text above the comments.
    pub(super) body: String,
    /// Comments on lines.
    pub(super) comments: Vec<NewComment>,
}

/// One comment of a [`NewReview`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct NewComment {
    /// Path of the file in the repository.
    pub(super) path: String,
    /// Text in Markdown.
    pub(super) body: String,
    /// Last line, in the head.
    pub(super) line: u32,
    /// Always `RIGHT`: the side of the head.
    pub(super) side: &'static str,
    /// First line, if it is above the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_line: Option<u32>,
    /// Side of the first line, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_side: Option<&'static str>,
}

/// Text of a comment: `PATCH /repos/{owner}/{repo}/pulls/comments/{id}`, `POST
/// /repos/{owner}/{repo}/issues/{number}/comments`, and `PATCH /repos/{owner}/{repo}/issues/comments/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Body {
    /// Text in Markdown.
    pub(super) body: String,
}

/// Check runs of a commit with the same name.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckRuns {
    pub(super) check_runs: Vec<CheckRun>,
}

/// A check run.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckRun {
    pub(super) id: u64,
    /// ID that its creator chose.
    pub(super) external_id: Option<String>,
    /// `completed`, or another word.
    pub(super) status: String,
    pub(super) output: CheckOutput,
    /// Address of the web page.
    pub(super) html_url: Option<String>,
}

/// Output of a check run.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckOutput {
    /// Number of annotations so far.
    pub(super) annotations_count: usize,
}

impl CheckRun {
    /// Returns a check run with some of its annotations. Its ID is unknown.
    pub(super) fn unfinished(annotations_count: usize) -> Self {
        Self {
            id: 0,
            external_id: None,
            status: "in_progress".to_owned(),
            output: CheckOutput { annotations_count },
            html_url: None,
        }
    }
}

/// An annotation of a check run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct CheckAnnotation {
    /// Path of the file in the repository.
    pub(super) path: String,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    /// `notice`, `warning`, or `failure`.
    pub(super) annotation_level: &'static str,
    pub(super) title: String,
    /// Plain text, not Markdown.
    pub(super) message: String,
}
