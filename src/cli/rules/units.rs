//! Runs the unit tests of cfn-guard in `formwork rules test`.
//!
//! `NAME_tests.yaml` has the tests of the rules in `NAME.guard`. Both files are in the same folder, or the tests are
//! in its folder `tests`. Without such a file, the tests are of the file that contains the first rule of their
//! expectations.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::args::RulesTestArguments;
use crate::cli::exit::Error;
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::files::{Disk, Entry, Tree, display_name, read_bytes};
use crate::report::{SuiteResult, TestResult};
use crate::rules::guard3::{self, Program, UnitTest};
use crate::text::escape::{Notation, file_name, visible};
use crate::text::{Sources, decode};

/// Extensions of files with tests.
const TEST_EXTENSIONS: &[&str] = &["yaml", "yml", "json", "jsn"];

/// Extensions of files with rules.
const RULES_EXTENSIONS: &[&str] = &["guard", "ruleset"];

/// Runs all unit tests of rules in the folders and files of the arguments. Empty if there are none.
pub(super) fn run(arguments: &RulesTestArguments, workspace: &Workspace<'_>) -> Result<Vec<SuiteResult>, Error> {
    let working = &workspace.environment.working;
    let rules_files = files(&arguments.rules, working, RULES_EXTENSIONS);
    let mut suites = Vec::new();
    for path in files(&arguments.dirs, working, TEST_EXTENSIONS) {
        let sources = Sources::new();
        let Some(text) = read(&path, workspace).filter(|text| guard3::may_have_units(text)) else { continue };
        let name = display_name(working, &path);
        let file = sources.add(name.as_str(), text);
        let Some(tests) = guard3::units(file, sources.get(file).text(), workspace.limits.nesting) else { continue };
        let program = program(&path, &rules_files, &tests, &sources, workspace);
        let failure = |test: &UnitTest| match &program {
            Ok(program) => problem(test, program, &sources),
            Err(problem) => Some(problem.clone()),
        };
        let tests = tests.iter().map(|test| TestResult { name: test.name.clone(), failure: failure(test) });
        suites.push(SuiteResult { name, tests: tests.collect() });
    }
    Ok(suites)
}

/// Prints the results of unit tests.
pub(super) fn print_results(suites: &[SuiteResult]) -> io::Result<()> {
    let mut out = streams::out(Notation::Plain);
    suites.iter().try_for_each(|suite| write(suite, &mut out))?;
    let failed = suites.iter().flat_map(|suite| &suite.tests).filter(|test| test.failure.is_some()).count();
    let count: usize = suites.iter().map(|suite| suite.tests.len()).sum();
    writeln!(out, "{} unit tests passed, {failed} failed", count - failed)?;
    out.flush()
}

/// Prints the failed tests of a file. An error in its rules is printed only once.
fn write(suite: &SuiteResult, out: &mut dyn Write) -> io::Result<()> {
    let name = file_name(&suite.name);
    let mut problems: Vec<&String> = suite.tests.iter().filter_map(|test| test.failure.as_ref()).collect();
    problems.dedup();
    if problems.is_empty() {
        return writeln!(out, "pass {name}: {} tests", suite.tests.len());
    }
    writeln!(out, "FAIL {name}")?;
    for problem in problems {
        writeln!(out, "  {problem}")?;
    }
    Ok(())
}

/// Loads the rules that a file tests. The error is the reason why they cannot run.
fn program(
    path: &Path,
    rules_files: &[PathBuf],
    tests: &[UnitTest],
    sources: &Sources,
    workspace: &Workspace<'_>,
) -> Result<Program, String> {
    let Some(rules) = rules_of(path, rules_files, tests, workspace) else {
        return Err("there is no file with its rules; expected `NAME.guard` for `NAME_tests.yaml`".to_owned());
    };
    let name = display_name(&workspace.environment.working, &rules);
    let text = read(&rules, workspace).ok_or_else(|| format!("{} could not be read", file_name(&name)))?;
    let program = Program::new(sources.add(name.as_str(), text.as_str()), &text);
    program.map_err(|error| format!("{}: {}", file_name(&name), visible(&error)))
}

