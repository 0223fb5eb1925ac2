//! The baseline: findings that existed when a project adopted formwork, and that are accepted for now.
//!
//! The file is committed and reviewed. It has one entry per finding, sorted, so that a diff shows only what changed. A
//! finding matches an entry by its fingerprint alone; the other members are for readers. Accepted findings are still
//! reported, as suppressed.

mod judge;
mod read;

use std::collections::BTreeMap;
use std::path::Path;

use foldhash::HashSet;
use serde::Serialize;

pub(super) use self::judge::report_stale;

use crate::diagnostic::{Finding, Outcome, Run};
use crate::engine::stable_paths::StablePaths;
use crate::files::Host;
use crate::text::Span;

/// The value of `schema` in every baseline.
const SCHEMA: &str = "formwork/baseline/v1";

/// The findings that a project accepts for now.
#[derive(Debug, Default)]
pub struct Baseline {
    /// In the order of the file. Sorted if the baseline was made from a run.
    entries: Vec<Entry>,
}

/// One accepted finding. The order of the members is that of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Entry {
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

/// How a new baseline differs from the previous one.
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
    findings: &'a [Entry],
}

impl Baseline {
    /// The content of the file. The same findings always produce the same bytes.
    pub fn text(&self) -> String {
        let page = Page { schema: SCHEMA, findings: &self.entries };
        serde_json::to_string_pretty(&page).expect("strings and lists can be serialized") + "\n"
    }

    /// The IDs of the rules whose findings this baseline accepts and `other` does not, one for each finding.
    pub fn beyond(&self, other: &Self) -> Vec<&str> {
        let known: HashSet<&str> = other.entries.iter().map(|entry| entry.fingerprint.as_str()).collect();
        let more = self.entries.iter().filter(|entry| !known.contains(entry.fingerprint.as_str()));
        more.map(|entry| entry.rule.as_str()).collect()
    }

    fn sort(&mut self) {
        let key = |entry: &Entry| {
            (entry.template.clone(), entry.rule.clone(), entry.resource.clone(), entry.fingerprint.clone())
        };
        self.entries.sort_by_cached_key(key);
        self.entries.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    }
}

/// The entries that accept the findings of a run that failed, by their fingerprints, as a baseline has them but for the
/// indentation. `working` is the folder that the names of the run are relative to.
pub fn entries(run: &Run, working: &Path, host: &dyn Host) -> BTreeMap<String, String> {
    let paths = StablePaths::new(working, host);
    let failed = run.findings.iter().filter(|finding| finding.outcome == Outcome::Failed);
    let entry = |finding: &Finding| {
        let entry = Entry::of(finding, None, &paths);
        let text = serde_json::to_string_pretty(&entry).expect("strings and lists can be serialized");
        (entry.fingerprint, text)
    };
    failed.map(entry).collect()
}

impl Entry {
    /// The entry that accepts a finding.
    fn of(finding: &Finding, note: Option<String>, paths: &StablePaths<'_>) -> Self {
        Self {
            template: paths.of(&finding.template),
            rule: finding.rule.id.clone(),
            resource: finding.resource.as_ref().map(|resource| resource.name.clone()).filter(|text| !text.is_empty()),
            parameters: finding.parameters.iter().map(|file| paths.of(file)).collect(),
            fingerprint: finding.fingerprint.clone(),
            note,
            span: None,
        }
    }
}
