//! Items of a report: one for each fault and each problem, with byte ranges that follow the edits.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use formwork_model::diagnostic::{Check, Code, Level, Outcome};
use formwork_report::model::{Fix, Label, Place, Problem, Report, ResourceTree, Rule};
use formwork_report::{Fault, failed_faults, undecided_faults};

use crate::checks::{Accepted, Checked};
use crate::documents::Edit;
use crate::text::Text;

/// A range in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    pub(crate) file: PathBuf,
    /// Byte range in the current text.
    pub(crate) range: Range<usize>,
}

/// Another location that explains an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Related {
    pub(crate) site: Site,
    pub(crate) message: String,
    /// True if the value comes from there.
    pub(crate) is_origin: bool,
}

/// A change of texts, whose parts are applied together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TextChange {
    pub(crate) title: String,
    /// True if it is not certain that the author wants it.
    pub(crate) is_guess: bool,
    pub(crate) parts: Vec<(Site, String)>,
}

/// A fault or a problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) site: Site,
    pub(crate) code: String,
    /// Built-in check. `None` for a problem, and for a rule of a file.
    pub(crate) check: Option<Check>,
    pub(crate) level: Level,
    pub(crate) message: String,
    /// Page of the rule.
    pub(crate) page: Option<String>,
    pub(crate) related: Vec<Related>,
    /// Names of the templates whose deployments have it. Empty for a problem.
    pub(crate) templates: BTreeSet<Arc<str>>,
    /// Names of the parameter files of these deployments.
    pub(crate) parameters: BTreeSet<Arc<str>>,
    /// True for a finding of a rule or check, which can be suppressed.
    pub(crate) is_finding: bool,
    /// True if only a deployment can decide it.
    pub(crate) is_undecided: bool,
    /// True if it is from an earlier check, because the last one could not read its templates.
    pub(crate) is_kept: bool,
    /// Identity that survives edits elsewhere.
    pub(crate) fingerprint: String,
    /// Entries that accept its findings in the baseline, if the settings name one.
    pub(crate) accepted: Vec<Accepted>,
    pub(crate) change: Option<TextChange>,
}

impl Site {
    /// Follows an edit of a file. Returns `true` if the text of the range still exists.
    pub(crate) fn follow(&mut self, file: &Path, edit: &Edit) -> bool {
        if self.file != file {
            return true;
        }
        match edit.moved(&self.range) {
            Some(range) => {
                self.range = range;
                true
            }
            None => false,
        }
    }
}

impl Item {
    /// Returns a finding with these properties only.
    #[cfg(test)]
    pub(crate) fn new(site: Site, code: &str, level: Level, message: &str) -> Self {
        Self {
            site,
            code: code.to_owned(),
            check: None,
            level,
            message: message.to_owned(),
            page: None,
            related: Vec::new(),
            templates: BTreeSet::new(),
            parameters: BTreeSet::new(),
            is_finding: true,
            is_undecided: false,
            is_kept: false,
            fingerprint: String::new(),
            accepted: Vec::new(),
            change: None,
        }
    }

    /// Returns the code of a problem, or of the problems that a check represents.
    pub(crate) fn problem_code(&self) -> Option<Code> {
        match self.check {
            Some(check) => check.code(),
            None if self.is_finding => None,
            None => Code::read(&self.code),
        }
    }

    /// True if the item has a location in a file.
    pub(crate) fn mentions(&self, file: &Path) -> bool {
        let changed = self.change.iter().flat_map(|change| change.parts.iter().map(|(site, _)| site));
        let related = self.related.iter().map(|related| &related.site);
        std::iter::once(&self.site).chain(related).chain(changed).any(|site| site.file == file)
    }

    /// Returns the visible part of the item: its location, code, and message.
    pub(crate) fn visible_part(&self) -> (&Path, usize, usize, &str, &str) {
        let Site { file, range } = &self.site;
        (file, range.start, range.end, &self.code, &self.message)
    }

    /// Follows an edit of a file. Returns `true` unless the item's own text was edited. Related locations and changes
    /// that cannot follow are dropped.
    pub(crate) fn follow(&mut self, file: &Path, edit: &Edit) -> bool {
        self.related.retain_mut(|related| related.site.follow(file, edit));
        if let Some(change) = &mut self.change
            && !change.parts.iter_mut().all(|(site, _)| site.follow(file, edit))
        {
            self.change = None;
        }
        self.site.follow(file, edit)
    }
}

/// Returns the items of a check, in the order of its report. `text` returns the path and text for a name in the
/// report.
pub(crate) fn from_check<'t>(
    checked: &Checked,
    lists_undecided: bool,
    text: &dyn Fn(&str) -> Option<(PathBuf, &'t Text)>,
) -> Vec<Item> {
    let sites = Sites { text };
    let report = &checked.report;
    let failed = failed_faults(report);
    let undecided = if lists_undecided { undecided_faults(report) } else { Vec::new() };
    let mut items: Vec<Item> = Vec::with_capacity(failed.len() + undecided.len() + report.problems.len());
    items.extend(failed.iter().filter_map(|fault| of_fault(checked, fault, &sites)));
    items.extend(undecided.iter().filter_map(|fault| of_fault(checked, fault, &sites)));
    items.extend(report.problems.iter().filter_map(|problem| of_problem(problem, &sites)));
    items
}

