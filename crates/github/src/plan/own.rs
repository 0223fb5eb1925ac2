//! The comments on lines that formwork wrote before, and how to update them.
//!
//! GitHub calls a comment outdated, and folds it, once its lines are no longer part of the diff. People do not see it at
//! the lines of its finding any more, so it gives way to a new comment if there is a line for one.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::Outcome;
use crate::plan::anchor::Anchor;
use crate::plan::body::{Gone, Style, digest_of};
use crate::plan::fault::Fault;
use crate::plan::marker::{Category, Marker, State, is_own};
use crate::plan::{CommentEdit, Existing};
use crate::published::{InPullRequest, Lines, Report};
use crate::report::model::{FaultId, Finding};
use crate::wire::{Body, ReviewComment};

/// The results of a report.
#[derive(Debug)]
pub(super) struct Verdicts<'a> {
    /// What failed, in the order in which it is listed.
    pub(super) faults: Vec<Fault<'a>>,
    /// The fault of each fingerprint.
    fault_of: BTreeMap<&'a str, usize>,
    /// The result for each fingerprint.
    of: BTreeMap<&'a str, &'a Finding>,
    is_whole: bool,
}

/// What comments are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject<'a> {
    /// One of the faults of the report.
    Fault(usize),
    /// A finding with this fingerprint, which is none of its faults.
    Other(&'a str),
}

/// How to update the comments on a fingerprint that is not that of a fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// They stay unchanged, because it is unknown whether the finding still occurs.
    Stays,
    /// All of them are obsolete.
    Goes(Gone<'static>),
}

/// The comments on lines that formwork wrote.
#[derive(Debug)]
pub(super) struct Own<'a> {
    /// The comments of this category, oldest first.
    threads: BTreeMap<Subject<'a>, Vec<Comment<'a>>>,
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
        let faults = Fault::all(report);
        let mut of: BTreeMap<&str, &Finding> = BTreeMap::new();
        for result in &report.findings {
            // If there are several results, the first in the order of outcomes counts: a failure is more important than an
            // unknown result.
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
        // Where a finding was suppressed in one deployment, its fault may still be one of others.
        let by_id: BTreeMap<FaultId, usize> = numbered.iter().map(|(at, finding)| (finding.fault, *at)).collect();
        for result in report.findings.iter().filter(|result| result.outcome == Outcome::Suppressed) {
            if let Some(&at) = by_id.get(&result.fault) {
                fault_of.entry(&result.fingerprint).or_insert(at);
            }
        }
        Self { faults, fault_of, of, is_whole: report.is_whole() }
    }

    fn fate(&self, fingerprint: &str) -> Fate {
        match self.of.get(fingerprint).map(|finding| finding.outcome) {
            Some(Outcome::Suppressed) => Fate::Goes(Gone::Suppressed),
            Some(Outcome::Unknown) => Fate::Stays,
            None if !self.is_whole => Fate::Stays,
            _ => Fate::Goes(Gone::Fixed),
        }
    }
}

impl<'a> Own<'a> {
    pub(super) fn of(existing: &'a Existing, category: &Category, verdicts: &Verdicts<'a>) -> Self {
        let mut own = Self { threads: BTreeMap::new(), open_elsewhere: 0 };
        let mut astray = Vec::new();
        for shown in &existing.comments {
            let is_ours = shown.in_reply_to_id.is_none() && is_own(shown.user.as_ref(), &existing.viewer);
            let Some(marker) = Marker::read(&shown.body).filter(|_| is_ours) else { continue };
            let comment = Comment { shown, marker };
            match verdicts.fault_of.get(marker.subject) {
                _ if !marker.is_of(category) => own.open_elsewhere += usize::from(marker.state == State::Open),
                Some(&at) => own.thread(Subject::Fault(at)).push(comment),
                None => astray.push(comment),
            }
        }
        own.adopt(astray, verdicts, existing);
        for thread in own.threads.values_mut() {
            thread.sort_by_key(|comment| comment.shown.id);
        }
        own
    }

    fn thread(&mut self, subject: Subject<'a>) -> &mut Vec<Comment<'a>> {
        self.threads.entry(subject).or_default()
    }

    /// Adds comments on findings that the report does not have. If a template was renamed, its findings have other
    /// fingerprints, and their comments belong to faults without comments.
    fn adopt(&mut self, comments: Vec<Comment<'a>>, verdicts: &Verdicts<'_>, existing: &Existing) {
        let mut free: BTreeSet<usize> = (0..verdicts.faults.len()).collect();
        free.retain(|at| !self.threads.contains_key(&Subject::Fault(*at)));
        for comment in comments {
            let is_gone =
                comment.marker.state == State::Open && verdicts.fate(comment.marker.subject) == Fate::Goes(Gone::Fixed);
            let heir = comment.marker.resource.filter(|_| is_gone).and_then(|resource| {
                let is_heir = |fault: &Fault<'_>| {
                    fault.is_of_resource(resource) && comment.may_have_moved_to(fault.place.file.name(), existing)
                };
                free.iter().copied().find(|&at| verdicts.faults.get(at).is_some_and(is_heir))
            });
            match heir {
                Some(at) => {
                    free.remove(&at);
                    self.thread(Subject::Fault(at)).push(comment);
                }
                None => self.thread(Subject::Other(comment.marker.subject)).push(comment),
            }
        }
    }

