//! Diagnostics of the Bicep CLI that repeat a finding.

use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic, Finding, Level, Outcome};
use crate::engine::counterparts::same;
use crate::text::{FileId, Sources};

/// Leaves out the messages of the Bicep CLI that repeat a finding on the same lines. An error is never left out.
pub(super) fn leave_out(diagnostics: &mut Vec<Diagnostic>, findings: &[Finding], sources: &Sources) {
    let ids = |diagnostic: &Diagnostic| {
        let is_note = diagnostic.code == Code::BicepDiagnostic && diagnostic.level != Level::Error;
        let (name, _) = diagnostic.message.split_once(':').filter(|_| is_note)?;
        same(name)
    };
    if !diagnostics.iter().any(|diagnostic| ids(diagnostic).is_some()) {
        return;
    }
    let mut found: HashMap<(FileId, &str), Vec<(u32, u32)>> = HashMap::default();
    for finding in findings.iter().filter(|finding| finding.outcome != Outcome::Passed) {
        let (start, end) = sources.range(finding.span);
        found.entry((finding.span.file, &finding.rule.id)).or_default().push((start.line, end.line));
    }
    diagnostics.retain(|diagnostic| {
        let Some(ids) = ids(diagnostic) else { return true };
        let span = diagnostic.primary.span;
        let line = sources.range(span).0.line;
        let is_found = |id: &&str| {
            let lines = found.get(&(span.file, *id));
            lines.is_some_and(|lines| lines.iter().any(|(start, end)| (*start..=*end).contains(&line)))
        };
        !ids.iter().any(is_found)
    });
}
