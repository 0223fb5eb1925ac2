//! Content of a finding's card on the console: the information for correcting it. HTML reports show the rest, and
//! `formwork rules show` explains the rule.

use foldhash::HashSet;

use crate::console::card::{Mark, caption, primary, secondary};
use crate::diagnostic::Outcome;
use crate::fault::Fault;
use crate::file_list::short_names;
use crate::model::{Finding, Place};

/// Lines of an object or array that are shown. A longer one is shown by its first line.
pub(super) const MAX_LINES: u32 = 4;

/// Steps to the origin of a value that are named, and further places and parameter files.
const MAX_PLACES: usize = 4;

/// Returns the resource and the parameter files: `` in `stshopdev` (main.parameters.dev.json)``.
pub(super) fn owner(finding: &Finding) -> String {
    let name = finding.resource.as_ref().map_or("", |resource| resource.name.as_str());
    match (name, listed(short_names(&finding.parameters))) {
        ("", None) => String::new(),
        ("", Some(files)) => format!(" ({files})"),
        (name, None) => format!(" in `{name}`"),
        (name, Some(files)) => format!(" in `{name}` ({files})"),
    }
}

/// Returns marks for the text to change, and for related text.
pub(super) fn marks(finding: &Finding) -> Vec<Mark<'_>> {
    let mut marks = vec![primary(&finding.place, caption(finding))];
    // A step to the origin and a module are places to go to, and not to be read beside the text.
    let others = finding.related.iter().filter(|label| label.origin().is_none() && !label.is_module());
    marks.extend(others.take(MAX_PLACES).map(secondary));
    marks.retain(|mark| !mark.place.is_whole_file());
    marks
}

