//! Search for the pull request that a report belongs to.
//!
//! A report may come from a workflow that ran untrusted code, so it cannot choose the pull request: the user or the
//! event does. The report is used only if it is for the same commit as the event.

use crate::event::{Event, WorkflowRun};
use crate::publish::api::Api;
use crate::publish::error::Error;
use crate::publish::failure::Failure;
use crate::published::Report;
use crate::wire::PullRequest;

/// Maximum number of pull requests of one commit that are examined.
const MAX_CANDIDATES: usize = 10;

/// Facts that are known before the first request.
#[derive(Clone, Copy, Debug)]
pub(super) struct PublishContext<'a> {
    /// Event of the workflow.
    pub(super) event: Option<&'a Event>,
    /// Pull request that the user named.
    pub(super) named: Option<u64>,
    /// Commit that the workflow runs for.
    pub(super) commit: Option<&'a str>,
}

/// A pull request to write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PullRequestTarget {
    pub(super) number: u64,
    /// Newest commit of its branch.
    pub(super) head: String,
    /// True if lines of a report that names no change are those of the newest commit.
    pub(super) is_of_head: bool,
}

/// Result of the search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TargetSearch {
    Found(PullRequestTarget),
    /// There is no pull request to write to, for this reason.
    NotFound(String),
}

/// Error of the search.
#[derive(Debug)]
pub(super) enum TargetError {
    Error(Error),
    Failure(Failure),
}

impl From<Failure> for TargetError {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

impl PublishContext<'_> {
    /// Compares the report with the event, and finds the pull request.
    pub(super) async fn find(self, report: &Report, api: &mut Api<'_>) -> Result<TargetSearch, TargetError> {
        let expected = self.expected(report).map_err(TargetError::Error)?;
        let number = match (self.named, self.event) {
            (Some(number), _) => number,
            (None, Some(Event::WorkflowRun(run))) => return of_run(run, report, api).await,
            (None, event) => match event.and_then(Event::pull_request) {
                Some(number) => number,
                None => return Ok(TargetSearch::NotFound(no_pull_request(event))),
            },
        };
        let pull = api.pull_request(number).await?;
        Ok(self.aim(&pull, expected.as_deref()))
    }

    /// Returns the commit that a check run of the report is for: that of the event, if it has one, and otherwise that
    /// of the workflow run. `None` if unknown. Fails if the report is for another commit.
    pub(super) fn checked_commit(self, report: &Report) -> Result<Option<String>, Error> {
        let expected = self.expected(report)?;
        let commit = expected.as_deref().or(self.commit);
        match (commit, report.commit().filter(|_| expected.is_none())) {
            (Some(commit), Some(told)) if told != commit => {
                let (told, commit) = (short(told), short(commit));
                Err(Error::Report(format!("it is of the commit `{told}`, and the workflow runs for `{commit}`")))
            }
            (commit, _) => Ok(commit.map(str::to_owned)),
        }
    }

    /// Returns the commit of the report. `None` if unknown. Fails if the event is about another commit.
    fn expected(self, report: &Report) -> Result<Option<String>, Error> {
        let trusted = match self.event {
            Some(Event::WorkflowRun(it)) => Some(it.head_sha.as_str()),
            Some(Event::PullRequest(it)) if self.named.is_none_or(|named| named == it.number) => Some(&*it.head.sha),
            _ => None,
        };
        match (report.head(), trusted) {
            (None, Some(_)) if matches!(self.event, Some(Event::WorkflowRun(_))) => Err(Error::Report(
                "it does not say which commit it is of; it is to be made by `formwork check --changed=auto`".to_owned(),
            )),
            (Some(told), Some(trusted)) if told != trusted => {
                let (told, trusted) = (short(told), short(trusted));
                Err(Error::Report(format!("it is of the commit `{told}`, and the event is about `{trusted}`")))
            }
            (told, trusted) => Ok(told.or(trusted).map(ToOwned::to_owned)),
        }
    }

    fn aim(self, pull: &PullRequest, expected: Option<&str>) -> TargetSearch {
        let head = &pull.head.sha;
        if pull.state != "open" {
            return TargetSearch::NotFound(format!("pull request {} is not open", pull.number));
        }
        match expected {
            Some(expected) if expected != head => TargetSearch::NotFound(moved_on(pull, expected)),
            _ => {
                let is_of_head = self.commit == Some(head);
                TargetSearch::Found(PullRequestTarget { number: pull.number, head: head.clone(), is_of_head })
            }
        }
    }
}

