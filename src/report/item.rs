//! What reports list: faults and diagnostics, seen as one.

use crate::diagnostic::{Diagnostic, Label, Level, Outcome, Run};
use crate::report::fault::{self, Fault};
use crate::report::file_list;
use crate::text::Span;

/// A fault or a diagnostic, as an entry of a report.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    /// A problem of the run.
    Diagnostic(&'a Diagnostic),
    /// The verdict of a rule on a place.
    Finding(Fault<'a>),
}

impl<'a> Item<'a> {
    pub(super) fn level(&self) -> Level {
        match self {
            Self::Diagnostic(diagnostic) => diagnostic.level,
            Self::Finding(finding) => finding.level(),
        }
    }

    /// The level in words; `not checked` for what is worth knowing for this reason.
    pub(super) fn word(&self) -> &'static str {
        match self {
            Self::Diagnostic(Diagnostic { level: Level::Note, not_checked: Some(_), .. }) => "not checked",
            _ => self.level().as_str(),
        }
    }

    /// The code of a diagnostic, the rule of a finding.
    pub(super) fn id(&self) -> &'a str {
        match self {
            Self::Diagnostic(diagnostic) => diagnostic.code.as_str(),
            Self::Finding(fault) => &fault.first().rule.id,
        }
    }

    /// The name of a rule, where it says more than its id.
    pub(super) fn name(&self) -> Option<&'a str> {
        match self {
            Self::Diagnostic(_) => None,
            Self::Finding(fault) => {
                let rule = &fault.first().rule;
                let name = rule.name.as_str();
                (!name.is_empty() && name != rule.id).then_some(name)
            }
        }
    }

    pub(super) fn message(&self) -> &'a str {
        match self {
            Self::Diagnostic(diagnostic) => &diagnostic.message,
            Self::Finding(fault) => &fault.first().message,
        }
    }

    /// The message, with what to do about it.
    pub(super) fn text(&self) -> String {
        let advice = match self {
            Self::Diagnostic(diagnostic) => diagnostic.help.clone(),
            Self::Finding(finding) => {
                let files = file_list::parameter_files(finding).map(|files| format!("in {files}"));
                let about = files.into_iter().chain(finding.note());
                let lines: Vec<String> = about.chain(finding.rule.recommendation.clone()).collect();
                Some(lines.join("\n")).filter(|lines| !lines.is_empty())
            }
        };
        advice.map_or_else(|| self.message().to_owned(), |advice| format!("{}\n{advice}", self.message()))
    }

    /// Other places that explain it.
    pub(super) fn related(&self) -> &'a [Label] {
        match self {
            Self::Diagnostic(diagnostic) => &diagnostic.secondary,
            Self::Finding(fault) => &fault.first().related,
        }
    }

    pub(super) fn span(&self) -> Span {
        match self {
            Self::Diagnostic(diagnostic) => diagnostic.primary.span,
            Self::Finding(finding) => finding.span,
        }
    }
}

/// The problems of a run and its failed verdicts, and the undecided ones if the run lists them. Problems come first, since
/// they say what was not checked; those that are only worth knowing come last.
pub(super) fn all(run: &Run) -> impl Iterator<Item = Item<'_>> {
    let notes = run.diagnostics.iter().filter(|problem| problem.level == Level::Note);
    let problems = run.diagnostics.iter().filter(|problem| problem.level != Level::Note);
    let of = |outcome| run.findings.iter().filter(move |finding| finding.outcome == outcome);
    let unknown = of(Outcome::Unknown).filter(|_| run.lists_unknown);
    let faults = fault::faults(of(Outcome::Failed)).into_iter().chain(fault::faults(unknown)).map(Item::Finding);
    problems.map(Item::Diagnostic).chain(faults).chain(notes.map(Item::Diagnostic))
}

/// As [`all`], without the diagnostics that are only worth knowing. Where people act on each entry, these would appear in
/// every change.
pub(super) fn worth_acting_on(run: &Run) -> impl Iterator<Item = Item<'_>> {
    all(run).filter(|item| matches!(item, Item::Finding(_)) || item.level() != Level::Note)
}

/// As [`all`], with those of one file together.
pub(super) fn by_file(run: &Run) -> Vec<Item<'_>> {
    let mut items: Vec<Item<'_>> = all(run).collect();
    items.sort_by_cached_key(|item| run.sources.get(item.span().file).name().clone());
    items
}
