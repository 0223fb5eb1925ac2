//! Kinds of findings: those with the same rule and the same message are one line.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::brief::quote::{self, Words};
use crate::diagnostic::{Check, Level, Severity};
use crate::fault::{self, Fault};
use crate::model::{Edit, Finding, Fix, Origin, Place, Problem, Report};

/// Number of places of a kind that are named.
const MAX_PLACES: usize = 5;

/// Maximum length of the texts of a replacement that is shown, in bytes.
const MAX_REPLACED: usize = 60;

/// Number of characters of the ID of a finding.
const ID: usize = 8;

/// The order of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Something could not be read or built.
    Unread,
    /// The platform rejects the deployment.
    Error,
    /// Another finding of a severity.
    Finding(Severity),
    /// Something was not checked although nothing is wrong with it.
    Unchecked,
    /// A problem of settings or of another file, which changes no verdict.
    Warning,
}

/// Findings with the same rule and message, or problems with the same code and message.
#[derive(Debug)]
pub(super) struct Kind<'a> {
    pub(super) rank: Rank,
    id: &'a str,
    message: &'a str,
    origin: Origin,
    /// Places, each with the number of further ones that the report does not list.
    places: Vec<(&'a Place, usize)>,
    /// First finding, and the number of those with a fix. `None` for problems.
    finding: Option<(Fault<'a>, usize)>,
}

/// Returns the failed findings and the problems of a report, the worst first.
pub(super) fn kinds(report: &Report) -> Vec<Kind<'_>> {
    let mut kinds: BTreeMap<(Rank, &str, &str), Kind<'_>> = BTreeMap::new();
    for fault in fault::failed(report) {
        let finding = fault.first();
        let rank = rank(finding);
        let place = (&finding.place, fault.findings().map(|finding| finding.places() - 1).sum());
        let has_fix = usize::from(fault.fix().is_some());
        if let Some(kind) = kinds.get_mut(&(rank, &finding.rule.id, &finding.message)) {
            kind.places.push(place);
            if let Some((_, fixes)) = &mut kind.finding {
                *fixes += has_fix;
            }
        } else {
            let (id, message, origin) = (&*finding.rule.id, &*finding.message, finding.rule.origin);
            let finding = Some((fault, has_fix));
            kinds.insert((rank, id, message), Kind { rank, id, message, origin, places: vec![place], finding });
        }
    }
    for problem in &report.problems {
        let Some(rank) = rank_of_problem(problem) else { continue };
        let (id, message, origin) = (&*problem.code, &*problem.message, Origin::Builtin);
        let new = || Kind { rank, id, message, origin, places: Vec::new(), finding: None };
        kinds.entry((rank, id, message)).or_insert_with(new).places.push((&problem.place, 0));
    }
    let mut kinds: Vec<Kind<'_>> = kinds.into_values().collect();
    kinds.sort_by(|a, b| {
        let key = |kind: &Kind<'_>| (kind.rank, kind.fixes() == 0);
        key(a).cmp(&key(b)).then_with(|| a.place_key().cmp(&b.place_key()))
    });
    kinds
}

/// Returns the rank of a failed finding. Settings may lower the severity of what the platform rejects.
pub(super) fn rank(finding: &Finding) -> Rank {
    let is_refused = finding.rule.check.is_some_and(Check::is_of_platform);
    match finding.rule.severity {
        Severity::High if is_refused => Rank::Error,
        severity => Rank::Finding(severity),
    }
}

/// Returns the rank of a problem. `None` for notes of tools, and for what the list of what a change hides has.
fn rank_of_problem(problem: &Problem) -> Option<Rank> {
    match problem.level {
        _ if problem.code == super::hides::WEAKENED => None,
        Level::Error => Some(Rank::Unread),
        _ if problem.not_checked.is_some() => Some(Rank::Unchecked),
        Level::Warning => Some(Rank::Warning),
        Level::Note => None,
    }
}

/// Returns the ID of a finding in brief reports: the beginning of its fingerprint.
pub fn kind_id(finding: &Finding) -> &str {
    finding.fingerprint.get(..ID).unwrap_or(&finding.fingerprint)
}

impl<'a> Kind<'a> {
    /// Returns the number of findings or problems.
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    pub(super) fn is_finding(&self) -> bool {
        self.finding.is_some()
    }

    pub(super) fn is_low(&self) -> bool {
        self.rank == Rank::Finding(Severity::Low)
    }

