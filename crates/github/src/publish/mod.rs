//! Publishes a report: reads the pull request, plans the changes, and carries out the plan.
//!
//! A write with an unclear outcome is never simply repeated. Instead, the pull request is read and planned again, and the
//! new plan contains only what is missing. If the token may not write or GitHub's limits are reached, the rest is skipped
//! with one notice: the findings are in the annotations anyway.

mod api;
mod check_run;
mod client;
mod error;
mod failure;
mod graphql;
mod notice;
mod patience;
mod request;
mod steps;
mod tally;
mod target;

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;

use crate::event::Event;
use crate::plan::{self, Category, CheckRunOptions, Existing, Marker, Options, PublishPlan, SummaryWrite, is_own};
use crate::publish::api::Api;
use crate::publish::client::Client;
use crate::publish::failure::Failure;
use crate::publish::graphql::Threads;
use crate::publish::patience::{Patience, TRIES};
use crate::publish::request::Request;
use crate::publish::steps::{Kind, Step};
use crate::publish::tally::Tally;
use crate::publish::target::{Aim, Lost, Origin, PullRequestTarget};
use crate::published::Report;
use crate::report::counted;
use crate::report::difference::Difference;
use crate::wire::{NewReview, PullFile};

pub use self::api::{Log, RepositoryName};
pub use self::client::{Access, Token};
pub use self::error::Error;
pub use self::notice::{command as notice_command, line as log_line};

/// How often the pull request is read at most: at the start, after each unclear failure, and after comments were refused,
/// because other findings may get their places.
const MAX_ROUNDS: u32 = 10;

/// The most reviews that are sent to find the comments that GitHub refuses. To find one in thirty takes ten.
const MAX_REVIEWS: u32 = 30;

/// What to publish, where, and with which token.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Task<'a> {
    /// How to access GitHub.
    pub access: &'a Access,
    /// The repository of the pull request.
    pub repository: &'a RepositoryName,
    /// The report to publish.
    pub report: &'a Report,
    /// What the change deploys, for the summary.
    pub difference: Option<Arc<Difference>>,
    /// The event of the workflow.
    pub event: Option<&'a Event>,
    /// The commit that the workflow runs for.
    pub commit: Option<&'a str>,
    /// The number of the pull request. `None` to find it by the event.
    pub pull_request: Option<u64>,
    /// Whether to comment on lines.
    pub review: bool,
    /// Whether to write a summary.
    pub summary: bool,
    /// Whether to post a check run.
    pub check_run: bool,
    /// Distinguishes the comments of several jobs.
    pub category: &'a str,
    /// The address of the GitHub website.
    pub server_url: &'a str,
    /// The address of the workflow run.
    pub run_url: Option<String>,
    /// Whether to stop before the first write.
    pub dry_run: bool,
    /// How long to wait for GitHub's limits in total.
    pub max_wait: Duration,
    /// How long to wait between two writes, and the unit of waits after failures.
    pub pace: Duration,
}

/// What publishing did, or would do.
#[derive(Debug, Default)]
pub struct Published {
    /// Lines about what was written.
    pub lines: Vec<String>,
    /// Notices about what was not published, and why.
    pub notices: Vec<String>,
    /// Whether the token may not post a check run, so that its annotations have to be shown in another way.
    pub is_check_run_denied: bool,
    /// The address of the summary.
    pub url: Option<String>,
    /// The requests that a dry run did not send.
    pub requests: Vec<Request>,
}

