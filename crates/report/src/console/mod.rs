//! The report for people at a terminal.
//!
//! Each entry is what is wrong, where, the text itself with the places that explain it, and the way out. Only the
//! excerpts are drawn by `annotate-snippets`; the frame around them is ours, since it counts columns in what is shown,
//! and what is shown may be cut or have characters written out.

mod brief;
mod card;
mod excerpt;
mod overview;
mod theme;

use std::io::{self, Write as _};
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crate::console::card::Card;
use crate::console::excerpt::Excerpt;
use crate::console::theme::Theme;
use crate::diagnostic::Outcome;
use crate::item::{self, Item};
use crate::model::{AddedSuppression, File, Finding, Report};
use crate::parallel;
use crate::tally::{self, Tally};
use crate::text::escape::{self, visible};
use crate::{Explanation, Options, file_list};

/// Advice on learning more about a finding.
const HINT: &str =
    "`formwork rules show ID` explains a rule, and `--output html=report.html` shows all findings in full";

/// Columns of help text. Wider text is hard to read, however wide the terminal is.
const TEXT_WIDTH: usize = 100;

/// Least columns. With fewer, nothing fits, and the terminal wraps.
const LEAST_WIDTH: usize = 40;

pub(super) fn render(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    let page = Page::new(options);
    page.cards(report, out)?;
    if options.show_passed {
        page.verdicts(report, out)?;
    }
    added_suppressions(report, out)?;
    page.summary(report, out)
}

/// Prints only findings and problems, for a run without a result.
pub(super) fn render_problems(report: &Report, options: &Options<'_>, out: &mut dyn io::Write) -> io::Result<()> {
    Page::new(options).cards(report, out)
}

/// Prints a value and the steps that led to it, with their source text.
pub(super) fn render_explanation(
    explanation: &Explanation,
    options: &Options<'_>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let page = Page::new(options);
    let strong = page.theme.strong;
    if let Some(resource) = &explanation.resource {
        writeln!(out, "{}", escape::line(&card::resource(resource)))?;
    }
    write!(out, "{strong}{}{strong:#} = ", escape::line(&explanation.path))?;
    for (at, line) in explanation.value.lines().enumerate() {
        writeln!(out, "{}{}", if at > 0 { "  " } else { "" }, visible(line))?;
    }
    page.body(&Card::of_explanation(explanation), out)
}

/// Returns the place, the excerpts, and the notes of a card as text.
pub(super) fn drawn(item: &Item<'_>, options: &Options<'_>) -> io::Result<String> {
    let mut out = Vec::new();
    Page::new(options).body(&Card::full(item), &mut out)?;
    Ok(String::from_utf8_lossy(&out).into_owned())
}

/// Calls `look` with the file and the line numbers of each excerpt that a report could show, including reports with
/// other options, and reports with the `open` findings, which only all parts of a run decide.
pub(super) fn shown_lines<'a>(
    report: &'a Report,
    open: &'a [Finding],
    mut look: impl FnMut(&'a Arc<File>, RangeInclusive<u32>),
) {
    let findings = report.findings.iter().chain(open);
    let findings = findings.filter(|finding| matches!(finding.outcome, Outcome::Failed | Outcome::Unknown));
    let marks = findings.map(card::marks_of_finding).chain(report.problems.iter().map(card::marks_of_problem));
    for marks in marks {
        excerpt::group_marks(&marks, excerpt::MAX_LINES)
            .iter()
            .map(Excerpt::shown)
            .for_each(|(file, lines)| look(file, lines));
    }
}

/// Suppressions of a change that are listed.
const MAX_SUPPRESSIONS: usize = 50;

struct Page {
    theme: Theme,
    width: usize,
}

impl Page {
    fn new(options: &Options<'_>) -> Self {
        Self { theme: Theme::new(options.color), width: options.width.max(LEAST_WIDTH) }
    }

    fn cards(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let items = item::worst_first(item::listed(report));
        if items.len() > overview::MAX_CARDS {
            return self.overview(items, out);
        }
        parallel::stream(
            &items,
            |item| self.entry(item),
            |entries| {
                for entry in entries {
                    out.write_all(&entry?)?;
                }
                Ok(())
            },
        )
    }

    fn entry(&self, item: &Item<'_>) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        let card = Card::brief(item);
        self.title(&card, &mut out)?;
        self.body(&card, &mut out)?;
        writeln!(out)?;
        Ok(out)
    }

    /// Prints the place, the excerpts and the notes.
    fn body(&self, card: &Card<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        let excerpts = excerpt::group_marks(&card.marks, card.max_lines);
        let digits = excerpts.iter().map(Excerpt::digits).max().unwrap_or(1);
        let frame = self.theme.frame;
        let bar = format!("{:digits$} {frame}|{frame:#}", "");
        writeln!(out, "{:digits$}{frame}-->{frame:#} {}{}", "", card.place, visible(&card.owner))?;
        for excerpt in &excerpts {
            if !excerpt.is_primary() {
                writeln!(out, "{bar}")?;
                writeln!(out, "{:digits$}{frame}:::{frame:#} {}", "", excerpt.place)?;
            }
            self.excerpt(card, excerpt, digits, out)?;
        }
        for (label, text) in &card.notes {
            self.note(label, text, digits, out)?;
        }
        Ok(())
    }

