//! From a report and what a pull request shows already to what is to be written.
//!
//! A plan is pure, and carrying it out leaves nothing to plan: after a failure of which nobody knows whether something
//! was written, one lists and plans again, and nothing is written twice.

mod anchor;
mod body;
mod choose;
mod hunks;
mod marker;
mod own;
mod page;
#[cfg(test)]
pub(super) mod sample;
mod summary;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::github::plan::body::Style;
use crate::github::plan::choose::Choice;
use crate::github::plan::own::{Own, Verdicts};
use crate::github::plan::page::Links;
use crate::github::plan::summary::{Entry, Summary};
use crate::github::report::Report;
use crate::github::wire::{Body, IssueComment, NewReview, PullFile, ReviewComment};

pub(super) use crate::github::plan::marker::{Category, Marker, State, is_own};

/// What the pull request shows.
#[derive(Clone, Debug)]
pub(super) struct Existing {
    /// The login that the token writes as; that of an app ends with `[bot]`.
    pub(super) viewer: String,
    /// Its newest commit, in full.
    pub(super) head: String,
    /// The files that it changes.
    pub(super) files: Vec<PullFile>,
    /// The comments on its lines, all pages.
    pub(super) comments: Vec<ReviewComment>,
    /// The comments on it as a whole, all pages.
    pub(super) summaries: Vec<IssueComment>,
    /// Which `node_id`s of `comments` are minimised; `None` where that is not known.
    pub(super) hidden: Option<BTreeSet<String>>,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub(super) struct Options {
    /// Whether findings are commented on lines.
    pub(super) review: bool,
    /// Whether there is to be a summary.
    pub(super) summary: bool,
    /// What keeps the comments of several jobs on one pull request apart.
    pub(super) category: String,
    /// The fingerprints whose comments GitHub refused.
    pub(super) rejected: BTreeSet<String>,
    /// Whether the lines of a report that names no change are those of the head.
    pub(super) is_of_head: bool,
    /// The repository as `owner/name`.
    pub(super) repository: String,
    /// The address of GitHub, without a `/` at the end.
    pub(super) server_url: String,
    /// The page of the run of the workflow.
    pub(super) run_url: Option<String>,
}

/// What is to be written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PublishPlan {
    /// The comments to add.
    pub(super) review: Option<NewReview>,
    /// The fingerprints of the comments of `review`, in their order.
    pub(super) fingerprints: Vec<String>,
    /// The comments to change.
    pub(super) edits: Vec<CommentEdit>,
    /// The summary, where it is not what it is to be.
    pub(super) summary: Option<SummaryWrite>,
    /// What the log says.
    pub(super) counts: Counts,
}

/// A change of a comment on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommentEdit {
    /// The ID that the REST API uses.
    pub(super) id: u64,
    /// The ID that the GraphQL API uses.
    pub(super) node_id: String,
    /// The text to write; `None` where it is there already.
    pub(super) body: Option<Body>,
    /// What the comment is then.
    pub(super) state: State,
}

/// A change of the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SummaryWrite {
    /// There is none yet.
    Create(Body),
    /// It says something else.
    Update {
        /// The ID of the comment in the REST API.
        id: u64,
        /// The text to write.
        body: Body,
    },
}

/// How many findings there are of each kind, and how many comments change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    /// Findings that get a comment.
    pub(super) new: usize,
    /// Findings that have one.
    pub(super) kept: usize,
    /// Findings that have no place on a changed line, or for which there is no room.
    pub(super) not_inline: usize,
    /// Comments whose findings are gone.
    pub(super) fixed: usize,
}

impl PublishPlan {
    /// Whether nothing is to be written.
    pub(super) fn is_empty(&self) -> bool {
        self.review.is_none() && self.edits.is_empty() && self.summary.is_none()
    }
}

/// Plans what is to be written.
pub(super) fn plan(report: &Report, existing: &Existing, options: &Options) -> PublishPlan {
    let basis = report.basis(&existing.head, options.is_of_head);
    let links = Links {
        server: &options.server_url,
        repository: &options.repository,
        head: &existing.head,
        basis,
        has_lines: true,
    };
    let style = Style { category: Category::new(&options.category), links, rules: report.rules() };
    let verdicts = Verdicts::of(report);
    let mut plan = PublishPlan::default();
    let entries = if options.review {
        let own = Own::of(existing, &style.category);
        plan.edits = own.edits(&verdicts, &style, existing);
        let choice = Choice::of(&verdicts, &own, existing, options, basis);
        plan.review = choice.review(&style, existing, options);
        plan.fingerprints = choice.new.iter().map(|(finding, _)| finding.fingerprint.clone()).collect();
        choice.entries
    } else {
        verdicts.findings.iter().map(|&finding| (finding, None)).collect()
    };
    plan.counts = Counts::of(&plan, &entries, options);
    if options.summary {
        let run_url = options.run_url.as_deref();
        let summary = Summary { report, entries, style: &style, title: &options.category, run_url };
        plan.summary = summary.write(&existing.summaries, &existing.viewer);
    }
    plan
}

impl Counts {
    fn of(plan: &PublishPlan, entries: &[Entry<'_>], options: &Options) -> Self {
        if !options.review {
            return Self::default();
        }
        let not_inline = entries.iter().filter(|(_, reason)| reason.is_some()).count();
        let fixed = plan.edits.iter().filter(|edit| edit.state == State::Fixed && edit.body.is_some()).count();
        let new = plan.fingerprints.len();
        Self { new, kept: entries.len().saturating_sub(not_inline + new), not_inline, fixed }
    }
}
