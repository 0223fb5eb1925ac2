//! Joins the JSON reports of the parts of a run into the report of the run that they are parts of.
//!
//! The joined report is the concatenation of the others, ordered again, with what only all parts together decide. So
//! every format of it is that of a run that was not split, byte for byte. The reports may come from machines that ran
//! untrusted code: each is bounded, and nothing else is read.
//!
//! # Invariants
//!
//! - Every format of the joined report equals that of a run that was not split, byte for byte.
//! - Only the reports are read: settings, rules, and templates of the checkout may be those of the change, and the
//!   parts may have used those of the base.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod error;
mod open;
mod stale;

#[cfg(any(test, feature = "fuzzing"))]
pub mod invariants;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::checks::CHECKS;
use crate::diagnostic::{BySeverity, Code, FailOn, Level, Outcome, Shard, Summary};
use crate::report::model::{AddedSuppression, Change, Finding, Part, Point, Problem};
use crate::report::{Report, Written, read_report};

pub use self::error::Error;

/// The longest report, in bytes.
pub const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// A report, and the name of its file.
#[derive(Debug)]
pub struct Named {
    name: String,
    report: Report,
}

impl Named {
    /// Reads the report of a file of this name.
    ///
    /// # Errors
    ///
    /// Fails if it is not a JSON report of this version of formwork.
    pub fn read(name: String, bytes: &[u8]) -> Result<Self, Error> {
        match read_report(bytes, MAX_BYTES, &CHECKS) {
            Err(source) => Err(Error::Invalid { name, source }),
            Ok(Written { version, report }) if version == OWN_VERSION => Ok(Self { name, report }),
            Ok(_) => Err(Error::Version { name, own: OWN_VERSION }),
        }
    }

    fn part(&self) -> Option<&Part> {
        self.report.part.as_ref()
    }

    fn shard(&self) -> Option<(u32, u32)> {
        self.part().map(|part| (part.shard.count, part.shard.index))
    }
}

const OWN_VERSION: &str = env!("CARGO_PKG_VERSION");

/// Result of joining reports.
#[derive(Debug)]
pub struct Joined {
    /// The report, with findings and problems in their final order.
    pub report: Report,
    /// Lowest severity of findings that fail the run, according to the settings of its parts.
    pub fail_on: FailOn,
    /// True if undecided results fail the run as well.
    pub fail_on_unknown: bool,
    /// True if anything that is not checked fails the run.
    pub strict: bool,
}

/// Joins reports.
///
/// # Errors
///
/// Fails if the reports are not those of all parts of one run.
pub fn join(mut named: Vec<Named>) -> Result<Joined, Error> {
    named.sort_by(|a, b| (a.shard(), &a.name).cmp(&(b.shard(), &b.name)));
    require_all_parts(&named)?;
    require_one_change(&named)?;
    require_one_policy(&named)?;
    let mut reports: Vec<Report> = named.into_iter().map(|named| named.report).collect();
    let is_in_doubt = open::is_in_doubt(&reports);
    if is_in_doubt {
        reports.iter_mut().for_each(open::drop_unused);
    }
    let gate = reports.first().and_then(|report| Some(report.part.as_ref()?.gate.clone()));
    let mut summary = reports.iter().fold(Summary::default(), add);
    let stale = gate.as_ref().and_then(|gate| stale::problem(&reports, is_in_doubt, gate.baseline.as_deref()?));
    let open = open::settled(&reports);
    let mut joined = Report {
        rules: reports.first().map(|report| report.rules.clone()).unwrap_or_default(),
        change: change(&reports),
        notices: notices(&reports),
        hides_low: reports.iter().all(|report| report.hides_low),
        may_have_backticks: reports.iter().any(|report| report.may_have_backticks),
        ..Report::default()
    };
    let mut added = Vec::new();
    for report in reports {
        joined.findings.extend(report.findings);
        joined.problems.extend(report.problems);
        joined.trees.extend(report.trees);
        added.extend(report.added_suppressions);
    }
    add_open(&mut joined.findings, open);
    summary.unreadable = summary.unreadable.saturating_sub(drop_repeated(&mut joined.problems));
    joined.problems.extend(stale);
    joined.problems.sort_by(|a, b| order(a).cmp(&order(b)));
    joined.added_suppressions = counted_once(added);
    for finding in &joined.findings {
        summary.count(finding.outcome, finding.places());
    }
    let is_error = |problem: &&Problem| problem.level == Level::Error;
    summary.errors = joined.problems.iter().filter(is_error).count();
    joined.summary = summary;
    Ok(Joined {
        report: joined,
        fail_on: gate.as_ref().map(|gate| gate.fail_on).unwrap_or_default(),
        fail_on_unknown: gate.as_ref().is_some_and(|gate| gate.fail_on_unknown),
        strict: gate.is_some_and(|gate| gate.strict),
    })
}

