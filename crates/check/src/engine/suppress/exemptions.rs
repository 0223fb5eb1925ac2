//! Finds which findings the exemptions from Azure policies cover: a finding that is exempt says so in a label.

use chrono::NaiveDate;
use foldhash::HashMap;

use crate::diagnostic::{Check, Finding};
use crate::engine::suppress::covered::is_open;
use crate::engine::suppress::{Coverage, Entry};
use crate::text::Span;

/// Adds to what suppresses each finding: where nothing else does, the exemption that it names. Notes which exemptions are named,
/// whether or not they hold.
pub(super) fn complete(
    mut by: Vec<Option<usize>>,
    entries: &mut [Entry],
    findings: &[Finding],
    today: Option<NaiveDate>,
) -> Vec<Option<usize>> {
    let labels = entries.iter().enumerate().filter_map(|(at, entry)| match &entry.coverage {
        Coverage::Exemption { label, .. } => Some(((label.span, label.message.clone()), at)),
        Coverage::Text { .. } | Coverage::Settings(_) => None,
    });
    let by_label: HashMap<(Span, String), usize> = labels.collect();
    if by_label.is_empty() {
        return by;
    }
    let is_of_policy =
        |finding: &Finding| Check::ALL.iter().any(|check| check.is_of_azure_policy() && check.id() == finding.rule.id);
    for (finding, by) in findings.iter().zip(&mut by).filter(|(finding, _)| is_open(finding) && is_of_policy(finding)) {
        let named = finding.related.iter().find_map(|label| by_label.get(&(label.span, label.message.clone())));
        let Some((at, entry)) = named.and_then(|at| Some((*at, entries.get_mut(*at)?))) else { continue };
        entry.is_matched.fill(true);
        if by.is_none() && entry.suppression.holds(today) {
            *by = Some(at);
        }
    }
    by
}
