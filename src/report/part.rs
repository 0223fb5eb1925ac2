//! What the JSON report of a part has in addition, so that merging all parts gives the report of the whole run.

use serde::Serialize;

use crate::diagnostic::{Edit, Finding, Outcome, Run};
use crate::report::source_range::SourceRange;

/// The member `shard` of the report.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Shard<'a> {
    index: u32,
    count: u32,
    /// Fingerprints of the entries of the baseline that are no longer found.
    stale: &'a [String],
    /// The files that have other names or lines in the head of the pull request.
    head: Vec<HeadFile>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct HeadFile {
    file: String,
    name: String,
    /// Each as `[old start, old count, new start, new count]`; `null` for a file that the head does not have.
    hunks: Option<Vec<[u32; 4]>>,
}

/// A fix, as replacements that only together are one.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Edits<'a> {
    title: &'a str,
    /// Whether it is only likely that the author wants it.
    #[serde(rename = "unsafe", skip_serializing_if = "std::ops::Not::not")]
    is_guess: bool,
    replacements: Vec<Replacement<'a>>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Replacement<'a> {
    file: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    text: &'a str,
}

/// The member of the report; `None` for a whole run.
pub(super) fn shard(run: &Run) -> Option<Shard<'_>> {
    let part = run.part.as_ref()?;
    let mut head: Vec<HeadFile> = run
        .change
        .iter()
        .flat_map(|change| &change.files)
        .map(|(&file, head)| {
            let lines = head.lines.as_ref().map(|lines| {
                let hunks = lines.hunks().iter();
                hunks.map(|hunk| [hunk.old_start, hunk.old_count, hunk.new_start, hunk.new_count]).collect()
            });
            HeadFile { file: run.sources.get(file).name().to_string(), name: head.name.to_string(), hunks: lines }
        })
        .collect();
    head.sort_by(|a, b| a.file.cmp(&b.file));
    Some(Shard { index: part.shard.index, count: part.shard.count, stale: &part.stale, head })
}

/// The fix of a finding, in the report of a part.
pub(super) fn edits<'a>(finding: &'a Finding, run: &Run) -> Option<Edits<'a>> {
    let is_shown = run.part.is_some() && finding.outcome == Outcome::Failed;
    let fix = finding.fix.as_ref().filter(|_| is_shown)?;
    let replacement = |edit: &'a Edit| {
        let SourceRange { file, start, end, .. } = SourceRange::of(&run.sources, edit.span);
        Replacement {
            file: file.to_string(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: &edit.replacement,
        }
    };
    Some(Edits { title: &fix.title, is_guess: fix.is_guess, replacements: fix.edits.iter().map(replacement).collect() })
}
