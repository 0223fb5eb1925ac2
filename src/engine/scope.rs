//! Which findings a change is answerable for.

use std::collections::HashMap;
use std::path::Path;

use crate::diagnostic::{Finding, HeadFile, Label, Outcome, Run};
use crate::engine::changes::{Changes, Lines};
use crate::files::{display_name, normalize};
use crate::text::{FileId, LineMap, Sources, Span};

/// How many lines around a change belong to its context, as in a diff.
const CONTEXT: u32 = 3;

/// Which findings are reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ChangeFilter {
    /// Those on lines that the change wrote, or about a value that it took lines away from.
    Added,
    /// Those on lines that a diff of the change shows.
    Context,
    /// Those in files that the change touches.
    File,
    /// All.
    #[default]
    None,
}

/// The lines of a change, asked by findings.
#[derive(Debug)]
pub(crate) struct Scope<'a> {
    /// The change, with its lines.
    pub changes: &'a Changes,
    /// The current folder, which names of files are relative to.
    pub working: &'a Path,
}

impl Scope<'_> {
    /// Whether the filter lets a finding pass: its own place counts, and every other that has to do with it, such as the
    /// value in a parameter file.
    pub(crate) fn covers(&self, finding: &Finding, sources: &Sources, filter: ChangeFilter) -> bool {
        let mut related = finding.related.iter().map(|it| it.span);
        filter == ChangeFilter::None
            || self.covers_own(finding, sources, filter)
            || related.any(|it| self.touches(it, sources, filter) || self.thins(it, sources))
    }

    /// Whether the filter lets a finding pass for what it is about itself.
    fn covers_own(&self, finding: &Finding, sources: &Sources, filter: ChangeFilter) -> bool {
        let mut own = std::iter::once(finding.span).chain(finding.failures.iter().copied());
        own.any(|it| self.touches(it, sources, filter)) || finding.extents.iter().any(|&it| self.thins(it, sources))
    }

    /// Says of each finding whether it is the work of the change, if a change is known.
    pub(crate) fn mark(&self, run: &mut Run) {
        if self.changes.files.is_none() {
            return;
        }
        for finding in &mut run.findings {
            finding.in_change = Some(self.covers(finding, &run.sources, ChangeFilter::Added));
        }
    }

    /// The files of a run in the head of the pull request, where they have other names or lines there.
    pub(crate) fn in_head(&self, sources: &Sources) -> HashMap<FileId, HeadFile> {
        let Changes { root, head, .. } = self.changes;
        if head.is_none() && root == self.working {
            return HashMap::new();
        }
        let file = |id: FileId| {
            let path = normalize(self.working, Path::new(&**sources.get(id).name()));
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

    /// Leaves out the findings that the filter does not let pass, and says how many these are. One that is the
    /// work of another place, such as a parameter file, is shown there. Problems of the run itself are never left out.
    pub(crate) fn apply(&self, run: &mut Run, filter: ChangeFilter) -> usize {
        if filter == ChangeFilter::None {
            return 0;
        }
        let Run { sources, findings, summary, .. } = run;
        let before = findings.len();
        findings.retain_mut(|it| {
            if it.outcome == Outcome::Passed {
                return true;
            }
            let stays = self.covers(it, sources, filter);
            if !stays {
                summary.forget(it.outcome);
            } else if matches!(filter, ChangeFilter::Added | ChangeFilter::Context) {
                self.turn(it, sources, filter);
            }
            stays
        });
        before - findings.len()
    }

    /// Puts a finding on the line of the change that caused it.
    fn turn(&self, finding: &mut Finding, sources: &Sources, filter: ChangeFilter) {
        if self.covers_own(finding, sources, filter) {
            return;
        }
        let cause = finding.related.iter().position(|it| self.touches(it.span, sources, filter));
        if let Some(at) = cause {
            let cause = finding.related.remove(at);
            let effect = Label { span: finding.span, message: "this is what it does".to_owned() };
            finding.related.insert(0, effect);
            finding.span = cause.span;
        }
    }

    /// Whether the change took lines away from a value. What is missing now may have been on them, and is nowhere else to
    /// be seen; that it was something else is not excluded, since a gate had better be too strict than blind.
    fn thins(&self, extent: Span, sources: &Sources) -> bool {
        let Some(lines) = self.lines(extent.file, sources) else { return false };
        let (first, last) = sources.range(extent);
        let source = sources.get(extent.file);
        let text = source.text().get(extent.start as usize..extent.end as usize).unwrap_or_default();
        // What was the first or the last line of a block is not between those that it has now.
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

/// Whether a text is, or may be, a block of YAML: members or items without brackets around them.
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
