//! Problems that kept something from being checked, or made results uncertain.

use std::borrow::Cow;

use crate::diagnostic::Level;
use crate::model::{Label, Place};

/// A problem in the files of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What kind of problem it is: lower case words, `/`, and `-`.
    pub code: Cow<'static, str>,
    /// How bad it is.
    pub level: Level,
    /// What is wrong, in one line.
    pub message: String,
    /// Where it is wrong.
    pub place: Place,
    /// What is at the place, where the message does not say it.
    pub caption: String,
    /// Other places that explain it.
    pub related: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
    /// The kind of what it says is not checked, although nothing is wrong with it.
    pub not_checked: Option<Cow<'static, str>>,
}

impl Problem {
    /// All places that it names.
    pub(super) fn places(&self) -> impl Iterator<Item = &Place> {
        std::iter::once(&self.place).chain(self.related.iter().map(|label| &label.place))
    }
}
