//! A summary in GitHub's Markdown, for a job page or a comment on a pull request.
//!
//! Text from templates must stay text: it may not break the table, add tags, mention people or link to issues.

use std::fmt::Write as _;
use std::io;

use foldhash::HashSet;

use crate::Options;
use crate::counted::counted;
use crate::diagnostic::{CheckKind, Level};
use crate::fault::{self, Fault};
use crate::file_list;
use crate::item;
use crate::model::{AddedSuppression, Place, Problem, Report, Rule};
use crate::sarif_surplus_text;
use crate::tally::{self, Tally};
use crate::text::cut;
use crate::text::escape::markdown::{address, code, prose};
use crate::titles;

/// Bytes that findings leave for problems, a quarter of a page for a comment. Without problems, a page would look as if
/// everything had been checked.
const ROOM_FOR_PROBLEMS: usize = 15_000;

/// Bytes that problems leave for unchecked inputs, and again for suppressions.
const ROOM_FOR_GAPS: usize = 3_800;

/// Bytes at which a message is cut, so that one row cannot fill the page.
const MAX_MESSAGE: usize = 1_000;

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let mut page = heading(report);
    for notice in &report.notices {
        let _ = write!(page, "\n{}\n", prose(&cut(notice, MAX_MESSAGE)));
    }
    if options.sarif.surplus > 0 {
        let _ = write!(page, "\nOf the report for code scanning, {}.\n", sarif_surplus_text(options.sarif.surplus));
    }
    let room = options.page.saturating_sub(ROOM_FOR_PROBLEMS.min(options.page / 4));
    let mut failed = fault::failed(report);
    failed.retain(|fault| !item::is_hidden(report, fault));
    failed.sort_by_key(|finding| finding.rule.severity);
    let mut linked = HashSet::default();
    let (mut policies, failed): (Vec<Fault<'_>>, Vec<Fault<'_>>) =
        failed.into_iter().partition(|fault| is_of_policy(&fault.rule));
    if let Some(hidden) = tally::hidden(report) {
        let _ = write!(page, "\n{}.\n", hidden.replace('`', ""));
    }
    let rows = failed.iter().map(|finding| fault_row(finding, linked.insert(finding.first().rule.id.as_str())));
    let head = "| Rule | Finding |\n|---|---|\n";
    table(&mut page, room, "Findings", head, rows);
    let unknown = report.findings.iter().filter(|finding| finding.reason.is_some());
    let (of_policies, unknown): (Vec<_>, Vec<_>) = unknown.partition(|finding| is_of_policy(&finding.rule));
    // Without them, a page would look as if the policies allowed the deployment.
    policies.extend(fault::faults(of_policies));
    let rows = policies.iter().map(|finding| fault_row(finding, linked.insert(finding.first().rule.id.as_str())));
    table(&mut page, room, "Azure Policy", head, rows);
    let mut unknown = fault::faults(unknown.into_iter().filter(|_| report.lists_unknown));
    unknown.sort_by_key(|finding| finding.rule.severity);
    let rows = unknown.iter().map(|finding| fault_row(finding, linked.insert(finding.first().rule.id.as_str())));
    let head = "| Rule | Reason |\n|---|---|\n";
    table(&mut page, room, "Undecided", head, rows);
    let problems: Vec<&Problem> = report.problems.iter().filter(|problem| matters(problem)).collect();
    let rows = problems.iter().map(|problem| problem_row(problem));
    let head = "| Level | Code | Problem | Place |\n|---|---|---|---|\n";
    let gaps: Vec<_> = report.not_checked().collect();
    let reserve = |is_needed: bool| if is_needed { ROOM_FOR_GAPS.min(options.page / 16) } else { 0 };
    let (for_added, for_gaps) = (reserve(!report.added_suppressions.is_empty()), reserve(!gaps.is_empty()));
    table(&mut page, options.page.saturating_sub(for_added + for_gaps), "Problems", head, rows);
    let rows = report.added_suppressions.iter().map(suppression_row);
    let head = "| Rule | Findings | Reason | Place |\n|---|---:|---|---|\n";
    table(&mut page, options.page.saturating_sub(for_gaps), "Suppressed by this change", head, rows);
    let rows = gaps.iter().map(|(kind, problem)| gap_row(kind, problem));
    let head = "| Kind | Reason | Place |\n|---|---|---|\n";
    table(&mut page, options.page, "Not checked", head, rows);
    out.write_all(page.as_bytes())
}

fn heading(report: &Report) -> String {
    let tally = Tally::new(report);
    let findings = match (tally.total(), fault::count_failed(report)) {
        (0, _) => "no findings".to_owned(),
        (total, faults) if faults < total => {
            format!("{} from {}", counted(total, "finding"), counted(faults, "fault"))
        }
        (total, _) => counted(total, "finding"),
    };
    let findings = tally::headline(report, &findings);
    format!(
        "## formwork: {findings}\n\n{}\n\n\
         | High | Medium | Low | Undecided | Suppressed | Errors |\n\
         |---:|---:|---:|---:|---:|---:|\n\
         | {} | {} | {} | {} | {} | {} |\n",
        tally::scope(report),
        tally.high,
        tally.medium,
        tally.low,
        report.summary.unknown,
        report.summary.suppressed,
        report.summary.errors,
    )
}

