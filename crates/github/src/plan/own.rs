//! Comments on lines that formwork wrote before, and their updates.
//!
//! GitHub calls a comment outdated, and folds it, once its lines are no longer part of the diff. People do not see it
//! at the lines of its finding any more, so a new comment replaces it if there is a line for one.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Outcome;
use crate::plan::anchor::Anchor;
use crate::plan::body::{Obsolete, Style, digest_of};
use crate::plan::fault::Fault;
use crate::plan::input::Existing;
use crate::plan::marker::{Category, Marker, State, is_own};
use crate::plan::writes::CommentEdit;
use crate::published::{InPullRequest, Lines, Report};
use crate::report::model::{FaultId, Finding};
use crate::wire::{Body, ReviewComment};

/// Results of a report.
#[derive(Debug)]
pub(super) struct Verdicts<'a> {
    /// Failed faults, in the order in which they are listed.
    pub(super) faults: Vec<Fault<'a>>,
    /// Index of the fault of each fingerprint.
    fault_of: BTreeMap<&'a str, usize>,
    /// Result for each fingerprint.
    of: BTreeMap<&'a str, &'a Finding>,
    is_whole: bool,
}

/// The subject of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ThreadSubject<'a> {
    /// A fault of the report.
    Fault(usize),
    /// A finding with this fingerprint that belongs to no fault.
    Other(&'a str),
}

/// Update of the comments on a fingerprint that belongs to no fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CommentFate {
    /// Unchanged, because it is unknown whether the finding still occurs.
    Stays,
    /// All of them are obsolete.
    Goes(Obsolete<'static>),
}

/// Comments on lines that formwork wrote.
#[derive(Debug)]
pub(super) struct OwnComments<'a> {
    /// Comments of this category, oldest first.
    threads: BTreeMap<ThreadSubject<'a>, Vec<Comment<'a>>>,
    /// Number of open comments of other categories.
    open_elsewhere: usize,
}

#[derive(Clone, Copy, Debug)]
struct Comment<'a> {
    shown: &'a ReviewComment,
    marker: Marker<'a>,
}

impl<'a> Verdicts<'a> {
    pub(super) fn new(report: &'a Report) -> Self {
        let faults = Fault::all(report);
        let mut of: BTreeMap<&str, &Finding> = BTreeMap::new();
        for result in &report.findings {
            // If there are several results, the first in the order of outcomes counts: a failure is more important than
            // an unknown result.
            let known = of.entry(&result.fingerprint).or_insert(result);
            if result.outcome < known.outcome {
                *known = result;
            }
        }
        let numbered = faults.iter().enumerate();
        let numbered: Vec<(usize, &Finding)> =
            numbered.flat_map(|(at, fault)| fault.findings().iter().map(move |finding| (at, *finding))).collect();
        let of_fingerprint = numbered.iter().map(|(at, finding)| (finding.fingerprint.as_str(), *at));
        let mut fault_of: BTreeMap<&str, usize> = of_fingerprint.collect();
        // If a finding was suppressed in one deployment, others may still have its fault.
        let by_id: BTreeMap<FaultId, usize> = numbered.iter().map(|(at, finding)| (finding.fault, *at)).collect();
        for result in report.findings.iter().filter(|result| result.outcome == Outcome::Suppressed) {
            if let Some(&at) = by_id.get(&result.fault) {
                fault_of.entry(&result.fingerprint).or_insert(at);
            }
        }
        Self { faults, fault_of, of, is_whole: report.is_whole() }
    }

    fn fate(&self, fingerprint: &str) -> CommentFate {
        match self.of.get(fingerprint).map(|finding| finding.outcome) {
            Some(Outcome::Suppressed) => CommentFate::Goes(Obsolete::Suppressed),
            Some(Outcome::Unknown) => CommentFate::Stays,
            None if !self.is_whole => CommentFate::Stays,
            _ => CommentFate::Goes(Obsolete::Fixed),
        }
    }
}

