//! Writes a run as an HTML page.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use crate::console::drawn;
use crate::diagnostic::Outcome;
use crate::html::entry::PageEntry;
use crate::html::{Filter, code, page, prose, resources};
use crate::item::{self, Item, Rank};
use crate::model::{AddedSuppression, Report};
use crate::tally::{self, Tally};
use crate::text::escape::html;
use crate::titles;
use crate::{Options, counted};

/// Bytes of all entries. Browsers are slow with more.
const MAX_PAGE: usize = 20_000_000;

/// Suppressions of a change that are listed.
const MAX_SUPPRESSIONS: usize = 50;

/// Columns of an excerpt.
const WIDTH: usize = 110;

/// Writes the findings, the problems and the resources of a run as a page.
pub(crate) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let items = item::worst_first(item::all(report)).into_iter().enumerate();
    let mut entries: Vec<PageEntry<'_>> = items.map(|(number, item)| PageEntry::new(number, item)).collect();
    let body = list(&mut entries, options)?;
    let trees = resources::section(report, &entries);
    let nodes: BTreeSet<(&str, &str)> = resources::facets(report).collect();
    let services = entries.iter().filter_map(PageEntry::service);
    let files = entries.iter().map(|entry| &*entry.file);
    let filters = [
        Filter { name: "severity", label: "Severity", values: entries.iter().map(|entry| entry.severity).collect() },
        Filter {
            name: "service",
            label: "Service",
            values: services.chain(nodes.iter().map(|(service, _)| *service)).collect(),
        },
        Filter { name: "rule", label: "Rule", values: entries.iter().map(|entry| entry.item.id()).collect() },
        Filter { name: "file", label: "File", values: files.chain(nodes.iter().map(|(_, file)| *file)).collect() },
    ];
    let body = if trees.is_empty() {
        body
    } else {
        format!("<section id=\"findings\">\n<h2>Findings</h2>\n{body}</section>\n{trees}")
    };
    let mut intro = intro(report);
    if !trees.is_empty() {
        intro.push_str("<p><a href=\"#findings\">Findings</a> · <a href=\"#resources\">Resources</a></p>\n");
    }
    let body = format!("{body}{}", foot(report, options));
    out.write_all(page(&title(report), &intro, &filters, &body).as_bytes())
}

