//! Choice of the lines of a pull request on which a finding is shown.

use std::collections::BTreeMap;

use crate::plan::fault::Fault;
use crate::plan::hunks::Hunks;
use crate::published::{Basis, InPullRequest, Lines};
use crate::report::model::{Finding, Place, ReplacedLines};
use crate::wire::PullFile;

/// Maximum number of open comments of formwork on one pull request. Nobody reads more.
pub(super) const MAX_OPEN: usize = 30;

/// Lines that a comment is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Anchor<'a> {
    /// Path of the file in the repository.
    pub(super) path: &'a str,
    /// Lines of the head, in one hunk.
    pub(super) lines: Lines,
    /// True if these are the lines that the fix of the finding replaces.
    pub(super) is_fix: bool,
}

/// The reason why a finding has no comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum NoCommentReason {
    /// The pull request does not change the lines.
    Unchanged,
    /// GitHub shows no diff of the file.
    NoDiff,
    /// GitHub rejected the comment.
    Refused,
    /// The limit of comments is reached.
    NoRoom,
}

/// The changed files of a pull request.
#[derive(Debug)]
pub(super) struct ChangedFiles<'a> {
    /// Hunks by path. `None` for a file without a patch.
    hunks: BTreeMap<&'a str, Option<Hunks>>,
    basis: Basis,
}

impl<'a> ChangedFiles<'a> {
    pub(super) fn new(files: &'a [PullFile], basis: Basis) -> Self {
        let hunks = files.iter().map(|file| (file.filename.as_str(), file.patch.as_deref().map(Hunks::parse)));
        Self { hunks: hunks.collect(), basis }
    }

    /// Returns the first location of a finding that the pull request changes.
    pub(super) fn anchor<'f>(&self, fault: &Fault<'f>) -> Result<Anchor<'f>, NoCommentReason> {
        let fix = fault.fix().and_then(|fix| self.fix(fix));
        let finding = fault.first();
        let anchor = fix.or_else(|| places(finding).find_map(|place| self.place(place)));
        anchor.ok_or_else(|| {
            let has_no_diff = places(finding).any(|place| {
                place.in_head(self.basis).is_some_and(|(path, _)| matches!(self.hunks.get(path), Some(None)))
            });
            if has_no_diff { NoCommentReason::NoDiff } else { NoCommentReason::Unchanged }
        })
    }

    /// Returns the lines of a fix, or `None` if a suggestion cannot replace them.
    fn fix<'f>(&self, fix: &'f ReplacedLines) -> Option<Anchor<'f>> {
        let (path, lines, hunks) = self.locate(fix)?;
        hunks.covers(lines).then_some(Anchor { path, lines, is_fix: true })
    }

    fn place<'f>(&self, place: &'f Place) -> Option<Anchor<'f>> {
        let (path, lines, hunks) = self.locate(place)?;
        Some(Anchor { path, lines: hunks.anchor(lines)?, is_fix: false })
    }

    fn locate<'f>(&self, place: &'f impl InPullRequest) -> Option<(&'f str, Lines, &Hunks)> {
        let (path, lines) = place.in_head(self.basis)?;
        Some((path, lines, self.hunks.get(path)?.as_ref()?))
    }
}

/// Iterates over the locations of a finding, the most relevant first.
pub(super) fn places(finding: &Finding) -> impl Iterator<Item = &Place> {
    let related = finding.related.iter().map(|label| &label.place);
    std::iter::once(&finding.place).chain(finding.failures.iter()).chain(related)
}

impl NoCommentReason {
    /// Returns a short note for the row of a finding.
    pub(super) fn note(self) -> &'static str {
        match self {
            Self::Unchanged => "not changed",
            Self::NoDiff => "no diff",
            Self::Refused => "refused",
            Self::NoRoom => "no room",
        }
    }

    /// Returns the reason why `count` findings have no comment.
    pub(super) fn sentence(self, count: usize) -> String {
        match self {
            Self::Unchanged => format!("{count} outside of the lines that this pull request changes"),
            Self::NoDiff => format!("{count} in files of which GitHub shows no diff"),
            Self::Refused => format!("{count} where GitHub took no comment"),
            Self::NoRoom => format!("{count} beyond the limit of {MAX_OPEN} comments"),
        }
    }
}
