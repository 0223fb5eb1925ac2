//! Items of a report: faults and problems.

use crate::diagnostic::{Level, Outcome, Severity};
use crate::fault::{self, Fault};
use crate::file_list;
use crate::model::{Label, Place, Problem, Report};

/// A fault or a problem, as an item of a report.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    /// A problem of the run.
    Problem(&'a Problem),
    /// A fault.
    Finding(Fault<'a>),
}

/// The order of the entries of a report: what was not checked, what fails, and what is only worth knowing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// An error of the run.
    Error,
    /// A finding of a severity.
    Finding(Severity),
    /// A result that could not be decided.
    Undecided,
    /// A warning or a note.
    Note,
}

impl Rank {
    /// The heading of the entries of this rank.
    pub(super) const fn heading(self) -> &'static str {
        match self {
            Self::Error => "Errors",
            Self::Finding(Severity::High) => "High",
            Self::Finding(Severity::Medium) => "Medium",
            Self::Finding(Severity::Low) => "Low",
            Self::Undecided => "Undecided",
            Self::Note => "Warnings and notes",
        }
    }
}

impl<'a> Item<'a> {
    pub(super) fn rank(&self) -> Rank {
        match self {
            Self::Problem(problem) if problem.level == Level::Error => Rank::Error,
            Self::Problem(_) => Rank::Note,
            Self::Finding(fault) if fault.outcome == Outcome::Unknown => Rank::Undecided,
            Self::Finding(fault) => Rank::Finding(fault.rule.severity),
        }
    }

    pub(super) fn level(&self) -> Level {
        match self {
            Self::Problem(problem) => problem.level,
            Self::Finding(finding) => finding.level(),
        }
    }

    /// Returns the severity of a finding, or the level of a problem. Findings and errors may fail a run, nothing else
    /// does.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Problem(Problem { level: Level::Note, not_checked: Some(_), .. }) => "not checked",
            Self::Problem(problem) => problem.level.as_str(),
            Self::Finding(fault) if fault.outcome == Outcome::Unknown => "undecided",
            Self::Finding(fault) => fault.rule.severity.as_str(),
        }
    }

    /// Returns the code of a problem, or the rule of a finding.
    pub(super) fn id(&self) -> &'a str {
        match self {
            Self::Problem(problem) => &problem.code,
            Self::Finding(fault) => &fault.first().rule.id,
        }
    }

    /// Returns the name of a rule, if it differs from its ID.
    pub(super) fn name(&self) -> Option<&'a str> {
        match self {
            Self::Problem(_) => None,
            Self::Finding(fault) => {
                let rule = &fault.first().rule;
                let name = rule.name.as_str();
                (!name.is_empty() && name != rule.id).then_some(name)
            }
        }
    }

    pub(super) fn message(&self) -> &'a str {
        match self {
            Self::Problem(problem) => &problem.message,
            Self::Finding(fault) => &fault.first().message,
        }
    }

    /// Returns the message with the solution.
    pub(super) fn text(&self) -> String {
        let advice = match self {
            Self::Problem(problem) => problem.help.clone(),
            Self::Finding(finding) => {
                let files = file_list::parameter_files(finding).map(|files| format!("in {files}"));
                let about = files.into_iter().chain(finding.note());
                let lines: Vec<String> = about.chain(finding.rule.recommendation.clone()).collect();
                Some(lines.join("\n")).filter(|lines| !lines.is_empty())
            }
        };
        advice.map_or_else(|| self.message().to_owned(), |advice| format!("{}\n{advice}", self.message()))
    }

    /// Returns other places that explain the item.
    pub(super) fn related(&self) -> &'a [Label] {
        match self {
            Self::Problem(problem) => &problem.related,
            Self::Finding(fault) => &fault.first().related,
        }
    }

    pub(super) fn place(&self) -> &'a Place {
        match self {
            Self::Problem(problem) => &problem.place,
            Self::Finding(fault) => &fault.first().place,
        }
    }
}

/// Returns the problems of a report and its failed results, and the undecided ones if the report lists them. Problems
/// come first, since they state what was not checked; notes come last.
pub(super) fn all(report: &Report) -> impl Iterator<Item = Item<'_>> {
    let notes = report.problems.iter().filter(|problem| problem.level == Level::Note && !is_consequence(problem));
    let problems = report.problems.iter().filter(|problem| problem.level != Level::Note);
    let of = |outcome| report.findings.iter().filter(move |finding| finding.outcome == outcome);
    let unknown = of(Outcome::Unknown).filter(|_| report.lists_unknown);
    let faults = fault::faults(of(Outcome::Failed)).into_iter().chain(fault::faults(unknown)).map(Item::Finding);
    problems.map(Item::Problem).chain(faults).chain(notes.map(Item::Problem))
}

/// True if a problem only follows from errors in another file, which are reported there.
fn is_consequence(problem: &Problem) -> bool {
    problem.code == "bicep/BCP104"
}

/// Returns the entries of [`all`], without the findings that a report for people only counts.
pub(super) fn listed(report: &Report) -> impl Iterator<Item = Item<'_>> {
    all(report).filter(|item| !matches!(item, Item::Finding(fault) if is_hidden(report, fault)))
}

/// True if a report for people counts the fault in one line instead of listing it.
pub(super) fn is_hidden(report: &Report, fault: &Fault<'_>) -> bool {
    report.hides_low && fault.outcome == Outcome::Failed && fault.rule.severity == Severity::Low
}

/// Returns the entries of [`all`], without notes. Where people act on each entry, these would appear in
/// every change.
pub(super) fn worth_acting_on(report: &Report) -> impl Iterator<Item = Item<'_>> {
    all(report).filter(|item| matches!(item, Item::Finding(_)) || item.level() != Level::Note)
}

/// Returns the entries of [`worth_acting_on`], without the findings that a report for people only counts.
pub(super) fn worth_annotating(report: &Report) -> impl Iterator<Item = Item<'_>> {
    listed(report).filter(|item| matches!(item, Item::Finding(_)) || item.level() != Level::Note)
}

/// Sorts items by [`Rank`], and those of one rank by file.
pub(super) fn worst_first<'a>(items: impl Iterator<Item = Item<'a>>) -> Vec<Item<'a>> {
    let mut items: Vec<Item<'a>> = items.collect();
    items.sort_by(|a, b| (a.rank(), a.place().file.name()).cmp(&(b.rank(), b.place().file.name())));
    items
}
