//! The requests and responses of GitHub's REST API, with only the members that are used. See
//! <https://docs.github.com/rest/pulls>, <https://docs.github.com/rest/issues/comments>, and
//! <https://docs.github.com/rest/checks/runs>.

use serde::{Deserialize, Serialize};

/// Who wrote a comment.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct User {
    /// The login; that of an app ends with `[bot]`.
    pub(super) login: String,
    /// The kind of account, `User` or `Bot`.
    #[serde(rename = "type")]
    pub(super) kind: String,
}

/// A pull request, as far as it is used.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PullRequest {
    /// Number in its repository.
    pub(super) number: u64,
    /// Its state, `open` or `closed`.
    pub(super) state: String,
    /// What is to be merged.
    pub(super) head: Branch,
}

/// What a pull request brings.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Branch {
    /// The newest commit of the branch.
    pub(super) sha: String,
}

/// A file that a pull request changes.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct PullFile {
    /// Its path, from the root of the repository.
    pub(super) filename: String,
    /// `added`, `modified`, `removed`, `renamed` or another word.
    pub(super) status: String,
    /// Its hunks as in a diff, without the head; absent for a binary file, and for one that is too large.
    pub(super) patch: Option<String>,
}

/// A comment on a line of a pull request.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ReviewComment {
    /// The ID that the REST API uses.
    pub(super) id: u64,
    /// The ID that the GraphQL API uses.
    pub(super) node_id: String,
    /// `None` where the account is gone.
    pub(super) user: Option<User>,
    /// The text in Markdown.
    pub(super) body: String,
    /// Path of the file in the repository.
    pub(super) path: String,
    /// The last line that it is on by now; `None` where that is no part of the diff any more.
    pub(super) line: Option<u32>,
    /// The first line; `None` for a comment on one.
    pub(super) start_line: Option<u32>,
    /// The comment that this one replies to.
    pub(super) in_reply_to_id: Option<u64>,
}

/// A comment on a pull request as a whole.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IssueComment {
    /// The ID that the REST API uses.
    pub(super) id: u64,
    /// `None` where the account is gone.
    pub(super) user: Option<User>,
    /// The text in Markdown.
    pub(super) body: Option<String>,
    /// Where people see it.
    pub(super) html_url: String,
}

/// `POST /repos/{owner}/{repo}/pulls/{number}/reviews`: several comments, one notification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct NewReview {
    /// The commit that the lines are of.
    pub(super) commit_id: String,
    /// Always `COMMENT`: without it the review would wait for somebody to submit it.
    pub(super) event: &'static str,
    /// What is said above the comments.
    pub(super) body: String,
    /// The comments on lines.
    pub(super) comments: Vec<NewComment>,
}

/// One comment of a [`NewReview`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct NewComment {
    /// Path of the file in the repository.
    pub(super) path: String,
    /// The text in Markdown.
    pub(super) body: String,
    /// The last line, of the head.
    pub(super) line: u32,
    /// Always `RIGHT`: the side of the head.
    pub(super) side: &'static str,
    /// The first line; only where it is above the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_line: Option<u32>,
    /// The side of the first line, where there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_side: Option<&'static str>,
}

/// The text of a comment: `PATCH /repos/{owner}/{repo}/pulls/comments/{id}`,
/// `POST /repos/{owner}/{repo}/issues/{number}/comments` and `PATCH /repos/{owner}/{repo}/issues/comments/{id}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Body {
    /// The text in Markdown.
    pub(super) body: String,
}

/// The check runs of a commit with one name.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckRuns {
    pub(super) check_runs: Vec<CheckRun>,
}

/// A check run, as far as it is used.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckRun {
    pub(super) id: u64,
    /// What its creator identifies it by.
    pub(super) external_id: Option<String>,
    /// `completed`, or another word.
    pub(super) status: String,
    pub(super) output: CheckOutput,
    /// Where people see it.
    pub(super) html_url: Option<String>,
}

/// What a check run says.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckOutput {
    /// The number of annotations so far.
    pub(super) annotations_count: usize,
}

impl CheckRun {
    /// A check run with some of its annotations, whose ID is not known.
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
    /// The text, which is not Markdown.
    pub(super) message: String,
}
