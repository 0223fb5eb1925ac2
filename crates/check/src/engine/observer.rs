//! Notifications during a check.

use crate::diagnostic::Run;
#[cfg(feature = "system")]
use crate::engine::{NotFixed, Notice};

/// Receives notifications during a check, from many threads.
pub trait Observer: Sync {
    /// A run begins, and will check this many templates.
    fn begin(&self, _templates: usize) {}
    /// One more template is checked.
    fn advance(&self) {}
    /// The run ends; no further template is checked.
    fn end(&self) {}
    /// The settings, the rules or the baseline have problems: the diagnostics of `run`, which contains nothing else.
    fn problems(&self, _run: &Run) {}
    /// There is a warning, and the check continues.
    #[cfg(feature = "system")]
    fn warning(&self, _warning: &Warning<'_>) {}
}

/// A problem that does not stop a check.
#[cfg(feature = "system")]
#[derive(Debug)]
pub enum Warning<'a> {
    /// The change could not be determined exactly.
    Change(&'a Notice),
    /// A file with fixable findings is not changed.
    NotFixed {
        /// The name that reports show for the file.
        file: &'a str,
        /// Why it is not changed.
        why: &'a NotFixed,
    },
}
