//! Event of a workflow, read from the payload that the runner stores in the file `GITHUB_EVENT_PATH`. See
//! <https://docs.github.com/actions/reference/workflows-and-actions/events-that-trigger-workflows> and
//! <https://docs.github.com/webhooks/webhook-events-and-payloads>.
//!
//! Unused fields may have any form. The used ones become arguments of git and parts of addresses, and the author of a
//! pull request controls some of them. Therefore commit IDs and the names of branches and repositories are validated.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod payload;

use serde::de::DeserializeOwned;

use crate::diagnostic::is_commit_id;

/// Event that a workflow runs for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// An event of a pull request, or of a review of it.
    PullRequest(PullRequest),
    /// A merge queue tests a group of pull requests.
    MergeGroup(MergeGroup),
    /// A push of commits or of a tag.
    Push(Push),
    /// Another workflow has finished, and this one runs for it on the default branch.
    WorkflowRun(WorkflowRun),
    /// Any other event, such as `schedule`, `workflow_dispatch`, and `issue_comment`.
    Other {
        /// Name of the event.
        name: String,
        /// Pull request that was commented on.
        pull_request: Option<u64>,
    },
}

/// `pull_request`, `pull_request_target`, `pull_request_review`, or `pull_request_review_comment`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PullRequest {
    /// Name of the event.
    pub event: String,
    /// Number of the pull request.
    pub number: u64,
    /// Base branch when the event happened.
    pub base: Branch,
    /// Branch to be merged.
    pub head: Branch,
    /// Repository of the head, as `owner/name`. `None` if it was deleted.
    pub head_repository: Option<String>,
    /// True if the head is in another repository, so that the token cannot write.
    pub is_fork: bool,
    /// True for a draft.
    pub is_draft: bool,
}

impl PullRequest {
    /// True if the workflow runs in the context of the base, where the pull request is not checked out unless the
    /// workflow does it.
    pub fn is_target(&self) -> bool {
        self.event == "pull_request_target"
    }
}

/// One side of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch {
    /// Name, without `refs/heads/`.
    pub name: String,
    /// Newest commit when the event happened.
    pub sha: String,
}

/// The event `merge_group`: a merge queue tests a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeGroup {
    /// Commit that the group is merged into: the branch, or the previous group.
    pub base_sha: String,
    /// Merge commit that is tested.
    pub head_sha: String,
}

/// The event `push`: a branch or tag got commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// Branch. `None` for a tag.
    pub branch: Option<String>,
    /// Newest commit before the push. `None` for a new branch.
    pub before: Option<String>,
    /// Newest commit after the push. `None` for a deleted branch.
    pub after: Option<String>,
    /// True if commits were removed.
    pub is_forced: bool,
    /// Default branch of the repository.
    pub default_branch: Option<String>,
}

/// The event `workflow_run`: another workflow ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowRun {
    /// Commit that the other workflow ran for.
    pub head_sha: String,
    /// Branch of that commit.
    pub head_branch: Option<String>,
    /// Account that owns the repository of that commit. `None` if it was deleted.
    pub head_owner: Option<String>,
    /// Repository of that commit, as `owner/name`. `None` if it was deleted.
    pub head_repository: Option<String>,
    /// Pull requests of this repository with that commit as their head. GitHub lists none for a fork.
    pub pull_requests: Vec<u64>,
}

/// Error: the payload cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// The payload is larger than any that GitHub sends.
    #[error("the payload of the event has {found} bytes, and GitHub sends at most {max}; {WAY_OUT}", max = Event::MAX_PAYLOAD)]
    TooLarge {
        /// Size in bytes.
        found: usize,
    },
    /// The payload is not JSON, or a member has another type.
    #[error("the payload of the event `{event}` cannot be read; {WAY_OUT}")]
    Unreadable {
        /// Name of the event.
        event: String,
        /// Error of the JSON parser.
        source: serde_json::Error,
    },
    /// A required member is missing.
    #[error("the payload of the event `{event}` has no `{member}`; {WAY_OUT}")]
    Missing {
        /// Name of the event.
        event: String,
        /// Path of the member.
        member: &'static str,
    },
    /// A member has an invalid value.
    #[error("in the payload of the event `{event}`, `{member}` is invalid: expected {wanted}; {WAY_OUT}")]
    Unlikely {
        /// Name of the event.
        event: String,
        /// Path of the member.
        member: &'static str,
        /// Description of a valid value.
        wanted: &'static str,
    },
}

