//! `JUnit` XML, the form that test dashboards read: a suite for each template, a case for each rule and resource.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;

use crate::diagnostic::{Diagnostic, Finding, Level, Outcome, Run};
use crate::report::place::{self, Place};

/// The cases of one template.
#[derive(Default)]
struct Suite<'a> {
    problems: Vec<&'a Diagnostic>,
    /// By the name of the case.
    cases: BTreeMap<String, Vec<&'a Finding>>,
}

/// How a case ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Passed,
    Skipped,
    Failed,
}

#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

pub(super) fn render(run: &Run, out: &mut dyn io::Write) -> io::Result<()> {
    let suites = suites(run);
    let mut total = Counts::default();
    for suite in suites.values() {
        total.add(&suite.counts());
    }
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"formwork\"{}>", total.attributes())?;
    for (name, suite) in &suites {
        writeln!(out, "  <testsuite name=\"{}\"{}>", escaped(name), suite.counts().attributes())?;
        for problem in &suite.problems {
            write_problem(run, name, problem, out)?;
        }
        for (case, findings) in &suite.cases {
            write_case(run, name, case, findings, out)?;
        }
        writeln!(out, "  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

fn suites(run: &Run) -> BTreeMap<String, Suite<'_>> {
    let mut suites: BTreeMap<String, Suite<'_>> = BTreeMap::new();
    for finding in &run.findings {
        let suite = suites.entry(finding.template.to_string()).or_default();
        suite.cases.entry(case_name(finding)).or_default().push(finding);
    }
    for diagnostic in &run.diagnostics {
        let file = run.sources.get(diagnostic.primary.span.file);
        let suite = suites.entry(file.name().to_string()).or_default();
        suite.problems.push(diagnostic);
    }
    suites
}

fn case_name(finding: &Finding) -> String {
    let mut name = finding.rule.id.clone();
    if !finding.rule.name.is_empty() && finding.rule.name != finding.rule.id {
        let _ = write!(name, " {}", finding.rule.name);
    }
    if let Some(resource) = &finding.resource {
        let _ = write!(name, ": {} {}", resource.type_name, resource.name);
    }
    name
}

impl Suite<'_> {
    fn counts(&self) -> Counts {
        let mut counts = Counts { tests: self.cases.len() + self.problems.len(), ..Counts::default() };
        for problem in &self.problems {
            match problem.level {
                Level::Error => counts.errors += 1,
                Level::Warning | Level::Note => counts.skipped += 1,
            }
        }
        for findings in self.cases.values() {
            match end(findings) {
                End::Failed => counts.failures += 1,
                End::Skipped => counts.skipped += 1,
                End::Passed => {}
            }
        }
        counts
    }
}

impl Counts {
    fn add(&mut self, other: &Self) {
        self.tests += other.tests;
        self.failures += other.failures;
        self.errors += other.errors;
        self.skipped += other.skipped;
    }

    fn attributes(&self) -> String {
        format!(
            " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"",
            self.tests, self.failures, self.errors, self.skipped
        )
    }
}

/// A case fails with any of its verdicts, and has passed when all have.
fn end(findings: &[&Finding]) -> End {
    let has = |outcome| findings.iter().any(|it| it.outcome == outcome);
    if has(Outcome::Failed) {
        End::Failed
    } else if has(Outcome::Unknown) || has(Outcome::Suppressed) {
        End::Skipped
    } else {
        End::Passed
    }
}

fn write_case(run: &Run, suite: &str, name: &str, findings: &[&Finding], out: &mut dyn io::Write) -> io::Result<()> {
    write!(out, "    <testcase classname=\"{}\" name=\"{}\"", escaped(suite), escaped(name))?;
    match end(findings) {
        End::Passed => writeln!(out, "/>"),
        End::Skipped => {
            let skipped = findings.iter().find(|it| it.outcome != Outcome::Passed);
            let word = skipped.map_or("", |it| it.outcome.as_str());
            writeln!(out, ">\n      <skipped message=\"{word}\"/>\n    </testcase>")
        }
        End::Failed => {
            let failed: Vec<&&Finding> = findings.iter().filter(|it| it.outcome == Outcome::Failed).collect();
            let (message, severity) =
                failed.first().map_or(("", ""), |it| (it.message.as_str(), it.rule.severity.as_str()));
            let texts: Vec<String> = failed.iter().map(|it| failure_text(run, it)).collect();
            writeln!(
                out,
                ">\n      <failure type=\"{severity}\" message=\"{}\">{}</failure>\n    </testcase>",
                escaped(message),
                escaped(&texts.join("\n\n"))
            )
        }
    }
}

