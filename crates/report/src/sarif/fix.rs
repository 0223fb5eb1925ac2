//! Fixes in SARIF.

use std::collections::BTreeMap;

use serde_sarif::sarif;

use crate::diagnostic::Outcome;
use crate::fault::Fault;
use crate::sarif::location::Locator;

/// Returns the fix of a failed finding, if one is certain.
pub(super) fn fix_of_fault(finding: &Fault<'_>, locator: Locator<'_>) -> Option<sarif::Fix> {
    let fix = finding.fix().filter(|fix| finding.outcome == Outcome::Failed && !fix.edits.is_empty())?;
    let mut files: BTreeMap<Option<String>, (sarif::ArtifactLocation, Vec<sarif::Replacement>)> = BTreeMap::new();
    for edit in &fix.edits {
        let physical = locator.location(&edit.place).physical_location?;
        let replacement = sarif::Replacement::builder()
            .deleted_region(physical.region?)
            .inserted_content(sarif::ArtifactContent::builder().text(edit.replacement.clone()).build())
            .build();
        let file = physical.artifact_location?;
        let (_, replacements) = files.entry(file.uri.clone()).or_insert((file, Vec::new()));
        replacements.push(replacement);
    }
    let description = sarif::Message::builder().text(fix.title.clone()).build();
    let changes: Vec<sarif::ArtifactChange> = files
        .into_values()
        .map(|(location, replacements)| {
            sarif::ArtifactChange::builder().artifact_location(location).replacements(replacements).build()
        })
        .collect();
    Some(sarif::Fix::builder().description(description).artifact_changes(changes).build())
}