pub(super) fn notes(fault: &Fault<'_>) -> Vec<(&'static str, String)> {
    let finding = fault.first();
    let mut notes: Vec<(&'static str, String)> = Vec::new();
    notes.extend(origins(finding).map(|text| ("from", text)));
    notes.extend(further(finding).map(|text| ("also at", text)));
    notes.extend(modules(finding).map(|text| ("deployed by", text)));
    notes.extend(fault.note().map(|text| ("note", text)));
    notes.extend(way_out(fault).map(|text| ("help", text)));
    notes
}

/// Returns the steps to the origin of the value, nearest first.
fn origins(finding: &Finding) -> Option<String> {
    let steps = finding.related.iter().filter_map(|label| Some((label.origin()?, &label.place)));
    let steps = steps.map(|(step, place)| format!("{step} at {}", short_place(place, &finding.place)));
    listed(steps.collect())
}

/// Returns the enclosing modules, innermost first.
fn modules(finding: &Finding) -> Option<String> {
    let modules = finding.related.iter().filter(|label| label.is_module());
    listed(modules.map(|label| short_place(&label.place, &finding.place)).collect())
}

/// Returns further places with the same failure.
fn further(finding: &Finding) -> Option<String> {
    let places = finding.failures.iter().filter(|place| **place != finding.place);
    let mut places: Vec<String> = places.map(|place| short_place(place, &finding.place)).collect();
    // Several values on a line are one place to look at.
    let mut seen = HashSet::default();
    places.retain(|place| seen.insert(place.clone()));
    listed(places)
}

/// Joins the first items, with the number of the others. Returns `None` if there are none.
fn listed(mut items: Vec<String>) -> Option<String> {
    let more = items.len().saturating_sub(MAX_PLACES);
    items.truncate(MAX_PLACES);
    let shown = items.join(", ");
    match more {
        0 => Some(shown).filter(|shown| !shown.is_empty()),
        _ => Some(format!("{shown}, and {more} more")),
    }
}

/// Formats a place beside another one: `line 12` in the same file, `column 30` on the same line.
fn short_place(place: &Place, beside: &Place) -> String {
    if place.file != beside.file || place.is_whole_file() {
        place.to_string()
    } else if place.start.line == beside.start.line && !beside.is_whole_file() {
        format!("column {}", place.start.column)
    } else {
        format!("line {}", place.start.line)
    }
}

/// Returns the fix, or else the first sentence of the recommendation.
fn way_out(fault: &Fault<'_>) -> Option<String> {
    let finding = fault.first();
    if let Some(fix) = fault.fix().filter(|_| finding.outcome == Outcome::Failed) {
        let flags = if fix.is_guess { "--fix --unsafe-fixes" } else { "--fix" };
        return Some(format!("{}; `formwork check {flags}` does it", fix.title));
    }
    finding.rule.recommendation.as_deref().map(|text| first_sentence(text).to_owned())
}

/// Returns the text before the first period that ends a sentence, if another sentence follows.
fn first_sentence(text: &str) -> &str {
    let mut ends = text.match_indices(". ").map(|(at, _)| text.split_at(at));
    let first =
        ends.find(|(_, rest)| rest.trim_start_matches(['.', ' ']).starts_with(|c: char| c.is_uppercase() || c == '`'));
    first.map_or_else(|| text.strip_suffix('.').unwrap_or(text), |(first, _)| first)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::diagnostic::LabelRole;
    use crate::model::{Label, Point};
    use crate::sample;

    #[test]
    fn the_first_sentence_ends_before_another_begins() {
        assert_eq!(first_sentence("Set `a` to `1.2`. Old clients fail."), "Set `a` to `1.2`");
        assert_eq!(first_sentence("Use a name, e.g. the one of the app."), "Use a name, e.g. the one of the app");
        assert_eq!(first_sentence("Set it. `b` follows."), "Set it");
        assert_eq!(first_sentence(""), "");
    }

    /// The first finding of the sample, with what is asked for.
    fn finding(change: impl FnOnce(&mut Finding)) -> Finding {
        let mut finding = sample::report(&sample::run()).findings.remove(0);
        change(&mut finding);
        finding
    }

    /// A place in the file of another one.
    fn at(beside: &Place, line: u32, column: u32) -> Place {
        let start = Point { line, column, byte_column: column };
        Place { start, end: Point { column: column + 1, ..start }, ..beside.clone() }
    }

    #[test]
    fn of_many_parameter_files_the_first_are_named() {
        let finding = finding(|finding| {
            finding.parameters = (1..=6).map(|number| Arc::from(format!("p/{number}.json"))).collect::<Vec<_>>().into();
        });
        let owner = owner(&finding);
        assert!(owner.ends_with("(1.json, 2.json, 3.json, 4.json, and 2 more)"), "{owner}");
    }

    #[test]
    fn further_places_are_named_once_and_by_their_column_on_the_same_line() {
        let finding = finding(|finding| {
            finding.place = at(&finding.place, 12, 5);
            let places = [(12, 5), (12, 30), (14, 3), (14, 9), (15, 1)];
            finding.failures =
                places.iter().map(|&(line, column)| at(&finding.place, line, column)).collect::<Vec<_>>().into();
        });
        assert_eq!(further(&finding).as_deref(), Some("column 30, line 14, line 15"));
    }

    #[test]
    fn modules_are_a_note_and_no_excerpt() {
        let finding = finding(|finding| {
            let label = |message: &str, line| Label::new(at(&finding.place, line, 1), message);
            let module = |line| Label { role: LabelRole::Module, ..label("", line) };
            finding.related = vec![label("the other one", 3), module(20), module(31)].into();
        });
        assert_eq!(modules(&finding).as_deref(), Some("line 20, line 31"));
        let shown: Vec<String> = marks(&finding).into_iter().skip(1).map(|mark| mark.label).collect();
        assert_eq!(shown, ["the other one"]);
    }

    #[test]
    fn a_whole_file_has_no_line() {
        let place = finding(|_| {}).place;
        let whole = Place { start: Point::START, end: Point::START, ..place.clone() };
        assert_eq!(short_place(&whole, &place), &**place.file.name());
        assert_eq!(short_place(&at(&place, 1, 8), &whole), "line 1");
    }
}