const WAY_OUT: &str = "`GITHUB_EVENT_NAME` and `GITHUB_EVENT_PATH` must have the values that the runner sets";

impl Event {
    /// Maximum size of a payload that GitHub sends, in bytes.
    pub const MAX_PAYLOAD: usize = 25 << 20;

    /// Reads the payload of the event `name`.
    pub fn read(name: &str, payload: &[u8]) -> Result<Self, EventError> {
        if payload.len() > Self::MAX_PAYLOAD {
            return Err(EventError::TooLarge { found: payload.len() });
        }
        let reader = PayloadReader { event: name };
        match name {
            "pull_request" | "pull_request_target" | "pull_request_review" | "pull_request_review_comment" => {
                reader.pull_request(payload).map(Self::PullRequest)
            }
            "merge_group" => reader.merge_group(payload).map(Self::MergeGroup),
            "push" => reader.push(payload).map(Self::Push),
            "workflow_run" => reader.workflow_run(payload).map(Self::WorkflowRun),
            "issue_comment" => {
                let read: payload::IssueComment = reader.parse(payload)?;
                let issue = read.issue.filter(|issue| issue.pull_request.is_some());
                Ok(Self::Other { name: name.to_owned(), pull_request: issue.map(|issue| issue.number) })
            }
            _ => Ok(Self::Other { name: name.to_owned(), pull_request: None }),
        }
    }

    /// Returns the name as workflows write it.
    pub fn name(&self) -> &str {
        match self {
            Self::PullRequest(it) => &it.event,
            Self::MergeGroup(_) => "merge_group",
            Self::Push(_) => "push",
            Self::WorkflowRun(_) => "workflow_run",
            Self::Other { name, .. } => name,
        }
    }

    /// Returns the number of the pull request, if the payload determines it.
    pub fn pull_request(&self) -> Option<u64> {
        match self {
            Self::PullRequest(it) => Some(it.number),
            Self::WorkflowRun(it) => match it.pull_requests.as_slice() {
                &[number] => Some(number),
                _ => None,
            },
            Self::Other { pull_request, .. } => *pull_request,
            Self::MergeGroup(_) | Self::Push(_) => None,
        }
    }
}

/// Reader for the members of one payload.
struct PayloadReader<'a> {
    event: &'a str,
}

