//! Drift as Markdown, for the summary of a job.

use std::fmt::Write as _;

use crate::difference::Severity;
use crate::drift::document::{ComparedResource, DriftReport};
use crate::text::cut;
use crate::text::escape::markdown::{code, prose};

/// Properties of one resource that are listed.
const MAX_CHANGES: usize = 20;

/// Bytes of a name, a path, or a reason that are shown.
const MAX_NAME: usize = 200;

/// Bytes reserved for the last line.
const MAX_FOOTER: usize = 100;

/// Returns the drift as a section of a page, with at most `limit` bytes.
pub fn section(report: &DriftReport, limit: usize) -> String {
    let mut page = format!("### Drift of resources\n\n{}.\n", report.summary_text(true));
    let listed = report.listed(false);
    if listed.is_empty() {
        return page;
    }
    page.push_str("\n| | resource | difference |\n|---|---|---|\n");
    for (at, resource) in listed.iter().enumerate() {
        let row = row(resource);
        if page.len() + row.len() + MAX_FOOTER > limit {
            let _ = writeln!(page, "\n{} more, for which this page has no room", listed.len() - at);
            break;
        }
        page.push_str(&row);
    }
    page
}

fn row(resource: &ComparedResource) -> String {
    let short = |text: &str| code(&cut(text, MAX_NAME));
    let place = match (&resource.file, resource.line) {
        (Some(file), Some(line)) => format!("<br><sub>{}</sub>", short(&format!("{file}:{line}"))),
        _ => String::new(),
    };
    let mut notes = vec![prose(&cut(&resource.note(), MAX_NAME))];
    notes.extend(resource.changes.iter().take(MAX_CHANGES).map(|change| {
        let mark = if change.severity == Severity::High { "**high**: " } else { "" };
        format!("{mark}{}: {}", short(&change.path), change.text(resource.cloud(), code))
    }));
    let more = resource.changes.len().saturating_sub(MAX_CHANGES) + resource.more_changes;
    notes.extend((more > 0).then(|| format!("… and {more} more")));
    notes.retain(|note| !note.is_empty());
    let (type_name, name) = (short(&resource.type_name), short(&resource.name));
    format!("| {} | {type_name} {name}{place} | {} |\n", code(resource.sign()), notes.join("<br>"))
}
