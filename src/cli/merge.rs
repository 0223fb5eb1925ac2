//! `formwork merge`: joins the reports of the parts of a check into one report and one exit code.

use std::fs;
use std::path::{Path, PathBuf};

use crate::cli::Environment;
use crate::cli::args::{FailOnScope, MergeArguments};
use crate::cli::check::{Checked, exit, nothing_to_check};
use crate::cli::exit::{Error, Exit};
use crate::cli::notice::notice;
use crate::cli::reports::{self, ReportRequest};
use crate::diagnostic::{FailOn, Outcome, Severity};
use crate::engine::{Status, Threads};
use crate::files::{display_name, read_given};
use crate::join::{self, Joined, Named};
use crate::path::normalize;
use crate::report::Report;

/// Joins reports, and prints and writes the joined report.
pub(super) fn run(arguments: &MergeArguments, environment: &Environment) -> Result<Exit, Error> {
    let merged = merge(arguments, environment)?;
    let printed = merged.report.as_ref().map_or(Ok(()), |(report, threads)| {
        reports::print(ReportRequest::of_merge(arguments, threads), environment, report)
    });
    let exit = merged.into_exit();
    printed.map(|()| exit)
}

/// Joins reports, and writes the joined report to files. Prints only to standard error.
pub(super) fn merge(arguments: &MergeArguments, environment: &Environment) -> Result<Checked, Error> {
    reports::refuse(&arguments.output, environment)?;
    let named = read(&arguments.reports, &environment.working)?;
    let joined = join::join(named)?;
    let choices = arguments.settings.given.choices;
    let gate = Gate::new(arguments, &joined);
    let mut report = joined.report;
    report.lists_unknown = arguments.show_unknown || gate.fails_on_unknown;
    report.hides_low &= choices.fail_on != Some(FailOn::Severity(Severity::Low));
    if choices.strict.unwrap_or(joined.strict) {
        report.refuse_not_checked();
    } else if choices.allow_unreadable.unwrap_or_default() {
        report.allow_unreadable();
    }
    let status = gate.status(&report);
    if is_empty(&report) && (!arguments.quiet || status == Status::NoInputs) {
        notice(nothing_to_check(report.change.is_some()));
    }
    let threads = Threads::start(0)?;
    let unwritten = reports::write(ReportRequest::of_merge(arguments, &threads), environment, &report);
    Ok(Checked { unwritten, ..Checked::new(exit(status), Some((report, threads))) })
}

/// Reads the reports at these paths.
fn read(paths: &[PathBuf], working: &Path) -> Result<Vec<Named>, Error> {
    let mut named = Vec::new();
    for path in paths {
        let path = normalize(working, path);
        let files = if path.is_dir() { files_below(&path) } else { vec![path.clone()] };
        if files.is_empty() {
            return Err(join::Error::Empty { name: display_name(working, &path) }.into());
        }
        for file in files {
            let name = display_name(working, &file);
            let bytes = read_given(&file, join::MAX_BYTES)
                .map_err(|source| join::Error::Unreadable { name: name.clone(), source })?;
            named.push(Named::read(name, &bytes)?);
        }
    }
    Ok(named)
}

/// Returns the JSON files in a folder and its subfolders, such as one for each artifact, sorted by path. Links are
/// not followed.
fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<_> = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).collect();
    entries.sort_by_key(fs::DirEntry::path);
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(&path)),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json")) => {
                files.push(path);
            }
            _ => {}
        }
    }
    files
}

/// Criteria for the exit code.
struct Gate {
    fail_on: FailOn,
    fails_on_unknown: bool,
    counts_changed_only: bool,
    requires_inputs: bool,
}

impl Gate {
    /// Uses the settings of the check, and not those of the checkout, because a change could weaken them.
    fn new(arguments: &MergeArguments, joined: &Joined) -> Self {
        let choices = arguments.settings.given.choices;
        Self {
            fail_on: choices.fail_on.unwrap_or(joined.fail_on),
            fails_on_unknown: choices.fail_on_unknown.unwrap_or(joined.fail_on_unknown),
            counts_changed_only: arguments.fail_on_scope == FailOnScope::Changed,
            requires_inputs: arguments.require_inputs,
        }
    }

    fn status(&self, report: &Report) -> Status {
        if self.requires_inputs && is_empty(report) {
            return Status::NoInputs;
        }
        let fails = report.findings.iter().any(|finding| {
            let is_bad =
                finding.outcome == Outcome::Failed || (self.fails_on_unknown && finding.outcome == Outcome::Unknown);
            is_bad
                && self.fail_on.is_reached_by(finding.rule.severity)
                && (!self.counts_changed_only || finding.in_change != Some(false))
        });
        if report.summary.errors > 0 {
            Status::Incomplete
        } else if fails || self.counts_outside(report) {
            Status::Failed
        } else {
            Status::Passed
        }
    }

    /// True if a finding counts that the reports do not list, because it is outside of the change.
    fn counts_outside(&self, report: &Report) -> bool {
        let outside = report.summary.outside;
        let counts = [(outside.high, Severity::High), (outside.medium, Severity::Medium), (outside.low, Severity::Low)];
        let mut reached = counts.iter().filter(|(count, severity)| *count > 0 && self.fail_on.is_reached_by(*severity));
        !self.counts_changed_only && reached.next().is_some()
    }
}

fn is_empty(report: &Report) -> bool {
    report.summary.templates == 0 && report.summary.errors == 0 && report.summary.unreadable == 0
}
