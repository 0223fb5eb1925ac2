//! What the report of a part of a run says in addition, so that the reports of all parts are that of the whole run.

use crate::diagnostic::{Gate, Shard};
use crate::model::{Finding, Place};

/// The part of a run that a report is of.
#[derive(Debug)]
pub struct Part {
    /// Which part it is.
    pub shard: Shard,
    /// What the settings say about the result of the whole run.
    pub gate: Gate,
    /// The entries of the baseline that this part shows to be stale, in the order of its file.
    pub stale: Vec<StaleEntry>,
    /// The files with suppressions that are not about one template alone: those of settings and of modules. Sorted.
    pub shared_files: Vec<String>,
    /// Whether all that these suppressions could cover in this part was checked in full.
    pub is_everything: bool,
    /// Whether a parameter file may be missing, so that nothing counts as not found.
    pub is_in_doubt: bool,
    /// Findings about these suppressions. Only all parts together show which of them hold.
    pub open: Vec<Finding>,
}

/// An entry of a baseline that is no longer found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StaleEntry {
    /// The ID of its rule.
    pub rule: String,
    /// The path of its template.
    pub template: String,
    /// Whether its template was checked, and is not gone.
    pub is_checked: bool,
    /// Where it is in the file of the baseline.
    pub place: Place,
}
