//! Marks in templates: carets below the text that a rule must report.
//!
//! ```text
//! "httpsOnly": false
//! // ^^^^^^^^^ warning ACME-001: the beginning of the message
//! ```
//!
//! In YAML they follow a `#`. The word before the id is the level, or `unknown` if the finding is known only after a deployment.
//! Only the first line of a longer span is marked. Consecutive lines of marks belong to the same line.

use std::fmt;

use crate::diagnostic::{Finding, Outcome};
use crate::text::{Sources, Span};

/// A mark, or a finding in the form of a mark.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FindingMark {
    /// Line number, from 1.
    pub(super) line: u32,
    /// First and last column, from 1, in UTF-16 code units.
    pub(super) columns: (u32, u32),
    /// Level or outcome, followed by the rule ID.
    what: String,
    /// The message. For a mark, the start of the message.
    message: String,
}

/// A difference between the marks of a template and the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkDifference {
    /// There is a mark, but no finding.
    NotReported,
    /// There is a finding, but no mark.
    NotMarked,
}

impl FindingMark {
    fn is_reported_as(&self, found: &Self) -> bool {
        (self.line, self.columns, &self.what) == (found.line, found.columns, &found.what)
            && found.message.starts_with(&self.message)
    }

    /// Returns the mark as a comment line. `None` if the text begins too far left for it.
    pub(super) fn comment(&self, sign: &str) -> Option<String> {
        let (first, last) = self.columns;
        let before = usize::try_from(first - 1).ok()?.checked_sub(sign.len())?;
        let carets = usize::try_from(last.saturating_sub(first)).ok()? + 1;
        Some(format!("{sign}{:before$}{} {}: {}", "", "^".repeat(carets), self.what, self.message))
    }
}

impl fmt::Display for FindingMark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, last) = self.columns;
        write!(f, "columns {first} to {last}: {}", self.what)?;
        if self.message.is_empty() { Ok(()) } else { write!(f, ": {}", self.message) }
    }
}

/// Returns the marks of a text. They belong to the last line above without marks.
pub(super) fn parse_marks(text: &str) -> Vec<FindingMark> {
    let mut marks = Vec::new();
    let mut marked = 0;
    for (line, number) in text.lines().zip(1..) {
        let comment = line.trim_start();
        let comment = comment.strip_prefix("//").or_else(|| comment.strip_prefix('#'));
        let Some(carets) = comment.map(str::trim_start).filter(|text| text.starts_with('^')) else {
            marked = number;
            continue;
        };
        let label = carets.trim_start_matches('^');
        let first = columns(&line[..line.len() - carets.len()]) + 1;
        let last = first + columns(carets) - columns(label) - 1;
        let (what, message) = label.trim().split_once(':').unwrap_or((label.trim(), ""));
        let (what, message) = (what.to_owned(), message.trim().to_owned());
        marks.push(FindingMark { line: marked, columns: (first, last), what, message });
    }
    marks
}

/// Returns the spans of a finding, each with the mark for it. Empty if the finding passed or was accepted.
pub(super) fn marks_of_finding(finding: &Finding, sources: &Sources) -> Vec<(Span, FindingMark)> {
    let word = match finding.outcome {
        Outcome::Failed => finding.level().as_str(),
        Outcome::Unknown => Outcome::Unknown.as_str(),
        Outcome::Suppressed | Outcome::Passed => return Vec::new(),
    };
    let what = format!("{word} {}", finding.rule.id);
    let places = std::iter::once(finding.span).chain(finding.failures.iter().copied());
    places.map(|span| (span, mark_at(span, what.clone(), finding.message.clone(), sources))).collect()
}

fn mark_at(span: Span, what: String, message: String, sources: &Sources) -> FindingMark {
    let (start, end) = sources.range(span);
    let source = sources.get(span.file);
    let rest_of_line = || columns(source.line(start.line).unwrap_or_default().trim_end_matches(['\n', '\r']));
    let last = if end.line == start.line { end.column - 1 } else { rest_of_line() };
    FindingMark { line: start.line, columns: (start.column, last), what, message }
}

/// Returns the marks without a finding and the findings without a mark, in the order of the lines. Each mark
/// corresponds to one finding.
pub(super) fn compare(marked: Vec<FindingMark>, mut found: Vec<FindingMark>) -> Vec<(MarkDifference, FindingMark)> {
    let mut differences = Vec::new();
    for mark in marked {
        match found.iter().position(|other| mark.is_reported_as(other)) {
            Some(at) => drop(found.remove(at)),
            None => differences.push((MarkDifference::NotReported, mark)),
        }
    }
    differences.extend(found.into_iter().map(|mark| (MarkDifference::NotMarked, mark)));
    differences.sort_by(|(_, a), (_, b)| a.cmp(b));
    differences
}

fn columns(text: &str) -> u32 {
    u32::try_from(text.encode_utf16().count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(line: u32, columns: (u32, u32), what: &str, message: &str) -> FindingMark {
        FindingMark { line, columns, what: what.to_owned(), message: message.to_owned() }
    }

    #[test]
    fn carets_belong_to_the_line_above_them() {
        let text = "{\n  \"ä\": 1\n // ^^ error A: no: never\n  // ^ unknown B\n  \"b\": 2 // ^ is not\n# ^^^ note C";
        let wanted =
            [mark(2, (5, 6), "error A", "no: never"), mark(2, (6, 6), "unknown B", ""), mark(5, (3, 5), "note C", "")];
        assert_eq!(parse_marks(text), wanted);
    }

    #[test]
    fn a_mark_says_how_the_message_begins() {
        let found = mark(1, (4, 5), "error A", "use https");
        assert_eq!(compare(vec![mark(1, (4, 5), "error A", "use")], vec![found.clone()]), []);
        for other in ["1 4 6 error A", "1 3 5 error A", "2 4 5 error A", "1 4 5 note A"] {
            let [line, first, last, level, id] = other.split(' ').collect::<Vec<_>>()[..] else { panic!() };
            let columns = (first.parse().unwrap(), last.parse().unwrap());
            let other = mark(line.parse().unwrap(), columns, &format!("{level} {id}"), "");
            assert_eq!(compare(vec![other], vec![found.clone()]).len(), 2);
        }
    }

    #[test]
    fn each_mark_stands_for_one_finding() {
        let one = mark(1, (4, 5), "error A", "");
        assert_eq!(
            compare(vec![one.clone()], vec![one.clone(), one.clone()]),
            [(MarkDifference::NotMarked, one.clone())]
        );
        assert_eq!(compare(vec![one.clone(), one.clone()], vec![one.clone()]), [(MarkDifference::NotReported, one)]);
    }

    #[test]
    fn the_comment_of_a_finding_is_its_mark() {
        let found = mark(1, (6, 8), "error A", "m");
        assert_eq!(parse_marks(&format!("text\n{}", found.comment("//").unwrap())), std::slice::from_ref(&found));
        assert_eq!(found.comment("#").unwrap(), "#    ^^^ error A: m");
        assert_eq!(mark(1, (2, 2), "error A", "").comment("//"), None);
    }
}
