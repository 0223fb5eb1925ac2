//! The tool `check`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use formwork_mcp::{ToolAnswer, ToolCall};

use crate::cli::mcp::unsaved::Unsaved;
use crate::cli::mcp::workbench::{Workbench, into_report};
use crate::config::{Settings, weakened};
use crate::diagnostic::{Code, Level, Outcome, Severity, matches_pattern};
use crate::engine::DeployedResources;
use crate::report::brief::{self, quoted};
use crate::report::model::{AddedSuppression, File, Finding, Place, Point, Problem};
use crate::report::{BriefOptions, Report};

/// A suppressed finding: the rule, the template, and the fingerprint.
type Accepted = BTreeSet<(String, Arc<str>, String)>;

/// Checks the paths of a call, and compares them with the disk if the call has unsaved texts.
pub(super) fn check(bench: &mut Workbench, call: &ToolCall) -> Result<ToolAnswer, String> {
    let arguments = &call.arguments;
    let unsaved = bench.unsaved(arguments)?;
    let paths = bench.paths(arguments, &unsaved)?;
    let least = arguments.text("min_severity").and_then(severity);
    let mut report = checked(bench, &unsaved, paths.clone(), least, call)?;
    let only = arguments.text("rule").map(|rule| {
        retain_rule(&mut report, rule);
        format!("Only findings of {} are counted.\n", quoted(rule))
    });
    let question = format!("{paths:?} {least:?} {only:?}");
    let options = BriefOptions {
        kinds: arguments.count("limit").unwrap_or(BriefOptions::default().kinds).max(1),
        cursor: arguments.count("cursor").unwrap_or_default(),
        progress: if call.is_late() { None } else { bench.memory.progress(question, &report) },
        is_paged: true,
        ..BriefOptions::default()
    };
    let text = brief::text(&report, &options);
    Ok(ToolAnswer::text(late(call) + &text + &only.unwrap_or_default()))
}

/// Returns the beginning of the answer of a call that was stopped.
pub(super) fn late(call: &ToolCall) -> String {
    if call.is_late() {
        "INCOMPLETE the call took too long and was stopped; this was found until then:\n".to_owned()
    } else {
        String::new()
    }
}

/// Returns the report on paths, with what the unsaved texts hide of the files on the disk.
pub(super) fn checked(
    bench: &mut Workbench,
    unsaved: &Unsaved,
    paths: Vec<PathBuf>,
    least: Option<Severity>,
    call: &ToolCall,
) -> Result<Report, String> {
    let settings = bench.settings(unsaved);
    let before = if unsaved.is_empty() { None } else { Some(before(bench, &paths, least, call)?) };
    let finished = bench.check(unsaved, paths, least, call)?;
    let now = DeployedResources::of_run(&finished.run, str::to_owned);
    let mut report = into_report(finished);
    let root = bench.root.clone();
    let deleted: BTreeSet<String> = unsaved.deleted.iter().map(|path| bench.name(path)).collect();
    // The walk finds files on the disk that count as deleted.
    let is_deleted =
        |problem: &Problem| deleted.contains(&**problem.place.file.name()) && problem.level == Level::Error;
    let errors = report.problems.len();
    report.problems.retain(|problem| !is_deleted(problem));
    report.summary.errors = report.summary.errors.saturating_sub(errors - report.problems.len());
    if call.is_late() {
        report.problems.retain(|problem| problem.code != Code::InternalFault.as_str());
    }
    let saved_settings = before.as_ref().map_or(&settings, |before| &before.settings);
    let standing = weakened(&Settings::default(), saved_settings, &root);
    if !standing.is_empty() {
        report.problems.push(weakening(&format!("the settings of the workspace let pass: {}", standing.join(", "))));
    }
    if let Some(before) = before {
        report.no_longer_deployed = before.deployed.without(&now, |name| unsaved.has(&root.join(name)));
        report.added_suppressions = added_suppressions(&report, &before.accepted);
        let weaker = weakened(&before.settings, &settings, &root);
        if !weaker.is_empty() {
            report.problems.push(weakening(&format!("the change weakens its own check: {}", weaker.join(", "))));
        }
    }
    Ok(report)
}

/// The state of the disk.
struct Before {
    deployed: DeployedResources,
    accepted: Accepted,
    settings: Settings,
}

fn before(
    bench: &mut Workbench,
    paths: &[PathBuf],
    least: Option<Severity>,
    call: &ToolCall,
) -> Result<Before, String> {
    let saved = Unsaved::default();
    let paths: Vec<PathBuf> = paths.iter().filter(|path| path.exists()).cloned().collect();
    let settings = bench.settings(&saved);
    if paths.is_empty() {
        return Ok(Before { deployed: DeployedResources::default(), accepted: Accepted::default(), settings });
    }
    // Settings on the disk that cannot be used hide nothing.
    let Ok(finished) = bench.check(&saved, paths, least, call) else {
        return Ok(Before { deployed: DeployedResources::default(), accepted: Accepted::default(), settings });
    };
    let deployed = DeployedResources::of_run(&finished.run, str::to_owned);
    let suppressed = finished.run.findings.iter().filter(|finding| finding.outcome == Outcome::Suppressed);
    let accepted = suppressed
        .map(|finding| (finding.rule.id.clone(), Arc::clone(&finding.template), finding.fingerprint.clone()))
        .collect();
    Ok(Before { deployed, accepted, settings })
}

/// Returns the suppressions of findings that are not suppressed on the disk.
fn added_suppressions(report: &Report, before: &Accepted) -> Vec<AddedSuppression> {
    let mut added: BTreeMap<(String, String, u32), AddedSuppression> = BTreeMap::new();
    let suppressed = report.findings.iter().filter(|finding| finding.outcome == Outcome::Suppressed);
    for finding in suppressed {
        let key = (finding.rule.id.clone(), Arc::clone(&finding.template), finding.fingerprint.clone());
        let Some(by) = finding.suppressed.as_deref().filter(|_| !before.contains(&key)) else { continue };
        let place = by.place.as_ref().unwrap_or(&finding.place);
        let key = (finding.rule.id.clone(), place.file.name().to_string(), place.start.line);
        let entry = added.entry(key).or_insert_with(|| AddedSuppression {
            rule: finding.rule.id.clone(),
            kind: by.kind,
            place: place.clone(),
            reason: by.reason.clone(),
            findings: 0,
        });
        entry.findings += finding.places();
    }
    added.into_values().collect()
}

/// Returns the problem that lists what settings let pass.
fn weakening(message: &str) -> Problem {
    let file = Arc::new(File::of_lines("formwork.yaml", BTreeMap::new(), BTreeMap::new()));
    let place = Place { file, start: Point::START, end: Point::START, head: None };
    Problem {
        code: Code::ConfigWeakened.as_str().into(),
        level: Level::Warning,
        message: message.to_owned(),
        place,
        caption: String::new(),
        related: Vec::new(),
        help: None,
        not_checked: None,
    }
}

/// Leaves only findings of the rules that a pattern matches.
fn retain_rule(report: &mut Report, rule: &str) {
    let is_meant =
        |finding: &Finding| [&finding.rule.id, &finding.rule.name].iter().any(|name| matches_pattern(rule, name));
    report.findings.retain(is_meant);
}

fn severity(word: &str) -> Option<Severity> {
    [Severity::Low, Severity::Medium, Severity::High].into_iter().find(|severity| severity.as_str() == word)
}
