//! Faults: findings of a report with the same cause. A fault has one comment and one row.

use std::collections::BTreeMap;
use std::ops::Deref;

use crate::published::{InPullRequest, Report};
use crate::report::model::{FaultId, Finding, ReplacedLines};
use crate::report::{Sighting, Spread};

/// Findings with the same rule, location, and message. Dereferences to the first one.
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
    /// Returns the faults of a report, sorted by severity and then by location.
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
            // Fingerprints identify comments, so a fingerprint is never in two faults, even if the report is inconsistent.
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

    /// Returns the number of locations.
    pub(super) fn places(&self) -> usize {
        self.findings.iter().map(|finding| finding.places()).sum()
    }

    /// Returns the lines of the fix, if the same fix is right in every deployment.
    pub(super) fn fix(&self) -> Option<&'a ReplacedLines> {
        fn lines(finding: &Finding) -> Option<&ReplacedLines> {
            finding.fix.as_ref()?.lines.as_ref()
        }
        let fix = lines(self.first)?;
        self.findings.iter().all(|other| lines(other).is_some_and(|own| own.text == fix.text)).then_some(fix)
    }

    /// Returns a note about the other locations.
    pub(super) fn note(&self) -> Option<String> {
        let sightings = self.findings.iter().map(|finding| Sighting {
            template: &finding.template,
            parameters: finding.parameters.len(),
            deployments: &finding.deployments,
            more: finding.places() - 1,
        });
        Spread::new(&sightings.collect::<Vec<_>>()).note()
    }

    /// True if a comment with this fingerprint of a resource may be about the fault.
    pub(super) fn is_of_resource(&self, resource: &str) -> bool {
        self.findings.iter().any(|finding| &*finding.resource_fingerprint == resource)
    }
}
