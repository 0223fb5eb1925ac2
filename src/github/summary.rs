//! The one comment on a pull request as a whole: all findings, and what could not be checked.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::diagnostic::{Level, Severity};
use crate::github::anchor::Reason;
use crate::github::body::{Style, about};
use crate::github::marker::{self, Marker, is_own};
use crate::github::page::{Page, linked};
use crate::github::plan::SummaryWrite;
use crate::github::report::{Counts, Finding, Problem, Report};
use crate::github::wire::{Body, IssueComment};
use crate::report::counted;
use crate::report::markdown::{code, prose};
use crate::text::cut;

/// GitHub refuses 65 536 characters.
const MAX_SUMMARY: usize = 64_000;

/// Room for what is behind the tables.
const MAX_FOOTER: usize = 2_000;

/// Findings leave this much room for problems, without which a page would look as if all had been checked.
const ROOM_FOR_PROBLEMS: usize = 12_000;

/// Room behind each table for the end of a fold and the count of what is left out.
const ROOM_FOR_REST: usize = 200;

/// A longer message is cut, so that one row cannot fill the page. In bytes.
const MAX_MESSAGE: usize = 600;

/// Further findings are folded.
const MAX_OPEN_ROWS: usize = 20;

const FINDINGS: &str = "| Severity | Rule | Finding | Place |\n|---|---|---|---|\n";

const PROBLEMS: &str = "| Level | Code | Problem | Place |\n|---|---|---|---|\n";

/// Findings stand between these lines, so that they are found again when they are gone.
const BEGIN: &str = "<!-- formwork:findings -->\n";
const END: &str = "<!-- formwork:end -->\n";

/// A finding and, where it has no comment of its own, why.
pub(super) type Entry<'a> = (&'a Finding, Option<Reason>);

/// What the summary is made of.
#[derive(Debug)]
pub(super) struct Summary<'a> {
    pub(super) report: &'a Report,
    /// In the order of their rows.
    pub(super) entries: Vec<Entry<'a>>,
    pub(super) style: &'a Style<'a>,
    /// The category, where there is more than one.
    pub(super) title: &'a str,
    pub(super) run_url: Option<&'a str>,
}

impl Summary<'_> {
    /// What is to be written, now that the pull request has these comments.
    pub(super) fn write(&self, comments: &[IssueComment], viewer: &str) -> Option<SummaryWrite> {
        let content = self.content();
        let digest = marker::digest(&[&content.text().replace(self.style.links.head, "")]);
        let own = comments.iter().filter(|it| is_own(it.user.as_ref(), viewer)).find_map(|it| {
            let body = it.body.as_deref()?;
            let marker = Marker::read(body)?;
            (marker.is_of(&self.style.category) && marker.subject == "summary").then_some((it.id, body, marker))
        });
        let Some((id, old, marker)) = own else {
            let has_news = !self.entries.is_empty() || !self.report.is_whole();
            return has_news.then(|| SummaryWrite::Create(Body { body: self.body(content, &digest, "") }));
        };
        let is_current = marker.digest == Some(digest.as_str());
        (!is_current).then(|| SummaryWrite::Update { id, body: Body { body: self.body(content, &digest, old) } })
    }

    /// The whole comment. `old` is what it said before.
    fn body(&self, mut page: Page, digest: &str, old: &str) -> String {
        if self.entries.is_empty() {
            former(&mut page, old);
        }
        page.widen(MAX_FOOTER);
        page.push(&format!("\n<sub>As of {}{}</sub>\n\n", self.style.links.commit(), self.run()));
        page.into_text() + &self.style.category.summary(digest)
    }

    fn run(&self) -> String {
        let uri = self.run_url.filter(|it| it.len() < MAX_FOOTER / 4);
        uri.map(|uri| format!(" · {}", linked(Some(uri), "workflow run"))).unwrap_or_default()
    }

    /// What the comment says, without what changes with every run.
    fn content(&self) -> Page {
        let mut page = Page::new(MAX_SUMMARY - MAX_FOOTER - ROOM_FOR_PROBLEMS);
        page.push(&self.heading());
        if let Some(note) = note(&self.entries) {
            page.push(&format!("{note}\n\n"));
        }
        if !self.entries.is_empty() {
            page.push(BEGIN);
            page.push("\n");
            let rows: Vec<String> = self.entries.iter().map(|it| self.finding(it)).collect();
            table(&mut page, FINDINGS, &rows);
            page.push("\n");
            page.push(END);
        }
        page.widen(ROOM_FOR_PROBLEMS);
        let problems = || self.report.problems(Level::Error).chain(self.report.problems(Level::Warning));
        let rows: Vec<String> = problems().map(|it| self.problem(it)).collect();
        if !rows.is_empty() {
            page.push("\n### Problems\n\n");
            table(&mut page, PROBLEMS, &rows);
        }
        page
    }

    fn heading(&self) -> String {
        let title = match self.title {
            "" | "default" | "formwork" => "formwork".to_owned(),
            name => format!("formwork · {}", prose(&cut(name, 100))),
        };
        let findings = match self.entries.len() {
            0 => "no findings".to_owned(),
            count => counted(count, "finding"),
        };
        let mut heading = format!("## {title}: {findings}\n\n{}\n\n", self.counts());
        if !self.report.is_whole() {
            heading.push_str("Not everything could be checked; see the problems below.\n\n");
        }
        heading
    }

    /// `1 high, 2 low, 1 suppressed in 3 templates, 4 deployments, 12 resources`
    fn counts(&self) -> String {
        let of = |severity| self.entries.iter().filter(|(it, _)| it.severity == severity).count() as u64;
        let Counts { templates, deployments, resources, unknown, suppressed } = self.report.summary;
        let errors = self.report.problems(Level::Error).count() as u64;
        let verdicts = [
            (of(Severity::High), "high"),
            (of(Severity::Medium), "medium"),
            (of(Severity::Low), "low"),
            (unknown, "undecided"),
            (suppressed, "suppressed"),
            (errors, if errors == 1 { "error" } else { "errors" }),
        ];
        let present = verdicts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = present.map(|(count, word)| format!("{count} {word}")).collect();
        let plural = |count: u64, noun: &str| counted(usize::try_from(count).unwrap_or(usize::MAX), noun);
        let scope = [plural(templates, "template"), plural(deployments, "deployment"), plural(resources, "resource")];
        let scope = scope.join(", ");
        if parts.is_empty() { format!("Checked {scope}.") } else { format!("{} in {scope}.", parts.join(", ")) }
    }

    fn finding(&self, (finding, reason): &Entry<'_>) -> String {
        let mut text = prose(&cut(&finding.message, MAX_MESSAGE));
        if let Some(about) = about(finding) {
            let _ = write!(text, "<br><sub>{about}</sub>");
        }
        let mut place = self.style.links.place(&finding.location);
        if let Some(reason) = reason {
            let _ = write!(place, "<br><sub>{}</sub>", reason.note());
        }
        format!("| {} | {} | {text} | {place} |\n", finding.severity.as_str(), self.style.rule(finding))
    }

    fn problem(&self, problem: &Problem) -> String {
        let text = prose(&cut(&problem.place.message, MAX_MESSAGE));
        let (level, id) = (problem.level.as_str(), code(&problem.code));
        format!("| {level} | {id} | {text} | {} |\n", self.style.links.place(&problem.place))
    }
}