/// Publishes a report: a check run for its commit, and comments on its pull request.
pub fn publish(task: &Task<'_>, log: &dyn Log) -> Result<Published, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Setup(format!("no connection can be made: {error}")))?;
    runtime.block_on(async {
        let api = || {
            let patience = Patience::new(task.max_wait, task.pace);
            Ok::<_, Error>(Api::new(Client::new(task.access)?, patience, task.repository, log))
        };
        let mut published = Published::default();
        if task.check_run {
            published = post_check_run(task, api()?).await?;
        }
        if task.review || task.summary {
            let of_pull_request = match run(task, api()?).await {
                Ok(published) => published,
                Err(Stop::Denied(answer)) => left_out(notice::denied(&answer)),
                Err(Stop::Limited(wait)) => left_out(notice::limited(wait)),
                Err(Stop::Error(error)) => return Err(error),
            };
            published.lines.extend(of_pull_request.lines);
            published.notices.extend(of_pull_request.notices);
            published.requests.extend(of_pull_request.requests);
            published.url = of_pull_request.url;
        }
        Ok(published)
    })
}

fn left_out(notice: String) -> Published {
    Published { notices: vec![notice], ..Published::default() }
}

/// Posts the check run of the report to its commit.
async fn post_check_run(task: &Task<'_>, mut api: Api<'_>) -> Result<Published, Error> {
    let origin = Origin { event: task.event, named: task.pull_request, commit: task.commit };
    let Some(head) = origin.checked_commit(task.report)? else {
        return Ok(left_out("no check run is posted: it is not known which commit the report is of".to_owned()));
    };
    let options = CheckRunOptions {
        head: &head,
        is_of_head: task.commit == Some(&head),
        category: task.category,
        repository: &format!("{}/{}", task.repository.owner, task.repository.name),
        server: task.server_url.trim_end_matches('/'),
        run_url: task.run_url.as_deref(),
    };
    let plan = plan::check_run(task.report, &options);
    if task.dry_run {
        return Ok(Published { requests: check_run::requests(&plan, task.repository), ..Published::default() });
    }
    match check_run::post(&plan, task.repository, &mut api).await.map_err(Stop::from) {
        Ok((_, false)) => Ok(Published::default()),
        Ok((url, true)) => {
            let line = format!("check run with {}: {url}", counted(plan.annotations.len(), "annotation"));
            Ok(Published { lines: vec![line], ..Published::default() })
        }
        Err(Stop::Denied(answer)) => {
            Ok(Published { is_check_run_denied: true, ..left_out(notice::check_run_denied(&answer)) })
        }
        Err(Stop::Limited(wait)) => Ok(Published { is_check_run_denied: true, ..left_out(notice::limited(wait)) }),
        Err(Stop::Error(error)) => Err(error),
    }
}

async fn run(task: &Task<'_>, mut api: Api<'_>) -> Result<Published, Stop> {
    let origin = Origin { event: task.event, named: task.pull_request, commit: task.commit };
    let target = match origin.find(task.report, &mut api).await? {
        Aim::At(target) => target,
        Aim::Nowhere(reason) => return Ok(left_out(format!("nothing is published: {reason}"))),
    };
    let viewer = api.viewer().await?;
    let files = if task.review { api.files(target.number).await? } else { Vec::new() };
    let options = Options {
        review: task.review,
        summary: task.summary,
        category: task.category.to_owned(),
        rejected: BTreeSet::new(),
        is_of_head: target.is_of_head,
        difference: task.difference.clone(),
        repository: format!("{}/{}", task.repository.owner, task.repository.name),
        server_url: task.server_url.trim_end_matches('/').to_owned(),
        run_url: task.run_url.clone(),
    };
    let mut publisher = Publisher {
        task,
        api,
        target,
        viewer,
        files,
        options,
        tally: Tally::default(),
        url: None,
        reviews: 0,
        has_written: false,
    };
    if task.dry_run {
        let look = publisher.look().await?;
        let requests = publisher.steps(&look).into_iter().map(|step| step.request).collect();
        return Ok(Published { requests, ..Published::default() });
    }
    publisher.rounds().await?;
    let Publisher { tally, url, options, .. } = publisher;
    let lines = vec![tally.line(&options.rejected, url.as_deref())];
    Ok(Published { lines, url, ..Published::default() })
}