    /// Prints the first line of a card: `high[RULE]: message`.
    fn title(&self, card: &Card<'_>, out: &mut dyn io::Write) -> io::Result<()> {
        let (level, strong) = (self.theme.level(card.level), self.theme.strong);
        writeln!(
            out,
            "{level}{}[{}]{level:#}{strong}: {}{strong:#}",
            card.word,
            visible(card.id),
            visible(card.message)
        )
    }

    /// Prints an excerpt, indented to the gutter of its card.
    fn excerpt(
        &self,
        card: &Card<'_>,
        excerpt: &Excerpt<'_, '_>,
        digits: usize,
        out: &mut dyn io::Write,
    ) -> io::Result<()> {
        let indent = digits - excerpt.digits();
        // The place of the entry is above. A drawing that fails must not cost the rest of the report.
        let draw = AssertUnwindSafe(|| excerpt.draw(card.level, &self.theme, self.width - indent));
        let drawing = catch_unwind(draw).unwrap_or_default();
        // The first line of a drawing is empty.
        for line in drawing.lines().skip(1) {
            writeln!(out, "{:indent$}{line}", "")?;
        }
        Ok(())
    }

    /// Prints `= help: text`, wrapped with indentation.
    fn note(&self, label: &str, text: &str, digits: usize, out: &mut dyn io::Write) -> io::Result<()> {
        let (frame, strong) = (self.theme.frame, self.theme.strong);
        let indent = digits + 3 + label.len() + 2;
        let width = self.width.min(TEXT_WIDTH).saturating_sub(indent).max(LEAST_WIDTH / 2);
        let mut lines = text.lines().flat_map(|line| wrapped(&visible(line), width));
        let first = lines.next().unwrap_or_default();
        writeln!(out, "{:digits$} {frame}={frame:#} {strong}{label}{strong:#}: {first}", "")?;
        for line in lines {
            // A word that begins a line must not become a command there.
            writeln!(out, "{:indent$}{}", "", escape::line(&line))?;
        }
        Ok(())
    }

    /// Prints the results without cards, one per line.
    fn verdicts(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let mut some = false;
        for finding in &report.findings {
            let has_card = finding.outcome == Outcome::Failed || (finding.reason.is_some() && report.lists_unknown);
            if !has_card {
                self.verdict(finding, out)?;
                some = true;
            }
        }
        if some { writeln!(out) } else { Ok(()) }
    }

    fn verdict(&self, finding: &Finding, out: &mut dyn io::Write) -> io::Result<()> {
        let style = self.theme.outcome(finding.outcome);
        let (word, id) = (finding.outcome.as_str(), visible(&finding.rule.id));
        write!(out, "{style}{word:10}{style:#} {id}")?;
        if let Some(resource) = &finding.resource {
            write!(out, " {}", card::resource(resource))?;
        }
        write!(out, " at {}", finding.place)?;
        if let Some(files) = file_list::parameter_files(finding) {
            write!(out, " in {}", visible(&files))?;
        }
        let accepted = finding.suppressed.as_ref().and_then(|by| by.reason.as_deref());
        if let Some(reason) = finding.reason.as_deref().or(accepted) {
            write!(out, ": {}", visible(reason))?;
        }
        writeln!(out)
    }

    fn summary(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let has_findings = Tally::new(report).total() > 0;
        if has_findings {
            writeln!(out, "{HINT}\n")?;
        }
        if let Some(hidden) = tally::hidden(report) {
            writeln!(out, "{hidden}")?;
        }
        let is_clean = !has_findings && report.summary.errors == 0;
        let style = self.theme.summary(is_clean);
        writeln!(out, "{style}{}{style:#}", tally::sentence(report))
    }
}

/// Prints the suppressions that the change adds, one per line.
fn added_suppressions(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for AddedSuppression { rule, place, reason, .. } in report.added_suppressions.iter().take(MAX_SUPPRESSIONS) {
        write!(out, "suppressed by this change: {} at {place}", visible(rule))?;
        match reason {
            Some(reason) => writeln!(out, ": {}", visible(reason))?,
            None => writeln!(out, ", without a reason")?,
        }
    }
    match report.added_suppressions.len().saturating_sub(MAX_SUPPRESSIONS) {
        0 if report.added_suppressions.is_empty() => Ok(()),
        0 => writeln!(out),
        more => writeln!(out, "suppressed by this change: {more} more, which the JSON report lists\n"),
    }
}

