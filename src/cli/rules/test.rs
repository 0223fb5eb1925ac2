//! `formwork rules test`: checks templates with marks below the text that the rules must report. Nothing else may be
//! reported.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::cli::Environment;
use crate::cli::args::RulesTestArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::notice::notice;
use crate::cli::progress::Progress;
use crate::cli::rules::marks::{self, FindingMark, MarkDifference};
use crate::cli::rules::{policies, units};
use crate::cli::settings::Workspace;
use crate::cli::terminal::Color;
use crate::cli::{reports, streams};
use crate::config::{Choices, Given};
use crate::diagnostic::{Analysed, Check, CheckKind, Level, Outcome, Run};
use crate::engine::{self, Checker, Checks, Governance, Inputs, LoadedRules, Suppressing, Threads};
use crate::files::{Disk, read_bytes};
use crate::policy::Policies;
use crate::report::{SuiteResult, TestResult};
use crate::rules::RuleSet;
use crate::text::decode;
use crate::text::escape::Notation;
use crate::text::escape::{self, file_name, visible};

/// Maximum number of rules without a failing template that are listed.
const MAX_NAMED: usize = 5;

/// Runs the templates of some folders.
pub(super) fn run(arguments: &RulesTestArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut workspace = Workspace::open(arguments.config.as_deref(), Color::Auto, environment)?;
    if let Some(missing) = arguments.dirs.iter().find(|dir| !environment.working.join(dir).exists()) {
        return Err(Error::Usage(format!("there is no file or folder `{}`", missing.display())));
    }
    reports::refuse(&arguments.output, environment)?;
    let mut suites = units::run(arguments, &workspace)?;
    suites.extend(policies::run(arguments, &mut workspace)?);
    if suites.is_empty() {
        suites = samples(arguments, &mut workspace)?;
    } else {
        units::print_results(&suites)?;
    }
    reports::write_tests(&arguments.output, environment, &suites)?;
    let mut tests = suites.iter().flat_map(|suite| &suite.tests);
    Ok(if tests.any(|test| test.failure.is_some()) { Exit::Findings } else { Exit::Clean })
}

/// Runs rules on samples.
fn samples(arguments: &RulesTestArguments, workspace: &mut Workspace<'_>) -> Result<Vec<SuiteResult>, Error> {
    let rules = rules(arguments, workspace)?;
    let policies = sample_policies(arguments, workspace)?;
    let run = check_samples(arguments, workspace, rules, &policies)?;
    let cases = cases(&run, workspace);
    if cases.is_empty() {
        let dirs: Vec<String> = arguments.dirs.iter().map(|dir| format!("`{}`", dir.display())).collect();
        return Err(Error::Usage(format!("no template found in {}", dirs.join(", "))));
    }
    let failed = cases.values().filter(|case| case.is_failed()).count();
    let mut out = streams::out(Notation::Plain);
    for (name, case) in &cases {
        case.write(name, &mut out)?;
    }
    writeln!(out, "{} passed, {failed} failed", cases.len() - failed)?;
    out.flush()?;
    print_untested_rules(&run);
    Ok(suites(&cases)?)
}

/// Groups the samples by their folders.
fn suites(cases: &BTreeMap<String, SampleFile>) -> io::Result<Vec<SuiteResult>> {
    let mut folders: BTreeMap<&str, Vec<TestResult>> = BTreeMap::new();
    for (name, case) in cases {
        let (folder, file) = name.rsplit_once('/').unwrap_or((".", name));
        let mut problems = Vec::new();
        case.write_problems(&file_name(name), &mut problems)?;
        let failure = case.is_failed().then(|| String::from_utf8_lossy(&problems).into_owned());
        folders.entry(folder).or_default().push(TestResult { name: file.to_owned(), failure });
    }
    let suites = folders.into_iter().map(|(folder, tests)| SuiteResult { name: folder.to_owned(), tests });
    Ok(suites.collect())
}

/// Returns the rules to test: those of the arguments, else those of the settings, else the embedded ones.
fn rules(arguments: &RulesTestArguments, workspace: &mut Workspace<'_>) -> Result<LoadedRules, Error> {
    if !arguments.rules.is_empty() {
        workspace.settings.rules.paths.clear();
    }
    let own = [&arguments.rules, &arguments.policy];
    let has_own = own.iter().any(|paths| !paths.is_empty()) || !workspace.settings.rules.paths.is_empty();
    let choices = Choices { builtin_rules: has_own.then_some(false), ..Choices::default() };
    workspace.rules(&Given { choices, rules: arguments.rules.clone(), ..Given::default() })
}

/// Returns the policies to check samples with: those of the arguments.
fn sample_policies(arguments: &RulesTestArguments, workspace: &mut Workspace<'_>) -> Result<Policies, Error> {
    if arguments.policy.is_empty() {
        return Ok(Policies::default());
    }
    workspace.settings.policy.paths.clear();
    workspace.policies(&Given { policy: arguments.policy.clone(), ..Given::default() }, &arguments.bicep, true)
}

fn check_samples(
    arguments: &RulesTestArguments,
    workspace: &mut Workspace<'_>,
    rules: LoadedRules,
    policies: &Policies,
) -> Result<Run, Error> {
    let (working, limits) = (&workspace.environment.working, workspace.limits);
    let (assumptions, bicep) = (workspace.assumptions(), workspace.bicep(&arguments.bicep)?);
    // Settings often exclude samples from checks, so their filter is not used.
    let inputs = Inputs::plain(&Disk, working, &arguments.dirs, &assumptions, &bicep, &limits);
    // Samples are small, because they are about rules: as deployments, they only have to be such that they can be evaluated.
    let has_policies = !policies.assignments.is_empty();
    let counts = |check: Check| check.is_of_problems() || (has_policies && check.kind() == CheckKind::Policy);
    let checks: Checks = rules.checks.into_iter().filter(|(check, _)| counts(*check)).collect();
    let checker = Checker {
        rules: &RuleSet::new(rules.rules),
        checks: &checks,
        fixed_severities: &rules.fixed_severities,
        policies: workspace.governance(policies).map(Governance::of_run),
        infos: rules.infos.into_iter().filter(|info| info.check.is_none()).collect(),
        keep_passed: false,
        keep_trees: false,
        threads: &Threads::start(0)?,
        suppressing: &Suppressing::default(),
        observer: &Progress::new(false),
    };
    Ok(engine::check_inputs(&inputs, &checker, std::mem::take(&mut workspace.sources))?)
}

