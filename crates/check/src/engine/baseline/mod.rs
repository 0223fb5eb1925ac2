//! The baseline: findings that existed when a project adopted formwork, and that are accepted for now.
//!
//! The file is committed and reviewed. It has one entry per finding, sorted, so that a diff shows only what changed. A
//! finding matches an entry by its fingerprint alone; the other members are for readers. Accepted findings are still
//! reported, as suppressed.
//!
//! # Invariant
//!
//! A run reports an entry as stale only if it analyzed everything that the entry is about (`Run::analysed`).

mod judge;
mod read;

use std::path::Path;
use std::sync::Arc;

use foldhash::HashSet;
use serde::Serialize;

pub(super) use self::judge::report_stale;

use crate::diagnostic::Finding;
use crate::engine::stable_paths::StablePaths;
use crate::files::Host;
use crate::text::Span;

/// The value of `schema` in every baseline.
const SCHEMA: &str = "formwork/baseline/v1";

/// The findings that a project accepts for now.
#[derive(Debug, Default)]
pub struct Baseline {
    /// Entries, in the order of the file. Sorted if the baseline was made from a run.
    entries: Vec<BaselineEntry>,
}

/// An accepted finding. The order of the members is that of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct BaselineEntry {
    template: String,
    rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    /// The parameter files with which it was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<String>,
    fingerprint: String,
    /// The reason that someone wrote into the file. It survives a renewal.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// The position in the file; `None` for an entry that was made from a finding.
    #[serde(skip)]
    span: Option<Span>,
}

/// Differences between a new baseline and the previous one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Renewal {
    /// The number of findings that the new one accepts.
    pub total: usize,
    /// The number of those that the previous one did not accept.
    pub added: usize,
    /// The number of entries of the previous one that are no longer found.
    pub removed: usize,
}

#[derive(Serialize)]
struct Page<'a> {
    schema: &'static str,
    findings: &'a [BaselineEntry],
}

impl Baseline {
    /// Returns the content of the file. The same findings always produce the same bytes.
    pub fn text(&self) -> String {
        let page = Page { schema: SCHEMA, findings: &self.entries };
        serde_json::to_string_pretty(&page).expect("strings and lists can be serialized") + "\n"
    }

    /// Returns the IDs of the rules whose findings this baseline accepts and `other` does not, one for each finding.
    pub fn beyond(&self, other: &Self) -> Vec<&str> {
        let known: HashSet<&str> = other.entries.iter().map(|entry| entry.fingerprint.as_str()).collect();
        let more = self.entries.iter().filter(|entry| !known.contains(entry.fingerprint.as_str()));
        more.map(|entry| entry.rule.as_str()).collect()
    }

    fn sort(&mut self) {
        let key = |entry: &BaselineEntry| {
            (entry.template.clone(), entry.rule.clone(), entry.resource.clone(), entry.fingerprint.clone())
        };
        self.entries.sort_by_cached_key(key);
        self.entries.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    }
}

/// Properties of a finding that a baseline stores, with the names that the run uses.
#[derive(Clone, Copy, Debug)]
pub struct Acceptable<'a> {
    pub template: &'a str,
    pub rule: &'a str,
    pub resource: Option<&'a str>,
    pub parameters: &'a [Arc<str>],
    pub fingerprint: &'a str,
}

/// Returns the entry that accepts a finding, as in a baseline except for the indentation. `working` is the folder that
/// the names are relative to.
pub fn entry_text(finding: Acceptable<'_>, working: &Path, host: &dyn Host) -> String {
    let entry = BaselineEntry::from_finding(finding, None, &StablePaths::new(working, host));
    serde_json::to_string_pretty(&entry).expect("strings and lists can be serialized")
}

impl<'a> From<&'a Finding> for Acceptable<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self {
            template: &finding.template,
            rule: &finding.rule.id,
            resource: finding.resource.as_ref().map(|resource| &*resource.name),
            parameters: &finding.parameters,
            fingerprint: &finding.fingerprint,
        }
    }
}

impl BaselineEntry {
    /// Returns the entry that accepts a finding.
    fn from_finding(finding: Acceptable<'_>, note: Option<String>, paths: &StablePaths<'_>) -> Self {
        let Acceptable { template, rule, resource, parameters, fingerprint } = finding;
        Self {
            template: paths.stable_path(template),
            rule: rule.to_owned(),
            resource: resource.filter(|name| !name.is_empty()).map(ToOwned::to_owned),
            parameters: parameters.iter().map(|file| paths.stable_path(file)).collect(),
            fingerprint: fingerprint.to_owned(),
            note,
            span: None,
        }
    }
}