/// Wraps a line at its blanks. A longer word, such as an address, stays whole.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::with_capacity(text.len().min(width))];
    let mut used = 0;
    // A no-break space is no blank.
    for word in text.split_ascii_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > width {
            lines.push(String::with_capacity(width));
            used = 0;
        }
        let Some(line) = lines.last_mut() else { break };
        if used > 0 {
            line.push(' ');
            used += 1;
        }
        line.push_str(word);
        used += length;
    }
    lines
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::diagnostic::{self, Code, Diagnostic, RuleInfo, Severity};
    use crate::text::Span;
    use crate::value::Few;
    use crate::{Format, sample};

    #[test]
    fn output() {
        sample::assert_report(Format::Console, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::assert_report(Format::Console, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn a_long_report_has_a_table_and_the_first_of_each_rule_in_full() {
        let mut run = sample::run();
        let finding = run.findings[0].clone();
        for number in 0..overview::MAX_CARDS {
            let file = run.sources.add(format!("templates/t{number}.json"), "{\n  \"tls\": false\n}\n");
            let (message, span) = (format!("`tls` is `false` in {number}"), Span::new(file, 4, 9));
            let severity = if number == 1 { Severity::Low } else { finding.rule.severity };
            let rule = Arc::new(RuleInfo { severity, ..RuleInfo::clone(&finding.rule) });
            run.findings.push(diagnostic::Finding { rule, span, message, related: Few::NONE, ..finding.clone() });
            run.diagnostics.push(Diagnostic::of_file(Code::TemplateLink, file, "not found"));
        }
        sample::assert_report(Format::Console, "overview", &run);
    }

    #[test]
    fn empty() {
        sample::assert_report(Format::Console, "empty", &sample::empty());
    }

    #[test]
    fn colors_and_verdicts_that_are_no_findings() {
        let text = sample::render(Format::Console, &sample::run(), true, true);
        insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../snapshots" }, {
            insta::assert_snapshot!("console_colors", text.replace('\x1b', "␛"));
        });
    }

    #[test]
    fn a_minified_template_is_shown_around_the_finding_only() {
        let mut run = sample::empty();
        let filler = "\"filler\":[1,2,3],".repeat(250_000);
        let text = format!("{{{filler}\"tls\":false,{filler}\"last\":0}}");
        let start = u32::try_from(text.find("\"tls\"").unwrap()).unwrap();
        let file = run.sources.add("minified.json", text);
        let mut finding = sample::run().findings.remove(0);
        finding.span = Span::new(file, start, start + 11);
        finding.related = Few::NONE;
        run.findings.push(finding);
        let text = sample::render(Format::Console, &run, false, false);
        assert!(text.contains("\"tls\":false"), "{text}");
        assert!(text.contains(&format!("minified.json:1:{} in", start + 1)), "{text}");
        assert!(text.len() < 1500, "{} bytes", text.len());
    }

    #[test]
    fn a_very_long_object_is_pointed_at_by_its_first_line() {
        let mut run = sample::empty();
        let text = format!("{{\n{}}}", "  \"x\": 1,\n".repeat(100_000));
        let end = u32::try_from(text.len()).unwrap();
        let file = run.sources.add("long.json", text);
        let mut finding = sample::run().findings.remove(0);
        finding.span = Span::new(file, 0, end);
        finding.related = Few::NONE;
        run.findings.push(finding);
        let text = sample::render(Format::Console, &run, false, false);
        assert!(text.contains("1 | {\n  | ^\n"), "{text}");
        assert!(text.len() < 1000, "{} bytes", text.len());
    }

    #[test]
    fn a_matter_of_a_whole_file_may_be_explained_by_a_place_elsewhere() {
        let mut run = sample::empty();
        let (file, other) = (run.sources.add("a.json", ""), run.sources.add("b.json", "[1]"));
        let problem = Diagnostic::of_file(Code::TemplateLink, file, "not found");
        run.diagnostics.push(problem.with_label(Span::new(other, 1, 2), "named here"));
        let text = sample::render(Format::Console, &run, false, false);
        let excerpt = " --> a.json\n  |\n ::: b.json:1:2\n1 | [1]\n  |  - named here\n";
        assert!(text.contains(excerpt), "{text}");
    }

    #[test]
    fn parameter_files_of_a_verdict_are_named() {
        let mut run = sample::empty();
        let mut finding = sample::run().findings.remove(0);
        finding.span = Span::whole_file(run.sources.add("a.json", "{}"));
        finding.related = Few::NONE;
        finding.outcome = Outcome::Passed;
        finding.parameters = vec![Arc::from("p/dev.json"), Arc::from("p/prod.json")].into();
        run.findings.push(finding);
        let text = sample::render(Format::Console, &run, false, true);
        assert!(text.contains("at a.json in dev.json, prod.json\n"), "{text}");
    }

    #[test]
    fn long_text_is_wrapped_at_blanks() {
        assert_eq!(wrapped("", 5), [""]);
        assert_eq!(wrapped("aa bb cc", 5), ["aa bb", "cc"]);
        assert_eq!(wrapped("a https://x.test/long b", 5), ["a", "https://x.test/long", "b"]);
    }

    proptest! {
        #[test]
        fn no_text_of_a_template_steers_the_terminal(
            run in sample::any_run(),
            color: bool,
            width in 0..200_usize,
        ) {
            let options = Options { color, width, show_passed: true, ..sample::options() };
            let mut out = Vec::new();
            render(&sample::report(&run), &options, &mut out)?;
            let text = String::from_utf8(out)?;
            prop_assert_eq!(sample::obeyed_by_a_terminal(&text, color), None);
        }
    }
}