/// Returns the first expectation of a test that is not met.
fn problem(test: &UnitTest, program: &Program, sources: &Sources) -> Option<String> {
    let statuses = program.statuses(test.input.clone());
    test.expectations.iter().find_map(|expectation| {
        let rule = visible(&expectation.rule);
        let complaint = match (&expectation.status, &statuses) {
            (Err(word), _) => format!("{} is not a verdict; expected `PASS`, `FAIL` or `SKIP`", visible(word)),
            (_, Err(error)) => format!("`{rule}` has no verdict: {}", visible(error)),
            (Ok(expected), Ok(statuses)) => match statuses.iter().find(|(name, _)| *name == expectation.rule) {
                None => format!("there is no rule `{rule}`"),
                Some((_, found)) if found == expected => return None,
                Some((_, found)) => {
                    format!("`{rule}` is `{}`; expected `{}`", found.as_str(), expected.as_str())
                }
            },
        };
        let (at, _) = sources.range(expectation.span);
        let file = sources.get(expectation.span.file);
        let name = file_name(file.name());
        Some(format!("{name}:{}:{}: {}: {complaint}", at.line, at.column, visible(&test.name)))
    })
}

pub(super) fn read(path: &Path, workspace: &Workspace<'_>) -> Option<String> {
    let bytes = read_bytes(path, workspace.limits.file_bytes).ok()?;
    decode(bytes).ok()
}

/// Returns the folder of the rules that a file tests: that of the file, or the parent of a folder `tests`.
pub(super) fn home(path: &Path) -> &Path {
    let folder = path.parent().unwrap_or(path);
    let is_apart = folder.file_name().is_some_and(|name| name == "tests" || name == "test");
    if is_apart { folder.parent().unwrap_or(folder) } else { folder }
}

/// Returns the file with the rules that a file tests.
fn rules_of(path: &Path, rules_files: &[PathBuf], tests: &[UnitTest], workspace: &Workspace<'_>) -> Option<PathBuf> {
    let stem = path.file_stem()?.to_str()?;
    let name = stem.strip_suffix("_tests").or_else(|| stem.strip_suffix("_test")).unwrap_or(stem);
    if let [only] = rules_files {
        return Some(only.clone());
    }
    let (folder, home) = (path.parent()?, home(path));
    let around = |file: &&PathBuf| file.parent() == Some(folder) || file.parent() == Some(home);
    let beside: Vec<PathBuf>;
    let candidates: Vec<&PathBuf> = if rules_files.is_empty() {
        beside = files(&[home.to_owned()], Path::new(""), RULES_EXTENSIONS);
        beside.iter().filter(around).collect()
    } else {
        rules_files.iter().collect()
    };
    let named = candidates.iter().filter(|file| file.file_stem().is_some_and(|stem| stem == name));
    if let Some(found) = named.clone().find(|file| around(file)).or_else(|| named.clone().next()) {
        return Some((*found).clone());
    }
    let rule = format!("rule {} ", tests.iter().find_map(|test| test.expectations.first())?.rule);
    let has_rule = |file: &&&PathBuf| read(file, workspace).is_some_and(|text| text.contains(&rule));
    candidates.iter().filter(|file| around(file)).find(has_rule).map(|file| (*file).clone())
}

/// Returns the files with these extensions, from `paths` and in its folders.
pub(super) fn files(paths: &[PathBuf], working: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let has_extension = |path: &PathBuf| {
        path.extension().is_some_and(|found| extensions.iter().any(|known| found.eq_ignore_ascii_case(known)))
    };
    let mut files = Vec::new();
    for path in paths {
        let path = working.join(path);
        match Disk.entry(&path) {
            Some(Entry::Folder) => files.extend(Disk.files(&path)),
            _ => files.push(path),
        }
    }
    files.retain(has_extension);
    files
}