fn failure_text(run: &Run, finding: &Finding) -> String {
    let mut text = format!("{}: {}", Place::of(&run.sources, finding.span), finding.message);
    if let Some(files) = place::parameter_files(finding) {
        let _ = write!(text, "\nin {files}");
    }
    for line in [&finding.rule.recommendation, &finding.rule.help_uri].into_iter().flatten() {
        let _ = write!(text, "\n{line}");
    }
    text
}

fn write_problem(run: &Run, suite: &str, problem: &Diagnostic, out: &mut dyn io::Write) -> io::Result<()> {
    let code = problem.code.as_str();
    writeln!(out, "    <testcase classname=\"{}\" name=\"{code}\">", escaped(suite))?;
    let message = escaped(&problem.message);
    match problem.level {
        Level::Error => {
            let place = Place::of(&run.sources, problem.primary.span);
            let text = escaped(&format!("{place}: {}", problem.message));
            writeln!(out, "      <error type=\"{code}\" message=\"{message}\">{text}</error>")?;
        }
        Level::Warning | Level::Note => writeln!(out, "      <skipped message=\"{message}\"/>")?,
    }
    writeln!(out, "    </testcase>")
}

/// Text for content and attributes alike. Characters that XML 1.0 cannot hold in any form become U+FFFD.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            // As characters they would be normalised: in attributes all to blanks, elsewhere CR to LF.
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", u32::from(c));
            }
            '\u{0}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::{Format, sample};

    #[test]
    fn output() {
        sample::check(Format::Junit, "output", &sample::run());
    }

    #[test]
    fn syntax_errors() {
        sample::check(Format::Junit, "syntax_errors", &sample::syntax_errors());
    }

    #[test]
    fn empty() {
        sample::check(Format::Junit, "empty", &sample::empty());
    }

    #[test]
    fn text_is_escaped_and_what_xml_cannot_hold_is_replaced() {
        assert_eq!(escaped("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;'");
        assert_eq!(escaped("]]>\r\n\x1b\u{ffff}\0"), "]]&gt;&#13;&#10;\u{fffd}\u{fffd}\u{fffd}");
    }

    #[test]
    fn verdicts_of_one_rule_on_one_resource_are_one_case() {
        let mut run = sample::run();
        let finding = run.findings.remove(0);
        run.diagnostics.clear();
        run.findings = vec![finding.clone(), finding];
        let text = sample::render(Format::Junit, &run, false, false);
        assert!(text.contains("<testsuites name=\"formwork\" tests=\"1\" failures=\"1\""), "{text}");
        assert_eq!(text.matches("<failure").count(), 1);
        assert_eq!(text.matches("accepts TLS").count(), 3);
    }

    proptest! {
        #[test]
        fn no_text_of_a_template_is_markup(run in sample::any_run()) {
            let text = sample::render(Format::Junit, &run, false, false);
            let is_legal = |c: char| c == '\n' || (c >= ' ' && c != '\u{fffe}' && c != '\u{ffff}');
            prop_assert!(text.chars().all(is_legal));
            let ours = ["<?xml ", "<testsuites ", "</testsuites>", "<testsuite ", "</testsuite>", "<testcase ",
                "</testcase>", "<failure ", "</failure>", "<error ", "</error>", "<skipped "];
            for (at, _) in text.match_indices('<') {
                prop_assert!(ours.iter().any(|tag| text[at..].starts_with(tag)), "{}", &text[at..]);
            }
        }
    }
}
