//! Who hears what happens before there is a result.

use crate::diagnostic::Run;
use crate::engine::{NotFixed, Notice};

/// Hears what happens before there is a result. Called from many threads.
pub(crate) trait Observer: Sync {
    /// A run begins, and will check this many templates.
    fn begin(&self, _templates: usize) {}
    /// A template is checked.
    fn advance(&self) {}
    /// The run ends.
    fn end(&self) {}
    /// Something is wrong with the settings, the rules or the baseline: the diagnostics of `run`, which has nothing else.
    fn problems(&self, _run: &Run) {}
    /// The user should know this, and the check goes on.
    fn warning(&self, _warning: &Warning<'_>) {}
}

/// What does not keep a check from going on.
#[derive(Debug)]
pub(crate) enum Warning<'a> {
    /// The change is not known as well as it could be.
    Change(&'a Notice),
    /// A file is not changed although it has findings that can be fixed.
    NotFixed {
        /// Its name.
        file: &'a str,
        /// Why it is not changed.
        why: &'a NotFixed,
    },
}
