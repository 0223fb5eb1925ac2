//! Summary comment on a pull request: all findings, and everything that could not be checked.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::diagnostic::Summary as Totals;
use crate::diagnostic::{Level, Severity};
use crate::plan::anchor::NoCommentReason;
use crate::plan::body::{MAX_NAMES, Style, about, linked_rule};
use crate::plan::fault::Fault;
use crate::plan::marker::{Marker, is_own};
use crate::plan::page::{Links, Page, linked};
use crate::plan::writes::SummaryWrite;
use crate::published::Report;
use crate::report::counted;
use crate::report::difference::{Difference, Places, section};
use crate::report::model::{AddedSuppression, Problem};
use crate::text::escape::markdown::{code, prose};
use crate::text::{cut, digest};
use crate::wire::{Body, IssueComment};

/// Maximum length of the summary, in bytes. GitHub rejects more than 65,536 characters.
const MAX_SUMMARY: usize = 64_000;

/// Bytes reserved for the blocks after the tables.
const MAX_FOOTER: usize = 2_000;

/// Bytes that findings leave for problems. Without the problems, the page would look as if everything had been
/// checked.
const ROOM_FOR_PROBLEMS: usize = 12_000;

/// Bytes that findings and problems leave for unchecked parts, for the same reason, and as many for suppressions.
const ROOM_FOR_GAPS: usize = 6_000;

/// Bytes that findings leave for the deployed changes.
const ROOM_FOR_DIFFERENCE: usize = 20_000;

/// Bytes reserved after each table for the end of a fold and the number of omitted rows.
const ROOM_FOR_REST: usize = 200;

/// Maximum length of a message, in bytes. Longer ones are cut, so that one row cannot fill the page.
const MAX_MESSAGE: usize = 600;

/// Number of findings that are shown. Further ones are folded.
const MAX_OPEN_ROWS: usize = 20;

const FINDINGS: &str = "| Severity | Rule | Finding | Place |\n|---|---|---|---|\n";

const PROBLEMS: &str = "| Level | Code | Problem | Place |\n|---|---|---|---|\n";

const SUPPRESSIONS: &str = "| Rule | Findings | NoCommentReason | Place |\n|---|---:|---|---|\n";

const GAPS: &str = "| Kind | NoCommentReason | Place |\n|---|---|---|\n";

/// Lines around the findings. With them, the next run can extract the findings from an old summary.
const BEGIN: &str = "<!-- formwork:findings -->\n";
const END: &str = "<!-- formwork:end -->\n";

/// A fault, and the reason if it has no comment of its own.
pub(super) type SummaryEntry<'a, 'f> = (&'f Fault<'a>, Option<NoCommentReason>);

/// Content of the summary.
#[derive(Debug)]
pub(super) struct Summary<'a, 'f> {
    pub(super) report: &'a Report,
    /// Faults, in the order of their rows.
    pub(super) entries: Vec<SummaryEntry<'a, 'f>>,
    pub(super) style: &'a Style<'a>,
    /// Category. Empty or `default` if there is only one.
    pub(super) title: &'a str,
    pub(super) run_url: Option<&'a str>,
    /// Effects of the change on the deployed resources, if they are shown.
    pub(super) difference: Option<&'a Difference>,
}

