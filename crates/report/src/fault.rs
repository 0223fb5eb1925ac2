//! Faults: findings of one rule at one place, in all deployments that contain the place.
//!
//! A template that several others use as a module has the same findings in each of them. People correct them once, so
//! reports for people list a fault once with its other occurrences. The JSON report lists each finding, with the ID of
//! its fault.
//!
//! # Invariant
//!
//! All findings of one fault have the same `FaultId`, which is decided where the report is made.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::ops::Deref;

use foldhash::{HashMap, HashSet};

use crate::counted::counted;
use crate::diagnostic::{DeploymentKey, Outcome, Severity};
use crate::model::{FaultId, Finding, Fix, Report};

/// Other templates that a note names.
const MAX_TEMPLATES: usize = 3;

/// Findings with the same rule, place, and message. Dereferences to the finding that represents them.
#[derive(Clone, Debug)]
pub struct Fault<'a> {
    first: &'a Finding,
    others: Vec<&'a Finding>,
}

/// An occurrence of a fault.
#[derive(Clone, Copy, Debug)]
pub struct Sighting<'a, K> {
    /// Name of the template.
    pub template: &'a str,
    /// Number of parameter files that reports name.
    pub parameters: usize,
    /// Deployments with the finding.
    pub deployments: &'a [K],
    /// Number of further occurrences that are not listed.
    pub more: usize,
}

/// Occurrences of a fault besides its first finding.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread<'a> {
    /// Number of other deployments with it. Deployments with the parameter files of the first finding do not count,
    /// since reports name the files.
    deployments: usize,
    /// Number of other findings in the same deployments as the first.
    paths: usize,
    /// Number of occurrences without findings in the report.
    unlisted: usize,
    /// Other templates with it.
    templates: BTreeSet<&'a str>,
}

/// Key of a fault. A finding that was accepted in one deployment is open in the others.
type Key = (FaultId, Severity, Outcome, bool);

impl Deref for Fault<'_> {
    type Target = Finding;

    fn deref(&self) -> &Finding {
        self.first
    }
}

impl<'a> Fault<'a> {
    /// Returns the finding that represents the others: one of the change if there is any.
    pub fn first(&self) -> &'a Finding {
        self.first
    }

    /// Returns all findings, the first one first.
    pub fn findings(&self) -> impl Iterator<Item = &'a Finding> {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }

    /// Returns the fix, if all deployments have the same.
    pub fn fix(&self) -> Option<&'a Fix> {
        let fix = self.first.fix.as_deref()?;
        self.others.iter().all(|other| other.fix.as_deref() == Some(fix)).then_some(fix)
    }

    /// Counts the occurrences.
    pub fn places(&self) -> usize {
        self.findings().map(Finding::places).sum()
    }

    /// Returns the other occurrences.
    pub fn spread(&self) -> Spread<'a> {
        Spread::new(&self.findings().map(sighting).collect::<Vec<_>>())
    }

    /// Describes the other occurrences. `None` if there are none.
    pub fn note(&self) -> Option<String> {
        self.spread().note()
    }
}

fn sighting(finding: &Finding) -> Sighting<'_, DeploymentKey> {
    let Finding { template, parameters, deployments, .. } = finding;
    Sighting { template, parameters: parameters.len(), deployments, more: finding.places() - 1 }
}

