//! Upgrades as Markdown, for the summary of a job.

use std::fmt::Write as _;

use crate::text::cut;
use crate::text::escape::markdown::{code, prose};
use crate::upgrades::console::{note, summary};
use crate::upgrades::document::{UpgradedVersion, Upgrades, VersionOutcome};

/// Bytes of a name, a path, or a message that are shown.
const MAX_NAME: usize = 200;

/// Bytes reserved for the last line.
const MAX_FOOTER: usize = 100;

/// Returns the upgrades as a section of a page, with at most `limit` bytes. Versions that have to stay come first.
pub fn section(upgrades: &Upgrades, limit: usize) -> String {
    let mut page = format!("### Newer API versions\n\n{}.\n", summary(upgrades));
    let of = |outcome| upgrades.resources.iter().filter(move |one| one.outcome == outcome);
    let rows: Vec<&UpgradedVersion> = of(VersionOutcome::Stays).chain(of(VersionOutcome::Safe)).collect();
    if rows.is_empty() {
        return page;
    }
    page.push_str("\n| place | type | from | to | |\n|---|---|---|---|---|\n");
    for (at, one) in rows.iter().enumerate() {
        let row = row(one);
        if page.len() + row.len() + MAX_FOOTER > limit {
            let _ = writeln!(page, "\n{} more, for which this page has no room", rows.len() - at);
            break;
        }
        page.push_str(&row);
    }
    page
}

fn row(one: &UpgradedVersion) -> String {
    let short = |text: &str| code(&cut(text, MAX_NAME));
    let place = short(&format!("{}:{}", one.file, one.line));
    let note = prose(&note(one, |text| cut(text, MAX_NAME)));
    let (outcome, to) = match one.outcome {
        VersionOutcome::Safe => ("safe", one.to.as_deref().map(short).unwrap_or_default()),
        _ => ("stays", String::new()),
    };
    format!("| {place} | {} | {} | {to} | {outcome}{note} |\n", short(&one.type_name), short(&one.from))
}