/// Writes the entries by rank, and notes at each whether the page has room for it.
fn list(entries: &mut [PageEntry<'_>], options: &Options<'_>) -> io::Result<String> {
    let mut body = String::new();
    let mut is_open: Option<Rank> = None;
    let mut left = entries.len();
    for entry in entries {
        if body.len() > MAX_PAGE {
            break;
        }
        let rank = entry.item.rank();
        if is_open != Some(rank) {
            body.push_str(if is_open.is_some() { "</details>\n" } else { "" });
            let _ = writeln!(body, "<details open data-group><summary>{}</summary>", rank.heading());
            is_open = Some(rank);
        }
        body.push_str(&article(entry, options)?);
        entry.is_shown = true;
        left -= 1;
    }
    body.push_str(if is_open.is_some() { "</details>\n" } else { "" });
    if left > 0 {
        let _ =
            writeln!(body, "<p>… and {left} more, for which this page has no room; a JSON report has all of them</p>");
    }
    Ok(body)
}

/// Returns the end of the page: the version, and the commit if it is known.
fn foot(report: &Report, options: &Options<'_>) -> String {
    let commit = report.change.as_ref().map(|change| format!(" at commit {}", code(&change.commit)));
    format!("<footer><p>formwork {}{}</p></footer>\n", html(options.tool_version), commit.unwrap_or_default())
}

fn title(report: &Report) -> String {
    let findings = match Tally::new(report).total() {
        0 => "no findings".to_owned(),
        total => counted(total, "finding"),
    };
    format!("formwork: {}", tally::headline(report, &findings))
}

fn intro(report: &Report) -> String {
    let tally = Tally::new(report);
    let mut text = format!("<p>{}</p>\n<p>", html(&tally::scope(report)));
    for (count, word) in [(tally.high, "high"), (tally.medium, "medium"), (tally.low, "low")] {
        let _ = write!(text, "<span class=\"{word}\">{count} {word}</span> ");
    }
    let summary = &report.summary;
    let _ = writeln!(
        text,
        "{} undecided, {} suppressed, {}, {} not checked</p>",
        summary.unknown,
        summary.suppressed,
        counted(summary.errors, "error"),
        report.not_checked().count()
    );
    for AddedSuppression { rule, place, reason, .. } in report.added_suppressions.iter().take(MAX_SUPPRESSIONS) {
        let place = place.to_string();
        let reason = reason.as_deref().unwrap_or("without a reason");
        let _ =
            writeln!(text, "<p>Suppressed by this change: {} at {}: {}</p>", code(rule), code(&place), prose(reason));
    }
    let more = report.added_suppressions.len().saturating_sub(MAX_SUPPRESSIONS);
    if more > 0 {
        let _ = writeln!(text, "<p>Suppressed by this change: {more} more, which a JSON report lists</p>");
    }
    for notice in &report.notices {
        let _ = writeln!(text, "<p>{}</p>", prose(notice));
    }
    text
}

fn article(entry: &PageEntry<'_>, options: &Options<'_>) -> io::Result<String> {
    let PageEntry { item, file, severity: word, number, .. } = entry;
    let service = entry.service().unwrap_or_default();
    let id = item.id();
    let mut text = format!(
        "<article id=\"entry-{number}\" tabindex=\"-1\" data-item=\"entry\" data-severity=\"{word}\" data-service=\"{}\" data-rule=\"{}\" data-file=\"{}\">\n<div><span class=\"{word}\">{word}</span> ",
        html(service),
        html(id),
        html(file)
    );
    let uri = match item {
        Item::Finding(fault) => fault.rule.help_uri.as_deref().filter(|uri| uri.starts_with("https://")),
        Item::Problem(_) => None,
    };
    match uri {
        Some(uri) => {
            let _ = write!(text, "<a href=\"{}\" rel=\"noreferrer\">{}</a>", html(uri), code(id));
        }
        None => text.push_str(&code(id)),
    }
    if let Some(name) = item.name() {
        let _ = write!(text, " {}", html(name));
    }
    if let Item::Finding(fault) = item
        && fault.outcome == Outcome::Unknown
    {
        text.push_str(" (undecided)");
    }
    if let Item::Problem(problem) = item
        && let Some(kind) = &problem.not_checked
    {
        let _ = write!(text, " · not checked: {}", code(kind));
    }
    if let Item::Finding(fault) = item
        && let Some(resource) = &fault.resource
    {
        let _ = write!(text, " · {}", titles::resource(&resource.type_name, &resource.name, code));
    }
    let drawing = drawn(item, &Options { color: false, width: WIDTH, ..*options })?;
    let _ = writeln!(
        text,
        "</div>\n<div>{}</div>\n<pre tabindex=\"0\" role=\"region\" aria-label=\"Excerpt\">{}</pre>\n</article>",
        prose(item.message()),
        lines(&drawing)
    );
    Ok(text)
}

/// Formats text of several lines.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(html).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::{Format, sample};

    /// The tags of a page, without those of its script and its style.
    fn tags(page: &str) -> Vec<String> {
        let tag = regex::Regex::new("<(/?[a-zA-Z!][a-zA-Z0-9]*)").unwrap();
        tag.captures_iter(page).map(|found| found[1].to_owned()).collect()
    }

    #[test]
    fn a_page_of_a_run() {
        sample::assert_report(Format::Html, "output", &sample::run());
        sample::assert_report(Format::Html, "empty", &sample::empty());
    }

    proptest! {
        #[test]
        fn no_text_of_a_template_is_markup(run in sample::any_run()) {
            let page = sample::render(Format::Html, &run, false, false);
            let known = [
                "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "h1", "p", "span", "form", "label",
                "select", "option", "input", "output", "details", "summary", "article", "div", "a", "code", "pre", "script",
                "section", "h2", "ul", "li", "button", "footer",
            ];
            for tag in tags(&page) {
                prop_assert!(known.contains(&tag.trim_start_matches('/')), "{}", tag);
            }
            prop_assert_eq!(page.matches("<script").count(), 1);
            prop_assert_eq!(page.matches("<style").count(), 1);
        }
    }
}