/// Appends a table with as many rows as fit on the page.
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
        let _ =
            writeln!(page, "{gap}… and {left} more, for which this page has no room; a JSON report has all of them");
    }
}

fn fault_row(finding: &Fault<'_>, is_linked: bool) -> String {
    let mut text = prose(&cut(finding.reason.as_deref().unwrap_or(&finding.message), MAX_MESSAGE));
    let mut detail = vec![location(&finding.place)];
    if let Some(resource) = &finding.resource {
        detail.push(titles::resource(&resource.type_name, &resource.name, code));
    }
    if let Some(files) = file_list::parameter_files(finding) {
        detail.push(format!("in {}", code(&files)));
    }
    detail.extend(finding.note().map(|note| prose(&note)));
    let _ = write!(text, "<br><sub>{}</sub>", detail.join(" · "));
    let severity = finding.rule.severity.as_str();
    format!("| {severity} {} | {text} |\n", rule(&finding.rule, is_linked))
}

/// True if the rule is an Azure policy.
fn is_of_policy(rule: &Rule) -> bool {
    rule.kind() == Some(CheckKind::Policy)
}

/// True if a problem belongs in the table of problems, not in that of unchecked inputs.
fn matters(problem: &Problem) -> bool {
    problem.level != Level::Note && problem.not_checked.is_none()
}

fn suppression_row(added: &AddedSuppression) -> String {
    let reason = added.reason.as_deref().map_or_else(String::new, |reason| prose(&cut(reason, MAX_MESSAGE)));
    format!("| {} | {} | {reason} | {} |\n", code(&added.rule), added.findings, location(&added.place))
}

fn gap_row(kind: &str, problem: &Problem) -> String {
    let text = prose(&cut(&problem.message, MAX_MESSAGE));
    format!("| {} | {text} | {} |\n", code(kind), location(&problem.place))
}

fn problem_row(problem: &Problem) -> String {
    let (level, id) = (problem.level.as_str(), code(&problem.code));
    let text = prose(&cut(&problem.message, MAX_MESSAGE));
    format!("| {level} | {id} | {text} | {} |\n", location(&problem.place))
}

/// Returns the ID and the name of a rule. The first row of a rule is linked to its page; more links would fill the
/// page.
fn rule(rule: &Rule, is_linked: bool) -> String {
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

fn location(place: &Place) -> String {
    let file = place.file.name();
    if place.is_whole_file() {
        return code(file);
    }
    code(&format!("{file}:{}", place.start.line))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::diagnostic::Finding;
    use crate::{Format, PAGE, sample};

    #[test]
    fn output() {
        sample::assert_report(Format::Markdown, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::assert_report(Format::Markdown, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Markdown, "empty", &sample::empty());
    }

    /// Findings that differ in their messages, each of which is a fault.
    fn numbered(finding: &Finding, count: usize) -> Vec<Finding> {
        (0..count).map(|at| Finding { message: format!("{at}: {}", finding.message), ..finding.clone() }).collect()
    }

    #[test]
    fn a_longer_page_has_what_a_comment_has_no_room_for() {
        let mut run = sample::run();
        let finding = run.findings.remove(0);
        run.findings = numbered(&finding, 2_500);
        let options = Options { page: 1024 * 1024, ..sample::options() };
        let mut out = Vec::new();
        render(&sample::report(&run), &options, &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text.lines().filter(|line| line.starts_with("| high ")).count(), 2_500);
        assert!(!text.contains("… and "), "{} bytes", text.len());
    }

    #[test]
    fn a_fault_in_many_deployments_is_one_row() {
        let mut run = sample::run();
        let finding = run.findings.remove(0);
        run.findings = ["a", "b", "c"].map(|name| sample::in_template(&finding, name)).into();
        let text = sample::render(Format::Markdown, &run, false, false);
        assert!(
            text.starts_with("## formwork: 1 error: not everything was checked; 3 findings from 1 fault\n"),
            "{text}"
        );
        assert_eq!(text.lines().filter(|line| line.starts_with("| high ")).count(), 1);
        assert!(text.contains(" · also in 2 other deployments: b, c</sub>"), "{text}");
    }

    #[test]
    fn a_page_ends_where_a_comment_does() {
        let mut run = sample::run();
        let (finding, problem) = (run.findings.remove(0), run.diagnostics.remove(0));
        run.findings = numbered(&finding, 2_000);
        run.diagnostics = vec![problem; 2_000];
        let text = sample::render(Format::Markdown, &run, false, false);
        assert!(text.len() <= PAGE + 200, "{} bytes", text.len());
        for start in ["| high ", "| error |"] {
            let rows = text.lines().filter(|line| line.starts_with(start)).count();
            assert!(rows > 50, "{rows} rows");
            assert!(text.contains(&format!("\n… and {} more, for which", 2_000 - rows)));
        }
    }

    proptest! {
        #[test]
        fn a_row_has_its_cells_and_no_tag_but_ours(run in sample::any_run()) {
            let text = sample::render(Format::Markdown, &run, false, false);
            for line in text.lines().filter(|line| line.starts_with('|')) {
                prop_assert!([3, 5, 7].contains(&line.matches('|').count()), "{}", line);
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
