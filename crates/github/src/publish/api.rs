//! GitHub's API with repeated reads, all pages of lists, and writes that are sent once.

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::Url;
use serde::de::DeserializeOwned;

use crate::publish::client::{Answer, Client};
use crate::publish::failure::Failure;
use crate::publish::graphql::{self, NextPage, Threads};
use crate::publish::patience::{Patience, TRIES};
use crate::publish::request::Request;
use crate::wire::{CheckRun, CheckRuns, IssueComment, PullFile, PullRequest, ReviewComment};

/// Items on a page. GitHub allows no more.
const PER_PAGE: usize = 100;

/// Maximum number of files of a pull request that GitHub lists.
const MAX_FILES: usize = 3000;

/// Maximum number of comments. GitHub accepts 2500 on an issue. With more, publishing fails rather than commenting
/// twice.
const MAX_COMMENTS: usize = 10_000;

/// Name of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryName {
    pub(super) owner: String,
    pub(super) name: String,
}

impl RepositoryName {
    /// Parses `owner/name`. `None` if it is not a valid name.
    pub fn read(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        (is_name(owner) && is_name(name)).then(|| Self { owner: owner.to_owned(), name: name.to_owned() })
    }

    /// Returns the path in the API: `/repos/owner/name`.
    pub(super) fn path(&self) -> String {
        format!("/repos/{}/{}", self.owner, self.name)
    }
}

/// API of one repository.
#[derive(Debug)]
pub(super) struct Api<'a> {
    client: Client,
    /// Limits of waiting.
    pub(super) patience: Patience,
    repository: &'a RepositoryName,
    /// Log of long waits.
    log: &'a dyn Log,
}

/// Receiver of messages about progress.
pub trait Log: std::fmt::Debug {
    /// Logs a line, which may contain any characters.
    fn line(&self, text: &str);
}

impl<'a> Api<'a> {
    pub(super) fn new(client: Client, patience: Patience, repository: &'a RepositoryName, log: &'a dyn Log) -> Self {
        Self { client, patience, repository, log }
    }

    /// Returns the login that the token writes as.
    pub(super) async fn viewer(&mut self) -> Result<String, Failure> {
        let answer = self.read(&graphql::viewer()).await?;
        graphql::read_viewer(&answer.body)
            .ok_or_else(|| Failure::Forbidden("it does not say whose token it is".to_owned()))
    }

    /// Returns a pull request by its number.
    pub(super) async fn pull_request(&mut self, number: u64) -> Result<PullRequest, Failure> {
        let path = format!("{}/pulls/{number}", self.repository.path());
        let answer = self.read(&Request::get(path)).await?;
        parse(&answer.body)
    }

    /// Returns the open pull requests from a branch of an account.
    pub(super) async fn pull_requests_from(&mut self, owner: &str, branch: &str) -> Result<Vec<PullRequest>, Failure> {
        let head = escape_query(&format!("{owner}:{branch}"));
        let path = format!("{}/pulls?state=open&head={head}", self.repository.path());
        self.list(&path, MAX_COMMENTS).await
    }

    /// Returns the files that a pull request changes, as far as GitHub lists them.
    pub(super) async fn files(&mut self, number: u64) -> Result<Vec<PullFile>, Failure> {
        let path = format!("{}/pulls/{number}/files", self.repository.path());
        self.list(&path, MAX_FILES).await
    }

    /// Returns the comments on lines of a pull request.
    pub(super) async fn review_comments(&mut self, number: u64) -> Result<Vec<ReviewComment>, Failure> {
        let path = format!("{}/pulls/{number}/comments", self.repository.path());
        self.comments(&path, |comment: &ReviewComment| comment.id).await
    }

    /// Returns the comments on a pull request as a whole.
    pub(super) async fn issue_comments(&mut self, number: u64) -> Result<Vec<IssueComment>, Failure> {
        let path = format!("{}/issues/{number}/comments", self.repository.path());
        self.comments(&path, |comment: &IssueComment| comment.id).await
    }

    /// Returns the conversations of a pull request, or `None` if GitHub does not list them.
    pub(super) async fn threads(&mut self, number: u64) -> Result<Option<Threads>, Failure> {
        let (mut threads, mut cursor) = (Threads::default(), None);
        for _ in 0..MAX_COMMENTS / PER_PAGE {
            let RepositoryName { owner, name } = self.repository;
            let answer = match self.read(&graphql::threads(owner, name, number, cursor.as_deref())).await {
                Ok(answer) => answer,
                Err(Failure::RateLimited(wait)) => return Err(Failure::RateLimited(wait)),
                Err(_) => return Ok(None),
            };
            match graphql::read_threads(&answer.body, &mut threads) {
                Some(NextPage::After(next)) => cursor = Some(next),
                Some(NextPage::None) => return Ok(Some(threads)),
                None => return Ok(None),
            }
        }
        Ok(None)
    }

