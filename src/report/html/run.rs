//! A run as a page in HTML.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;

use crate::diagnostic::{Level, Outcome, Run, Severity};
use crate::report::console::drawn;
use crate::report::html::{Filter, code, page, prose, service};
use crate::report::item::{self, Item};
use crate::report::tally::{self, Tally};
use crate::report::{Options, counted};
use crate::text::escape::html;

/// How many bytes the entries of a page have. A browser is slow with more.
const MAX_PAGE: usize = 20_000_000;

/// Columns of an excerpt.
const WIDTH: usize = 110;

/// Writes the findings and the problems of a run as a page.
pub(in crate::report) fn render(run: &Run, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let items = item::by_file(run);
    let files: Vec<_> = items.iter().map(|item| run.sources.get(item.span().file).name().clone()).collect();
    let mut body = String::new();
    let mut is_open: Option<&str> = None;
    let mut left = items.len();
    for (item, file) in items.iter().zip(&files) {
        if body.len() > MAX_PAGE {
            break;
        }
        if is_open != Some(file) {
            body.push_str(if is_open.is_some() { "</details>\n" } else { "" });
            let _ = writeln!(body, "<details open data-group><summary>{}</summary>", code(file));
            is_open = Some(file);
        }
        body.push_str(&article(run, item, file, options)?);
        left -= 1;
    }
    body.push_str(if is_open.is_some() { "</details>\n" } else { "" });
    if left > 0 {
        let _ =
            writeln!(body, "<p>… and {left} more, for which this page has no room; a JSON report has all of them</p>");
    }
    let services = items.iter().filter_map(|item| Some(service(type_of(item)?)));
    let filters = [
        Filter { name: "severity", label: "Severity", values: items.iter().map(severity).collect() },
        Filter { name: "service", label: "Service", values: services.collect() },
        Filter { name: "rule", label: "Rule", values: items.iter().map(Item::id).collect() },
        Filter { name: "file", label: "File", values: files.iter().map(|file| &**file).collect::<BTreeSet<_>>() },
    ];
    out.write_all(page(&title(run), &intro(run), &filters, &body).as_bytes())
}

fn title(run: &Run) -> String {
    match Tally::of(run).total() {
        0 => "formwork: no findings".to_owned(),
        total => format!("formwork: {}", counted(total, "finding")),
    }
}

fn intro(run: &Run) -> String {
    let tally = Tally::of(run);
    let mut text = format!("<p>{}</p>\n<p>", html(&tally::scope(run)));
    for (count, word) in [(tally.high, "high"), (tally.medium, "medium"), (tally.low, "low")] {
        let _ = write!(text, "<span class=\"{word}\">{count} {word}</span> ");
    }
    let summary = &run.summary;
    let _ = writeln!(
        text,
        "{} undecided, {} suppressed, {} errors</p>",
        summary.unknown, summary.suppressed, summary.errors
    );
    for notice in &run.notices {
        let _ = writeln!(text, "<p>{}</p>", prose(notice));
    }
    text
}

fn article(run: &Run, item: &Item<'_>, file: &str, options: &Options<'_>) -> io::Result<String> {
    let word = severity(item);
    let service = type_of(item).map_or("", service);
    let id = item.id();
    let mut text = format!(
        "<article data-item data-severity=\"{word}\" data-service=\"{}\" data-rule=\"{}\" data-file=\"{}\">\n<div><span class=\"{word}\">{word}</span> ",
        html(service),
        html(id),
        html(file)
    );
    let uri = match item {
        Item::Finding(fault) => fault.rule.help_uri.as_deref().filter(|uri| uri.starts_with("https://")),
        Item::Diagnostic(_) => None,
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
    if let Item::Finding(fault) = item
        && let Some(resource) = &fault.resource
    {
        let _ = write!(text, " · {} {}", code(&resource.type_name), code(&resource.name));
    }
    let drawing = drawn(run, item, &Options { color: false, width: WIDTH, ..*options })?;
    let _ = writeln!(text, "</div>\n<div>{}</div>\n<pre>{}</pre>\n</article>", prose(item.message()), lines(&drawing));
    Ok(text)
}

/// Text of several lines.
fn lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(html).collect();
    lines.join("\n")
}

fn type_of<'a>(item: &'a Item<'_>) -> Option<&'a str> {
    match item {
        Item::Finding(fault) => fault.resource.as_ref().map(|resource| &*resource.type_name),
        Item::Diagnostic(_) => None,
    }
}

/// The severity of a finding; a problem is as severe as its level.
fn severity(item: &Item<'_>) -> &'static str {
    match (item, item.level()) {
        (Item::Finding(fault), _) => fault.rule.severity.as_str(),
        (_, Level::Error) => Severity::High.as_str(),
        (_, Level::Warning) => Severity::Medium.as_str(),
        (_, Level::Note) => Severity::Low.as_str(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::report::{Format, sample};

    /// The tags of a page, without those of its script and its style.
    fn tags(page: &str) -> Vec<String> {
        let tag = regex::Regex::new("<(/?[a-zA-Z!][a-zA-Z0-9]*)").unwrap();
        tag.captures_iter(page).map(|found| found[1].to_owned()).collect()
    }

    #[test]
    fn a_page_of_a_run() {
        sample::check(Format::Html, "output", &sample::run());
        sample::check(Format::Html, "empty", &sample::empty());
    }

    proptest! {
        #[test]
        fn no_text_of_a_template_is_markup(run in sample::any_run()) {
            let page = sample::render(Format::Html, &run, false, false);
            let known = [
                "!DOCTYPE", "html", "head", "meta", "title", "style", "body", "main", "h1", "p", "span", "form", "label",
                "select", "option", "input", "output", "details", "summary", "article", "div", "a", "code", "pre", "script",
            ];
            for tag in tags(&page) {
                prop_assert!(known.contains(&tag.trim_start_matches('/')), "{}", tag);
            }
            prop_assert_eq!(page.matches("<script").count(), 1);
            prop_assert_eq!(page.matches("<style").count(), 1);
        }
    }
}
