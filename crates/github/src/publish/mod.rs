//! Publishes a report: reads the pull request, plans the changes, and carries out the plan.
//!
//! A write with an unclear outcome is never simply repeated. Instead, the pull request is read and planned again, and
//! the new plan contains only the missing parts. If the token cannot write or GitHub's limits are reached, the rest
//! is skipped with one notice: the findings are in the annotations anyway.

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
use crate::publish::steps::{PublishStep, RequestKind};
use crate::publish::tally::Tally;
use crate::publish::target::{PublishContext, PullRequestTarget, TargetError, TargetSearch};
use crate::published::Report;
use crate::report::counted;
use crate::report::difference::Difference;
use crate::wire::{NewReview, PullFile};

pub use self::api::{Log, RepositoryName};
pub use self::client::{Access, Token};
pub use self::error::Error;
pub use self::notice::{command as notice_command, line as log_line};

/// Maximum number of times that the pull request is read: at the start, after each unclear failure, and after
/// comments were rejected, because other findings may get their lines.
const MAX_ROUNDS: u32 = 10;

/// Maximum number of reviews that are sent to find the comments that GitHub rejects. To find one in thirty takes ten.
const MAX_REVIEWS: u32 = 30;

/// Report to publish, its target, and the options.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct Task<'a> {
    /// Access to GitHub.
    pub access: &'a Access,
    /// Repository of the pull request.
    pub repository: &'a RepositoryName,
    /// Report to publish.
    pub report: &'a Report,
    /// Effects of the change on the deployed resources, for the summary.
    pub difference: Option<Arc<Difference>>,
    /// Event of the workflow.
    pub event: Option<&'a Event>,
    /// Commit that the workflow runs for.
    pub commit: Option<&'a str>,
    /// Number of the pull request. `None` to find it by the event.
    pub pull_request: Option<u64>,
    /// True to comment on lines.
    pub review: bool,
    /// True to write a summary.
    pub summary: bool,
    /// True to post a check run.
    pub check_run: bool,
    /// Distinguishes the comments of several jobs.
    pub category: &'a str,
    /// Address of the GitHub website.
    pub server_url: &'a str,
    /// Address of the workflow run.
    pub run_url: Option<String>,
    /// True to stop before the first write.
    pub dry_run: bool,
    /// Maximum total waiting time for GitHub's limits.
    pub max_wait: Duration,
    /// Delay between two writes, and the unit of waits after failures.
    pub pace: Duration,
}

/// Result of publishing, or of a dry run.
#[derive(Debug, Default)]
pub struct Published {
    /// Lines about everything that was written.
    pub lines: Vec<String>,
    /// Notices about everything that was not published, with reasons.
    pub notices: Vec<String>,
    /// True if the token cannot post a check run, so that its annotations have to be shown in another way.
    pub is_check_run_denied: bool,
    /// Address of the summary.
    pub url: Option<String>,
    /// Requests that a dry run did not send.
    pub requests: Vec<Request>,
}

