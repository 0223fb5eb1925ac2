//! Finds which findings the exemptions from Azure policies cover: a finding that is exempt says so in a label.

use foldhash::HashMap;

use crate::diagnostic::{CheckKind, Finding, Label};
use crate::engine::suppress::covered::is_open;
use crate::engine::suppress::{CollectedSuppression, Coverage};
use crate::text::Span;

/// Completes the suppression of each finding: if nothing else suppresses it, with the exemption that it names. Notes
/// which exemptions are named, whether or not they hold. Whether one does was decided where the finding was made.
pub(super) fn complete(
    mut by: Vec<Option<usize>>,
    entries: &mut [CollectedSuppression],
    findings: &[Finding],
) -> Vec<Option<usize>> {
    let key = |label: &Label| (label.span, label.message.clone());
    let labels = entries.iter().enumerate().flat_map(|(at, entry)| match &entry.coverage {
        Coverage::Exemption { label, expired, .. } => vec![(key(label), (at, true)), (key(expired), (at, false))],
        Coverage::Text { .. } | Coverage::Settings(_) => Vec::new(),
    });
    let by_label: HashMap<(Span, String), (usize, bool)> = labels.collect();
    if by_label.is_empty() {
        return by;
    }
    let is_of_policy = |finding: &Finding| finding.rule.kind() == Some(CheckKind::Policy);
    for (finding, by) in findings.iter().zip(&mut by).filter(|(finding, _)| is_open(finding) && is_of_policy(finding)) {
        let named = finding.related.iter().find_map(|label| by_label.get(&key(label)));
        let Some(&(at, is_exempt)) = named else { continue };
        entries.get_mut(at).into_iter().for_each(|entry| entry.is_matched.fill(true));
        if is_exempt {
            *by = by.or(Some(at));
        }
    }
    by
}