    /// True if the report only counts it.
    pub(super) fn is_counted_only(&self, report: &Report) -> bool {
        report.hides_low && self.is_low()
    }

    /// Returns the names of the files.
    pub(super) fn files(&self) -> impl Iterator<Item = &'a str> {
        self.places.iter().map(|(place, _)| &**place.file.name())
    }

    fn fixes(&self) -> usize {
        self.finding.as_ref().map_or(0, |(_, fixes)| *fixes)
    }

    fn place_key(&self) -> Option<(&'a str, crate::model::Point, crate::model::Point)> {
        self.places.first().map(|(place, _)| place.key())
    }

    fn word(&self) -> &'static str {
        match self.rank {
            Rank::Unread => "unread",
            Rank::Error => "error",
            Rank::Finding(severity) => severity.as_str(),
            Rank::Unchecked => "unchecked",
            Rank::Warning => "warning",
        }
    }

    /// Returns the line. `file` is the only file of the report, which is not named again.
    pub(super) fn line(&self, report: &Report, file: Option<&str>) -> String {
        let mut line = format!("{} {}", self.word(), quote::id(self.id));
        let shown = |place: &Place| shown_place(place, file, self.places.len() == 1);
        match self.places.as_slice() {
            [(place, 0)] => {
                let _ = write!(line, " {}", shown(place));
            }
            places => {
                let mut files: Vec<&str> = self.files().collect();
                files.sort_unstable();
                files.dedup();
                let among = if files.len() > 1 { format!(" in {} files", files.len()) } else { String::new() };
                let named: Vec<String> = places.iter().take(MAX_PLACES).map(|(place, _)| shown(place)).collect();
                let dots = if places.len() > MAX_PLACES { ", …" } else { "" };
                let _ = write!(line, " ×{}{among}: {}{dots}", places.len(), named.join(", "));
                let unlisted: usize = places.iter().map(|(_, more)| more).sum();
                if unlisted > 0 {
                    let _ = write!(line, " and {unlisted} more places");
                }
            }
        }
        if let Some((fault, _)) = &self.finding {
            let _ = write!(line, " [{}]", kind_id(fault.first()));
        }
        let words = Words::of_rule(self.origin, report.may_have_backticks);
        let _ = write!(line, " {}", quote::message(self.message, words));
        line.push_str(&self.fix_words());
        line
    }

    /// Returns the end of the line: what fixes the findings.
    fn fix_words(&self) -> String {
        let Some((fault, fixes)) = self.finding.as_ref().filter(|(_, fixes)| *fixes > 0) else { return String::new() };
        let Some(fix) = fault.fix() else { return format!(". fix for {fixes}") };
        let safety = if fix.is_guess { "unsafe fix" } else { "fix" };
        if *fixes < self.places.len() {
            return format!(". {safety} for {fixes}");
        }
        match replacement(fix).filter(|_| self.places.len() == 1) {
            Some((old, new)) => format!(". {safety}: {} -> {}", quote::quoted(&old), quote::quoted(new)),
            None => format!(". {safety}"),
        }
    }
}

/// Returns the old and the new text of a fix that replaces a short text in one line.
fn replacement(fix: &Fix) -> Option<(String, &str)> {
    let [Edit { place, replacement }] = fix.edits.as_slice() else { return None };
    let (start, end) = (place.start.byte_column.checked_sub(1)?, place.end.byte_column.checked_sub(1)?);
    let old = place.file.shown(place.start.line, start as usize..end as usize).filter(|_| place.is_on_one_line())?;
    let is_short = |text: &str| !text.is_empty() && text.len() <= MAX_REPLACED && !text.contains(['\n', '\r']);
    (is_short(&old) && is_short(replacement)).then(|| (unquoted(&old).to_owned(), unquoted(replacement)))
}

/// Returns the content of a string literal, or another text as it is.
fn unquoted(text: &str) -> &str {
    let mut quotes = ['"', '\''].into_iter();
    quotes.find_map(|quote| text.strip_prefix(quote)?.strip_suffix(quote)).unwrap_or(text)
}

fn shown_place(place: &Place, file: Option<&str>, with_column: bool) -> String {
    let name = if file.is_some() { String::new() } else { quote::file(place.file.name()) };
    match () {
        () if place.is_whole_file() && file.is_some() => quote::file(place.file.name()),
        () if place.is_whole_file() => name,
        () if with_column => format!("{name}:{}:{}", place.start.line, place.start.column),
        () => format!("{name}:{}", place.start.line),
    }
}
