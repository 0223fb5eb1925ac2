//! A summary in GitHub's Markdown, for a job page or a comment on a pull request.
//!
//! Text from templates must stay text: it may not break the table, add tags, mention people or link to issues.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io;

use crate::diagnostic::{Code, Diagnostic, Finding, Level, Outcome, RuleInfo, Run};
use crate::report::Options;
use crate::report::file_list;
use crate::report::sarif_surplus_text;
use crate::report::source_range::SourceRange;
use crate::report::tally::{self, Tally};
use crate::text::escape::markdown::{address, code, prose};

/// The longest summary, in bytes. GitHub's limit is 65,536 characters; the rest is for a header or a footer.
const MAX_BYTES: usize = 60_000;

/// Findings leave this much room for problems, without which a page would look as if all had been checked.
const ROOM_FOR_PROBLEMS: usize = 15_000;

/// A longer message is cut, so that one row cannot fill the page.
const MAX_MESSAGE: usize = 1_000;

pub(super) fn render(run: &Run, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = heading(run);
    for notice in &run.notices {
        let _ = write!(page, "\n{}\n", prose(&cut(notice)));
    }
    if options.sarif.surplus > 0 {
        let _ = write!(page, "\nOf the report for code scanning, {}.\n", sarif_surplus_text(options.sarif.surplus));
    }
    let mut failed: Vec<&Finding> = run.findings.iter().filter(|finding| finding.outcome == Outcome::Failed).collect();
    failed.sort_by_key(|finding| finding.rule.severity);
    let mut linked = HashSet::new();
    let rows = failed.iter().map(|finding| finding_row(run, finding, linked.insert(finding.rule.id.as_str())));
    let head = "| Severity | Rule | Finding | Place |\n|---|---|---|---|\n";
    table(&mut page, MAX_BYTES - ROOM_FOR_PROBLEMS, "Findings", head, rows);
    let mut unknown: Vec<&Finding> = run.findings.iter().filter(|finding| finding.reason().is_some()).collect();
    unknown.retain(|_| run.lists_unknown);
    unknown.sort_by_key(|finding| finding.rule.severity);
    let rows = unknown.iter().map(|finding| finding_row(run, finding, linked.insert(finding.rule.id.as_str())));
    let head = "| Severity | Rule | Reason | Place |\n|---|---|---|---|\n";
    table(&mut page, MAX_BYTES - ROOM_FOR_PROBLEMS, "Undecided", head, rows);
    let problems: Vec<&Diagnostic> = run.diagnostics.iter().filter(|problem| matters(problem)).collect();
    let rows = problems.iter().map(|problem| diagnostic_row(run, problem));
    let head = "| Level | Code | Problem | Place |\n|---|---|---|---|\n";
    table(&mut page, MAX_BYTES, "Problems", head, rows);
    out.write_all(page.as_bytes())
}

fn heading(run: &Run) -> String {
    let tally = Tally::of(run);
    let findings = match tally.total() {
        0 => "no findings".to_owned(),
        total => tally::counted(total, "finding"),
    };
    format!(
        "## formwork: {findings}\n\n{}\n\n\
         | High | Medium | Low | Undecided | Suppressed | Errors |\n\
         |---:|---:|---:|---:|---:|---:|\n\
         | {} | {} | {} | {} | {} | {} |\n",
        tally::scope(run),
        tally.high,
        tally.medium,
        tally.low,
        run.summary.unknown,
        run.summary.suppressed,
        run.summary.errors,
    )
}

/// Appends a table with as many rows as the page has room for.
fn table(page: &mut String, limit: usize, title: &str, head: &str, rows: impl ExactSizeIterator<Item = String>) {
    let mut left = rows.len();
    if left == 0 {
        return;
    }
    let _ = write!(page, "\n### {title}\n\n");
    let mut is_open = false;
    for row in rows {
        if page.len() + head.len() + row.len() > limit {
            break;
        }
        if !is_open {
            page.push_str(head);
            is_open = true;
        }
        page.push_str(&row);
        left -= 1;
    }
    if left > 0 {
        let gap = if is_open { "\n" } else { "" };
        let _ = writeln!(page, "{gap}… and {left} more");
    }
}

