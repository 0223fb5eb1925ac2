//! What a card on the console says of a finding: what a person needs to correct it. HTML reports show the rest, and
//! `formwork rules show` explains the rule.

use crate::console::card::{Mark, caption, primary, secondary};
use crate::diagnostic::Outcome;
use crate::fault::Fault;
use crate::file_list;
use crate::model::{Finding, Place};

/// A longer object or array is shown by its first line.
pub(super) const MAX_LINES: u32 = 4;

/// How many steps to the origin of a value are named, and how many further places.
const MAX_PLACES: usize = 4;

/// The resource and the parameter files: `` in `stshopdev` (main.parameters.dev.json)``.
pub(super) fn owner(finding: &Finding) -> String {
    let name = finding.resource.as_ref().map_or("", |resource| resource.name.as_str());
    let files = file_list::parameter_files(finding);
    match (name, files) {
        ("", None) => String::new(),
        ("", Some(files)) => format!(" ({files})"),
        (name, None) => format!(" in `{name}`"),
        (name, Some(files)) => format!(" in `{name}` ({files})"),
    }
}

/// The text to change, and other text that has to do with it.
pub(super) fn marks(finding: &Finding) -> Vec<Mark<'_>> {
    let mut marks = vec![primary(&finding.place, caption(finding))];
    marks.extend(finding.related.iter().filter(|label| label.origin().is_none()).take(MAX_PLACES).map(secondary));
    marks.retain(|mark| !mark.place.is_whole_file());
    marks
}

pub(super) fn notes(fault: &Fault<'_>) -> Vec<(&'static str, String)> {
    let finding = fault.first();
    let mut notes: Vec<(&'static str, String)> = Vec::new();
    notes.extend(origins(finding).map(|text| ("from", text)));
    notes.extend(further(finding).map(|text| ("also at", text)));
    notes.extend(fault.note().map(|text| ("note", text)));
    notes.extend(way_out(fault).map(|text| ("help", text)));
    notes
}

/// The steps to the origin of the value, nearest first.
fn origins(finding: &Finding) -> Option<String> {
    let steps = finding.related.iter().filter_map(|label| Some((label.origin()?, &label.place)));
    let steps: Vec<String> =
        steps.map(|(step, place)| format!("{step} at {}", short_place(place, &finding.place))).collect();
    listed(&steps, ", ")
}

/// The further places that the rule refuses.
fn further(finding: &Finding) -> Option<String> {
    let places = finding.failures.iter().filter(|place| **place != finding.place);
    let places: Vec<String> = places.map(|place| short_place(place, &finding.place)).collect();
    listed(&places, ", ")
}

fn listed(items: &[String], separator: &str) -> Option<String> {
    let shown = items.get(..MAX_PLACES.min(items.len())).filter(|shown| !shown.is_empty())?.join(separator);
    Some(match items.len().saturating_sub(MAX_PLACES) {
        0 => shown,
        more => format!("{shown}, and {more} more"),
    })
}

/// `line 12` in the file of the finding.
fn short_place(place: &Place, beside: &Place) -> String {
    if place.file == beside.file { format!("line {}", place.start.line) } else { place.to_string() }
}

/// The fix, or else the first sentence of the advice.
fn way_out(fault: &Fault<'_>) -> Option<String> {
    let finding = fault.first();
    if let Some(fix) = fault.fix().filter(|_| finding.outcome == Outcome::Failed) {
        let flags = if fix.is_guess { "--fix --unsafe-fixes" } else { "--fix" };
        return Some(format!("{}; `formwork check {flags}` does it", fix.title));
    }
    finding.rule.recommendation.as_deref().map(|text| first_sentence(text).to_owned())
}

/// The text before the first period that ends a sentence, which another follows.
fn first_sentence(text: &str) -> &str {
    let begins = |rest: &str| rest.starts_with(|c: char| c.is_uppercase() || c == '`');
    let ends = text.match_indices(". ").map(|(at, _)| text.split_at(at));
    let mut firsts = ends.filter(|(_, rest)| begins(rest.trim_start_matches(['.', ' ']))).map(|(first, _)| first);
    firsts.next().unwrap_or_else(|| text.strip_suffix('.').unwrap_or(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sentence_ends_before_another_begins() {
        assert_eq!(first_sentence("Set `a` to `1.2`. Old clients fail."), "Set `a` to `1.2`");
        assert_eq!(first_sentence("Use a name, e.g. the one of the app."), "Use a name, e.g. the one of the app");
        assert_eq!(first_sentence("Set it. `b` follows."), "Set it");
        assert_eq!(first_sentence(""), "");
    }
}
