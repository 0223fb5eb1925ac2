//! Drift as text for a terminal.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};

use crate::counted::counted;
use crate::difference::Severity;
use crate::drift::document::{ComparedResource, DriftReport, DriftState};
use crate::text::cut;
use crate::text::escape::visible;

/// Resources that are listed.
const MAX_LISTED: usize = 1_000;

/// Properties of one resource that are listed.
const MAX_CHANGES: usize = 20;

/// Bytes of a name, a path, or a reason that are shown.
const MAX_NAME: usize = 200;

/// Returns the resources that differ, and a line with counts. With `has_all`, values that cannot be compared and
/// properties that the templates leave out are listed, too.
pub fn text(report: &DriftReport, is_colored: bool, has_all: bool) -> String {
    let mut text = String::new();
    let listed = report.listed(has_all);
    for resource in listed.iter().take(MAX_LISTED) {
        push_resource(&mut text, resource, is_colored, has_all);
    }
    if listed.len() > MAX_LISTED {
        let _ = writeln!(text, "… and {}", counted(listed.len() - MAX_LISTED, "more resource"));
    }
    let _ = writeln!(text, "{}", report.summary_text(has_all));
    text
}

fn push_resource(text: &mut String, resource: &ComparedResource, is_colored: bool, has_all: bool) {
    let style = if is_colored { style(resource.outcome) } else { Style::new() };
    let place = match (&resource.file, resource.line) {
        (Some(file), Some(line)) => format!(" ({}:{line})", visible(file)),
        _ => String::new(),
    };
    let note = match resource.note() {
        note if note.is_empty() => note,
        note => format!(": {}", shown(&note)),
    };
    let title = format!("{} {} {}", resource.sign(), shown(&resource.type_name), shown(&resource.name));
    let _ = writeln!(text, "  {style}{title}{style:#}{place}{note}");
    for change in resource.changes.iter().take(MAX_CHANGES) {
        let values = change.text(resource.cloud(), |value| visible(value).into_owned());
        let mark = if change.severity == Severity::High { "high: " } else { "" };
        let _ = writeln!(text, "      {mark}{}: {values}", shown(&change.path));
    }
    push_more(text, resource.changes.len().saturating_sub(MAX_CHANGES) + resource.more_changes);
    if has_all {
        let lists = [
            (&resource.unseen, "is not returned"),
            (&resource.uncompared, "is known only after a deployment, or secret"),
            (&resource.unset, "is not set by the template"),
        ];
        for (paths, note) in lists {
            for path in paths.iter().take(MAX_CHANGES) {
                let _ = writeln!(text, "      {}: {note}", shown(path));
            }
            push_more(text, paths.len().saturating_sub(MAX_CHANGES));
        }
    }
}

fn push_more(text: &mut String, count: usize) {
    if count > 0 {
        let _ = writeln!(text, "      … and {count} more");
    }
}

fn style(outcome: DriftState) -> Style {
    match outcome {
        DriftState::Drifted => AnsiColor::Yellow.on_default(),
        DriftState::Missing => AnsiColor::Red.on_default(),
        DriftState::Unmanaged => AnsiColor::Green.on_default(),
        DriftState::Uncertain => AnsiColor::Magenta.on_default(),
        DriftState::Same => Style::new(),
    }
}

fn shown(text: &str) -> String {
    visible(&cut(text, MAX_NAME)).into_owned()
}