impl Summary<'_, '_> {
    /// Returns the change of the summary, given the existing comments, and the IDs of further summaries. If there are
    /// several, the oldest one stays, so that two runs at the same time agree.
    pub(super) fn write(&self, comments: &[IssueComment], viewer: &str) -> (Option<SummaryWrite>, Vec<u64>) {
        let mut own: Vec<(u64, &str, Marker<'_>)> = comments
            .iter()
            .filter(|comment| is_own(comment.user.as_ref(), viewer))
            .filter_map(|comment| {
                let body = comment.body.as_deref()?;
                let marker = Marker::read(body)?;
                let is_summary = marker.is_of(&self.style.category) && marker.subject == "summary";
                is_summary.then_some((comment.id, body, marker))
            })
            .collect();
        own.sort_by_key(|(id, ..)| *id);
        let surplus = own.iter().skip(1).map(|(id, ..)| *id).collect();
        (self.change(own.first().copied()), surplus)
    }

    fn change(&self, own: Option<(u64, &str, Marker<'_>)>) -> Option<SummaryWrite> {
        let content = self.content(self.style);
        let still = Style { links: Links { has_lines: false, ..self.style.links }, ..self.style.clone() };
        let digest = digest(&[self.content(&still).text()]);
        let Some((id, old, marker)) = own else {
            let differs = self.difference.is_some_and(|difference| !difference.is_empty());
            let has_gaps = self.report.not_checked().next().is_some();
            let has_gaps = has_gaps || !self.report.added_suppressions.is_empty();
            let has_news = !self.entries.is_empty() || !self.report.is_whole() || differs || has_gaps;
            return has_news.then(|| SummaryWrite::Create(Body { body: self.body(content, &digest, "") }));
        };
        let is_current = marker.digest == Some(digest.as_str());
        (!is_current).then(|| SummaryWrite::Update { id, body: Body { body: self.body(content, &digest, old) } })
    }

    /// Returns the complete comment. `old` is its previous text.
    fn body(&self, mut page: Page, digest: &str, old: &str) -> String {
        if self.entries.is_empty() {
            former(&mut page, old);
        }
        page.widen(MAX_FOOTER);
        page.push(&format!("\n<sub>As of {}{}</sub>\n\n", self.style.links.commit(), self.run()));
        page.into_text() + &self.style.category.summary(digest)
    }

    fn run(&self) -> String {
        let uri = self.run_url.filter(|uri| uri.len() < MAX_FOOTER / 4);
        uri.map(|uri| format!(" · {}", linked(Some(uri), "workflow run"))).unwrap_or_default()
    }

    /// Returns the content of the comment, for a page that is not a comment.
    pub(super) fn text(&self) -> String {
        self.content(self.style).into_text()
    }

    /// Returns the content of the comment, without the parts that change in every run.
    fn content(&self, style: &Style<'_>) -> Page {
        let problems = self.report.problems(Level::Error).chain(self.report.problems(Level::Warning));
        let problems = problems.filter(|problem| problem.not_checked.is_none());
        let problems: Vec<String> = problems.map(|diagnostic| problem(diagnostic, style)).collect();
        let gaps: Vec<String> = self.report.not_checked().map(|(kind, problem)| gap(kind, problem, style)).collect();
        let room_for_gaps = if gaps.is_empty() { 0 } else { ROOM_FOR_GAPS };
        let added: Vec<String> = self.report.added_suppressions.iter().map(|added| suppression(added, style)).collect();
        let room_for_added = if added.is_empty() { 0 } else { ROOM_FOR_GAPS };
        let room_for_problems = if problems.is_empty() { 0 } else { ROOM_FOR_PROBLEMS };
        let room_for_difference = if self.difference.is_some() { ROOM_FOR_DIFFERENCE } else { 0 };
        let reserved = room_for_problems + room_for_gaps + room_for_added + room_for_difference;
        let mut page = Page::new(MAX_SUMMARY - MAX_FOOTER - reserved);
        page.push(&self.heading());
        if let Some(note) = note(&self.entries) {
            page.push(&format!("\n{note}\n"));
        }
        if !self.entries.is_empty() {
            page.push(&format!("\n{BEGIN}\n"));
            let mut linked = BTreeSet::new();
            let rows = self.entries.iter().enumerate().map(|(at, entry)| {
                let is_first = linked.insert(entry.0.first().rule.id.as_str());
                row(entry, is_first, at < MAX_OPEN_ROWS, style)
            });
            let rows: Vec<String> = rows.collect();
            table(&mut page, FINDINGS, &rows);
            page.push(&format!("\n{END}"));
        }
        page.widen(room_for_difference);
        if let Some(difference) = self.difference {
            let places = if style.links.has_lines { Places::Lines } else { Places::Files };
            page.push(&format!("\n{}", section(difference, page.room().saturating_sub(1), places)));
        }
        page.widen(room_for_problems);
        if !problems.is_empty() {
            page.push("\n### Problems\n\n");
            table(&mut page, PROBLEMS, &problems);
        }
        page.widen(room_for_added);
        if !added.is_empty() {
            page.push("\n### Suppressed by this change\n\n");
            table(&mut page, SUPPRESSIONS, &added);
        }
        page.widen(room_for_gaps);
        if !gaps.is_empty() {
            page.push("\n### Not checked\n\n");
            table(&mut page, GAPS, &gaps);
        }
        page
    }

    /// Returns the number of findings, such as `36 findings from 3 faults`. The faults are named only if there are
    /// fewer of them.
    pub(super) fn title(&self) -> String {
        let total: usize = self.entries.iter().map(|(fault, _)| fault.places()).sum();
        match self.entries.len() {
            0 if !self.report.is_whole() => "not everything was checked".to_owned(),
            0 => "no findings".to_owned(),
            faults if faults < total => format!("{} from {}", counted(total, "finding"), counted(faults, "fault")),
            _ => counted(total, "finding"),
        }
    }

    fn heading(&self) -> String {
        let title = match self.title {
            "" | "default" | "formwork" => "formwork".to_owned(),
            name => format!("formwork · {}", prose(&cut(name, 100))),
        };
        let mut heading = format!("## {title}: {}\n\n{}\n", self.title(), self.counts());
        if !self.report.is_whole() {
            heading.push_str("\nNot everything could be checked; see the problems below.\n");
        }
        heading
    }

    /// Returns the counts, such as `1 high, 2 low, 1 suppressed in 3 templates, 4 deployments, 12 resources`.
    fn counts(&self) -> String {
        let [high, medium, low] = [Severity::High, Severity::Medium, Severity::Low].map(|severity| {
            let faults = self.entries.iter().filter(|(fault, _)| fault.rule.severity == severity);
            faults.map(|(fault, _)| fault.places()).sum::<usize>()
        });
        let Totals { templates, deployments, resources, unknown, suppressed, .. } = self.report.summary;
        let errors = self.report.problems(Level::Error).count();
        let not_checked = self.report.not_checked().count();
        let verdicts = [
            (high, "high"),
            (medium, "medium"),
            (low, "low"),
            (self.report.hidden(), "low and not listed (`min-severity: low` lists them)"),
            (unknown, "undecided"),
            (suppressed, "suppressed"),
            (errors, if errors == 1 { "error" } else { "errors" }),
            (not_checked, "not checked"),
        ];
        let present = verdicts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> = present.map(|(count, word)| format!("{count} {word}")).collect();
        let scope = [(templates, "template"), (deployments, "deployment"), (resources, "resource")];
        let scope = scope.map(|(count, noun)| counted(count, noun));
        let scope = scope.join(", ");
        if parts.is_empty() { format!("Checked {scope}.") } else { format!("{} in {scope}.", parts.join(", ")) }
    }
}

/// Returns a row. To save space, only the first row of a rule links to its page, and folded rows do not name the
/// resource.
fn row((finding, reason): &SummaryEntry<'_, '_>, is_first: bool, is_open: bool, style: &Style<'_>) -> String {
    let mut text = prose(&cut(&finding.message, MAX_MESSAGE));
    let about = if is_open { about(finding, MAX_NAMES) } else { finding.note().map(|note| prose(&note)) };
    if let Some(about) = about {
        let _ = write!(text, "<br><sub>{about}</sub>");
    }
    let mut place = style.links.place(&finding.place);
    if let Some(reason) = reason {
        let _ = write!(place, "<br><sub>{}</sub>", reason.note());
    }
    let rule = if is_first { linked_rule(finding) } else { code(&finding.rule.id) };
    format!("| {} | {rule} | {text} | {place} |\n", finding.rule.severity.as_str())
}

fn problem(problem: &Problem, style: &Style<'_>) -> String {
    let text = prose(&cut(&problem.message, MAX_MESSAGE));
    let (level, id) = (problem.level.as_str(), code(&problem.code));
    format!("| {level} | {id} | {text} | {} |\n", style.links.place(&problem.place))
}

fn suppression(added: &AddedSuppression, style: &Style<'_>) -> String {
    let reason = added.reason.as_deref().map_or_else(String::new, |reason| prose(&cut(reason, MAX_MESSAGE)));
    let place = style.links.place(&added.place);
    format!("| {} | {} | {reason} | {place} |\n", code(&added.rule), added.findings)
}

fn gap(kind: &str, problem: &Problem, style: &Style<'_>) -> String {
    let text = prose(&cut(&problem.message, MAX_MESSAGE));
    format!("| {} | {text} | {} |\n", code(kind), style.links.place(&problem.place))
}

/// Returns the number of findings without a comment, by reason.
pub(super) fn note(entries: &[SummaryEntry<'_, '_>]) -> Option<String> {
    let mut counts: BTreeMap<NoCommentReason, usize> = BTreeMap::new();
    for reason in entries.iter().filter_map(|(_, reason)| *reason) {
        *counts.entry(reason).or_default() += 1;
    }
    let parts: Vec<String> = counts.iter().map(|(reason, &count)| reason.sentence(count)).collect();
    (!parts.is_empty()).then(|| format!("Without a comment on their lines: {}.", parts.join(", ")))
}

/// Appends a table whose further rows are folded, and the number of rows that did not fit.
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

/// Appends the findings of the previous summary, folded.
fn former(page: &mut Page, old: &str) {
    let inside = old.lines().skip_while(|line| line.trim_end() != BEGIN.trim_end()).skip(1);
    let rows: Vec<String> = inside
        .take_while(|line| line.trim_end() != END.trim_end())
        .filter(|line| line.starts_with("| ") && !FINDINGS.starts_with(line.trim_end()))
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    if rows.is_empty() {
        return;
    }
    page.push(&format!("\n<details><summary>Former findings</summary>\n\n{BEGIN}\n"));
    page.narrow(ROOM_FOR_REST);
    table(page, FINDINGS, &rows);
    page.widen(ROOM_FOR_REST);
    page.push(&format!("\n{END}\n</details>\n"));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::plan::sample::{
        document, existing, finding, options, place, problem, publish, read, report, with_members,
    };
    use crate::plan::{Existing, Options, plan};
    use formwork_testing::markdown as judge;

    fn shown(existing: &Existing) -> &str {
        existing.summaries[0].body.as_deref().unwrap()
    }

    fn write(report: &Report) -> String {
        let mut existing = existing();
        publish(report, &mut existing, &options());
        shown(&existing).to_owned()
    }

    fn findings(count: u32) -> Vec<Value> {
        (0..count).map(|at| finding(at, at * 3 + 1)).collect()
    }

    #[track_caller]
    fn check(name: &str, text: &str) {
        insta::with_settings!({ prepend_module_to_snapshot => false, omit_expression => true }, {
            insta::assert_snapshot!(format!("summary_{name}"), text);
        });
    }

    #[test]
    fn a_summary() {
        let mut results = findings(2);
        results
            .push(with_members(finding(3, 90), json!({"severity": 2, "rule": "A-2", "name": "A", "resource": null})));
        results
            .push(with_members(finding(4, 1), json!({"severity": 3, "location": place("infra/größe |x.json", 3, 9)})));
        let problems = [problem("warning", "the key `kind` is given twice"), problem("error", "no value")];
        check("output", &write(&read(&document(&results, &problems))));
    }

    #[test]
    fn what_is_not_checked_and_what_the_change_suppresses_is_shown_without_findings() {
        let remote = problem("note", "the template of deployment `d` is not in this repository");
        let remote = with_members(remote, json!({"code": "template/remote", "not_checked": "remote-template"}));
        let strict = problem("error", "no template belongs to this parameter file");
        let strict = with_members(strict, json!({"code": "template/link", "not_checked": "orphan-parameters"}));
        let added = json!([{"rule": "A-1", "kind": "comment", "reason": "trust |me", "findings": 2, "place": place("a.json", 7, 7)}]);
        check("not_checked", &write(&read(&document(&[], &[remote.clone(), strict]))));
        check("suppressed", &write(&read(&with_members(document(&[], &[]), json!({"added_suppressions": added})))));
        // A remote template hides no finding of a file, a module that is missing does.
        assert!(read(&document(&[], &[remote])).is_whole());
        let module = with_members(problem("note", "x"), json!({"not_checked": "bicep-module"}));
        assert!(!read(&document(&[], &[module])).is_whole());
    }

    #[test]
    fn a_summary_with_many_findings_folds_them() {
        check("many", &write(&report(&findings(23))));
    }

    #[test]
    fn a_summary_that_is_clean_again_keeps_what_was_found() {
        let mut existing = existing();
        publish(&report(&findings(2)), &mut existing, &options());
        // Somebody added a table.
        existing.summaries[0].body = Some(format!("A table:\n\n| a | b | c | d |\n{}", shown(&existing)));
        publish(&report(&[]), &mut existing, &options());
        check("clean", shown(&existing));
        let warned = read(&document(&[], &[problem("warning", "odd")]));
        publish(&warned, &mut existing, &options());
        assert!(shown(&existing).contains("<code>st1</code>"), "{}", shown(&existing));
        publish(&report(&findings(1)), &mut existing, &options());
        assert!(!shown(&existing).contains("Former"), "{}", shown(&existing));
    }

    #[test]
    fn what_the_change_deploys_is_told_once_and_without_lines_that_move() {
        let difference = |line: u32, name: &str| {
            let json = json!({
                "schema": "formwork/diff/v1", "old": {"name": "a"}, "new": {"name": "b"},
                "summary": {"deployments": {"changed": 1}, "resources": {"change": 1}},
                "deployments": [{"template": "main.json", "status": "changed", "same": 0, "causes": [], "resources": [
                    {"outcome": "create", "type": "A.B/c", "name": name, "file": "main.json", "line": line, "changes": []},
                ]}],
            });
            Some(std::sync::Arc::new(Difference::read(json.to_string().as_bytes()).unwrap()))
        };
        let options_for = |line, name| Options { difference: difference(line, name), ..options() };
        let mut existing = existing();
        publish(&report(&[]), &mut existing, &options_for(3, "<b>@org"));
        let text = shown(&existing).to_owned();
        assert!(text.contains("### What this change deploys") && text.contains("main.json:3"), "{text}");
        assert!(text.contains("&lt;b&gt;&#64;&#8203;org") && judge::read(&text).name().is_none(), "{text}");
        assert!(publish(&report(&[]), &mut existing, &options_for(9, "<b>@org")).summary.is_none());
        assert!(publish(&report(&[]), &mut existing, &options_for(9, "other")).summary.is_some());
    }

    #[test]
    fn a_category_is_named() {
        let mut existing = existing();
        let options = Options { category: "net|work @org".to_owned(), ..options() };
        publish(&report(&findings(1)), &mut existing, &options);
        assert!(shown(&existing).starts_with("## formwork · net&#124;work &#64;&#8203;org: 1 finding\n"));
    }

    #[test]
    fn a_summary_ends_where_a_comment_does() {
        let results: Vec<Value> = findings(2_000);
        let problems = vec![problem("error", &"`a|b` @org ".repeat(9)); 500];
        let text = write(&read(&document(&results, &problems)));
        assert!(text.len() <= MAX_SUMMARY && text.len() > MAX_SUMMARY - 5_000, "{}", text.len());
        let seen = judge::read(&text);
        assert!(seen.cells.iter().all(|&count| count == 4));
        for (start, count) in [("| high |", 2_000), ("| error |", 500)] {
            let rows = text.lines().filter(|line| line.starts_with(start)).count();
            assert!(rows > 5, "{rows} rows");
            assert!(text.contains(&format!("\n… and {} more\n", count - rows)), "{rows}");
        }
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
        assert!(text.ends_with(" -->"));
    }

    #[test]
    fn a_long_summary_that_is_clean_again_is_not_too_long() {
        let mut existing = existing();
        publish(&report(&findings(2_000)), &mut existing, &options());
        publish(&report(&[]), &mut existing, &options());
        let text = shown(&existing);
        assert!(text.len() <= MAX_SUMMARY && text.len() > MAX_SUMMARY / 2, "{}", text.len());
        assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
    }

    proptest! {
        #[test]
        fn no_text_is_more_than_text(texts in prop::collection::vec(judge::any_text(), 6), count in 1_usize..30) {
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let [rule, message, file, resource, page, trouble] = texts[..] else { unreachable!() };
            let members = json!({
                "rule": rule, "message": message, "location": place(file, 3, 9), "parameters": [file],
                "resource": {"type": resource, "name": file},
            });
            let trouble = with_members(problem("error", trouble), json!({"file": file}));
            let rules = json!([{"id": rule, "help_uri": format!("https://example.org/{page}")}]);
            let results = (0..count).map(|at| with_members(finding(u32::try_from(at).unwrap(), 1), members.clone()));
            let document = document(&results.collect::<Vec<_>>(), &[trouble]);
            let text = write(&read(&with_members(document, json!({"rules": rules}))));
            let seen = judge::read(&text);
            let elements = [
                "document", "paragraph", "text", "html_inline", "html_block", "heading", "table", "table_header",
                "table_row", "table_cell", "softbreak",
            ];
            prop_assert!(seen.elements.iter().all(|element| elements.contains(&element.as_str())), "{:?}", seen.elements);
            prop_assert_eq!(seen.elements.iter().filter(|element| *element == "heading").count(), 2);
            prop_assert_eq!(seen.name(), None, "{}", text);
            // Two tables, and one more where rows are folded.
            prop_assert_eq!(seen.cells.len(), count + 3 + usize::from(count > MAX_OPEN_ROWS));
            prop_assert!(seen.cells.iter().all(|&count| count == 4));
            let ours = ["<!-- formwork:", "<details><summary>", "</details>"];
            let is_ours = |tag: &&String| ours.iter().any(|start| tag.starts_with(start));
            prop_assert_eq!(seen.tags.iter().filter(|tag| tag.starts_with("<!--")).count(), 3);
            for tag in seen.tags.iter().filter(|tag| !is_ours(tag)) {
                let is_known = ["<code>", "</code>", "<sub>", "</sub>", "</a>", "<br>", ""].contains(&tag.as_str());
                prop_assert!(is_known || judge::is_link(tag), "{}", tag);
            }
        }

        #[test]
        fn what_somebody_made_of_a_summary_is_no_harm(
            old in judge::any_text(),
            lines in prop::collection::vec(judge::any_text(), 0..9),
        ) {
            let mut existing = existing();
            publish(&report(&findings(1)), &mut existing, &options());
            let marker = shown(&existing).lines().last().unwrap().to_owned();
            let text = format!("{old}\n{BEGIN}{}\n{END}\n{marker}", lines.join("\n| "));
            existing.summaries[0].body = Some(text);
            let plan = plan(&report(&[]), &existing, &options());
            let is_update = matches!(plan.summary, Some(SummaryWrite::Update { .. }));
            prop_assert!(is_update);
            publish(&report(&[]), &mut existing, &options());
        }
    }
}