fn of_fault(checked: &Checked, fault: &Fault<'_>, sites: &Sites<'_, '_>) -> Option<Item> {
    let templates: BTreeSet<Arc<str>> = fault.findings().map(|finding| Arc::clone(&finding.template)).collect();
    let parameters: BTreeSet<Arc<str>> =
        fault.findings().flat_map(|finding| finding.parameters.iter().cloned()).collect();
    // Only with a baseline can the finding be accepted.
    let accepted = checked.baseline.iter().flat_map(|_| fault.findings()).map(|finding| Accepted {
        template: Arc::clone(&finding.template),
        rule: finding.rule.id.clone(),
        resource: finding.resource.clone(),
        parameters: finding.parameters.clone(),
        fingerprint: finding.fingerprint.clone(),
    });
    let is_undecided = fault.outcome == Outcome::Unknown;
    let said = match &fault.reason {
        Some(reason) if is_undecided => format!("undecided: {}\n{reason}", fault.message),
        _ if is_undecided => format!("undecided: {}", fault.message),
        _ => fault.message.clone(),
    };
    Some(Item {
        site: sites.site(&fault.place)?,
        code: fault.rule.id.clone(),
        check: fault.rule.check,
        level: fault.level(),
        message: message(&said, among(&parameters, &templates, &checked.report.trees)),
        page: page(&fault.rule),
        related: fault.related.iter().filter_map(|label| sites.related(label)).collect(),
        templates,
        parameters,
        is_finding: true,
        is_undecided,
        is_kept: false,
        fingerprint: fault.fingerprint.clone(),
        accepted: accepted.collect(),
        change: fault.fix().and_then(|fix| sites.change(fix)),
    })
}

fn of_problem(problem: &Problem, sites: &Sites<'_, '_>) -> Option<Item> {
    let help = problem.help.as_deref().map_or_else(String::new, |help| format!("\n{help}"));
    Some(Item {
        site: sites.site(&problem.place)?,
        code: problem.code.to_string(),
        check: None,
        level: problem.level,
        message: format!("{}{help}", problem.message),
        page: None,
        related: problem.related.iter().filter_map(|label| sites.related(label)).collect(),
        templates: BTreeSet::new(),
        parameters: BTreeSet::new(),
        is_finding: false,
        is_undecided: false,
        is_kept: false,
        fingerprint: String::new(),
        accepted: Vec::new(),
        change: None,
    })
}

/// Returns the page of a rule, if it is an HTTPS link.
fn page(rule: &Rule) -> Option<String> {
    rule.help_uri.clone().filter(|uri| uri.starts_with("https://"))
}

fn message(message: &str, only: Option<String>) -> String {
    only.map_or_else(|| message.to_owned(), |names| format!("{message}\nin: {names}"))
}

/// Returns the names of a fault's parameter files, unless it is in all deployments of its templates.
fn among(parameters: &BTreeSet<Arc<str>>, templates: &BTreeSet<Arc<str>>, trees: &[ResourceTree]) -> Option<String> {
    let of_templates = trees.iter().filter(|tree| templates.contains(&tree.template));
    let is_everywhere = of_templates.filter_map(|tree| tree.parameters.as_ref()).all(|name| parameters.contains(name));
    let names: Vec<&str> = parameters.iter().map(|name| name.rsplit('/').next().unwrap_or(name)).collect();
    (!is_everywhere && !names.is_empty()).then(|| names.join(", "))
}

/// Locator of report locations in texts.
struct Sites<'a, 't> {
    text: &'a dyn Fn(&str) -> Option<(PathBuf, &'t Text)>,
}

/// Converts a location of a report. `text` returns the path and text for a name in the report.
pub(crate) fn site<'t>(place: &Place, text: &dyn Fn(&str) -> Option<(PathBuf, &'t Text)>) -> Option<Site> {
    let (file, text) = text(place.file.name())?;
    let start = text.reported(place.start.line, place.start.byte_column);
    let end = text.reported(place.end.line, place.end.byte_column);
    Some(Site { file, range: start..end })
}

impl Sites<'_, '_> {
    fn site(&self, place: &Place) -> Option<Site> {
        site(place, self.text)
    }

    fn related(&self, label: &Label) -> Option<Related> {
        let is_origin = label.origin().is_some();
        Some(Related { site: self.site(&label.place)?, message: label.text().into_owned(), is_origin })
    }

    fn change(&self, fix: &Fix) -> Option<TextChange> {
        let parts = fix.edits.iter().map(|edit| Some((self.site(&edit.place)?, edit.replacement.clone())));
        let parts = parts.collect::<Option<Vec<_>>>().filter(|parts| !parts.is_empty())?;
        Some(TextChange { title: fix.title.clone(), is_guess: fix.is_guess, parts })
    }
}

/// True if a report has an error, which means that something was not checked.
pub(crate) fn has_errors(report: &Report) -> bool {
    report.problems.iter().any(|problem| problem.level == Level::Error)
}
