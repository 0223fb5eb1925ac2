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
mod input;
mod marker;
mod own;
mod page;
#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod sample;
mod summary;
#[cfg(test)]
mod tests;
mod writes;

use crate::plan::body::Style;
use crate::plan::choose::Choice;
use crate::plan::own::{OwnComments, Verdicts};
use crate::plan::page::Links;
use crate::plan::summary::{Summary, SummaryEntry};
use crate::published::Report;

pub(super) use crate::plan::check_run::{CheckRunOptions, CheckRunPlan, check_run};
pub(super) use crate::plan::input::{Existing, Options};
pub(super) use crate::plan::marker::{Category, Marker, State, is_own};
pub(super) use crate::plan::writes::{CommentEdit, Counts, PublishPlan, SummaryWrite};

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
