//! The comments on lines that formwork wrote before, and how to update them.

use std::collections::BTreeMap;

use crate::diagnostic::Outcome;
use crate::github::plan::body::{Gone, Style};
use crate::github::plan::marker::{Category, Marker, State, is_own};
use crate::github::plan::{CommentEdit, Existing};
use crate::github::report::{Finding, Lines, Report};
use crate::github::wire::{Body, ReviewComment};

/// The findings of a report by fingerprint.
#[derive(Debug)]
pub(super) struct Verdicts<'a> {
    /// The findings, ordered by severity and then by location.
    pub(super) findings: Vec<&'a Finding>,
    of: BTreeMap<&'a str, &'a Finding>,
    is_whole: bool,
}

/// How to update the comments on one fingerprint.
#[derive(Clone, Copy, Debug)]
enum Fate<'a> {
    /// One comment stays open, with this finding.
    Says(&'a Finding),
    /// They stay unchanged, because it is unknown whether the finding still occurs.
    Stays,
    /// All of them are obsolete.
    Goes(Gone),
}

/// The comments on lines that formwork wrote.
#[derive(Debug)]
pub(super) struct Own<'a> {
    /// The comments of this category by fingerprint, oldest first.
    threads: BTreeMap<&'a str, Vec<Comment<'a>>>,
    /// The number of open comments of other categories.
    open_elsewhere: usize,
}

#[derive(Clone, Copy, Debug)]
struct Comment<'a> {
    shown: &'a ReviewComment,
    marker: Marker<'a>,
}

impl<'a> Verdicts<'a> {
    pub(super) fn of(report: &'a Report) -> Self {
        let mut findings: Vec<&Finding> = report.failed().collect();
        findings.sort_by_key(|finding| {
            (finding.severity, &finding.location.file, finding.location.lines(), &finding.rule, &finding.fingerprint)
        });
        // If there are several results, the first in the order of outcomes counts: a failure is more important than an
        // unknown result.
        let mut results: Vec<&Finding> = report.results.iter().collect();
        results.sort_by_key(|result| std::cmp::Reverse(result.outcome));
        results.extend(findings.iter().rev());
        let of = results.into_iter().map(|result| (result.fingerprint.as_str(), result)).collect();
        Self { findings, of, is_whole: report.is_whole() }
    }

    fn fate(&self, fingerprint: &str) -> Fate<'a> {
        match self.of.get(fingerprint) {
            Some(finding) if finding.outcome == Outcome::Failed => Fate::Says(finding),
            Some(finding) if finding.outcome == Outcome::Suppressed => Fate::Goes(Gone::Suppressed),
            Some(finding) if finding.outcome == Outcome::Unknown => Fate::Stays,
            None if !self.is_whole => Fate::Stays,
            _ => Fate::Goes(Gone::Fixed),
        }
    }
}

impl<'a> Own<'a> {
    pub(super) fn of(existing: &'a Existing, category: &Category) -> Self {
        let mut own = Self { threads: BTreeMap::new(), open_elsewhere: 0 };
        for shown in &existing.comments {
            let is_ours = shown.in_reply_to_id.is_none() && is_own(shown.user.as_ref(), &existing.viewer);
            let Some(marker) = Marker::read(&shown.body).filter(|_| is_ours) else { continue };
            if marker.is_of(category) {
                own.threads.entry(marker.subject).or_default().push(Comment { shown, marker });
            } else if marker.state == State::Open {
                own.open_elsewhere += 1;
            }
        }
        for thread in own.threads.values_mut() {
            thread.sort_by_key(|comment| comment.shown.id);
        }
        own
    }

    /// Whether there is a comment on a finding.
    pub(super) fn has(&self, finding: &Finding) -> bool {
        self.threads.contains_key(finding.fingerprint.as_str())
    }

    /// The number of comments that are open after the edits.
    pub(super) fn open(&self, verdicts: &Verdicts<'_>) -> usize {
        let open = self.threads.iter().map(|(fingerprint, thread)| match verdicts.fate(fingerprint) {
            Fate::Says(_) => 1,
            Fate::Stays => thread.iter().filter(|comment| comment.marker.state == State::Open).count(),
            Fate::Goes(_) => 0,
        });
        self.open_elsewhere + open.sum::<usize>()
    }

    /// The edits that update these comments to the report.
    pub(super) fn edits(&self, verdicts: &Verdicts<'_>, style: &Style<'_>, existing: &Existing) -> Vec<CommentEdit> {
        let mut edits = Vec::new();
        for (fingerprint, thread) in &self.threads {
            let fate = verdicts.fate(fingerprint);
            let mut rest = thread.clone();
            if let Fate::Says(finding) = fate {
                let speaker =
                    rest.remove(rest.iter().position(|comment| comment.marker.state == State::Open).unwrap_or(0));
                edits.extend(speaker.says(finding, style));
            }
            let gone = match fate {
                Fate::Says(_) => Some(Gone::Duplicate),
                Fate::Stays => None,
                Fate::Goes(gone) => Some(gone),
            };
            edits.extend(rest.iter().filter_map(|comment| comment.goes(gone, style, existing)));
        }
        edits
    }
}

impl Comment<'_> {
    fn edit(&self, body: Option<String>, state: State) -> CommentEdit {
        let (id, node_id) = (self.shown.id, self.shown.node_id.clone());
        CommentEdit { id, node_id, body: body.map(|body| Body { body }), state }
    }

    fn says(&self, finding: &Finding, style: &Style<'_>) -> Option<CommentEdit> {
        let is_current = self.marker.state == State::Open && self.marker.digest == Some(&style.digest(finding));
        (!is_current).then(|| self.edit(Some(style.comment(finding, self.is_on_fix(finding, style))), State::Open))
    }

    /// Whether the lines of the comment are exactly those that the fix replaces. A suggestion replaces the lines of its comment.
    fn is_on_fix(&self, finding: &Finding, style: &Style<'_>) -> bool {
        let lines = self.shown.line.map(|end| Lines { start: self.shown.start_line.unwrap_or(end), end });
        let here = lines.map(|lines| (self.shown.path.as_str(), lines));
        let fix = finding.fix.as_ref().and_then(|fix| fix.place.in_head(style.links.basis));
        fix.is_some() && fix == here
    }

    /// Marks the comment as obsolete. Also minimizes one that is marked but still shown.
    fn goes(&self, gone: Option<Gone>, style: &Style<'_>, existing: &Existing) -> Option<CommentEdit> {
        match self.marker.state {
            State::Open => {
                let body = style.gone(self.marker.subject, &self.shown.body, gone?);
                Some(self.edit(Some(body), State::Fixed))
            }
            State::Fixed => {
                let is_shown = existing.hidden.as_ref().is_some_and(|hidden| !hidden.contains(&self.shown.node_id));
                is_shown.then(|| self.edit(None, State::Fixed))
            }
        }
    }
}