impl PayloadReader<'_> {
    fn parse<T: DeserializeOwned>(&self, payload: &[u8]) -> Result<T, EventError> {
        // Some tools of Windows add a byte order mark.
        let text = payload.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(payload);
        serde_json::from_slice(text).map_err(|source| EventError::Unreadable { event: self.event.to_owned(), source })
    }

    fn pull_request(&self, payload: &[u8]) -> Result<PullRequest, EventError> {
        let read: payload::PullRequestEvent = self.parse(payload)?;
        let pull = self.required(read.pull_request, "pull_request")?;
        let number = self.required(pull.number.or(read.number), "pull_request.number")?;
        let head_repository =
            self.repository(pull.head.repo.map(|repository| repository.full_name), "pull_request.head.repo.full_name")?;
        let own = read.repository.map(|repository| repository.full_name);
        let is_own = own.zip(head_repository.as_ref()).is_some_and(|(own, head)| own.eq_ignore_ascii_case(head));
        Ok(PullRequest {
            event: self.event.to_owned(),
            number,
            base: Branch {
                name: self.branch(pull.base.name, "pull_request.base.ref")?,
                sha: self.sha(pull.base.sha, "pull_request.base.sha")?,
            },
            head: Branch {
                name: self.branch(pull.head.name, "pull_request.head.ref")?,
                sha: self.sha(pull.head.sha, "pull_request.head.sha")?,
            },
            is_fork: !is_own,
            head_repository,
            is_draft: pull.draft.unwrap_or(false),
        })
    }

    fn merge_group(&self, payload: &[u8]) -> Result<MergeGroup, EventError> {
        let read: payload::MergeGroupEvent = self.parse(payload)?;
        let group = self.required(read.merge_group, "merge_group")?;
        Ok(MergeGroup {
            base_sha: self.sha(group.base_sha, "merge_group.base_sha")?,
            head_sha: self.sha(group.head_sha, "merge_group.head_sha")?,
        })
    }

    fn push(&self, payload: &[u8]) -> Result<Push, EventError> {
        let read: payload::PushEvent = self.parse(payload)?;
        let before = self.sha(self.required(read.before, "before")?, "before")?;
        let after = self.sha(self.required(read.after, "after")?, "after")?;
        let full = self.required(read.name, "ref")?;
        let branch = full.strip_prefix("refs/heads/").map(|name| self.branch(name.to_owned(), "ref")).transpose()?;
        let default = read.repository.and_then(|repository| repository.default_branch);
        Ok(Push {
            branch,
            before: Some(before).filter(|commit| !is_zero(commit)),
            after: Some(after).filter(|commit| !is_zero(commit)),
            is_forced: read.forced.unwrap_or(false),
            default_branch: default.map(|name| self.branch(name, "repository.default_branch")).transpose()?,
        })
    }

    fn workflow_run(&self, payload: &[u8]) -> Result<WorkflowRun, EventError> {
        let read: payload::WorkflowRunEvent = self.parse(payload)?;
        let run = self.required(read.workflow_run, "workflow_run")?;
        let (full_name, owner) =
            run.head_repository.map(|repository| (repository.full_name, repository.owner.login)).unzip();
        let own = read.repository.map(|repository| repository.id);
        // If several repositories have the commit, GitHub lists the pull requests of all of them.
        let pull_requests =
            run.pull_requests.iter().filter(|pull| pull.base.repo.as_ref().map(|repository| repository.id) == own);
        let pull_requests = pull_requests.map(|pull| pull.number).collect();
        Ok(WorkflowRun {
            head_sha: self.sha(run.head_sha, "workflow_run.head_sha")?,
            head_branch: run.head_branch.map(|name| self.branch(name, "workflow_run.head_branch")).transpose()?,
            head_owner: self.repository(owner, "workflow_run.head_repository.owner.login")?,
            head_repository: self.repository(full_name, "workflow_run.head_repository.full_name")?,
            pull_requests,
        })
    }

    fn required<T>(&self, value: Option<T>, member: &'static str) -> Result<T, EventError> {
        value.ok_or_else(|| EventError::Missing { event: self.event.to_owned(), member })
    }

    fn sha(&self, text: String, member: &'static str) -> Result<String, EventError> {
        self.validated(text, is_commit_id, member, "id of a commit")
    }

    fn branch(&self, text: String, member: &'static str) -> Result<String, EventError> {
        self.validated(text, is_branch, member, "name of a branch")
    }

    /// Validates the name of an account, or of a repository with its account.
    fn repository(&self, text: Option<String>, member: &'static str) -> Result<Option<String>, EventError> {
        text.map(|text| self.validated(text, is_repository, member, "name of a repository or an account")).transpose()
    }

    fn validated(
        &self,
        text: String,
        is_one: impl FnOnce(&str) -> bool,
        member: &'static str,
        wanted: &'static str,
    ) -> Result<String, EventError> {
        if is_one(&text) {
            return Ok(text);
        }
        Err(EventError::Unlikely { event: self.event.to_owned(), member, wanted })
    }
}

fn is_zero(sha: &str) -> bool {
    sha.bytes().all(|byte| byte == b'0')
}

