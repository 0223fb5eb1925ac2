//! Joins the JSON reports of the parts of a run into the run that they are parts of.
//!
//! The reports may come from machines that ran untrusted code, so each is bounded and validated, and of the files that
//! they name, only templates in the repository are read. The joined run has the same findings in the same order as a
//! run that was not split, so its reports are the same, byte for byte.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod error;
mod open;
mod raw;
mod rebuild;
mod texts;

#[cfg(test)]
mod tests;
#[cfg(any(test, fuzzing))]
pub(crate) mod totality;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::diagnostic::{BySeverity, Diagnostic, FailOn, Finding, Level, Run, Shard, Summary};
use crate::engine::{merge_diagnostics, report_stale, sort_diagnostics};
use crate::report::read_report;
use crate::text::Sources;

use self::raw::{Author, Report};
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
    /// The largest template that is read, in bytes, if the reports do not say it.
    pub file_bytes: u64,
}

/// What reports were joined into.
#[derive(Debug)]
pub(crate) struct Joined {
    /// The run, with findings and diagnostics in their final order.
    pub run: Run,
    /// Which findings fail the run, according to the settings of its parts.
    pub fail_on: FailOn,
    /// Whether undecided verdicts fail it as well.
    pub fail_on_unknown: bool,
    /// Whether what is not checked fails it.
    pub strict: bool,
}

impl Joined {
    /// A run whose parts had these settings.
    fn of(run: Run, gate: Option<&raw::Gate>) -> Self {
        Self {
            run,
            fail_on: gate.map(|gate| gate.fail_on).unwrap_or_default(),
            fail_on_unknown: gate.is_some_and(|gate| gate.fail_on_unknown),
            strict: gate.is_some_and(|gate| gate.strict),
        }
    }
}

/// Joins reports.
///
/// # Errors
///
/// Fails if the reports are not those of all parts of one run.
pub(crate) fn join(mut reports: Vec<Named>, around: &Around<'_>) -> Result<Joined, Error> {
    reports.sort_by(|a, b| (a.shard(), &a.name).cmp(&(b.shard(), &b.name)));
    require_all_parts(&reports)?;
    require_one_change(&reports)?;
    require_one_policy(&reports)?;
    let is_in_doubt = open::is_in_doubt(&reports);
    if is_in_doubt {
        for named in &mut reports {
            open::without_unused(&mut named.report);
        }
    }
    let sources = Sources::new();
    let texts = Texts::read(&reports, around, &sources)?;
    let described = reports.iter().flat_map(|named| &named.report.rules).map(|rule| (rule.id.as_str(), rule));
    let policy = reports.first().and_then(|named| named.report.shard.as_ref());
    let rules = policy.map_or(&[][..], |shard| &shard.rules);
    let mut rebuilt = Rebuilt::new(&texts, &sources, rules, described.collect());
    for named in &reports {
        rebuilt.add(&named.report);
    }
    let open: Vec<Finding> = open::settled(&reports).into_iter().filter_map(|raw| rebuilt.finding(raw)).collect();
    let change = rebuilt.change(&reports);
    let stale = rebuilt.stale(&reports, is_in_doubt);
    let trees = rebuilt.trees(&reports);
    let added_suppressions = rebuilt.added_suppressions(&reports);
    let Rebuilt { mut findings, diagnostics, ran: rules, .. } = rebuilt;
    add_open(&mut findings, open);
    let (diagnostics, repeated) = merged(diagnostics, &sources);
    let mut summary = reports.iter().fold(Summary::default(), |sum, named| add(sum, &named.report));
    summary.unreadable = summary.unreadable.saturating_sub(repeated);
    for finding in &findings {
        summary.count(finding.outcome);
    }
    summary.errors = diagnostics.iter().filter(|problem| problem.level == Level::Error).count();
    let (notices, rules_are_of_base) = (notices(&reports), rules_are_of_base(&reports));
    let mut run = Run {
        sources,
        findings,
        diagnostics,
        rules,
        summary,
        change,
        notices,
        added_suppressions,
        trees,
        rules_are_of_base,
        ..Run::default()
    };
    let gate = policy.map(|shard| &shard.gate);
    if let Some(name) = gate.and_then(|gate| gate.baseline.as_deref()) {
        report_stale(&mut run, &stale, name);
    }
    Ok(Joined::of(run, gate))
}

/// Puts findings about suppressions among the others, ordered as in a run that was not split.
fn add_open(findings: &mut Vec<Finding>, open: Vec<Finding>) {
    let touched: BTreeSet<Arc<str>> = open.iter().map(|finding| Arc::clone(&finding.template)).collect();
    findings.extend(open);
    let place = |finding: &Finding| (finding.span.start, finding.span.end);
    // All other findings of a template are of one part, in their order.
    findings.sort_by(|a, b| match a.template.cmp(&b.template) {
        Ordering::Equal if touched.contains(&a.template) => place(a).cmp(&place(b)),
        order => order,
    });
}

/// Diagnostics in their order, each once, and how many lowered errors were in several parts. A module that several parts
/// use has the same problem in each.
fn merged(diagnostics: Vec<Diagnostic>, sources: &Sources) -> (Vec<Diagnostic>, usize) {
    let lowered = |diagnostics: &[Diagnostic]| {
        let is_lowered =
            |problem: &&Diagnostic| problem.level == Level::Warning && problem.code.level() == Level::Error;
        diagnostics.iter().filter(is_lowered).count()
    };
    let said = lowered(&diagnostics);
    let mut merged = merge_diagnostics(diagnostics);
    sort_diagnostics(&mut merged, sources);
    let repeated = said - lowered(&merged);
    (merged, repeated)
}

/// The notices of all reports, each once.
fn notices(reports: &[Named]) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for notice in reports.iter().flat_map(|named| &named.report.notices) {
        if !notices.contains(notice) {
            notices.push(notice.clone());
        }
    }
    notices
}

/// Whether no rule is one that a change may have written.
fn rules_are_of_base(reports: &[Named]) -> bool {
    let of_parts = reports.iter().filter_map(|named| named.report.shard.as_ref()).flat_map(|shard| &shard.rules);
    let of_findings = reports.iter().flat_map(|named| &named.report.rules);
    of_parts.map(|rule| rule.origin).chain(of_findings.map(|rule| rule.origin)).all(|author| author != Author::Head)
}

impl Named {
    fn shard(&self) -> Option<(u32, u32)> {
        self.report.shard.as_ref().map(|shard| (shard.count, shard.index))
    }
}

/// Requires that the same settings decided on all parts.
fn require_one_policy(reports: &[Named]) -> Result<(), Error> {
    let mut parts = reports.iter().filter_map(|named| Some((&named.name, named.report.shard.as_ref()?)));
    let Some((name, first)) = parts.next() else { return Ok(()) };
    match parts.find(|(_, part)| (&part.gate, &part.rules) != (&first.gate, &first.rules)) {
        Some((other, _)) => Err(Error::Settings { name: name.clone(), other: other.clone() }),
        None => Ok(()),
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