    /// Returns the check run of a commit with this name and ID, if there is one.
    pub(super) async fn check_run(&mut self, head: &str, name: &str, id: &str) -> Result<Option<CheckRun>, Failure> {
        let name = escape_query(name);
        let path =
            format!("{}/commits/{head}/check-runs?check_name={name}&per_page={PER_PAGE}", self.repository.path());
        let answer = self.read(&Request::get(path)).await?;
        let runs: CheckRuns = parse(&answer.body)?;
        Ok(runs.check_runs.into_iter().find(|run| run.external_id.as_deref() == Some(id)))
    }

    /// Sends a write once. It is sent again only if GitHub rejected it because of a limit, since it had no effect
    /// then.
    pub(super) async fn write(&mut self, request: &Request) -> Result<Answer, Failure> {
        let mut number = 0;
        loop {
            pause(self.patience.before_write()).await;
            match self.client.exchange(request).await {
                Err(Failure::RateLimited(wait)) => self.wait_for_limit(wait, &mut number).await?,
                other => return other,
            }
        }
    }

    /// Waits before checking the effect of an unclear write.
    pub(super) async fn wait_after_unclear_write(&self, number: u32) {
        pause(self.patience.after_write(number)).await;
    }

    /// Sends a read until it is answered.
    async fn read(&mut self, request: &Request) -> Result<Answer, Failure> {
        let (mut limits, mut failures) = (0, 0);
        loop {
            match self.client.exchange(request).await {
                Err(Failure::RateLimited(wait)) => self.wait_for_limit(wait, &mut limits).await?,
                Err(Failure::Unclear(_)) if failures + 1 < TRIES => {
                    pause(self.patience.after_read(failures)).await;
                    failures += 1;
                }
                other => return other,
            }
        }
    }

    /// Waits as long as GitHub requires. Fails if there is not enough time left.
    async fn wait_for_limit(&mut self, wait: Duration, number: &mut u32) -> Result<(), Failure> {
        // Ends with a server that always answers "now".
        *number += 1;
        let wait = wait.max(Duration::from_secs(u64::from(*number - 1)));
        if !self.patience.allows(wait) {
            return Err(Failure::RateLimited(wait));
        }
        self.log.line(&format!("GitHub has set a limit, waiting for {} s", wait.as_secs()));
        pause(wait).await;
        Ok(())
    }

    /// Returns all comments, the oldest first. A comment that is written between two pages moves the others, so some
    /// are listed twice.
    async fn comments<T: DeserializeOwned>(&mut self, path: &str, id: fn(&T) -> u64) -> Result<Vec<T>, Failure> {
        let all = self.list::<T>(path, MAX_COMMENTS).await?;
        if all.len() >= MAX_COMMENTS {
            return Err(Failure::Other(format!("it lists more than {MAX_COMMENTS} comments")));
        }
        Ok(all.into_iter().map(|item| (id(&item), item)).collect::<BTreeMap<_, _>>().into_values().collect())
    }

    /// Returns the items of all pages, until there are `most` of them.
    async fn list<T: DeserializeOwned>(&mut self, path: &str, most: usize) -> Result<Vec<T>, Failure> {
        let separator = if path.contains('?') { '&' } else { '?' };
        let mut all = Vec::new();
        for page in 1.. {
            let request = Request::get(format!("{path}{separator}per_page={PER_PAGE}&page={page}"));
            let answer = self.read(&request).await?;
            let items: Vec<T> = parse(&answer.body)?;
            let is_last = items.is_empty() || !has_next(&answer, items.len());
            all.extend(items);
            if is_last || all.len() >= most {
                break;
            }
        }
        Ok(all)
    }
}

/// True if another page follows. Without a header, a full page may have a successor. The address in the header is not
/// used: the number of the page is enough.
fn has_next(answer: &Answer, items: usize) -> bool {
    let link = answer.headers.get("link").and_then(|header| header.to_str().ok());
    link.map_or(items >= PER_PAGE, |link| link.contains("rel=\"next\""))
}

fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure::Other(format!("its answer cannot be read: {error}")))
}

/// Escapes a value for a query.
fn escape_query(text: &str) -> String {
    let mut url = Url::parse("https://host/").expect("a constant address is right");
    url.query_pairs_mut().append_key_only(text);
    url.query().unwrap_or_default().to_owned()
}

async fn pause(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    !matches!(text, "" | "." | "..") && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_an_owner_and_a_name() {
        let name = RepositoryName::read("Org-1/infra.x_y").map(|repository| repository.path());
        assert_eq!(name.as_deref(), Some("/repos/Org-1/infra.x_y"));
        for wrong in ["", "infra", "a/b/c", "a/", "/b", "a/..", "a/b?x", "a b/c", "a/b\n"] {
            assert_eq!(RepositoryName::read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_branch_cannot_leave_its_parameter() {
        assert_eq!(escape_query("o:topic/a&state=all#ü+ "), "o%3Atopic%2Fa%26state%3Dall%23%C3%BC%2B+");
    }
}
