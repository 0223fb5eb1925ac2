//! The Reviewdog Diagnostic Format, `rdjson`, which reviewdog reads with `-f=rdjson`. See
//! <https://github.com/reviewdog/reviewdog/tree/master/proto/rdf>. Columns count the bytes of UTF-8.

use std::io;

use serde::Serialize;

use crate::Options;
use crate::diagnostic::{Level, Outcome, homepage};
use crate::fault::Fault;
use crate::item::{self, Item};
use crate::model::{Fix, Label, Place, Point, Report};
use crate::text::escape::visible_lines;

#[derive(Serialize)]
struct DiagnosticResult<'a> {
    source: ReportSource,
    diagnostics: Vec<Diagnostic<'a>>,
}

#[derive(Serialize)]
struct ReportSource {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'static str>,
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
    related_locations: Vec<RelatedLocation>,
}

#[derive(Serialize)]
struct Code<'a> {
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
}

#[derive(Serialize)]
struct RelatedLocation {
    message: String,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    /// Range; absent for a file as a whole.
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
    column: u32,
}

#[derive(Serialize)]
struct Suggestion<'a> {
    range: Range,
    text: &'a str,
}

pub(super) fn render(report: &Report, _: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let diagnostics = item::worth_acting_on(report).map(|item| diagnostic(&item)).collect();
    let result = DiagnosticResult { source: ReportSource { name: "formwork", url: homepage() }, diagnostics };
    serde_json::to_writer_pretty(&mut *out, &result)?;
    writeln!(out)
}

fn diagnostic<'a>(item: &Item<'a>) -> Diagnostic<'a> {
    let finding = match item {
        Item::Finding(finding) => Some(finding),
        Item::Problem(_) => None,
    };
    Diagnostic {
        message: visible_lines(&item.text()),
        location: location(item.place()),
        severity: severity(item.level()),
        code: Code { value: item.id(), url: finding.and_then(|fault| fault.first().rule.help_uri.as_deref()) },
        suggestions: finding.and_then(fix).map(|fix| suggestions(fix, item.place())).unwrap_or_default(),
        related_locations: item.related().iter().map(related).collect(),
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

/// Returns the fix as one suggestion. Reviewdog applies each suggestion alone and in the file of its diagnostic, so a
/// fix with several edits is not a suggestion.
fn suggestions<'a>(fix: &'a Fix, place: &Place) -> Vec<Suggestion<'a>> {
    match fix.edits.as_slice() {
        [edit] if edit.place.file == place.file => {
            vec![Suggestion { range: range(&edit.place), text: &edit.replacement }]
        }
        _ => Vec::new(),
    }
}

fn related(label: &Label) -> RelatedLocation {
    RelatedLocation { message: visible_lines(&label.text()), location: location(&label.place) }
}

fn location(place: &Place) -> Location {
    Location { path: place.file.name().to_string(), range: (!place.is_whole_file()).then(|| range(place)) }
}

fn range(place: &Place) -> Range {
    Range { start: position(place.start), end: position(place.end) }
}

fn position(point: Point) -> Position {
    Position { line: point.line, column: point.byte_column }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Resolver;
    use crate::text::{Sources, Span};
    use crate::{Format, sample};

    #[test]
    fn output() {
        sample::assert_report(Format::Rdjson, "output", &sample::run());
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Rdjson, "empty", &sample::empty());
    }

    /// The example of the format's own description.
    #[test]
    fn columns_count_bytes() {
        let sources = Sources::new();
        let file = sources.add("a", "x\na𐐀b");
        let mut resolver = Resolver::new(&sources);
        let columns = [2, 3, 7].map(|offset| position(resolver.place(Span::new(file, offset, offset)).start).column);
        assert_eq!(columns, [1, 2, 6]);
    }
}
