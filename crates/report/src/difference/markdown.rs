//! Writes a difference as Markdown for GitHub, for the summary of a job and for a comment on a pull request.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::difference::document::{Change, Deployment, Difference, Resource, Severity};
use crate::difference::wording::{unsaid, untouched, values, versions};
use crate::text::cut;
use crate::text::escape::markdown::{code, prose};
use crate::titles;

/// Properties, risks, and names of one resource, deployment, or cause that are listed.
const MAX_PROPERTIES: usize = 20;
const MAX_RISKS: usize = 10;
const MAX_NAMES: usize = 8;

/// Bytes of a name, a path, or a note that are shown.
const MAX_NAME: usize = 200;

/// End of a fold, after its last row.
const END: &str = "\n</details>\n";

/// Bytes reserved for the last lines.
const MAX_FOOTER: usize = 300;

/// Display of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// Files with line numbers.
    Lines,
    /// Files only, for a text that is compared between runs, since lines move.
    Files,
}

/// Returns the difference as a section of a page, with at most `limit` bytes. Each deployment is folded, most severe
/// risks first. Empty if not even the heading fits.
pub fn section(difference: &Difference, limit: usize, places: Places) -> String {
    let mut page = heading(difference);
    let limit = limit.saturating_sub(MAX_FOOTER);
    if page.len() > limit {
        return String::new();
    }
    let mut left = difference.deployments.len();
    for alike in difference.alike() {
        let Some(block) = fold(&alike, limit.saturating_sub(page.len()), places) else { break };
        page.push_str(&block);
        left -= alike.len();
    }
    if let Some(left) = unsaid(left, 0, 0, "deployment") {
        let _ = writeln!(page, "\n{left}, for which this page has no room");
    }
    if difference.leaves_resources() {
        page.push_str("\nA resource that is no longer deployed is not deleted by an incremental deployment.\n");
    }
    page
}

fn heading(difference: &Difference) -> String {
    let (differing, all, unreadable) = difference.deployments();
    let mut text = "### What this change deploys\n\n".to_owned();
    if differing == 0 {
        let noun = if all == 1 { "deployment" } else { "deployments" };
        let _ = write!(text, "No difference in {all} {noun}");
    } else {
        let verb = if differing == 1 { "differs" } else { "differ" };
        let _ = write!(text, "{differing} of {all} deployments {verb}: {}", difference.counts());
    }
    if difference.summary.untouched > 0 {
        let _ = write!(text, "; {}", untouched(difference.summary.untouched));
    }
    if unreadable > 0 {
        let _ = write!(text, "; {unreadable} cannot be compared");
    }
    text.push_str(".\n");
    let risks = Severity::ALL.map(|severity| (difference.risks(severity), severity.as_str()));
    let risks: Vec<String> =
        risks.iter().filter(|(count, _)| *count > 0).map(|(count, word)| format!("{count} {word}")).collect();
    if !risks.is_empty() {
        let _ = writeln!(text, "\n**Risks: {}**", risks.join(", "));
    }
    if !difference.summary.versions.is_zero() {
        let _ = writeln!(text, "\n{}.", versions(&difference.summary.versions));
    }
    text
}

/// Returns deployments that differ in the same way, with as many of their resources as fit into `room` bytes. `None` if
/// not even one fits.
fn fold(alike: &[&Deployment], room: usize, places: Places) -> Option<String> {
    let deployment = alike.first()?;
    let room = room.checked_sub(END.len() + 100)?;
    let mut block = format!("\n<details><summary>{}</summary>\n\n", title(alike, deployment));
    for cause in deployment.causes.iter().take(MAX_NAMES) {
        let values = values(cause.old.as_ref(), cause.new.as_ref(), code);
        let _ = writeln!(block, "- parameter {}: {values}", code(&cut(&cause.parameter, MAX_NAME)));
    }
    if let Some(left) = unsaid(deployment.causes.len(), MAX_NAMES, 0, "parameter") {
        let _ = writeln!(block, "- {left}");
    }
    let (mut rows, mut folded) = (Vec::new(), BTreeMap::<usize, Vec<&Resource>>::new());
    for (resource, cause) in deployment.resources.iter().zip(deployment.folded()) {
        match cause {
            Some(cause) => folded.entry(cause).or_default().push(resource),
            None => rows.push(row(resource, deployment, places)),
        }
    }
    rows.extend(folded.iter().map(|(at, resources)| {
        let parameter = deployment.causes.get(*at).map_or("", |cause| cause.parameter.as_str());
        rest(resources, parameter)
    }));
    if !rows.is_empty() {
        block.push_str("\n| | Resource | Difference |\n|---|---|---|\n");
    }
    let head = block.len();
    if head > room {
        return None;
    }
    let mut left = rows.len();
    for row in &rows {
        if block.len() + row.len() > room {
            break;
        }
        block.push_str(row);
        left -= 1;
    }
    if left > 0 && left == rows.len() {
        return None;
    }
    let left = left + deployment.unlisted();
    if left > 0 {
        let _ = writeln!(block, "\n… and {left} more, for which this page has no room");
    }
    block.push_str(END);
    Some(block)
}