/// True if git accepts the name of a branch. See <https://git-scm.com/docs/git-check-ref-format>.
fn is_branch(text: &str) -> bool {
    text.len() <= 1024
        && !text.contains(|c: char| c.is_control() || " ~^:?*[\\".contains(c))
        && !text.contains("..")
        && !text.contains("@{")
        && text != "@"
        && text.split('/').all(|part| {
            !part.is_empty() && !part.starts_with('.') && !part.ends_with('.') && part.strip_suffix(".lock").is_none()
        })
}

/// True for `owner/name` and `owner`, of letters, digits, and a few marks.
fn is_repository(text: &str) -> bool {
    text.len() <= 200 && text.split('/').count() <= 2 && text.split('/').all(is_repository_segment)
}

fn is_repository_segment(text: &str) -> bool {
    let mut bytes = text.bytes();
    !matches!(text, "" | "." | "..") && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "1111111111111111111111111111111111111111";
    const HEAD: &str = "2222222222222222222222222222222222222222";

    #[track_caller]
    fn read(name: &str, payload: &str) -> Event {
        Event::read(name, payload.as_bytes()).unwrap()
    }

    fn pull_request(event: &str) -> PullRequest {
        PullRequest {
            event: event.to_owned(),
            number: 12,
            base: Branch { name: "main".to_owned(), sha: BASE.to_owned() },
            head: Branch { name: "topic/a-b".to_owned(), sha: HEAD.to_owned() },
            head_repository: Some("Org/infra".to_owned()),
            is_fork: false,
            is_draft: true,
        }
    }

    #[test]
    fn a_pull_request_has_two_sides() {
        for name in ["pull_request", "pull_request_target", "pull_request_review", "pull_request_review_comment"] {
            let event = read(name, include_str!("../../../../tests/events/pull_request.json"));
            assert_eq!(event, Event::PullRequest(pull_request(name)));
            assert_eq!((event.name(), event.pull_request()), (name, Some(12)));
        }
        assert!(pull_request("pull_request_target").is_target());
        assert!(!pull_request("pull_request").is_target());
    }

    #[test]
    fn a_head_in_another_repository_or_in_one_that_is_gone_is_a_fork() {
        let payload = include_str!("../../../../tests/events/pull_request.json");
        let check = |to: &str, repository: Option<&str>| {
            let changed = payload.replace(r#""repo": {"full_name": "Org/infra"}"#, to);
            assert_ne!(changed, payload);
            let Event::PullRequest(it) = read("pull_request", &changed) else { panic!("no pull request") };
            assert_eq!((it.is_fork, it.head_repository.as_deref()), (true, repository));
        };
        check(r#""repo": {"full_name": "somebody/infra"}"#, Some("somebody/infra"));
        check(r#""repo": null"#, None);
    }

    #[test]
    fn a_merge_group_has_two_commits() {
        let group = MergeGroup { base_sha: BASE.to_owned(), head_sha: HEAD.to_owned() };
        let event = read("merge_group", include_str!("../../../../tests/events/merge_group.json"));
        assert_eq!(event, Event::MergeGroup(group));
    }

    #[test]
    fn a_push_moves_a_branch() {
        let payload = include_str!("../../../../tests/events/push.json");
        let expected = Push {
            branch: Some("topic".to_owned()),
            before: Some(BASE.to_owned()),
            after: Some(HEAD.to_owned()),
            is_forced: false,
            default_branch: Some("main".to_owned()),
        };
        assert_eq!(read("push", payload), Event::Push(expected.clone()));
        let forced = payload.replace(r#""forced": false"#, r#""forced": true"#);
        assert_eq!(read("push", &forced), Event::Push(Push { is_forced: true, ..expected.clone() }));
        let new = payload.replace(BASE, &"0".repeat(40)).replace("refs/heads/topic", "refs/tags/v1");
        assert_eq!(read("push", &new), Event::Push(Push { before: None, branch: None, ..expected }));
    }

    #[test]
    fn the_run_of_another_workflow_tells_where_its_commit_is_from() {
        let payload = include_str!("../../../../tests/events/workflow_run.json");
        let expected = WorkflowRun {
            head_sha: HEAD.to_owned(),
            head_branch: Some("topic".to_owned()),
            head_owner: Some("somebody".to_owned()),
            head_repository: Some("somebody/infra".to_owned()),
            pull_requests: Vec::new(),
        };
        assert_eq!(read("workflow_run", payload), Event::WorkflowRun(expected));
        let listed = r#""pull_requests": [
            {"number": 7, "base": {"repo": {"id": 1}}}, {"number": 8, "base": {"repo": {"id": 2}}}]"#;
        let event = read("workflow_run", &payload.replace(r#""pull_requests": []"#, listed));
        assert_eq!(event.pull_request(), Some(7));
        let gone = payload.replace(r#""topic""#, "null").replace(r#""head_repository": {"#, r#""x": {"#);
        let Event::WorkflowRun(gone) = read("workflow_run", &gone) else { panic!("no run") };
        assert_eq!((gone.head_branch, gone.head_owner, gone.head_repository), (None, None, None));
    }

    #[test]
    fn a_comment_may_be_on_a_pull_request() {
        let payload = include_str!("../../../../tests/events/issue_comment.json");
        assert_eq!(read("issue_comment", payload).pull_request(), Some(12));
        let issue = payload.replace("\"pull_request\"", "\"other\"");
        assert_eq!(read("issue_comment", &issue).pull_request(), None);
    }

    #[test]
    fn all_other_events_have_a_name_only() {
        for name in ["schedule", "workflow_dispatch", "release", "something_new"] {
            let event = read(name, "not even JSON");
            assert_eq!((event.name(), event.pull_request()), (name, None));
        }
    }

    #[track_caller]
    fn check_error(name: &str, payload: &str, expected: &str) {
        let text = Event::read(name, payload.as_bytes()).unwrap_err().to_string();
        assert_eq!(text, format!("{expected}; {WAY_OUT}"));
    }

    #[test]
    fn what_github_does_not_send_is_refused() {
        check_error("push", "[", "the payload of the event `push` cannot be read");
        check_error("push", "{}", "the payload of the event `push` has no `before`");
        check_error("pull_request", "{}", "the payload of the event `pull_request` has no `pull_request`");
        check_error("merge_group", "{}", "the payload of the event `merge_group` has no `merge_group`");
        check_error("workflow_run", "{}", "the payload of the event `workflow_run` has no `workflow_run`");
        let payload = include_str!("../../../../tests/events/pull_request.json");
        let wrong = |member: &str, wanted: &str| {
            format!("in the payload of the event `pull_request`, `pull_request.{member}` is invalid: expected {wanted}")
        };
        let sha = |text: &str| {
            check_error("pull_request", &payload.replace(HEAD, text), &wrong("head.sha", "id of a commit"));
        };
        sha("--upload-pack=x");
        sha("22222222");
        sha(&"g".repeat(40));
        let name = payload.replace("topic/a-b", "a..b");
        check_error("pull_request", &name, &wrong("head.ref", "name of a branch"));
        let name = payload.replace("Org/infra", "Org/infra/x?y");
        check_error("pull_request", &name, &wrong("head.repo.full_name", "name of a repository or an account"));
    }

    #[test]
    fn a_payload_has_a_size() {
        let error = Event::read("schedule", &vec![b' '; Event::MAX_PAYLOAD + 1]).unwrap_err();
        assert!(error.to_string().starts_with("the payload of the event has 26214401 bytes, "));
    }

    #[test]
    fn names_of_branches_are_those_of_git() {
        for name in ["main", "a/b", "-x", "ü", "a@b", "dependabot/npm_and_yarn/x-1.2.3", "a.lock.b"] {
            assert!(is_branch(name), "{name}");
        }
        let long = "x".repeat(1025);
        for name in ["", "/", "a//b", "a b", "a..b", ".a", "a/.b", "a.", "a.lock", "a\n", "a@{1}", "@", "a:b", &long] {
            assert!(!is_branch(name), "{name}");
        }
    }
}
