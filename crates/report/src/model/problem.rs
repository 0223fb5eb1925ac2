//! Problems that prevented a check, or made results uncertain.

use std::borrow::Cow;

use crate::diagnostic::Level;
use crate::model::{Label, Place};

/// A problem in the files of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Kind of problem: lower-case words, `/`, and `-`.
    pub code: Cow<'static, str>,
    /// Level of the problem.
    pub level: Level,
    /// Message in one line.
    pub message: String,
    /// Place of the problem.
    pub place: Place,
    /// Label of the place, if the message does not say enough.
    pub caption: String,
    /// Other places that explain it.
    pub related: Vec<Label>,
    /// Advice.
    pub help: Option<String>,
    /// Kind of unchecked input, if the problem is only that something was not checked.
    pub not_checked: Option<Cow<'static, str>>,
}

impl Problem {
    /// Returns all places in the problem.
    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.place).chain(self.related.iter().map(|label| &label.place))
    }
}