    /// Whether people see a comment at a line of a fault.
    pub(super) fn shows(&self, fault: usize) -> bool {
        self.of_fault(fault).iter().any(Comment::is_current)
    }

    /// The number of comments that are open after the edits, without those of faults that have no current comment.
    pub(super) fn open(&self, verdicts: &Verdicts<'_>) -> usize {
        let open = self.threads.iter().map(|(subject, thread)| match subject {
            Subject::Fault(_) => usize::from(thread.iter().any(Comment::is_current)),
            Subject::Other(fingerprint) if verdicts.fate(fingerprint) == Fate::Stays => {
                thread.iter().filter(|comment| comment.marker.state == State::Open).count()
            }
            Subject::Other(_) => 0,
        });
        self.open_elsewhere + open.sum::<usize>()
    }

    /// The number of faults with nothing but outdated comments that stay open, because they get no new comment.
    pub(super) fn left_outdated(&self, is_new: impl Fn(usize) -> bool) -> usize {
        let outdated = self.threads.iter().filter(|(subject, thread)| match subject {
            Subject::Fault(at) => !is_new(*at) && !thread.iter().any(Comment::is_current),
            Subject::Other(_) => false,
        });
        outdated.count()
    }

    fn of_fault(&self, fault: usize) -> &[Comment<'a>] {
        self.threads.get(&Subject::Fault(fault)).map_or(&[], Vec::as_slice)
    }

    /// The edits that update these comments to the report. `new` has the places of the faults that get a new comment.
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
                Subject::Fault(at) => verdicts.faults.get(*at).map(|fault| (fault, new.get(at))),
                Subject::Other(_) => None,
            };
            let gone = match (subject, fault) {
                (_, Some((_, Some(anchor)))) => Some(Gone::Moved(anchor)),
                (_, Some((fault, None))) => {
                    let speaker = rest.remove(speaker(thread));
                    edits.extend(speaker.says(fault, style));
                    Some(Gone::Duplicate)
                }
                (Subject::Other(fingerprint), None) => match verdicts.fate(fingerprint) {
                    Fate::Stays => None,
                    Fate::Goes(gone) => Some(gone),
                },
                (Subject::Fault(_), None) => None,
            };
            edits.extend(rest.iter().filter_map(|comment| comment.goes(gone, style, existing)));
        }
        edits
    }
}

/// The comment of a thread that stays open: a current one before one that is outdated, and an open one before one that is
/// not, so that people do not have to look for it.
fn speaker(thread: &[Comment<'_>]) -> usize {
    let rank = |comment: &Comment<'_>| (!comment.is_current(), comment.marker.state != State::Open);
    let best = thread.iter().enumerate().min_by_key(|(at, comment)| (rank(comment), *at));
    best.map_or(0, |(at, _)| at)
}

impl Comment<'_> {
    /// Whether people see it in the diff.
    fn is_current(&self) -> bool {
        self.shown.line.is_some()
    }

    /// Whether its finding may be in `file` now: in the same file, or in another one if the pull request no longer has its
    /// file.
    fn may_have_moved_to(&self, file: &str, existing: &Existing) -> bool {
        let path = self.shown.path.as_str();
        let is_there = |path: &str| existing.files.iter().any(|file| file.filename == path && file.status != "removed");
        path == file || !is_there(path)
    }

    fn edit(&self, body: Option<String>, state: State) -> CommentEdit {
        let (id, node_id) = (self.shown.id, self.shown.node_id.clone());
        CommentEdit { id, node_id, body: body.map(|body| Body { body }), state, is_moved: false }
    }

    fn says(&self, fault: &Fault<'_>, style: &Style<'_>) -> Option<CommentEdit> {
        let is_current = self.marker.state == State::Open
            && self.marker.digest == Some(&digest_of(fault))
            && fault.findings().iter().any(|finding| finding.fingerprint == self.marker.subject);
        (!is_current).then(|| self.edit(Some(style.comment(fault, self.is_on_fix(fault, style))), State::Open))
    }

    /// Whether the lines of the comment are exactly those that the fix replaces. A suggestion replaces the lines of its comment.
    fn is_on_fix(&self, fault: &Fault<'_>, style: &Style<'_>) -> bool {
        let lines = self.shown.line.map(|end| Lines { start: self.shown.start_line.unwrap_or(end), end });
        let here = lines.map(|lines| (self.shown.path.as_str(), lines));
        let fix = fault.fix().and_then(|fix| fix.in_head(style.links.basis));
        fix.is_some() && fix == here
    }

    /// Marks the comment as obsolete. Also minimizes one that is marked but still shown.
    fn goes(&self, gone: Option<Gone<'_>>, style: &Style<'_>, existing: &Existing) -> Option<CommentEdit> {
        match self.marker.state {
            State::Open => {
                let body = style.gone(self.marker.subject, &self.shown.body, gone?);
                let is_moved = matches!(gone, Some(Gone::Moved(_)));
                Some(CommentEdit { is_moved, ..self.edit(Some(body), State::Fixed) })
            }
            State::Fixed => {
                let is_shown = existing.hidden.as_ref().is_some_and(|hidden| !hidden.contains(&self.shown.node_id));
                is_shown.then(|| self.edit(None, State::Fixed))
            }
        }
    }
}