fn title(alike: &[&Deployment], deployment: &Deployment) -> String {
    let mut title = code(&cut(&deployment.template, MAX_NAME));
    let names = alike.iter().filter_map(|one| one.parameters.as_ref());
    let names: Vec<String> = names.take(MAX_NAMES).map(|name| code(&cut(name, MAX_NAME))).collect();
    if !names.is_empty() {
        let _ = write!(title, " with {}", names.join(", "));
    }
    if let Some(more) = alike.len().checked_sub(MAX_NAMES).filter(|more| *more > 0) {
        let _ = write!(title, ", and {more} more");
    }
    let parts = [deployment.note().to_owned(), deployment.counts()];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let about = if alike.len() > 1 { format!("each {}", parts.join("; ")) } else { parts.join("; ") };
    if about.is_empty() { title } else { format!("{title}: {about}") }
}

fn row(resource: &Resource, deployment: &Deployment, places: Places) -> String {
    let mut name = named(resource);
    let file = resource.file.as_ref().map(|file| cut(file, MAX_NAME));
    if let Some(file) = file {
        let place = match places {
            Places::Lines => format!("{file}:{}", resource.line.unwrap_or_default()),
            Places::Files => file,
        };
        let _ = write!(name, "<br><sub>{}</sub>", code(&place));
    }
    let mut lines: Vec<String> = resource.notes().iter().map(|note| prose(&cut(note, MAX_NAME))).collect();
    for risk in resource.risks.iter().take(MAX_RISKS) {
        let path = risk.path.as_ref().map_or_else(String::new, |path| format!(" ({})", code(&cut(path, MAX_NAME))));
        lines.push(format!("**{} risk**: {}{path}", risk.severity.as_str(), prose(&cut(&risk.message, MAX_NAME))));
    }
    lines.extend(unsaid(resource.risks.len(), MAX_RISKS, 0, "risk"));
    lines.extend(resource.changes.iter().take(MAX_PROPERTIES).map(|change| property(change, deployment)));
    lines.extend(unsaid(resource.changes.len(), MAX_PROPERTIES, resource.more_changes, "property"));
    format!("| {} | {name} | {} |\n", code(resource.sign()), lines.join("<br>"))
}

fn named(resource: &Resource) -> String {
    titles::resource(&resource.type_name, &resource.name, |text| code(&cut(text, MAX_NAME)))
}

fn property(change: &Change, deployment: &Deployment) -> String {
    let values = values(change.old.as_ref(), change.new.as_ref(), code);
    let cause = change.cause.and_then(|at| deployment.causes.get(at));
    let cause =
        cause.map_or_else(String::new, |cause| format!(" (parameter {})", code(&cut(&cause.parameter, MAX_NAME))));
    format!("{}: {values}{cause}", code(&cut(&change.path, MAX_NAME)))
}

/// Returns the names of resources that differ only by a parameter and have no rows.
fn rest(resources: &[&Resource], parameter: &str) -> String {
    let names: Vec<String> = resources.iter().take(MAX_NAMES).map(|resource| named(resource)).collect();
    let count = resources.len();
    let left = count - names.len();
    let more = if left > 0 { format!(", and {left} more") } else { String::new() };
    let verb = if count == 1 { "differs" } else { "differ" };
    let parameter = code(&cut(parameter, MAX_NAME));
    format!("| {} | {count} more {verb} only by parameter {parameter} | {}{more} |\n", code("~"), names.join(", "))
}
