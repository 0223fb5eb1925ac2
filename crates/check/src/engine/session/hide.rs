//! Findings that are not reported.

use crate::diagnostic::Severity;

/// Numbers of findings that are not reported, by reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hidden {
    /// Findings outside the change.
    pub outside: usize,
    /// Failed findings that are less severe than `least`.
    pub below: usize,
    /// Findings that failed at the base, too, if only new ones are reported.
    pub known: usize,
    /// The least severity that is reported.
    pub least: Severity,
}
