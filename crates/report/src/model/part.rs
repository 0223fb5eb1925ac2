//! Parts of a run: the additional contents of a part's report, from which the reports of all parts are merged.

use crate::diagnostic::{Gate, Shard};
use crate::model::{Finding, Place};

/// Part of a run.
#[derive(Debug)]
pub struct Part {
    /// Number of the part, and of all parts.
    pub shard: Shard,
    /// Settings that decide on the result of the whole run.
    pub gate: Gate,
    /// Entries of the baseline that are stale in this part, in the order of its file.
    pub stale: Vec<StaleEntry>,
    /// Files with suppressions that are not about one template alone: those of settings and of modules. Sorted.
    pub shared_files: Vec<String>,
    /// True if everything that these suppressions could cover in this part was checked completely.
    pub is_everything: bool,
    /// True if a parameter file may be missing, so that nothing counts as not found.
    pub is_in_doubt: bool,
    /// Findings about these suppressions. Only all parts together decide which of them hold.
    pub open: Vec<Finding>,
}

/// An entry of a baseline that matches no finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleEntry {
    /// ID of its rule.
    pub rule: String,
    /// Path of its template.
    pub template: String,
    /// True if its template was checked, and still exists.
    pub is_checked: bool,
    /// Place in the file of the baseline.
    pub place: Place,
}
