//! The Reviewdog Diagnostic Format, `rdjson`, which reviewdog reads with `-f=rdjson`. See
//! <https://github.com/reviewdog/reviewdog/tree/master/proto/rdf>. Columns count the bytes of UTF-8.

use std::io;

use serde::Serialize;

use crate::diagnostic::{Fix, Label, Level, Outcome, Run};
use crate::report::Options;
use crate::report::fault::Fault;
use crate::report::item::{self, Item};
use crate::report::source_range::SourceRange;
use crate::text::{Sources, Span};

/// Where to read about the tool; empty for a build whose manifest does not say.
const HOMEPAGE: &str = env!("CARGO_PKG_REPOSITORY");

#[derive(Serialize)]
struct DiagnosticResult<'a> {
    source: Source,
    diagnostics: Vec<Diagnostic<'a>>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
    #[serde(skip_serializing_if = "str::is_empty")]
    url: &'static str,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    message: String,
    location: Location,
    severity: &'static str,
    code: Code<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<RelatedLocation<'a>>,
}

#[derive(Serialize)]
struct Code<'a> {
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
}

#[derive(Serialize)]
struct RelatedLocation<'a> {
    message: &'a str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    /// Absent for a file as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

#[derive(Serialize)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct Position {
    line: u32,
    column: usize,
}

#[derive(Serialize)]
struct Suggestion<'a> {
    range: Range,
    text: &'a str,
}

pub(super) fn render(run: &Run, _: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let diagnostics = item::worth_acting_on(run).map(|item| diagnostic(&item, &run.sources)).collect();
    let report = DiagnosticResult { source: Source { name: "formwork", url: HOMEPAGE }, diagnostics };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

fn diagnostic<'a>(item: &Item<'a>, sources: &Sources) -> Diagnostic<'a> {
    let finding = match item {
        Item::Finding(finding) => Some(finding),
        Item::Diagnostic(_) => None,
    };
    Diagnostic {
        message: item.text(),
        location: location(item.span(), sources),
        severity: severity(item.level()),
        code: Code { value: item.id(), url: finding.and_then(|fault| fault.first().rule.help_uri.as_deref()) },
        suggestions: finding.and_then(fix).map(|fix| suggestions(fix, item.span(), sources)).unwrap_or_default(),
        related_locations: item.related().iter().map(|label| related(label, sources)).collect(),
    }
}

const fn severity(level: Level) -> &'static str {
    match level {
        Level::Error => "ERROR",
        Level::Warning => "WARNING",
        Level::Note => "INFO",
    }
}

fn fix<'a>(fault: &Fault<'a>) -> Option<&'a Fix> {
    fault.fix().filter(|_| fault.outcome == Outcome::Failed)
}

/// The fix as one suggestion. Reviewdog applies each suggestion alone and in the file of its diagnostic, so a fix with
/// several parts is none.
fn suggestions<'a>(fix: &'a Fix, span: Span, sources: &Sources) -> Vec<Suggestion<'a>> {
    match fix.edits.as_slice() {
        [edit] if edit.span.file == span.file => {
            vec![Suggestion { range: range(edit.span, sources), text: &edit.replacement }]
        }
        _ => Vec::new(),
    }
}

fn related<'a>(label: &'a Label, sources: &Sources) -> RelatedLocation<'a> {
    RelatedLocation { message: &label.message, location: location(label.span, sources) }
}

fn location(span: Span, sources: &Sources) -> Location {
    let SourceRange { file, is_whole_file, .. } = SourceRange::of(sources, span);
    Location { path: file.to_string(), range: (!is_whole_file).then(|| range(span, sources)) }
}

fn range(span: Span, sources: &Sources) -> Range {
    Range { start: position(span.start, span, sources), end: position(span.end.max(span.start), span, sources) }
}

fn position(offset: u32, span: Span, sources: &Sources) -> Position {
    let source = sources.get(span.file);
    let line = source.position(offset).line;
    let offset = source.text().floor_char_boundary(offset as usize);
    let start = source.line_range(line).map_or(offset, |range| range.start);
    Position { line, column: offset.saturating_sub(start) + 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Format, sample};

    #[test]
    fn output() {
        sample::check(Format::Rdjson, "output", &sample::run());
    }

    #[test]
    fn empty() {
        sample::check(Format::Rdjson, "empty", &sample::empty());
    }

    /// The example of the format's own description.
    #[test]
    fn columns_count_bytes() {
        let sources = Sources::new();
        let file = sources.add("a", "x\na𐐀b");
        let columns = [2, 3, 7].map(|offset| position(offset, Span::new(file, offset, offset), &sources).column);
        assert_eq!(columns, [1, 2, 6]);
    }
}