impl<'a> OwnComments<'a> {
    pub(super) fn new(existing: &'a Existing, category: &Category, verdicts: &Verdicts<'a>) -> Self {
        let mut own = Self { threads: BTreeMap::new(), open_elsewhere: 0 };
        let mut astray = Vec::new();
        for shown in &existing.comments {
            let is_ours = shown.in_reply_to_id.is_none() && is_own(shown.user.as_ref(), &existing.viewer);
            let Some(marker) = Marker::read(&shown.body).filter(|_| is_ours) else { continue };
            let comment = Comment { shown, marker };
            match verdicts.fault_of.get(marker.subject) {
                _ if !marker.is_of(category) => own.open_elsewhere += usize::from(marker.state == State::Open),
                Some(&at) => own.thread(ThreadSubject::Fault(at)).push(comment),
                None => astray.push(comment),
            }
        }
        own.adopt(astray, verdicts, existing);
        for thread in own.threads.values_mut() {
            thread.sort_by_key(|comment| comment.shown.id);
        }
        own
    }

    fn thread(&mut self, subject: ThreadSubject<'a>) -> &mut Vec<Comment<'a>> {
        self.threads.entry(subject).or_default()
    }

    /// Adds comments on findings that the report does not have. If a template was renamed, its findings have other
    /// fingerprints, and their comments belong to faults without comments.
    fn adopt(&mut self, comments: Vec<Comment<'a>>, verdicts: &Verdicts<'_>, existing: &Existing) {
        let mut free: BTreeSet<usize> = (0..verdicts.faults.len()).collect();
        free.retain(|at| !self.threads.contains_key(&ThreadSubject::Fault(*at)));
        for comment in comments {
            let is_gone = comment.marker.state == State::Open
                && verdicts.fate(comment.marker.subject) == CommentFate::Goes(Obsolete::Fixed);
            let heir = comment.marker.resource.filter(|_| is_gone).and_then(|resource| {
                free.iter().copied().find(|&at| {
                    verdicts.faults.get(at).is_some_and(|fault| {
                        fault.is_of_resource(resource) && comment.may_have_moved_to(fault.place.file.name(), existing)
                    })
                })
            });
            match heir {
                Some(at) => {
                    free.remove(&at);
                    self.thread(ThreadSubject::Fault(at)).push(comment);
                }
                None => self.thread(ThreadSubject::Other(comment.marker.subject)).push(comment),
            }
        }
    }

    /// True if people see a comment at a line of a fault.
    pub(super) fn shows(&self, fault: usize) -> bool {
        self.of_fault(fault).iter().any(Comment::is_current)
    }

    /// Returns the number of comments that are open after the edits, without those of faults that have no current
    /// comment.
    pub(super) fn open(&self, verdicts: &Verdicts<'_>) -> usize {
        let open = self.threads.iter().map(|(subject, thread)| match subject {
            ThreadSubject::Fault(_) => usize::from(thread.iter().any(Comment::is_current)),
            ThreadSubject::Other(fingerprint) if verdicts.fate(fingerprint) == CommentFate::Stays => {
                thread.iter().filter(|comment| comment.marker.state == State::Open).count()
            }
            ThreadSubject::Other(_) => 0,
        });
        self.open_elsewhere + open.sum::<usize>()
    }

    /// Returns the number of faults that have only outdated comments, and keep them open because they get no new
    /// comment.
    pub(super) fn left_outdated(&self, is_new: impl Fn(usize) -> bool) -> usize {
        let outdated = self.threads.iter().filter(|(subject, thread)| match subject {
            ThreadSubject::Fault(at) => !is_new(*at) && !thread.iter().any(Comment::is_current),
            ThreadSubject::Other(_) => false,
        });
        outdated.count()
    }

    fn of_fault(&self, fault: usize) -> &[Comment<'a>] {
        self.threads.get(&ThreadSubject::Fault(fault)).map_or(&[], Vec::as_slice)
    }

    /// Returns the edits that update these comments to the report. `new` has the anchors of the faults that get a new
    /// comment.
    pub(super) fn edits(
        &self,
        verdicts: &Verdicts<'_>,
        new: &BTreeMap<usize, Anchor<'_>>,
        style: &Style<'_>,
        existing: &Existing,
    ) -> Vec<CommentEdit> {
        let mut edits = Vec::new();
        for (subject, thread) in &self.threads {
            let mut rest: Vec<&Comment<'_>> = thread.iter().collect();
            let fault = match subject {
                ThreadSubject::Fault(at) => verdicts.faults.get(*at).map(|fault| (fault, new.get(at))),
                ThreadSubject::Other(_) => None,
            };
            let gone = match (subject, fault) {
                (_, Some((_, Some(anchor)))) => Some(Obsolete::Moved(anchor)),
                (_, Some((fault, None))) => {
                    let speaker = rest.remove(speaker_index(thread));
                    edits.extend(speaker.update(fault, style));
                    Some(Obsolete::Duplicate)
                }
                (ThreadSubject::Other(fingerprint), None) => match verdicts.fate(fingerprint) {
                    CommentFate::Stays => None,
                    CommentFate::Goes(gone) => Some(gone),
                },
                (ThreadSubject::Fault(_), None) => None,
            };
            edits.extend(rest.iter().filter_map(|comment| comment.retire(gone, style, existing)));
        }
        edits
    }
}

/// Returns the index of the comment that stays open: a current one rather than an outdated one, and an open one
/// rather than a closed one, so that people do not have to search for it.
fn speaker_index(thread: &[Comment<'_>]) -> usize {
    let best = thread
        .iter()
        .enumerate()
        .min_by_key(|(at, comment)| (!comment.is_current(), comment.marker.state != State::Open, *at));
    best.map_or(0, |(at, _)| at)
}

impl Comment<'_> {
    /// True if people see the comment in the diff.
    fn is_current(&self) -> bool {
        self.shown.line.is_some()
    }

    /// True if its finding may be in `file` now: in the same file, or in another one if the pull request no longer
    /// has its file.
    fn may_have_moved_to(&self, file: &str, existing: &Existing) -> bool {
        let path = self.shown.path.as_str();
        let mut files = existing.files.iter();
        path == file || !files.any(|file| file.filename == path && file.status != "removed")
    }

    fn edit(&self, body: Option<String>, state: State) -> CommentEdit {
        let (id, node_id) = (self.shown.id, self.shown.node_id.clone());
        CommentEdit { id, node_id, body: body.map(|body| Body { body }), state, is_moved: false }
    }

    /// Updates the comment to a fault, if it is out of date.
    fn update(&self, fault: &Fault<'_>, style: &Style<'_>) -> Option<CommentEdit> {
        let is_current = self.marker.state == State::Open
            && self.marker.digest == Some(&digest_of(fault))
            && fault.findings().iter().any(|finding| finding.fingerprint == self.marker.subject);
        (!is_current).then(|| self.edit(Some(style.comment(fault, self.is_on_fix(fault, style))), State::Open))
    }

    /// True if the lines of the comment are exactly those that the fix replaces. A suggestion replaces the lines of
    /// its comment.
    fn is_on_fix(&self, fault: &Fault<'_>, style: &Style<'_>) -> bool {
        let lines = self.shown.line.map(|end| Lines { start: self.shown.start_line.unwrap_or(end), end });
        let here = lines.map(|lines| (self.shown.path.as_str(), lines));
        let fix = fault.fix().and_then(|fix| fix.in_head(style.links.basis));
        fix.is_some() && fix == here
    }

    /// Marks the comment as obsolete. Also minimizes one that is marked but still shown.
    fn retire(&self, gone: Option<Obsolete<'_>>, style: &Style<'_>, existing: &Existing) -> Option<CommentEdit> {
        match self.marker.state {
            State::Open => {
                let body = style.gone(self.marker.subject, &self.shown.body, gone?);
                let is_moved = matches!(gone, Some(Obsolete::Moved(_)));
                Some(CommentEdit { is_moved, ..self.edit(Some(body), State::Fixed) })
            }
            State::Fixed => {
                let is_shown = existing.hidden.as_ref().is_some_and(|hidden| !hidden.contains(&self.shown.node_id));
                is_shown.then(|| self.edit(None, State::Fixed))
            }
        }
    }
}