/// Finds the pull request of a finished workflow. For a fork, the event names none, so it is searched for by its
/// branch.
async fn of_run(run: &WorkflowRun, report: &Report, api: &mut Api<'_>) -> Result<TargetSearch, TargetError> {
    let mut pulls = Vec::new();
    for &number in run.pull_requests.iter().take(MAX_CANDIDATES) {
        pulls.push(api.pull_request(number).await?);
    }
    if let (true, Some(owner), Some(branch)) = (pulls.is_empty(), &run.head_owner, &run.head_branch) {
        pulls = api.pull_requests_from(owner, branch).await?;
    }
    pulls.retain(|pull| pull.state == "open");
    Ok(chosen(&pulls, &run.head_sha, report.pull_request()))
}

/// Chooses the open pull request of a branch with this commit. If there are several, the one that the report names.
fn chosen(pulls: &[PullRequest], head: &str, named: Option<u64>) -> TargetSearch {
    let of_commit: Vec<_> = pulls.iter().filter(|pull| pull.head.sha == head).collect();
    let named = of_commit.iter().find(|pull| Some(pull.number) == named);
    match (named.or(of_commit.first()), pulls.first()) {
        (Some(pull), _) => TargetSearch::Found(PullRequestTarget {
            number: pull.number,
            head: pull.head.sha.clone(),
            is_of_head: false,
        }),
        (None, Some(other)) => TargetSearch::NotFound(moved_on(other, head)),
        (None, None) => TargetSearch::NotFound(format!("no open pull request has the commit `{}`", short(head))),
    }
}

fn no_pull_request(event: Option<&Event>) -> String {
    match event {
        Some(event) => format!("the event `{}` has no pull request; `--pull-request` can name one", event.name()),
        None => "there is no event with a pull request; `--pull-request` can name one".to_owned(),
    }
}

fn moved_on(pull: &PullRequest, from: &str) -> String {
    let (number, from, to) = (pull.number, short(from), short(&pull.head.sha));
    format!("pull request {number} has moved on from `{from}` to `{to}`; the run for that commit reports")
}

/// Returns the short form of a commit ID.
fn short(sha: &str) -> &str {
    sha.get(..7).unwrap_or(sha)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "2222222222222222222222222222222222222222";
    const OTHER: &str = "3333333333333333333333333333333333333333";

    fn pull(number: u64, state: &str, sha: &str) -> PullRequest {
        let text = format!(r#"{{"number": {number}, "state": "{state}", "head": {{"sha": "{sha}"}}}}"#);
        serde_json::from_str(&text).unwrap()
    }

    #[track_caller]
    fn check_aim(pull: &PullRequest, expected: Option<&str>, reason: Option<&str>) {
        let origin = PublishContext { event: None, named: None, commit: Some(HEAD) };
        match (origin.aim(pull, expected), reason) {
            (TargetSearch::NotFound(found), Some(reason)) => assert_eq!(found, reason),
            (TargetSearch::Found(target), None) => assert_eq!(target.number, pull.number),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_pull_request_is_written_to_while_it_is_open_and_of_the_commit() {
        check_aim(&pull(12, "open", HEAD), Some(HEAD), None);
        check_aim(&pull(12, "open", HEAD), None, None);
        check_aim(&pull(12, "closed", HEAD), Some(HEAD), Some("pull request 12 is not open"));
        let moved = "pull request 12 has moved on from `3333333` to `2222222`; the run for that commit reports";
        check_aim(&pull(12, "open", HEAD), Some(OTHER), Some(moved));
    }

    #[test]
    fn lines_without_a_change_are_those_of_the_head_if_the_workflow_ran_for_it() {
        let of = |commit| match (PublishContext { event: None, named: None, commit }).aim(&pull(1, "open", HEAD), None)
        {
            TargetSearch::Found(target) => target.is_of_head,
            TargetSearch::NotFound(reason) => panic!("{reason}"),
        };
        assert!(of(Some(HEAD)));
        assert!(!of(Some(OTHER)));
        assert!(!of(None));
    }

    #[test]
    fn of_several_pull_requests_with_the_commit_the_report_may_choose() {
        let number = |pulls: &[PullRequest], named| match chosen(pulls, HEAD, named) {
            TargetSearch::Found(target) => Ok(target.number),
            TargetSearch::NotFound(reason) => Err(reason),
        };
        let pulls = [pull(1, "open", HEAD), pull(2, "open", HEAD), pull(3, "open", OTHER)];
        assert_eq!(number(&pulls, None), Ok(1));
        assert_eq!(number(&pulls, Some(2)), Ok(2));
        assert_eq!(number(&pulls, Some(3)), Ok(1), "the third has another commit");
        let moved = "pull request 3 has moved on from `2222222` to `3333333`; the run for that commit reports";
        assert_eq!(number(&pulls[2..], Some(3)), Err(moved.to_owned()));
        assert_eq!(number(&[], None), Err("no open pull request has the commit `2222222`".to_owned()));
    }
}
