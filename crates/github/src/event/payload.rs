//! Payloads of events, with only the members that are used. Optional members are checked where they are used.

use serde::Deserialize;

/// Payload of `pull_request` and similar events.
#[derive(Deserialize)]
pub(super) struct PullRequestEvent {
    pub(super) number: Option<u64>,
    pub(super) pull_request: Option<PullRequest>,
    pub(super) repository: Option<NamedRepository>,
}

#[derive(Deserialize)]
pub(super) struct PullRequest {
    pub(super) number: Option<u64>,
    pub(super) base: Branch,
    pub(super) head: Branch,
    pub(super) draft: Option<bool>,
}

#[derive(Deserialize)]
pub(super) struct Branch {
    #[serde(rename = "ref")]
    pub(super) name: String,
    pub(super) sha: String,
    /// Repository. `null` if it was deleted.
    pub(super) repo: Option<NamedRepository>,
}

/// A repository by its name.
#[derive(Deserialize)]
pub(super) struct NamedRepository {
    pub(super) full_name: String,
}

/// Payload of `merge_group`.
#[derive(Deserialize)]
pub(super) struct MergeGroupEvent {
    pub(super) merge_group: Option<MergeGroup>,
}

#[derive(Deserialize)]
pub(super) struct MergeGroup {
    pub(super) base_sha: String,
    pub(super) head_sha: String,
}

/// Payload of `push`.
#[derive(Deserialize)]
pub(super) struct PushEvent {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    #[serde(rename = "ref")]
    pub(super) name: Option<String>,
    pub(super) forced: Option<bool>,
    pub(super) repository: Option<PushedRepository>,
}

/// The repository of a push.
#[derive(Deserialize)]
pub(super) struct PushedRepository {
    pub(super) default_branch: Option<String>,
}

/// Payload of `workflow_run`.
#[derive(Deserialize)]
pub(super) struct WorkflowRunEvent {
    pub(super) workflow_run: Option<WorkflowRun>,
    pub(super) repository: Option<NumberedRepository>,
}

#[derive(Deserialize)]
pub(super) struct WorkflowRun {
    pub(super) head_sha: String,
    pub(super) head_branch: Option<String>,
    pub(super) head_repository: Option<OwnedRepository>,
    #[serde(default)]
    pub(super) pull_requests: Vec<RunPullRequest>,
}

/// A repository with its owner.
#[derive(Deserialize)]
pub(super) struct OwnedRepository {
    pub(super) full_name: String,
    pub(super) owner: Owner,
}

#[derive(Deserialize)]
pub(super) struct Owner {
    pub(super) login: String,
}

/// A pull request of a `workflow_run`.
#[derive(Deserialize)]
pub(super) struct RunPullRequest {
    pub(super) number: u64,
    pub(super) base: RunBase,
}

#[derive(Deserialize)]
pub(super) struct RunBase {
    pub(super) repo: Option<NumberedRepository>,
}

/// A repository by its number.
#[derive(Deserialize)]
pub(super) struct NumberedRepository {
    pub(super) id: u64,
}

/// Payload of `issue_comment`.
#[derive(Deserialize)]
pub(super) struct IssueComment {
    pub(super) issue: Option<Issue>,
}

#[derive(Deserialize)]
pub(super) struct Issue {
    pub(super) number: u64,
    /// Present only for a pull request.
    pub(super) pull_request: Option<serde::de::IgnoredAny>,
}