/// How many findings have no comment, and why.
pub(super) fn note(entries: &[Entry<'_>]) -> Option<String> {
    let mut counts: BTreeMap<Reason, usize> = BTreeMap::new();
    for reason in entries.iter().filter_map(|(_, reason)| *reason) {
        *counts.entry(reason).or_default() += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(reason, &count)| reason.sentence(count)).collect();
    let total = counts.values().sum();
    let have = if total == 1 { "has" } else { "have" };
    (total > 0).then(|| format!("{} {have} no comment on a line: {}.", counted(total, "finding"), parts.join(", ")))
}

/// A table whose further rows are folded, with the number of those for which there is no room.
fn table(page: &mut Page, head: &str, rows: &[String]) {
    let open = &rows[..rows.len().min(MAX_OPEN_ROWS)];
    page.narrow(ROOM_FOR_REST);
    let mut shown = page.table(head, open);
    let rest = &rows[shown..];
    let fold = format!("\n<details><summary>{} more</summary>\n\n", rest.len());
    let is_folded = shown == open.len() && !rest.is_empty() && page.push(&fold);
    if is_folded {
        shown += page.table(head, rest);
    }
    page.widen(ROOM_FOR_REST);
    if is_folded {
        page.push("\n</details>\n");
    }
    if shown < rows.len() {
        page.push(&format!("\n… and {} more\n", rows.len() - shown));
    }
}

/// The findings that the comment had, folded.
fn former(page: &mut Page, old: &str) {
    let inside = old.lines().skip_while(|it| it.trim_end() != BEGIN.trim_end()).skip(1);
    let rows: Vec<String> = inside
        .take_while(|it| it.trim_end() != END.trim_end())
        .filter(|it| it.starts_with("| ") && !FINDINGS.starts_with(it.trim_end()))
        .map(|it| format!("{}\n", it.trim_end()))
        .collect();
    if rows.is_empty() {
        return;
    }
    page.push("\n<details><summary>Former findings</summary>\n\n");
    page.push(BEGIN);
    page.push("\n");
    page.narrow(ROOM_FOR_REST);
    table(page, FINDINGS, &rows);
    page.widen(ROOM_FOR_REST);
    page.push("\n");
    page.push(END);
    page.push("\n</details>\n");
}