/// Publishes a report: a check run for its commit, and comments on its pull request.
pub fn publish(task: &Task<'_>, log: &dyn Log) -> Result<Published, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Error::Setup(format!("no connection can be made: {error}")))?;
    runtime.block_on(async {
        let mut published = Published::default();
        if task.check_run {
            published = post_check_run(task, new_api(task, log)?).await?;
        }
        if task.review || task.summary {
            let of_pull_request = match run(task, new_api(task, log)?).await {
                Ok(published) => published,
                Err(Stop::Denied(answer)) => with_notice(notice::denied(&answer)),
                Err(Stop::Limited(wait)) => with_notice(notice::limited(wait)),
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

/// Returns a result with only a notice.
fn new_api<'a>(task: &Task<'a>, log: &'a dyn Log) -> Result<Api<'a>, Error> {
    let patience = Patience::new(task.max_wait, task.pace);
    Ok(Api::new(Client::new(task.access)?, patience, task.repository, log))
}

fn with_notice(notice: String) -> Published {
    Published { notices: vec![notice], ..Published::default() }
}

/// Posts the check run of the report to its commit.
async fn post_check_run(task: &Task<'_>, mut api: Api<'_>) -> Result<Published, Error> {
    let origin = PublishContext { event: task.event, named: task.pull_request, commit: task.commit };
    let Some(head) = origin.checked_commit(task.report)? else {
        return Ok(with_notice("no check run is posted: it is not known which commit the report is of".to_owned()));
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
            Ok(Published { is_check_run_denied: true, ..with_notice(notice::check_run_denied(&answer)) })
        }
        Err(Stop::Limited(wait)) => Ok(Published { is_check_run_denied: true, ..with_notice(notice::limited(wait)) }),
        Err(Stop::Error(error)) => Err(error),
    }
}

async fn run(task: &Task<'_>, mut api: Api<'_>) -> Result<Published, Stop> {
    let origin = PublishContext { event: task.event, named: task.pull_request, commit: task.commit };
    let target = match origin.find(task.report, &mut api).await? {
        TargetSearch::Found(target) => target,
        TargetSearch::NotFound(reason) => return Ok(with_notice(format!("nothing is published: {reason}"))),
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
        let round = publisher.plan_round().await?;
        let requests = publisher.steps(&round).into_iter().map(|step| step.request).collect();
        return Ok(Published { requests, ..Published::default() });
    }
    publisher.rounds().await?;
    let Publisher { tally, url, options, .. } = publisher;
    let lines = vec![tally.line(&options.rejected, url.as_deref())];
    Ok(Published { lines, url, ..Published::default() })
}

/// Reason why writing stopped.
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

impl From<TargetError> for Stop {
    fn from(lost: TargetError) -> Self {
        match lost {
            TargetError::Error(error) => Self::Error(error),
            TargetError::Failure(failure) => failure.into(),
        }
    }
}

/// Plan for the current state of the pull request.
struct PlannedRound {
    plan: PublishPlan,
    threads: Threads,
}

/// Outcome of carrying out a plan.
#[derive(PartialEq)]
enum RoundOutcome {
    Done,
    /// GitHub rejected comments, so the summary must list their findings.
    PlanAgain,
}

/// Publisher for one pull request.
struct Publisher<'a> {
    task: &'a Task<'a>,
    api: Api<'a>,
    target: PullRequestTarget,
    viewer: String,
    files: Vec<PullFile>,
    options: Options,
    tally: Tally,
    /// Address of the summary.
    url: Option<String>,
    /// Number of reviews sent.
    reviews: u32,
    /// True once GitHub has accepted a write.
    has_written: bool,
}

impl Publisher<'_> {
    /// Reads, plans, and writes until there is nothing left to write.
    async fn rounds(&mut self) -> Result<(), Stop> {
        let (mut failures, mut last) = (0, String::new());
        for _ in 0..MAX_ROUNDS {
            let round = self.plan_round().await?;
            self.tally.add(&round.plan);
            if failures == TRIES && !round.plan.is_empty() {
                break;
            }
            match self.carry_out(&round).await {
                Ok(RoundOutcome::Done) if round.plan.creates() => return self.agree().await,
                Ok(RoundOutcome::Done) => return Ok(()),
                Ok(RoundOutcome::PlanAgain) => {}
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

    /// Reads the pull request, and plans the writes.
    async fn plan_round(&mut self) -> Result<PlannedRound, Failure> {
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
        Ok(PlannedRound { plan, threads: threads.unwrap_or_default() })
    }

    /// Plans once more after something was created, in case another run created the same at the same time: of several
    /// equal comments, both runs keep the oldest. Nothing is created here, because a list may lack the newest
    /// comments.
    async fn agree(&mut self) -> Result<(), Stop> {
        let pull = self.api.pull_request(self.target.number).await?;
        let mut round = self.plan_round().await?;
        (round.plan.review, round.plan.fingerprints) = (None, Vec::new());
        let is_newest = pull.head.sha == self.target.head;
        if !is_newest {
            // The run for the newer commit updates the comments.
            round.plan.edits.clear();
        }
        round.plan.summary.take_if(|write| !is_newest || matches!(write, SummaryWrite::Create(_)));
        self.tally.add(&round.plan);
        match self.carry_out(&round).await {
            // The next run cleans up.
            Ok(_) | Err(Failure::Unclear(_)) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    fn steps(&self, round: &PlannedRound) -> Vec<PublishStep> {
        steps::requests(&round.plan, self.task.repository, self.target.number, &round.threads)
    }

    async fn carry_out(&mut self, round: &PlannedRound) -> Result<RoundOutcome, Failure> {
        for step in self.steps(round) {
            if step.kind == RequestKind::Review {
                if self.review(&round.plan).await? == RoundOutcome::PlanAgain && self.reviews < MAX_REVIEWS {
                    return Ok(RoundOutcome::PlanAgain);
                }
                continue;
            }
            match (self.api.write(&step.request).await, step.kind) {
                (Ok(answer), kind) => {
                    self.has_written |= kind != RequestKind::Fold;
                    if kind == RequestKind::Summary {
                        self.url = page(&answer.body).or(self.url.take());
                    }
                }
                (Err(failure @ (Failure::Unclear(_) | Failure::RateLimited(_) | Failure::Unauthorized(_))), _) => {
                    return Err(failure);
                }
                // Resolving a conversation needs more permissions than writing, and the comment itself shows that it is obsolete.
                (Err(_), RequestKind::Fold) => {}
                // The comment was deleted after it was listed.
                (Err(Failure::NotFound(_)), RequestKind::Edit) if self.has_written => {}
                // The other run deleted it.
                (Err(Failure::NotFound(_)), RequestKind::Delete) => {}
                (Err(failure), _) => return Err(failure),
            }
        }
        Ok(RoundOutcome::Done)
    }

    /// Sends the comments as one review. GitHub rejects the whole review if it cannot place one of the comments,
    /// without naming it. Then the halves are sent separately until the rejected comments are found.
    async fn review(&mut self, plan: &PublishPlan) -> Result<RoundOutcome, Failure> {
        let Some(whole) = &plan.review else { return Ok(RoundOutcome::Done) };
        let mut next = RoundOutcome::Done;
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
                    next = RoundOutcome::PlanAgain;
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(next)
    }
}

/// Returns the address of the existing summary.
fn shown_summary(existing: &Existing, category: &str) -> Option<String> {
    let category = Category::new(category);
    let mut own = existing.summaries.iter().filter(|comment| is_own(comment.user.as_ref(), &existing.viewer));
    let summary = own.find(|comment| {
        let marker = comment.body.as_deref().and_then(Marker::read);
        marker.is_some_and(|marker| marker.is_of(&category) && marker.subject == "summary")
    });
    summary.map(|comment| comment.html_url.clone())
}

/// Returns the address of a written comment, or `None` if the answer does not contain it.
fn page(body: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Comment {
        html_url: String,
    }
    serde_json::from_slice::<Comment>(body).ok().map(|comment| comment.html_url)
}
