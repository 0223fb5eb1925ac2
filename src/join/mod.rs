//! Joins the JSON reports of the parts of a run into the run that they are parts of.
//!
//! The reports may come from machines that ran untrusted code, so each is bounded and validated, and of the files that
//! they name, only templates in the repository are read. The joined run has the same findings in the same order as a
//! run that was not split, so its reports are the same, byte for byte.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod error;
mod raw;
mod rebuild;
mod texts;

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{BySeverity, Level, RuleInfo, Run, Shard, Summary};
use crate::engine::{merge_diagnostics, sort_diagnostics};
use crate::report::read_report;
use crate::text::Sources;

use self::raw::Report;
use self::rebuild::Rebuilt;
use self::texts::Texts;

pub(crate) use self::error::Error;

/// The longest report, in bytes.
pub(crate) const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A report, and the name of its file.
#[derive(Debug)]
pub(crate) struct Named {
    name: String,
    report: Report,
}

impl Named {
    /// Reads the report of a file of this name.
    ///
    /// # Errors
    ///
    /// Fails if it is not a JSON report of this version of formwork.
    pub(crate) fn read(name: String, bytes: &[u8]) -> Result<Self, Error> {
        let report: Report =
            read_report(bytes, MAX_BYTES).map_err(|source| Error::Invalid { name: name.clone(), source })?;
        let own = env!("CARGO_PKG_VERSION");
        if report.tool.version != own {
            return Err(Error::Version { name, own });
        }
        Ok(Self { name, report })
    }
}

/// What joining needs to know besides the reports.
#[derive(Debug)]
pub(crate) struct Around<'a> {
    /// The current folder, absolute.
    pub working: &'a Path,
    /// The largest template that is read, in bytes.
    pub file_bytes: u64,
    /// The rules that ran, ordered by ID. A finding of another rule has only the description in its report.
    pub rules: Vec<Arc<RuleInfo>>,
}

/// What reports were joined into.
#[derive(Debug)]
pub(crate) struct Joined {
    /// The run, with findings and diagnostics in their final order.
    pub run: Run,
    /// The fingerprints of stale entries of the baseline.
    pub stale: BTreeSet<String>,
}

/// Joins reports. `sources` holds the texts that were read so far.
///
/// # Errors
///
/// Fails if the reports are not those of all parts of one run.
pub(crate) fn join(mut reports: Vec<Named>, around: &Around<'_>, sources: Sources) -> Result<Joined, Error> {
    reports.sort_by(|a, b| (a.shard(), &a.name).cmp(&(b.shard(), &b.name)));
    require_all_parts(&reports)?;
    require_one_change(&reports)?;
    let texts = Texts::read(&reports, around, &sources)?;
    let described = reports.iter().flat_map(|named| &named.report.rules).map(|rule| (rule.id.as_str(), rule));
    let mut rebuilt = Rebuilt::new(&texts, &sources, &around.rules, described.collect());
    for named in &reports {
        rebuilt.add(&named.report);
    }
    let change = rebuilt.change(&reports);
    let Rebuilt { mut findings, diagnostics, .. } = rebuilt;
    // All findings of a template are of one part, in their order.
    findings.sort_by(|a, b| a.template.cmp(&b.template));
    let warnings = |diagnostics: &[crate::diagnostic::Diagnostic]| {
        let lowered = |problem: &&crate::diagnostic::Diagnostic| {
            problem.level == Level::Warning && problem.code.level() == Level::Error
        };
        diagnostics.iter().filter(lowered).count()
    };
    let said = warnings(&diagnostics);
    // A module that several parts use has the same problem in each.
    let mut diagnostics = merge_diagnostics(diagnostics);
    let repeated = said - warnings(&diagnostics);
    sort_diagnostics(&mut diagnostics, &sources);
    let mut summary = reports.iter().fold(Summary::default(), |sum, named| add(sum, &named.report));
    summary.unreadable = summary.unreadable.saturating_sub(repeated);
    for finding in &findings {
        summary.count(finding.outcome);
    }
    summary.errors = diagnostics.iter().filter(|problem| problem.level == Level::Error).count();
    let stale = reports.iter().filter_map(|named| named.report.shard.as_ref()).flat_map(|shard| shard.stale.clone());
    let stale = stale.collect();
    let run = Run { sources, findings, diagnostics, rules: around.rules.clone(), summary, change, ..Run::default() };
    Ok(Joined { run, stale })
}

impl Named {
    fn shard(&self) -> Option<(u32, u32)> {
        self.report.shard.as_ref().map(|shard| (shard.count, shard.index))
    }
}

fn add(sum: Summary, report: &Report) -> Summary {
    let part = &report.summary;
    Summary {
        templates: sum.templates.saturating_add(part.templates),
        deployments: sum.deployments.saturating_add(part.deployments),
        resources: sum.resources.saturating_add(part.resources),
        rules: sum.rules.max(part.rules),
        // Reports list verdicts that passed only on request. Those are counted with the others.
        passed: sum.passed.saturating_add(part.passed.saturating_sub(report.passed())),
        unreadable: sum.unreadable.saturating_add(part.unreadable),
        outside: BySeverity {
            high: sum.outside.high.saturating_add(part.outside.high),
            medium: sum.outside.medium.saturating_add(part.outside.medium),
            low: sum.outside.low.saturating_add(part.outside.low),
        },
        ..sum
    }
}

/// Requires that the reports are of all parts of one run, or all of runs that were not split.
fn require_all_parts(reports: &[Named]) -> Result<(), Error> {
    let parts = reports.iter().filter_map(|named| Some((named.report.shard.as_ref()?, named)));
    let mut known: BTreeMap<u32, &str> = BTreeMap::new();
    let mut count = None;
    for (shard, named) in parts {
        if Shard::new(shard.index, shard.count).is_none() || *count.get_or_insert(shard.count) != shard.count {
            return Err(Error::Count { name: named.name.clone() });
        }
        if let Some(other) = known.insert(shard.index, &named.name) {
            return Err(Error::Twice { index: shard.index, name: other.to_owned(), other: named.name.clone() });
        }
    }
    let Some(count) = count else { return Ok(()) };
    if let Some(whole) = reports.iter().find(|named| named.report.shard.is_none()) {
        return Err(Error::Whole { name: whole.name.clone() });
    }
    let missing: Vec<String> =
        (1..=count).filter(|index| !known.contains_key(index)).map(|index| index.to_string()).collect();
    if missing.is_empty() { Ok(()) } else { Err(Error::Missing { missing: missing.join(", "), count }) }
}

/// Requires that all reports are of the same change.
fn require_one_change(reports: &[Named]) -> Result<(), Error> {
    let Some((first, rest)) = reports.split_first() else { return Ok(()) };
    if let Some(other) = rest.iter().find(|named| named.report.change != first.report.change) {
        return Err(Error::Change { name: first.name.clone(), other: other.name.clone() });
    }
    // Only the report of a part has the lines of the head.
    match reports.iter().find(|named| named.report.change.is_some() && named.report.shard.is_none()) {
        Some(named) if reports.len() > 1 => Err(Error::NotAPart { name: named.name.clone() }),
        _ => Ok(()),
    }
}
