//! Changes to make in a pull request.

use crate::plan::marker::State;
use crate::wire::{Body, NewReview};

/// Changes to make in a pull request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PublishPlan {
    /// Comments to add.
    pub(crate) review: Option<NewReview>,
    /// Fingerprints of the findings of `review`, in the same order.
    pub(crate) fingerprints: Vec<String>,
    /// Comments to change.
    pub(crate) edits: Vec<CommentEdit>,
    /// Change of the summary. `None` if it is up to date.
    pub(crate) summary: Option<SummaryWrite>,
    /// IDs of further summaries, which another run wrote at the same time. They are deleted.
    pub(crate) surplus: Vec<u64>,
    /// Numbers for the log.
    pub(crate) counts: Counts,
}

/// Change of a comment on a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommentEdit {
    /// ID in the REST API.
    pub(crate) id: u64,
    /// ID in the GraphQL API.
    pub(crate) node_id: String,
    /// New text. `None` if the text does not change.
    pub(crate) body: Option<Body>,
    /// State of the comment after the edit.
    pub(crate) state: State,
    /// True if a new comment on the same fault replaces it.
    pub(crate) is_moved: bool,
}

/// Change of the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SummaryWrite {
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
pub(crate) struct Counts {
    /// Faults that get a comment.
    pub(crate) new: usize,
    /// Faults that already have a comment.
    pub(crate) kept: usize,
    /// Faults without a comment, because they are not on a changed line or there are too many.
    pub(crate) not_inline: usize,
    /// Comments whose findings are gone.
    pub(crate) fixed: usize,
}

impl PublishPlan {
    /// True if the plan adds comments.
    pub(crate) fn creates(&self) -> bool {
        self.review.is_some() || matches!(self.summary, Some(SummaryWrite::Create(_)))
    }

    /// True if there is nothing to write.
    pub(crate) fn is_empty(&self) -> bool {
        self.review.is_none() && self.edits.is_empty() && self.summary.is_none() && self.surplus.is_empty()
    }
}