fn finding_row(run: &Run, finding: &Finding, is_linked: bool) -> String {
    let mut text = prose(&cut(&finding.reason().unwrap_or_else(|| finding.message.clone())));
    let mut detail = Vec::new();
    if let Some(resource) = &finding.resource {
        detail.push(format!("{} {}", code(&resource.type_name), code(&resource.name)));
    }
    if let Some(files) = file_list::parameter_files(finding) {
        detail.push(format!("in {}", code(&files)));
    }
    if !detail.is_empty() {
        let _ = write!(text, "<br><sub>{}</sub>", detail.join(" "));
    }
    let place = SourceRange::of(&run.sources, finding.span);
    let severity = finding.rule.severity.as_str();
    format!("| {severity} | {} | {text} | {} |\n", rule(&finding.rule, is_linked), location(&place))
}

/// Whether a problem belongs on the page: one that is only worth knowing does where it says that a file was skipped.
fn matters(diagnostic: &Diagnostic) -> bool {
    diagnostic.level != Level::Note || diagnostic.code == Code::BicepRestore
}

fn diagnostic_row(run: &Run, diagnostic: &Diagnostic) -> String {
    let place = SourceRange::of(&run.sources, diagnostic.primary.span);
    let (level, id) = (diagnostic.level.as_str(), code(diagnostic.code.as_str()));
    let text = prose(&cut(&diagnostic.message));
    format!("| {level} | {id} | {text} | {} |\n", location(&place))
}

/// Id and name of a rule. The first row of a rule is linked to its page; more links would fill ours.
fn rule(rule: &RuleInfo, is_linked: bool) -> String {
    let id = code(&rule.id);
    let mut text = match rule.help_uri.as_deref().and_then(address) {
        Some(uri) if is_linked => format!("<a href=\"{uri}\">{id}</a>"),
        _ => id,
    };
    if !rule.name.is_empty() && rule.name != rule.id {
        let _ = write!(text, "<br>{}", prose(&rule.name));
    }
    text
}

fn location(place: &SourceRange) -> String {
    if place.is_whole_file {
        return code(&place.file);
    }
    code(&format!("{}:{}", place.file, place.start.line))
}

fn cut(text: &str) -> String {
    let end = text.char_indices().nth(MAX_MESSAGE).and_then(|(at, _)| text.get(..at));
    end.map_or_else(|| text.to_owned(), |start| format!("{start}…"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::{Format, sample};

    #[test]
    fn output() {
        sample::check(Format::Markdown, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::check(Format::Markdown, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::check(Format::Markdown, "empty", &sample::empty());
    }

    #[test]
    fn a_page_ends_where_a_comment_does() {
        let mut run = sample::run();
        let (finding, problem) = (run.findings.remove(0), run.diagnostics.remove(0));
        run.findings = vec![finding; 2_000];
        run.diagnostics = vec![problem; 2_000];
        let text = sample::render(Format::Markdown, &run, false, false);
        assert!(text.len() <= MAX_BYTES + 100, "{} bytes", text.len());
        for start in ["| high |", "| error |"] {
            let rows = text.lines().filter(|line| line.starts_with(start)).count();
            assert!(rows > 50, "{rows} rows");
            assert!(text.contains(&format!("\n… and {} more\n", 2_000 - rows)));
        }
    }

    proptest! {
        #[test]
        fn a_row_has_its_cells_and_no_tag_but_ours(run in sample::any_run()) {
            let text = sample::render(Format::Markdown, &run, false, false);
            for line in text.lines().filter(|line| line.starts_with('|')) {
                prop_assert!([5, 7].contains(&line.matches('|').count()), "{}", line);
            }
            let ours = ["<code>", "</code>", "<br>", "<sub>", "</sub>", "</a>", "<a href=\"https://example.org/"];
            for (at, _) in text.match_indices('<') {
                let (_, rest) = text.split_at(at);
                prop_assert!(ours.iter().any(|tag| rest.starts_with(tag)), "{}", rest);
            }
            prop_assert!(!text.contains(['@', '`', '\r']));
        }
    }
}
