//! Plans the writes to a pull request, given a report and the existing comments.
//!
//! Planning has no side effects, and after a plan is carried out, the next plan is empty. If a request fails and it
//! is unclear whether it had an effect, the comments are listed and planned again, so nothing is written twice.
//!
//! # Invariants
//!
//! - After a plan is carried out, a new plan is empty. So after an unclear failure, formwork reads the state and plans
//!   again.
//! - formwork changes only comments that have its marker, belong to its account, and are not replies; it deletes only
//!   the later of two summaries of one category.
//! - All text is escaped by `text::escape::markdown`, except suggestions, whose fence is longer than any fence inside
//!   them.

mod anchor;
mod body;
mod check_run;
mod choose;
mod fault;
mod hunks;
mod marker;
mod own;
mod page;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod sample;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::plan::body::Style;
use crate::plan::choose::Choice;
use crate::plan::own::{OwnComments, Verdicts};
use crate::plan::page::Links;
use crate::plan::summary::{Summary, SummaryEntry};
use crate::published::Report;
use crate::report::difference::Difference;
use crate::wire::{Body, IssueComment, NewReview, PullFile, ReviewComment};

pub(super) use crate::plan::check_run::{CheckRunOptions, CheckRunPlan, check_run};
pub(super) use crate::plan::marker::{Category, Marker, State, is_own};

/// Current state of the pull request.
#[derive(Clone, Debug)]
pub(super) struct Existing {
    /// Login of the account that the token belongs to. The login of an app ends with `[bot]`.
    pub(super) viewer: String,
    /// Full ID of the newest commit.
    pub(super) head: String,
    /// The changed files.
    pub(super) files: Vec<PullFile>,
    /// Comments on its lines, from all pages.
    pub(super) comments: Vec<ReviewComment>,
    /// Comments on the pull request as a whole, from all pages.
    pub(super) summaries: Vec<IssueComment>,
    /// `node_id`s of those `comments` that are minimized. `None` if unknown.
    pub(super) hidden: Option<BTreeSet<String>>,
}

/// Options of a plan.
#[derive(Clone, Debug)]
pub(super) struct Options {
    /// True if findings get comments on lines.
    pub(super) review: bool,
    /// True to write a summary.
    pub(super) summary: bool,
    /// Distinguishes the comments of several jobs on one pull request.
    pub(super) category: String,
    /// Fingerprints whose comments GitHub rejected.
    pub(super) rejected: BTreeSet<String>,
    /// True if the lines of a report without a change are those of the head.
    pub(super) is_of_head: bool,
    /// Repository, as `owner/name`.
    pub(super) repository: String,
    /// Address of GitHub, without a `/` at the end.
    pub(super) server_url: String,
    /// Address of the workflow run.
    pub(super) run_url: Option<String>,
    /// Effects of the change on the deployed resources, for the summary.
    pub(super) difference: Option<Arc<Difference>>,
}

/// Changes to make in a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PublishPlan {
    /// Comments to add.
    pub(super) review: Option<NewReview>,
    /// Fingerprints of the findings of `review`, in the same order.
    pub(super) fingerprints: Vec<String>,
    /// Comments to change.
    pub(super) edits: Vec<CommentEdit>,
    /// Change of the summary. `None` if it is up to date.
    pub(super) summary: Option<SummaryWrite>,
    /// IDs of further summaries, which another run wrote at the same time. They are deleted.
    pub(super) surplus: Vec<u64>,
    /// Numbers for the log.
    pub(super) counts: Counts,
}

/// Change of a comment on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommentEdit {
    /// ID in the REST API.
    pub(super) id: u64,
    /// ID in the GraphQL API.
    pub(super) node_id: String,
    /// New text. `None` if the text does not change.
    pub(super) body: Option<Body>,
    /// State of the comment after the edit.
    pub(super) state: State,
    /// True if a new comment on the same fault replaces it.
    pub(super) is_moved: bool,
}

/// Change of the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SummaryWrite {
    /// Create the summary, because there is none.
    Create(Body),
    /// Replace the text of the existing summary.
    Update {
        /// ID of the comment in the REST API.
        id: u64,
        /// New text.
        body: Body,
    },
}

/// Numbers of faults of each kind, and of changed comments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Faults that get a comment.
    pub(super) new: usize,
    /// Faults that already have a comment.
    pub(super) kept: usize,
    /// Faults without a comment, because they are not on a changed line or there are too many.
    pub(super) not_inline: usize,
    /// Comments whose findings are gone.
    pub(super) fixed: usize,
}

impl PublishPlan {
    /// True if the plan adds comments.
    pub(super) fn creates(&self) -> bool {
        self.review.is_some() || matches!(self.summary, Some(SummaryWrite::Create(_)))
    }

    /// True if there is nothing to write.
    pub(super) fn is_empty(&self) -> bool {
        self.review.is_none() && self.edits.is_empty() && self.summary.is_none() && self.surplus.is_empty()
    }
}

/// Plans the changes that make the pull request show the report.
pub(super) fn plan(report: &Report, existing: &Existing, options: &Options) -> PublishPlan {
    let basis = report.basis(&existing.head, options.is_of_head);
    let links = Links {
        server: &options.server_url,
        repository: &options.repository,
        head: &existing.head,
        basis,
        has_lines: true,
    };
    let style = Style { category: Category::new(&options.category), links };
    let verdicts = Verdicts::new(report);
    let mut plan = PublishPlan::default();
    let entries: Vec<SummaryEntry<'_, '_>> = if options.review {
        let own = OwnComments::new(existing, &style.category, &verdicts);
        let choice = Choice::new(&verdicts, &own, existing, options, basis);
        plan.edits = own.edits(&verdicts, &choice.anchors(), &style, existing);
        plan.review = choice.review(&style, existing, options);
        plan.fingerprints = choice.fingerprints();
        choice.entries
    } else {
        verdicts.faults.iter().map(|fault| (fault, None)).collect()
    };
    plan.counts = Counts::new(&plan, &entries, options);
    if options.summary {
        let run_url = options.run_url.as_deref();
        let difference = options.difference.as_deref();
        let summary = Summary { report, entries, style: &style, title: &options.category, run_url, difference };
        (plan.summary, plan.surplus) = summary.write(&existing.summaries, &existing.viewer);
    }
    plan
}

impl Counts {
    fn new(plan: &PublishPlan, entries: &[SummaryEntry<'_, '_>], options: &Options) -> Self {
        if !options.review {
            return Self::default();
        }
        let not_inline = entries.iter().filter(|(_, reason)| reason.is_some()).count();
        let fixed =
            plan.edits.iter().filter(|edit| edit.state == State::Fixed && edit.body.is_some() && !edit.is_moved);
        let fixed = fixed.count();
        let new = plan.fingerprints.len();
        Self { new, kept: entries.len().saturating_sub(not_inline + new), not_inline, fixed }
    }
}
