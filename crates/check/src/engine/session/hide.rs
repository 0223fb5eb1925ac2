//! Findings that are not reported.

use crate::diagnostic::Severity;

/// How many findings are not reported, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Those outside the change.
    pub outside: usize,
    /// Those that failed and are less severe than `least`.
    pub below: usize,
    /// Those that failed at the base, too, if only new ones are reported.
    pub known: usize,
    /// The least severity that is reported.
    pub least: Severity,
}
