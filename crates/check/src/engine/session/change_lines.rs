//! Relates findings to the lines of a change.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::{AddedSuppression, Finding, HeadFile, Label, Outcome, Run};
use crate::engine::changes::{Changes, Lines};
use crate::files::display_name;
use crate::path::normalize;
use crate::text::{FileId, LineMap, Sources, Span};

/// Number of lines around a change that belong to its context, as in a diff.
const CONTEXT: u32 = 3;

/// Filter of findings by their relation to the change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChangeFilter {
    /// Findings of the change.
    Added,
    /// Also findings on lines that a diff of the change shows.
    Context,
    /// Also findings in files that the change touches.
    File,
    /// All findings.
    #[default]
    None,
}

/// Compares findings with the lines of a change.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    /// The change, with its lines.
    pub changes: &'a Changes,
    /// The current folder, which names of files are relative to.
    pub working: &'a Path,
}

impl Scope<'_> {
    /// Returns `true` if the filter keeps a finding that may be marked. Every filter keeps findings of the change.
    pub(super) fn shows(&self, finding: &Finding, sources: &Sources, filter: ChangeFilter) -> bool {
        finding.in_change == Some(true) || self.covers(finding, sources, filter)
    }

    /// Returns `true` if the filter keeps a finding because of its lines. The change may touch its own span or a
    /// related one, such as the value in a parameter file.
    fn covers(&self, finding: &Finding, sources: &Sources, filter: ChangeFilter) -> bool {
        let mut related = finding.related.iter().map(|label| label.span);
        filter == ChangeFilter::None
            || self.covers_own(finding, sources, filter)
            || related.any(|span| self.touches(span, sources, filter) || self.thins(span, sources))
    }

    /// Returns `true` if the filter keeps a finding because of its own spans.
    fn covers_own(&self, finding: &Finding, sources: &Sources, filter: ChangeFilter) -> bool {
        let mut own = std::iter::once(finding.span).chain(finding.failures.iter().copied());
        own.any(|span| self.touches(span, sources, filter))
            || finding
                .extents
                .iter()
                .any(|&extent| self.touches(extent, sources, ChangeFilter::Added) || self.thins(extent, sources))
    }

    /// Sets `in_change` of each finding, if a change is known.
    pub(super) fn mark(&self, run: &mut Run) {
        if self.changes.files.is_none() {
            return;
        }
        for finding in &mut run.findings {
            finding.in_change = Some(self.covers(finding, &run.sources, ChangeFilter::Added));
        }
    }

    /// Returns the suppressions of a run on lines that the change wrote. Without `reads_settings`, the settings and the
    /// baseline are not those of the change.
    pub(super) fn added_suppressions(&self, run: &Run, reads_settings: bool) -> Vec<AddedSuppression> {
        let mut added: BTreeMap<(Arc<str>, u32, &str), AddedSuppression> = BTreeMap::new();
        for finding in run.findings.iter().filter(|finding| finding.outcome == Outcome::Suppressed) {
            let Some(by) = finding.suppressed.as_deref() else { continue };
            let counts = by.kind.is_in_source() || reads_settings;
            let own = by.place.filter(|place| counts && self.touches(*place, &run.sources, ChangeFilter::Added));
            let Some(place) = own else { continue };
            let name = Arc::clone(run.sources.get(place.file).name());
            let entry = added.entry((name, place.start, &finding.rule.id)).or_insert_with(|| AddedSuppression {
                rule: finding.rule.id.clone(),
                kind: by.kind,
                place,
                reason: by.reason.clone(),
                findings: 0,
            });
            entry.findings += finding.places();
        }
        added.into_values().collect()
    }

    /// Returns the files of a run in the head of the pull request, where they have other names or lines there.
    pub(super) fn in_head(&self, sources: &Sources) -> HashMap<FileId, HeadFile> {
        let Changes { root, head, .. } = self.changes;
        if head.is_none() && root == self.working {
            return HashMap::default();
        }
        let file = |id: FileId| {
            let path = self.changes.real(&normalize(self.working, Path::new(&**sources.get(id).name())));
            path.strip_prefix(root).ok()?;
            let place = match head {
                Some(head) => head.place(&path),
                None => Some((path.clone(), LineMap::default())),
            };
            let (path, lines) = place.map_or((path, None), |(path, lines)| (path, Some(lines)));
            Some((id, HeadFile { name: display_name(root, &path).into(), lines }))
        };
        sources.ids().filter_map(file).collect()
    }

    /// Drops the findings that the filter does not keep, and gives their number. A finding with a cause elsewhere, such
    /// as in a parameter file, is moved there. Diagnostics are never dropped.
    pub(super) fn apply(&self, run: &mut Run, filter: ChangeFilter) -> usize {
        if filter == ChangeFilter::None {
            return 0;
        }
        let Run { sources, findings, summary, .. } = run;
        let mut dropped = 0;
        findings.retain_mut(|finding| {
            if finding.outcome == Outcome::Passed {
                return true;
            }
            let stays = self.shows(finding, sources, filter);
            if !stays {
                summary.forget(finding.outcome, finding.places());
                dropped += finding.places();
            } else if matches!(filter, ChangeFilter::Added | ChangeFilter::Context) {
                self.turn(finding, sources, filter);
            }
            stays
        });
        dropped
    }

    /// Moves a finding to the line of the change that caused it.
    fn turn(&self, finding: &mut Finding, sources: &Sources, filter: ChangeFilter) {
        if self.covers_own(finding, sources, filter) {
            return;
        }
        let cause = finding.related.iter().position(|label| self.touches(label.span, sources, filter));
        if let Some(at) = cause {
            let cause = finding.related.as_vec().remove(at);
            let effect = Label::new(finding.span, "this is what it does");
            finding.related.as_vec().insert(0, effect);
            finding.span = cause.span;
        }
    }

    /// Returns `true` if the change removed lines from a value. A property that is missing now may have been on them,
    /// and nothing else would show that. It may have been something else as well: better too strict than blind.
    fn thins(&self, extent: Span, sources: &Sources) -> bool {
        let Some(lines) = self.lines(extent.file, sources) else { return false };
        let (first, last) = sources.range(extent);
        let source = sources.get(extent.file);
        let text = source.text().get(extent.start as usize..extent.end as usize).unwrap_or_default();
        // Lines that were removed at the start or the end of a block are outside its present lines.
        let margin = u32::from(is_block(text));
        lines.thin(&(first.line - margin..=last.line + margin))
    }

    fn lines(&self, file: FileId, sources: &Sources) -> Option<&Lines> {
        self.changes.lines(&normalize(self.working, Path::new(&**sources.get(file).name())))
    }

    fn touches(&self, span: Span, sources: &Sources, filter: ChangeFilter) -> bool {
        let Some(lines) = self.lines(span.file, sources) else { return false };
        let (first, last) = sources.range(span);
        match filter {
            ChangeFilter::Added => lines.touch(&(first.line..=last.line), 0),
            ChangeFilter::Context => lines.touch(&(first.line..=last.line), CONTEXT),
            ChangeFilter::File => lines.any(),
            ChangeFilter::None => true,
        }
    }
}

/// Returns `true` if a text is, or may be, a block of YAML: members or items without brackets around them.
fn is_block(text: &str) -> bool {
    let (first, last) = (text.lines().next().unwrap_or_default(), text.lines().next_back().unwrap_or_default());
    let has_member = first.starts_with("- ") || first.contains(": ") || first.ends_with(':');
    has_member && !first.starts_with(['{', '[']) && !last.trim_start().starts_with(['}', ']', ')'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_blocks_of_yaml_have_no_brackets() {
        for text in ["a: 1\nb: {}", "a: 1", "a:\n  - {}", "- 1\n- []", "'a': 1"] {
            assert!(is_block(text), "{text}");
        }
        let bracketed =
            ["{\n  \"a\": {}}", "{a: 1}", "[\n  1\n]", "resource a 'b:c' = {\n  c: 1\n}", "a: b({\n  c: 1\n})"];
        for text in bracketed.into_iter().chain(["\"x\"", "true", "!Sub 'x'", ""]) {
            assert!(!is_block(text), "{text}");
        }
    }
}