/// A file, with the marks and findings that differ.
#[derive(Default)]
struct SampleFile {
    marks: usize,
    differences: Vec<(MarkDifference, FindingMark)>,
    /// Problems that prevented the analysis, with line and column.
    problems: Vec<String>,
    is_yaml: bool,
    /// True if the file is shown even without a problem.
    is_template: bool,
}

impl SampleFile {
    fn is_failed(&self) -> bool {
        !self.differences.is_empty() || !self.problems.is_empty()
    }

    fn write(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        let name = file_name(name);
        if !self.is_failed() {
            let plural = if self.marks == 1 { "" } else { "s" };
            return writeln!(out, "pass {name}: {} mark{plural}", self.marks);
        }
        writeln!(out, "FAIL {name}")?;
        self.write_problems(&name, out)
    }

    /// Prints the problems of the file. `name` is safe to print.
    fn write_problems(&self, name: &str, out: &mut dyn Write) -> io::Result<()> {
        for problem in &self.problems {
            writeln!(out, "  {name}:{}", visible(problem))?;
        }
        for (difference, mark) in &self.differences {
            let word = match difference {
                MarkDifference::NotReported => "marked and not reported",
                MarkDifference::NotMarked => "reported and not marked",
            };
            writeln!(out, "  {name}:{}:{}: {word}: {}", mark.line, mark.columns.0, visible(&mark.to_string()))?;
            let comment = mark.comment(if self.is_yaml { "#" } else { "//" });
            if let Some(comment) = comment.filter(|_| *difference == MarkDifference::NotMarked) {
                writeln!(out, "    the mark for it:\n{}", escape::line(&comment))?;
            }
        }
        Ok(())
    }
}

/// Returns the templates of a run by their names, and other files with problems.
fn cases(run: &Run, workspace: &Workspace<'_>) -> BTreeMap<String, SampleFile> {
    let mut found = reported(run);
    let templates: BTreeSet<&str> = run.analysed.iter().map(|analysed| &*analysed.template).collect();
    let mut names: BTreeSet<String> = found.keys().cloned().collect();
    names.extend(run.analysed.iter().flat_map(Analysed::files).map(ToString::to_string));
    let mut cases = BTreeMap::new();
    for name in names {
        let text = read_bytes(&workspace.environment.working.join(&name), workspace.limits.file_bytes);
        let text = text.ok().and_then(|text| decode(text).ok()).unwrap_or_default();
        let marked = marks::parse_marks(&text);
        let is_yaml = PathBuf::from(&name)
            .extension()
            .is_some_and(|found| ["yaml", "yml", "template"].iter().any(|known| found.eq_ignore_ascii_case(known)));
        let marks = marked.len();
        let differences = marks::compare(marked, found.remove(&name).unwrap_or_default());
        let is_template = templates.contains(name.as_str());
        cases.insert(name, SampleFile { marks, differences, is_yaml, is_template, ..SampleFile::default() });
    }
    for problem in run.diagnostics.iter().filter(|diagnostic| diagnostic.level == Level::Error) {
        let (at, _) = run.sources.range(problem.primary.span);
        let name = run.sources.get(problem.primary.span.file).name().to_string();
        let case = cases.entry(name).or_default();
        case.problems.push(format!("{}:{}: {}", at.line, at.column, problem.message));
    }
    cases.retain(|_, case| case.is_template || case.is_failed());
    cases
}

/// Returns the findings as marks, by file. A template that another one links is also checked by itself. Equal
/// findings at one location count once.
fn reported(run: &Run) -> BTreeMap<String, Vec<FindingMark>> {
    let mut counts: BTreeMap<(String, FindingMark), BTreeMap<&str, usize>> = BTreeMap::new();
    for finding in &run.findings {
        for (span, mark) in marks::marks_of_finding(finding, &run.sources) {
            let name = run.sources.get(span.file).name().to_string();
            *counts.entry((name, mark)).or_default().entry(&*finding.template).or_default() += 1;
        }
    }
    let mut found: BTreeMap<String, Vec<FindingMark>> = BTreeMap::new();
    for ((name, mark), of_templates) in counts {
        let most = of_templates.values().copied().max().unwrap_or_default();
        found.entry(name).or_default().extend(std::iter::repeat_n(mark, most));
    }
    found
}

/// Prints the rules that no template fails, because such a rule may never fail.
fn print_untested_rules(run: &Run) {
    let failed = run.findings.iter().filter(|finding| finding.outcome == Outcome::Failed);
    let failed: BTreeSet<&str> = failed.map(|finding| finding.rule.id.as_str()).collect();
    let untested = run.rules.iter().map(|rule| rule.id.as_str()).filter(|id| !failed.contains(id));
    let untested: Vec<&str> = untested.collect();
    if untested.is_empty() {
        return;
    }
    let named: Vec<String> = untested.iter().take(MAX_NAMED).map(|rule| format!("`{}`", visible(rule))).collect();
    let more = untested.len() - named.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    notice(&format!("no template fails {}{more}", named.join(", ")));
}
