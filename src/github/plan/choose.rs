//! Chooses the findings that get new comments, and builds the review with these comments.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::github::plan::anchor::{Anchor, Files, MAX_OPEN, Reason};
use crate::github::plan::body::Style;
use crate::github::plan::own::{Own, Verdicts};
use crate::github::plan::page::linked;
use crate::github::plan::summary::{Entry, note};
use crate::github::plan::{Existing, Options};
use crate::github::report::{Basis, Finding};
use crate::github::wire::{NewComment, NewReview};
use crate::report::counted;

/// The findings to comment on, and for each other finding the reason why it has no comment.
#[derive(Debug)]
pub(super) struct Choice<'a> {
    pub(super) new: Vec<(&'a Finding, Anchor<'a>)>,
    pub(super) entries: Vec<Entry<'a>>,
}

impl<'a> Choice<'a> {
    pub(super) fn of(
        verdicts: &Verdicts<'a>,
        own: &Own<'_>,
        existing: &Existing,
        options: &Options,
        basis: Basis,
    ) -> Self {
        let files = Files::new(&existing.files, basis);
        let mut reasons: BTreeMap<&str, Option<Reason>> = BTreeMap::new();
        let mut new: Vec<(&Finding, Anchor<'_>)> = Vec::new();
        for &finding in &verdicts.findings {
            if reasons.contains_key(finding.fingerprint.as_str()) {
                continue;
            }
            let reason = if own.has(finding) {
                None
            } else if options.rejected.contains(&finding.fingerprint) {
                Some(Reason::Refused)
            } else {
                files.anchor(finding).map(|anchor| new.push((finding, anchor))).err()
            };
            reasons.insert(&finding.fingerprint, reason);
        }
        let mut new = most_telling_first(new);
        let room = MAX_OPEN.saturating_sub(own.open(verdicts));
        for (finding, _) in new.drain(room.min(new.len())..) {
            reasons.insert(&finding.fingerprint, Some(Reason::NoRoom));
        }
        let reason = |finding: &Finding| reasons.get(finding.fingerprint.as_str()).copied().flatten();
        let entries = verdicts.findings.iter().map(|&finding| (finding, reason(finding))).collect();
        Self { new, entries }
    }

    /// The review with the new comments. `None` if there are none, because an empty review is noise.
    pub(super) fn review(&self, style: &Style<'_>, existing: &Existing, options: &Options) -> Option<NewReview> {
        if self.new.is_empty() {
            return None;
        }
        let comments = self.new.iter().map(|(finding, anchor)| comment(finding, anchor, style));
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

/// Orders findings by severity. Within a severity, the first finding of each rule and file comes before any second one.
fn most_telling_first<'a>(mut new: Vec<(&'a Finding, Anchor<'a>)>) -> Vec<(&'a Finding, Anchor<'a>)> {
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut ranks: BTreeMap<&str, usize> = BTreeMap::new();
    for (finding, anchor) in &new {
        let count = seen.entry((&finding.rule, anchor.path)).or_default();
        ranks.insert(&finding.fingerprint, *count);
        *count += 1;
    }
    new.sort_by_key(|(finding, _)| (finding.severity, ranks.get(finding.fingerprint.as_str()).copied()));
    new
}

fn comment(finding: &Finding, anchor: &Anchor<'_>, style: &Style<'_>) -> NewComment {
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
