//! Suppressions that are not about one template alone, such as those of settings and of modules: which of the findings
//! about them hold for the whole run.

use std::collections::BTreeSet;

use crate::checks::SUPPRESSION_UNUSED;
use crate::report::Report;
use crate::report::model::{Finding, Part, Point};

/// Identity of a finding about a suppression: its file, its position, its rule, and its message.
type Key<'a> = (&'a str, Point, &'a str, &'a str);

/// Returns the findings of parts about such suppressions that hold, each once.
pub(super) fn settled(reports: &[Report]) -> Vec<Finding> {
    let parts: Vec<&Part> = parts(reports).collect();
    let is_everything = parts.iter().all(|part| part.is_everything) && !is_in_doubt(reports);
    let said: Vec<BTreeSet<Key<'_>>> = parts.iter().map(|part| part.open.iter().map(key).collect()).collect();
    // It is unused if it is in each part that knows it.
    let is_unused = |finding: &Finding| {
        let knows = |part: &Part| part.shared_files.iter().any(|file| **file == **finding.place.file.name());
        is_everything && parts.iter().zip(&said).all(|(part, said)| !knows(part) || said.contains(&key(finding)))
    };
    let mut seen = BTreeSet::new();
    let all = parts.iter().flat_map(|part| &part.open);
    let holds = |finding: &&Finding| !is_about_unused(finding) || is_unused(finding);
    let mut settled: Vec<&Finding> = all.filter(|finding| seen.insert(key(finding))).filter(holds).collect();
    settled.sort_by_key(|finding| key(finding));
    settled.into_iter().cloned().collect()
}

/// Returns `true` if a parameter file may be missing, so that no suppression counts as unused.
pub(super) fn is_in_doubt(reports: &[Report]) -> bool {
    parts(reports).any(|part| part.is_in_doubt)
}

/// Drops the findings that do not hold if a parameter file may be missing.
pub(super) fn drop_unused(report: &mut Report) {
    report.findings.retain(|finding| !is_about_unused(finding));
}

fn parts(reports: &[Report]) -> impl Iterator<Item = &Part> {
    reports.iter().filter_map(|report| report.part.as_ref())
}

fn is_about_unused(finding: &Finding) -> bool {
    finding.rule.check == Some(SUPPRESSION_UNUSED)
}

fn key(finding: &Finding) -> Key<'_> {
    let place = &finding.place;
    (place.file.name(), place.start, &finding.rule.id, &finding.message)
}
