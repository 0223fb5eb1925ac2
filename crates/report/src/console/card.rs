//! Cards: findings, problems and explanations as the console shows them.

use crate::Explanation;
use crate::console::{brief, excerpt};
use crate::diagnostic::{Level, Outcome, ResourceRef};
use crate::fault::Fault;
use crate::file_list;
use crate::item::Item;
use crate::model::{Finding, Label, Place, Problem};
use crate::text::escape::visible;

/// Marks of one card. A verdict may fail at thousands of leaves, and a value may have a long history; the nearest ones
/// explain it.
const MAX_MARKS: usize = 6;

/// Bytes of a value that is shown beside the text.
const MAX_VALUE: usize = 60;

/// A place to mark, with its label.
#[derive(Clone, Debug)]
pub(super) struct Mark<'a> {
    pub(super) place: &'a Place,
    pub(super) label: String,
    pub(super) is_primary: bool,
}

/// A card on the console.
#[derive(Debug)]
pub(super) struct Card<'a> {
    pub(super) level: Level,
    /// Severity of a finding, level of a problem.
    pub(super) word: &'static str,
    pub(super) id: &'a str,
    pub(super) message: &'a str,
    pub(super) place: &'a Place,
    /// Owner of the place, not escaped; empty if it is shown elsewhere.
    pub(super) owner: String,
    /// Lines that one mark covers at most.
    pub(super) max_lines: u32,
    /// Marks, the primary one first. Empty for a card about a whole file.
    pub(super) marks: Vec<Mark<'a>>,
    /// Labeled notes below the excerpts, not escaped.
    pub(super) notes: Vec<(&'static str, String)>,
}

impl<'a> Card<'a> {
    /// Returns a card with all details of a finding or problem.
    pub(super) fn full(item: &Item<'a>) -> Self {
        let (marks, notes) = match item {
            Item::Problem(problem) => (marks_of_problem(problem), notes_of_problem(problem)),
            Item::Finding(fault) => (marks_of_finding(fault.first()), notes_of_fault(fault)),
        };
        Self { max_lines: excerpt::MAX_LINES, ..Self::new(item, String::new(), marks, notes) }
    }

    /// Returns a card with the message, the place, the reason, and the solution, each on a line if it fits.
    pub(super) fn brief(item: &Item<'a>) -> Self {
        match item {
            Item::Problem(problem) => {
                Self::new(item, String::new(), marks_of_problem(problem), notes_of_problem(problem))
            }
            Item::Finding(fault) => {
                let finding = fault.first();
                Self::new(item, brief::owner(finding), brief::marks(finding), brief::notes(fault))
            }
        }
    }

    fn new(item: &Item<'a>, owner: String, marks: Vec<Mark<'a>>, notes: Vec<(&'static str, String)>) -> Self {
        Self {
            level: item.level(),
            word: item.word(),
            id: item.id(),
            message: item.message(),
            place: item.place(),
            owner,
            max_lines: brief::MAX_LINES,
            marks,
            notes,
        }
    }
}

impl<'a> Card<'a> {
    /// Returns the card of an explanation. Its steps are numbered in the order of the chain, since excerpts are in the
    /// order of the text.
    pub(super) fn of_explanation(explanation: &'a Explanation) -> Self {
        let numbered = (1..).zip(&explanation.steps).map(|(number, step)| Mark {
            place: &step.place,
            label: format!("{number}. {}", step.message),
            is_primary: number == 1,
        });
        Self {
            level: Level::Note,
            word: "",
            id: "",
            message: "",
            place: &explanation.place,
            owner: String::new(),
            max_lines: excerpt::MAX_LINES,
            marks: numbered.collect(),
            notes: explanation.notes.clone(),
        }
    }
}

/// Returns the marks of a problem. Notes get a position without an excerpt: there may be many, and nothing has to be
/// changed there.
pub(super) fn marks_of_problem(problem: &Problem) -> Vec<Mark<'_>> {
    if problem.level == Level::Note {
        return Vec::new();
    }
    let mut marks = vec![primary(&problem.place, problem.caption.clone())];
    marks.extend(problem.related.iter().take(MAX_MARKS).map(secondary));
    marks.retain(|mark| !mark.place.is_whole_file());
    marks
}

fn notes_of_problem(problem: &Problem) -> Vec<(&'static str, String)> {
    problem.help.iter().map(|help| ("help", help.clone())).collect()
}

pub(super) fn marks_of_finding(finding: &Finding) -> Vec<Mark<'_>> {
    let mut marks = vec![primary(&finding.place, caption(finding))];
    marks.extend(finding.related.iter().take(MAX_MARKS).map(secondary));
    let further = finding.failures.iter().filter(|&place| *place != finding.place);
    marks.extend(further.take(MAX_MARKS).map(|place| Mark { place, label: "and here".to_owned(), is_primary: false }));
    marks.retain(|mark| !mark.place.is_whole_file());
    marks
}

/// Returns the value for the mark, if the source text does not show it.
pub(super) fn caption(finding: &Finding) -> String {
    let value = finding.actual.as_ref().filter(|_| !finding.related.is_empty()).map(ToString::to_string);
    value.filter(|value| value.len() <= MAX_VALUE).map_or_else(String::new, |value| format!("is {value}"))
}

fn notes_of_fault(finding: &Fault<'_>) -> Vec<(&'static str, String)> {
    let mut notes = Vec::new();
    if finding.failures.len() > MAX_MARKS {
        notes.push(("note", format!("fails at {} places in all", finding.failures.len() + 1)));
    }
    if let Some(it) = &finding.resource {
        notes.push(("resource", resource(it)));
    }
    if let Some(files) = file_list::parameter_files(finding) {
        notes.push(("in", files));
    }
    notes.extend(finding.note().map(|note| ("note", note)));
    if let Some(recommendation) = &finding.rule.recommendation {
        notes.push(("help", recommendation.clone()));
    }
    if let Some(fix) = finding.fix().filter(|_| finding.outcome == Outcome::Failed) {
        let flags = if fix.is_guess { "--fix --unsafe-fixes" } else { "--fix" };
        notes.push(("help", format!("fix available: {}; `formwork check {flags}` applies it", fix.title)));
    }
    if let Some(uri) = &finding.rule.help_uri {
        notes.push(("see", uri.clone()));
    }
    notes
}

/// Returns the type and the name of a resource, safe for a terminal.
pub(super) fn resource(resource: &ResourceRef) -> String {
    let type_name = visible(&resource.type_name);
    match resource.name.as_str() {
        "" => format!("{type_name} with an unknown name"),
        name => format!("{type_name} `{}`", visible(name)),
    }
}

pub(super) fn primary(place: &Place, label: String) -> Mark<'_> {
    Mark { place, label, is_primary: true }
}

pub(super) fn secondary(label: &Label) -> Mark<'_> {
    Mark { place: &label.place, label: label.text().into_owned(), is_primary: false }
}