impl<'a> Spread<'a> {
    /// Summarizes occurrences, of which reports show the first.
    pub fn new<K: Ord>(sightings: &[Sighting<'a, K>]) -> Self {
        let Some((first, others)) = sightings.split_first() else { return Self::default() };
        let own: BTreeSet<&K> = first.deployments.iter().collect();
        let all: BTreeSet<&K> = sightings.iter().flat_map(|sighting| sighting.deployments).collect();
        let templates = others.iter().map(|other| other.template).filter(|name| *name != first.template);
        Self {
            deployments: all.len().saturating_sub(first.parameters.max(1)),
            paths: others
                .iter()
                .filter(|other: &&Sighting<'_, K>| other.deployments.iter().all(|key| own.contains(key)))
                .count(),
            unlisted: sightings.iter().map(|sighting| sighting.more).sum(),
            templates: templates.collect(),
        }
    }

    /// Formats the other occurrences: `also in 11 other deployments: a.bicep, b.bicep, c.bicep and 8 more`.
    pub fn note(&self) -> Option<String> {
        let mut note = self.sentence()?;
        let named: Vec<&str> = self.templates.iter().take(MAX_TEMPLATES).copied().collect();
        if !named.is_empty() {
            let _ = write!(note, ": {}", named.join(", "));
        }
        match self.templates.len() - named.len() {
            0 => {}
            more => {
                let _ = write!(note, " and {more} more");
            }
        }
        Some(note)
    }

    /// Formats the other occurrences without names: `also in 11 other deployments`. `None` if there are none.
    pub fn sentence(&self) -> Option<String> {
        let parts = [
            (self.paths, format!("at {} of this deployment", counted(self.paths, "other path"))),
            (self.deployments, format!("in {}", counted(self.deployments, "other deployment"))),
            (self.unlisted, format!("at {} that no report lists", counted(self.unlisted, "further place"))),
        ];
        let parts: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect();
        let (last, before) = parts.split_last()?;
        Some(if before.is_empty() { format!("also {last}") } else { format!("also {}, and {last}", before.join(", ")) })
    }
}

/// Groups findings into faults, in the order of their first findings.
pub(crate) fn faults<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Vec<Fault<'a>> {
    let mut faults: Vec<Fault<'a>> = Vec::new();
    let mut known: HashMap<Key, usize> = HashMap::default();
    for finding in findings {
        let at = *known.entry(key(finding)).or_insert(faults.len());
        match faults.get_mut(at) {
            None => faults.push(Fault { first: finding, others: Vec::new() }),
            Some(fault) if finding.in_change == Some(true) && fault.first.in_change != Some(true) => {
                fault.others.insert(0, std::mem::replace(&mut fault.first, finding));
            }
            Some(fault) => fault.others.push(finding),
        }
    }
    faults
}

fn key(finding: &Finding) -> Key {
    (finding.fault, finding.rule.severity, finding.outcome, finding.is_in_baseline())
}

/// Returns the failed faults of a report.
pub fn failed(report: &Report) -> Vec<Fault<'_>> {
    faults(failed_findings(report))
}

/// Returns the undecided faults of a report.
pub fn undecided(report: &Report) -> Vec<Fault<'_>> {
    faults(report.findings.iter().filter(|finding| finding.outcome == Outcome::Unknown))
}

fn failed_findings(report: &Report) -> impl Iterator<Item = &Finding> {
    report.findings.iter().filter(|finding| finding.outcome == Outcome::Failed)
}

