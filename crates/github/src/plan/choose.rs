//! Choice of the findings that get new comments, and the review with these comments.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::plan::anchor::{Anchor, ChangedFiles, MAX_OPEN, NoCommentReason};
use crate::plan::body::Style;
use crate::plan::fault::Fault;
use crate::plan::input::{Existing, Options};
use crate::plan::own::{OwnComments, Verdicts};
use crate::plan::page::linked;
use crate::plan::summary::{SummaryEntry, note};
use crate::published::Basis;
use crate::report::counted;
use crate::wire::{NewComment, NewReview};

/// Faults to comment on, and for each other fault the reason why it has no comment.
#[derive(Debug)]
pub(super) struct Choice<'a, 'f> {
    /// Faults by index, each with the lines of its comment.
    new: Vec<(usize, &'f Fault<'a>, Anchor<'a>)>,
    pub(super) entries: Vec<SummaryEntry<'a, 'f>>,
}

impl<'a, 'f> Choice<'a, 'f> {
    pub(super) fn new(
        verdicts: &'f Verdicts<'a>,
        own: &OwnComments<'_>,
        existing: &Existing,
        options: &Options,
        basis: Basis,
    ) -> Self {
        let files = ChangedFiles::new(&existing.files, basis);
        let mut reasons: Vec<Option<NoCommentReason>> = vec![None; verdicts.faults.len()];
        let mut new: Vec<(usize, &Fault<'_>, Anchor<'_>)> = Vec::new();
        for ((at, fault), reason) in verdicts.faults.iter().enumerate().zip(&mut reasons) {
            if own.shows(at) {
                continue;
            }
            if options.rejected.contains(&fault.fingerprint) {
                *reason = Some(NoCommentReason::Refused);
                continue;
            }
            match files.anchor(fault) {
                Ok(anchor) => new.push((at, fault, anchor)),
                Err(none) => *reason = Some(none),
            }
        }
        let mut new = most_telling_first(new);
        let open = own.open(verdicts) + own.left_outdated(|at| new.iter().any(|(new, ..)| *new == at));
        let room = MAX_OPEN.saturating_sub(open);
        for (at, ..) in new.drain(room.min(new.len())..) {
            if let Some(reason) = reasons.get_mut(at) {
                *reason = Some(NoCommentReason::NoRoom);
            }
        }
        Self { new, entries: verdicts.faults.iter().zip(reasons).collect() }
    }

    /// Returns the anchors of the new comments, by the index of the fault.
    pub(super) fn anchors(&self) -> BTreeMap<usize, Anchor<'a>> {
        self.new.iter().map(|(at, _, anchor)| (*at, *anchor)).collect()
    }

    /// Returns the fingerprints of the new comments, in their order.
    pub(super) fn fingerprints(&self) -> Vec<String> {
        self.new.iter().map(|(_, fault, _)| fault.fingerprint.clone()).collect()
    }

    /// Returns the review with the new comments. `None` if there are none.
    pub(super) fn review(&self, style: &Style<'_>, existing: &Existing, options: &Options) -> Option<NewReview> {
        if self.new.is_empty() {
            return None;
        }
        let comments = self.new.iter().map(|(_, fault, anchor)| comment(fault, anchor, style));
        Some(NewReview {
            commit_id: existing.head.clone(),
            event: "COMMENT",
            body: self.body(style, options),
            comments: comments.collect(),
        })
    }

    fn body(&self, style: &Style<'_>, options: &Options) -> String {
        let mut body = format!("formwork: {} on changed lines.", counted(self.new.len(), "new finding"));
        if let Some(note) = note(&self.entries) {
            let place = match (options.summary, options.run_url.as_deref()) {
                (true, _) => "All findings are in the summary comment.".to_owned(),
                (false, Some(uri)) => format!("All findings are in the {}.", linked(Some(uri), "workflow run")),
                (false, None) => "All findings are in the workflow run.".to_owned(),
            };
            let _ = write!(body, "\n\n{note} {place}");
        }
        format!("{body}\n\n{}", style.category.review())
    }
}

/// Sorts faults by severity. Within a severity, the first fault of each rule and file comes before any second one.
fn most_telling_first<'a, 'f>(new: Vec<(usize, &'f Fault<'a>, Anchor<'a>)>) -> Vec<(usize, &'f Fault<'a>, Anchor<'a>)> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let ranked = new.into_iter().map(|(at, fault, anchor)| {
        let count = seen.entry((&fault.first().rule.id, anchor.path)).or_default();
        *count += 1;
        ((fault.rule.severity, *count), (at, fault, anchor))
    });
    let mut ranked: Vec<_> = ranked.collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, new)| new).collect()
}

fn comment(finding: &Fault<'_>, anchor: &Anchor<'_>, style: &Style<'_>) -> NewComment {
    let is_one_line = anchor.lines.start == anchor.lines.end;
    NewComment {
        path: anchor.path.to_owned(),
        body: style.comment(finding, anchor.is_fix),
        line: anchor.lines.end,
        side: "RIGHT",
        start_line: (!is_one_line).then_some(anchor.lines.start),
        start_side: (!is_one_line).then_some("RIGHT"),
    }
}
