//! The entries of a baseline that no part found.

use std::borrow::Cow;

use crate::diagnostic::{Code, MAX_STALE_LABELS, stale_entries};
use crate::report::Report;
use crate::report::model::{Label, Problem, StaleEntry};

/// Returns the problem about entries that are stale for the whole run. `name` is the name of the baseline file.
pub(super) fn problem(reports: &[Report], is_in_doubt: bool, name: &str) -> Option<Problem> {
    let parts = reports.iter().filter_map(|report| report.part.as_ref());
    let entries = parts.flat_map(|part| &part.stale);
    let mut stale: Vec<&StaleEntry> = entries.filter(|entry| !(is_in_doubt && entry.is_checked)).collect();
    // In the order of the file.
    stale.sort_by_key(|entry| entry.place.key());
    stale.dedup_by_key(|entry| entry.place.key());
    let (first, more) = stale.split_first()?;
    let (message, help) = stale_entries(&first.rule, &first.template, stale.len(), name);
    let label = |entry: &&StaleEntry| Label::new(entry.place.clone(), "and this");
    Some(Problem {
        code: Cow::Borrowed(Code::BaselineStale.as_str()),
        level: Code::BaselineStale.level(),
        message,
        place: first.place.clone(),
        caption: String::new(),
        related: more.iter().take(MAX_STALE_LABELS).map(label).collect(),
        help: Some(help),
        not_checked: None,
    })
}