/// Counts the failed faults.
pub(crate) fn count_failed(report: &Report) -> usize {
    failed_findings(report).map(key).collect::<HashSet<Key>>().len()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diagnostic::Finding as Unresolved;
    use crate::sample;

    /// Findings of one rule at one place, each given by its template and the parameter files that it is found with.
    fn findings(of: &[(&str, &[&str])]) -> Vec<Unresolved> {
        let finding = sample::run().findings.remove(0);
        let of = of.iter().map(|(template, parameters)| {
            let key = |file: Option<&str>| DeploymentKey::new(template, file, "");
            let mut deployments: Vec<DeploymentKey> = parameters.iter().map(|file| key(Some(file))).collect();
            if deployments.is_empty() {
                deployments.push(key(None));
            }
            let parameters = parameters.iter().map(|&file| Arc::from(file)).collect();
            let (template, deployments) = (Arc::from(*template), deployments.into());
            Unresolved { template, parameters, deployments, ..finding.clone() }
        });
        of.collect()
    }

    #[track_caller]
    fn check_note(findings: &[Unresolved], expected: Option<&str>) {
        let findings = sample::resolved(findings);
        let faults = faults(&findings);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].note().as_deref(), expected);
    }

    #[test]
    fn a_fault_is_in_the_deployments_of_all_its_findings() {
        check_note(&findings(&[("a", &[])]), None);
        check_note(&findings(&[("a", &["dev", "prod"])]), None);
        check_note(&findings(&[("a", &[]), ("b", &[])]), Some("also in 1 other deployment: b"));
        check_note(&findings(&[("a", &["dev"]), ("b", &["dev", "prod"])]), Some("also in 2 other deployments: b"));
        let names = ["a", "b", "c", "d", "e", "f"].map(|name| (name, &[][..]));
        check_note(&findings(&names), Some("also in 5 other deployments: b, c, d and 2 more"));
    }

    #[test]
    fn several_paths_of_one_deployment_are_no_deployments() {
        check_note(&findings(&[("a", &[]), ("a", &[])]), Some("also at 1 other path of this deployment"));
        let both = "also at 1 other path of this deployment, and in 1 other deployment: b";
        check_note(&findings(&[("a", &[]), ("a", &[]), ("b", &[])]), Some(both));
        let mut nested = findings(&[("a", &[]), ("a", &[])]);
        nested[1].deployments = vec![DeploymentKey::new("a", None, "resources[0].properties.template")].into();
        check_note(&nested, Some("also in 1 other deployment"));
    }

    #[test]
    fn places_that_are_not_listed_are_counted() {
        let mut both = findings(&[("a", &[]), ("a", &[])]);
        both[1].more_places = 9_000;
        check_note(&both[1..], Some("also at 9000 further places that no report lists"));
        let note = "also at 1 other path of this deployment, and at 9000 further places that no report lists";
        check_note(&both, Some(note));
        assert_eq!(faults(&sample::resolved(&both))[0].places(), 9_002);
    }

    #[test]
    fn a_finding_that_several_templates_share_counts_for_each_of_them() {
        let mut one = findings(&[("a", &[])]);
        one[0].deployments = ["a", "b", "c"].map(|name| DeploymentKey::new(name, None, "x")).to_vec().into();
        check_note(&one, Some("also in 2 other deployments"));
    }

    #[test]
    fn what_differs_in_anything_that_people_see_is_a_fault_of_its_own() {
        let change: [fn(&mut Unresolved); 4] = [
            |finding| finding.message.push_str(" `x`"),
            |finding| finding.span.end += 1,
            |finding| finding.outcome = Outcome::Suppressed,
            |finding| finding.rule = Arc::clone(&sample::run().rules[0]),
        ];
        for change in change {
            let mut both = findings(&[("a", &[]), ("b", &[])]);
            change(&mut both[1]);
            assert_eq!(faults(&sample::resolved(&both)).len(), 2);
        }
    }

    #[test]
    fn the_finding_of_the_change_represents_the_others() {
        let mut all = findings(&[("a", &[]), ("b", &[]), ("c", &[])]);
        all[1].in_change = Some(true);
        let all = sample::resolved(&all);
        let faults = faults(&all);
        assert_eq!(faults[0].template, Arc::from("b"));
        let templates: Vec<&str> = faults[0].findings().map(|finding| &*finding.template).collect();
        assert_eq!(templates, ["b", "a", "c"]);
    }

    #[test]
    fn a_fix_is_that_of_all_deployments() {
        let mut both = findings(&[("a", &[]), ("b", &[])]);
        let fix = sample::run().findings[1].fix.clone();
        for finding in &mut both {
            finding.fix.clone_from(&fix);
        }
        assert!(faults(&sample::resolved(&both))[0].fix().is_some());
        both[1].fix = None;
        assert!(faults(&sample::resolved(&both))[0].fix().is_none());
    }

    #[test]
    fn the_id_of_a_fault_does_not_depend_on_the_template() {
        let run = sample::run();
        let id = |finding: &Unresolved| sample::resolved(std::slice::from_ref(finding))[0].fault;
        let first = run.findings[0].clone();
        assert_eq!(id(&first), id(&Unresolved { template: Arc::from("b"), path: "x".into(), ..first.clone() }));
        assert_ne!(id(&first), id(&run.findings[1]));
        assert_ne!(id(&first), id(&Unresolved { message: "x".into(), ..first.clone() }));
    }
}