/// Why writing stopped.
enum Stop {
    /// The token lacks a permission. Contains GitHub's message.
    Denied(String),
    /// GitHub's rate limit requires a longer wait than is allowed.
    Limited(Duration),
    Error(Error),
}

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        let text = notice::line(&failure.text());
        match failure {
            Failure::Forbidden(_) | Failure::NotFound(_) => Self::Denied(text),
            Failure::RateLimited(wait) => Self::Limited(wait),
            Failure::Unclear(_) => Self::Error(Error::Unreachable(text)),
            Failure::Unauthorized(_) => Self::Error(Error::Refused(format!("the token is not accepted: {text}"))),
            Failure::Unprocessable(_) | Failure::Other(_) => Self::Error(Error::Refused(text)),
        }
    }
}

impl From<Lost> for Stop {
    fn from(lost: Lost) -> Self {
        match lost {
            Lost::Error(error) => Self::Error(error),
            Lost::Failure(failure) => failure.into(),
        }
    }
}

/// The state of the pull request, and the plan for it.
struct Look {
    plan: PublishPlan,
    threads: Threads,
}

/// The outcome of carrying out a plan.
#[derive(PartialEq)]
enum Next {
    Done,
    /// GitHub refused comments, so the summary must list their findings.
    LookAgain,
}

/// The pull request that is written to.
struct Publisher<'a> {
    task: &'a Task<'a>,
    api: Api<'a>,
    target: PullRequestTarget,
    viewer: String,
    files: Vec<PullFile>,
    options: Options,
    tally: Tally,
    /// The address of the summary.
    url: Option<String>,
    /// The number of reviews sent.
    reviews: u32,
    /// Whether GitHub has accepted a write.
    has_written: bool,
}

