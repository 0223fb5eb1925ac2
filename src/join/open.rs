//! Suppressions that are not about one template alone, such as those of settings and of modules: which of the findings
//! about them hold for the whole run.

use std::collections::BTreeSet;

use crate::diagnostic::Check;
use crate::join::Named;
use crate::join::raw::{Report, Shard, Verdict};

/// What a finding about a suppression is: its place, its rule, and its message.
type Key<'a> = (&'a str, u32, u32, &'a str, &'a str);

/// The findings of parts about such suppressions that hold, each once.
pub(super) fn settled(reports: &[Named]) -> Vec<&Verdict> {
    let parts: Vec<&Shard> = reports.iter().filter_map(|named| named.report.shard.as_ref()).collect();
    let is_everything = parts.iter().all(|part| part.suppressions.everything) && !is_in_doubt(reports);
    let said: Vec<BTreeSet<Key<'_>>> =
        parts.iter().map(|part| part.suppressions.findings.iter().map(key).collect()).collect();
    // It is unused if it is in each part that knows it.
    let is_unused = |verdict: &Verdict| {
        let knows = |part: &Shard| part.suppressions.files.contains(&verdict.location.file);
        is_everything && parts.iter().zip(&said).all(|(part, said)| !knows(part) || said.contains(&key(verdict)))
    };
    let mut seen = BTreeSet::new();
    let all = parts.iter().flat_map(|part| &part.suppressions.findings);
    let holds = |verdict: &&Verdict| !is_about_unused(verdict) || is_unused(verdict);
    let mut settled: Vec<&Verdict> = all.filter(|verdict| seen.insert(key(verdict))).filter(holds).collect();
    settled.sort_by_key(|verdict| key(verdict));
    settled
}

/// Whether a parameter file may be missing, so that nothing counts as not found.
pub(super) fn is_in_doubt(reports: &[Named]) -> bool {
    reports.iter().filter_map(|named| named.report.shard.as_ref()).any(|part| part.suppressions.in_doubt)
}

/// The verdicts of a report that hold if a parameter file may be missing.
pub(super) fn without_unused(report: &mut Report) {
    report.results.retain(|verdict| !is_about_unused(verdict));
}

fn is_about_unused(verdict: &Verdict) -> bool {
    verdict.rule == Check::SuppressionUnused.id()
}

fn key(verdict: &Verdict) -> Key<'_> {
    let place = &verdict.location;
    (&place.file, place.line, place.column, &verdict.rule, &verdict.message)
}
