//! The findings of a report that are one fault, according to the report. A fault has one comment and one row.

use std::collections::BTreeMap;
use std::ops::Deref;

use crate::published::{InPullRequest, Report};
use crate::report::model::{FaultId, Finding, ReplacedLines};
use crate::report::{Sighting, Spread};

/// Findings that failed with the same rule, place, and message. Dereferences to the first one.
#[derive(Clone, Debug)]
pub(super) struct Fault<'a> {
    findings: Vec<&'a Finding>,
    first: &'a Finding,
}

impl Deref for Fault<'_> {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        self.first
    }
}

impl<'a> Fault<'a> {
    /// The faults of a report, ordered by severity and then by location.
    pub(super) fn all(report: &'a Report) -> Vec<Self> {
        let mut findings: Vec<&Finding> = report.listed().collect();
        findings.sort_by_key(|finding| {
            let place = (finding.place.file.name(), finding.place.lines());
            (finding.rule.severity, place, &finding.rule.id, &finding.template, &finding.fingerprint)
        });
        let mut faults: Vec<Self> = Vec::new();
        let mut by_id: BTreeMap<FaultId, usize> = BTreeMap::new();
        let mut by_fingerprint = BTreeMap::new();
        for finding in findings {
            // A comment is recognized by a fingerprint, so one is never in two faults, whatever the report says.
            let known = by_fingerprint.get(finding.fingerprint.as_str()).or_else(|| by_id.get(&finding.fault));
            let at = known.copied().unwrap_or(faults.len());
            by_fingerprint.entry(finding.fingerprint.as_str()).or_insert(at);
            by_id.entry(finding.fault).or_insert(at);
            match faults.get_mut(at) {
                Some(fault) => fault.findings.push(finding),
                None => faults.push(Self { findings: vec![finding], first: finding }),
            }
        }
        faults
    }

    pub(super) fn first(&self) -> &'a Finding {
        self.first
    }

    pub(super) fn findings(&self) -> &[&'a Finding] {
        &self.findings
    }

    /// How many places it has.
    pub(super) fn places(&self) -> usize {
        self.findings.iter().map(|finding| finding.places()).sum()
    }

    /// The lines of the fix, if the same is right in every deployment.
    pub(super) fn fix(&self) -> Option<&'a ReplacedLines> {
        fn lines(finding: &Finding) -> Option<&ReplacedLines> {
            finding.fix.as_ref()?.lines.as_ref()
        }
        let fix = lines(self.first)?;
        let is_same = |other: &&Finding| lines(other).is_some_and(|own| own.text == fix.text);
        self.findings.iter().all(is_same).then_some(fix)
    }

    /// Where else it is, in words.
    pub(super) fn note(&self) -> Option<String> {
        let sightings = self.findings.iter().map(|finding| Sighting {
            template: &finding.template,
            parameters: finding.parameters.len(),
            deployments: &finding.deployments,
            more: finding.places() - 1,
        });
        Spread::new(&sightings.collect::<Vec<_>>()).note()
    }

    /// Whether a comment with this fingerprint of a resource may be about it.
    pub(super) fn is_of_resource(&self, resource: &str) -> bool {
        self.findings.iter().any(|finding| &*finding.resource_fingerprint == resource)
    }
}