/// Puts findings about suppressions among the others, ordered as in a run that was not split.
fn add_open(findings: &mut Vec<Finding>, open: Vec<Finding>) {
    let touched: BTreeSet<Arc<str>> = open.iter().map(|finding| Arc::clone(&finding.template)).collect();
    findings.extend(open);
    let place = |finding: &Finding| (finding.place.start, finding.place.end);
    // All other findings of a template are of one part, in their order.
    findings.sort_by(|a, b| match a.template.cmp(&b.template) {
        Ordering::Equal if touched.contains(&a.template) => place(a).cmp(&place(b)),
        order => order,
    });
}

/// Drops the problems that several parts have, such as those of a module that they use. Returns how many of them are
/// errors that were turned into warnings.
fn drop_repeated(problems: &mut Vec<Problem>) -> usize {
    let mut repeated = 0;
    let mut seen: BTreeSet<(String, Arc<str>, Point, Point, String)> = BTreeSet::new();
    problems.retain(|problem| {
        let (file, start, end) = (Arc::clone(problem.place.file.name()), problem.place.start, problem.place.end);
        let is_new = seen.insert((problem.code.to_string(), file, start, end, problem.message.clone()));
        let usual = Code::read(&problem.code).map(Code::level);
        repeated += usize::from(!is_new && problem.level == Level::Warning && usual == Some(Level::Error));
        is_new
    });
    repeated
}

/// Returns the sort key for problems of several files.
fn order(problem: &Problem) -> (&str, Point, Point, Option<Code>, &str) {
    let (file, start, end) = problem.place.key();
    (file, start, end, Code::read(&problem.code), &problem.message)
}

/// Returns the change of the reports, with what all of them know of its files.
fn change(reports: &[Report]) -> Option<Change> {
    let changes = || reports.iter().filter_map(|report| report.change.as_ref());
    let files = changes().flat_map(|change| &change.files);
    let files = files.map(|(name, there)| (Arc::clone(name), there.clone())).collect();
    changes().next().map(|change| Change { files, ..change.clone() })
}

/// Returns the suppressions that the change adds, each once, with what it suppresses in all parts.
fn counted_once(added: Vec<AddedSuppression>) -> Vec<AddedSuppression> {
    let mut all: BTreeMap<(Arc<str>, Point, String), AddedSuppression> = BTreeMap::new();
    for added in added {
        let key = (Arc::clone(added.place.file.name()), added.place.start, added.rule.clone());
        match all.get_mut(&key) {
            Some(known) => known.findings = known.findings.saturating_add(added.findings),
            None => {
                all.insert(key, added);
            }
        }
    }
    all.into_values().collect()
}

/// Returns the notices of all reports, each once.
fn notices(reports: &[Report]) -> Vec<String> {
    let mut notices: Vec<String> = Vec::new();
    for notice in reports.iter().flat_map(|report| &report.notices) {
        if !notices.contains(notice) {
            notices.push(notice.clone());
        }
    }
    notices
}

/// Requires that the same settings decided on all parts.
fn require_one_policy(reports: &[Named]) -> Result<(), Error> {
    let parts = reports.iter().filter_map(|named| Some((&named.name, (&named.part()?.gate, &named.report.rules))));
    let mut parts = parts;
    let Some((name, first)) = parts.next() else { return Ok(()) };
    match parts.find(|(_, other)| *other != first) {
        Some((other, _)) => Err(Error::Settings { name: name.clone(), other: other.clone() }),
        None => Ok(()),
    }
}

fn add(sum: Summary, report: &Report) -> Summary {
    let part = &report.summary;
    let is_passed = |finding: &&Finding| finding.outcome == Outcome::Passed;
    let listed = report.findings.iter().filter(is_passed).count();
    Summary {
        templates: sum.templates.saturating_add(part.templates),
        deployments: sum.deployments.saturating_add(part.deployments),
        resources: sum.resources.saturating_add(part.resources),
        rules: sum.rules.max(part.rules),
        // Reports list results that passed only on request. Those are counted with the others.
        passed: sum.passed.saturating_add(part.passed.saturating_sub(listed)),
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
    let parts = reports.iter().filter_map(|named| Some((named.part()?.shard, named)));
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
    if let Some(whole) = reports.iter().find(|named| named.part().is_none()) {
        return Err(Error::Whole { name: whole.name.clone() });
    }
    let missing: Vec<String> =
        (1..=count).filter(|index| !known.contains_key(index)).map(|index| index.to_string()).collect();
    if missing.is_empty() { Ok(()) } else { Err(Error::Missing { missing: missing.join(", "), count }) }
}

/// Requires that all reports are of the same change.
fn require_one_change(reports: &[Named]) -> Result<(), Error> {
    let Some((first, rest)) = reports.split_first() else { return Ok(()) };
    if let Some(other) = rest.iter().find(|named| event(named) != event(first)) {
        return Err(Error::Change { name: first.name.clone(), other: other.name.clone() });
    }
    // Only the report of a part has the lines of the head.
    match reports.iter().find(|named| named.report.change.is_some() && named.part().is_none()) {
        Some(named) if reports.len() > 1 => Err(Error::NotAPart { name: named.name.clone() }),
        _ => Ok(()),
    }
}

/// Returns the change of a report without the files of its part.
fn event(named: &Named) -> Option<Change> {
    named.report.change.as_ref().map(|change| Change { files: BTreeMap::new(), ..change.clone() })
}
