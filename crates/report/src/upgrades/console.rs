//! Upgrades as text for a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use crate::counted::counted;
use crate::text::cut;
use crate::text::escape::{file_name, visible};
use crate::upgrades::document::{UpgradedVersion, Upgrades, VersionOutcome};

/// Versions that are listed.
const MAX_LISTED: usize = 1_000;

/// Differences of one version that are listed.
const MAX_CHANGES: usize = 3;

/// Bytes of a name, a path, or a message that are shown.
const MAX_NAME: usize = 200;

/// Returns the versions that can move or have to stay, by file, and a line with counts. Current ones are only counted.
pub fn text(upgrades: &Upgrades, is_colored: bool) -> String {
    let mut text = String::new();
    let listed: Vec<&UpgradedVersion> =
        upgrades.resources.iter().filter(|one| one.outcome != VersionOutcome::Current).collect();
    let width = listed.iter().map(|one| one.type_name.chars().count()).max().unwrap_or_default().min(MAX_NAME);
    let mut file = None;
    for one in listed.iter().take(MAX_LISTED) {
        if file.replace(&one.file) != Some(&one.file) {
            let _ = writeln!(text, "{}", file_name(&one.file));
        }
        let style = if is_colored { style(one.outcome) } else { Style::new() };
        let type_name = shown(&one.type_name);
        let _ = writeln!(text, "  {:>4}  {type_name:width$}  {style}{}{style:#}", one.line, line(one));
    }
    if listed.len() > MAX_LISTED {
        let _ = writeln!(text, "… and {}", counted(listed.len() - MAX_LISTED, "more version"));
    }
    let _ = writeln!(text, "{}", summary(upgrades));
    text
}

fn style(outcome: VersionOutcome) -> Style {
    match outcome {
        VersionOutcome::Safe => AnsiColor::Green.on_default(),
        VersionOutcome::Stays => AnsiColor::Yellow.on_default(),
        VersionOutcome::Current | VersionOutcome::Skipped => Style::new(),
    }
}

fn shown(text: &str) -> String {
    visible(&cut(text, MAX_NAME)).into_owned()
}

/// Describes what becomes of a version.
fn line(one: &UpgradedVersion) -> String {
    let (from, to) = (shown(&one.from), one.to.as_deref().map(shown).unwrap_or_default());
    let note = note(one, shown);
    match one.outcome {
        VersionOutcome::Safe => format!("{from} → {to}  safe{note}"),
        VersionOutcome::Stays => format!("{from}  stays{note}"),
        VersionOutcome::Current => format!("{from}  current"),
        VersionOutcome::Skipped => format!("{from}  skipped{note}"),
    }
}

/// Returns what else there is to know about a version, with texts of templates as `shown` returns them.
pub(super) fn note(one: &UpgradedVersion, shown: impl Fn(&str) -> String) -> String {
    let mut notes: Vec<String> = Vec::new();
    if let Some(reason) = &one.reason {
        notes.push(shown(reason));
    }
    if one.outcome == VersionOutcome::Stays {
        let to = one.to.as_deref().unwrap_or_default();
        let differences = one.breaking.iter().take(MAX_CHANGES);
        let mut differences: Vec<String> = differences
            .map(|breaking| format!("{} ({}:{})", shown(&breaking.message), shown(&breaking.file), breaking.line))
            .collect();
        if one.breaking.len() > MAX_CHANGES {
            differences.push(format!("{} more", one.breaking.len() - MAX_CHANGES));
        }
        notes.push(format!("{} {}", shown(to), differences.join(", and ")));
    }
    let paths = |paths: &[String]| {
        let mut listed: Vec<String> = paths.iter().take(MAX_CHANGES).map(|path| shown(path)).collect();
        if paths.len() > MAX_CHANGES {
            listed.push(format!("{} more", paths.len() - MAX_CHANGES));
        }
        listed.join(", ")
    };
    if one.outcome == VersionOutcome::Safe && !one.unseen.is_empty() {
        notes.push(format!("as far as can be seen without the values of {}", paths(&one.unseen)));
    }
    if one.outcome == VersionOutcome::Safe && !one.ignored.is_empty() {
        notes.push(format!("read-only in it: {}", paths(&one.ignored)));
    }
    if one.outcome == VersionOutcome::Safe && one.from.len() > one.to.as_ref().map_or(0, String::len) {
        notes.push("a preview that a stable version replaces".to_owned());
    }
    if notes.is_empty() { String::new() } else { format!(": {}", notes.join("; ")) }
}

/// Returns the counts of the outcomes.
pub(super) fn summary(upgrades: &Upgrades) -> String {
    let summary = &upgrades.summary;
    if upgrades.resources.is_empty() {
        return "Nothing to upgrade: no API versions".to_owned();
    }
    let stay = if summary.stays == 1 { "stays" } else { "stay" };
    let counts = format!("{} safe, {} {stay}, {} current", summary.safe, summary.stays, summary.current);
    let mut parts = vec![counts];
    if summary.skipped > 0 {
        parts.push(format!("{} skipped", summary.skipped));
    }
    let action = match (summary.written, summary.safe) {
        (0, 0) => String::new(),
        (0, safe) => format!("; `--write` changes the {safe}"),
        (files, _) => format!("; {} changed", counted(files, "file")),
    };
    format!("{}{action}", parts.join(", "))
}