impl Publisher<'_> {
    /// Reads, plans, and writes until there is nothing left to write.
    async fn rounds(&mut self) -> Result<(), Stop> {
        let (mut failures, mut last) = (0, String::new());
        for _ in 0..MAX_ROUNDS {
            let look = self.look().await?;
            self.tally.add(&look.plan);
            if failures == TRIES && !look.plan.is_empty() {
                break;
            }
            match self.carry_out(&look).await {
                Ok(Next::Done) if look.plan.creates() => return self.agree().await,
                Ok(Next::Done) => return Ok(()),
                Ok(Next::LookAgain) => {}
                Err(Failure::Unclear(text)) => {
                    self.api.wait_after_unclear_write(failures).await;
                    failures += 1;
                    last = text;
                }
                Err(failure) => return Err(failure.into()),
            }
        }
        Err(Stop::Error(Error::Unreachable(last)))
    }

    /// Reads the pull request, and plans what to write.
    async fn look(&mut self) -> Result<Look, Failure> {
        let number = self.target.number;
        let comments = if self.task.review { self.api.review_comments(number).await? } else { Vec::new() };
        let summaries = if self.task.summary { self.api.issue_comments(number).await? } else { Vec::new() };
        let threads = if comments.iter().any(|comment| is_own(comment.user.as_ref(), &self.viewer)) {
            self.api.threads(number).await?
        } else {
            Some(Threads::default())
        };
        let existing = Existing {
            viewer: self.viewer.clone(),
            head: self.target.head.clone(),
            files: self.files.clone(),
            comments,
            summaries,
            hidden: threads.as_ref().map(|threads| threads.hidden.clone()),
        };
        let plan = plan::plan(self.task.report, &existing, &self.options);
        self.url = shown_summary(&existing, &self.options.category).or(self.url.take());
        Ok(Look { plan, threads: threads.unwrap_or_default() })
    }

    /// Looks once more after something was created, in case another run did the same at the same time: of several comments
    /// that say the same, both runs keep the oldest. Nothing is created here, because a list may lack the newest comments.
    async fn agree(&mut self) -> Result<(), Stop> {
        let pull = self.api.pull_request(self.target.number).await?;
        let mut look = self.look().await?;
        (look.plan.review, look.plan.fingerprints) = (None, Vec::new());
        let is_newest = pull.head.sha == self.target.head;
        if !is_newest {
            // The run for the newer commit says what is true now.
            look.plan.edits.clear();
        }
        look.plan.summary.take_if(|write| !is_newest || matches!(write, SummaryWrite::Create(_)));
        self.tally.add(&look.plan);
        match self.carry_out(&look).await {
            // The next run cleans up.
            Ok(_) | Err(Failure::Unclear(_)) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    fn steps(&self, look: &Look) -> Vec<Step> {
        steps::of_plan(&look.plan, self.task.repository, self.target.number, &look.threads)
    }

    async fn carry_out(&mut self, look: &Look) -> Result<Next, Failure> {
        for step in self.steps(look) {
            if step.kind == Kind::Review {
                if self.review(&look.plan).await? == Next::LookAgain && self.reviews < MAX_REVIEWS {
                    return Ok(Next::LookAgain);
                }
                continue;
            }
            match (self.api.write(&step.request).await, step.kind) {
                (Ok(answer), kind) => {
                    self.has_written |= kind != Kind::Fold;
                    if kind == Kind::Summary {
                        self.url = page(&answer.body).or(self.url.take());
                    }
                }
                (Err(failure @ (Failure::Unclear(_) | Failure::RateLimited(_) | Failure::Unauthorized(_))), _) => {
                    return Err(failure);
                }
                // Resolving a conversation needs more permissions than writing, and the comment itself shows that it is obsolete.
                (Err(_), Kind::Fold) => {}
                // The comment was deleted after it was listed.
                (Err(Failure::NotFound(_)), Kind::Edit) if self.has_written => {}
                // The other run deleted it.
                (Err(Failure::NotFound(_)), Kind::Delete) => {}
                (Err(failure), _) => return Err(failure),
            }
        }
        Ok(Next::Done)
    }

    /// Sends the comments as one review. GitHub refuses the whole review if it cannot place one of the comments, without
    /// naming it. Then the halves are sent separately until the refused comments are found.
    async fn review(&mut self, plan: &PublishPlan) -> Result<Next, Failure> {
        let Some(whole) = &plan.review else { return Ok(Next::Done) };
        let mut next = Next::Done;
        let mut body = whole.body.clone();
        let mut open = VecDeque::new();
        open.push_front(0..whole.comments.len());
        while let Some(range) = open.pop_front() {
            if self.reviews == MAX_REVIEWS {
                self.options.rejected.extend(plan.fingerprints.iter().take(range.end).skip(range.start).cloned());
                continue;
            }
            self.reviews += 1;
            let part =
                NewReview { comments: whole.comments[range.clone()].to_vec(), body: body.clone(), ..whole.clone() };
            let request = steps::review(&part, self.task.repository, self.target.number);
            match self.api.write(&request).await {
                Ok(_) => {
                    self.has_written = true;
                    // The text of the first half describes both. The second keeps only the hidden marker of formwork.
                    body = whole.body.lines().next_back().unwrap_or_default().to_owned();
                }
                Err(Failure::Unprocessable(_)) if range.len() > 1 => {
                    let middle = range.start + range.len() / 2;
                    open.push_front(middle..range.end);
                    open.push_front(range.start..middle);
                }
                Err(Failure::Unprocessable(_)) if range.len() == 1 => {
                    self.options.rejected.extend(plan.fingerprints.get(range.start).cloned());
                    next = Next::LookAgain;
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(next)
    }
}

/// The address of the existing summary.
fn shown_summary(existing: &Existing, category: &str) -> Option<String> {
    let category = Category::new(category);
    let is_summary = |marker: Marker<'_>| marker.is_of(&category) && marker.subject == "summary";
    let mut own = existing.summaries.iter().filter(|comment| is_own(comment.user.as_ref(), &existing.viewer));
    own.find(|comment| comment.body.as_deref().and_then(Marker::read).is_some_and(is_summary))
        .map(|comment| comment.html_url.clone())
}

/// The address of a written comment. `None` if the answer does not contain it.
fn page(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Comment {
        html_url: String,
    }
    serde_json::from_slice::<Comment>(body).ok().map(|comment| comment.html_url)
}
