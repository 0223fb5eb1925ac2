//! The baseline: findings that were there when formwork came, and are accepted for now.
//!
//! A file in the repository, read by people in reviews: an entry a finding, sorted, so that what changes is all that a
//! diff shows. Entries are found again by the fingerprint alone; the rest says what it stands for. What is accepted is
//! still reported, as suppressed.

mod judge;
mod read;

use std::path::Path;

use serde::Serialize;

use crate::diagnostic::Finding;
use crate::engine::check::stable_path;
use crate::text::Span;

/// The `schema` of a baseline.
const SCHEMA: &str = "formwork/baseline/v1";

/// Accepted findings.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    /// Sorted, once it comes from a run.
    entries: Vec<Entry>,
}

/// One accepted finding. The order of the members is that of the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Entry {
    template: String,
    rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    /// The parameter files under which it was found.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    parameters: Vec<String>,
    fingerprint: String,
    /// What people wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// Where the file says it. `None` for one that comes from a run.
    #[serde(skip)]
    span: Option<Span>,
}

/// How a baseline differs from the one before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Renewal {
    /// Findings that it accepts.
    pub total: usize,
    /// Those that the one before did not have.
    pub added: usize,
    /// Those of the one before that are not found any more.
    pub removed: usize,
}

#[derive(Serialize)]
struct Page<'a> {
    schema: &'static str,
    findings: &'a [Entry],
}

impl Baseline {
    /// The text of the file. The same findings give the same bytes.
    pub(crate) fn text(&self) -> String {
        let page = Page { schema: SCHEMA, findings: &self.entries };
        serde_json::to_string_pretty(&page).expect("texts and lists can be written") + "\n"
    }

    fn sort(&mut self) {
        let key = |entry: &Entry| {
            (entry.template.clone(), entry.rule.clone(), entry.resource.clone(), entry.fingerprint.clone())
        };
        self.entries.sort_by_cached_key(key);
        self.entries.dedup_by(|a, b| a.fingerprint == b.fingerprint);
    }
}

impl Entry {
    /// `working` is the current folder, which the names in a finding are relative to.
    fn of(finding: &Finding, note: Option<String>, working: &Path) -> Self {
        Self {
            template: stable_path(working, &finding.template),
            rule: finding.rule.id.clone(),
            resource: finding.resource.as_ref().map(|resource| resource.name.clone()).filter(|text| !text.is_empty()),
            parameters: finding.parameters.iter().map(|file| stable_path(working, file)).collect(),
            fingerprint: finding.fingerprint.clone(),
            note,
            span: None,
        }
    }
}
