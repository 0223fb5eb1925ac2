//! `formwork rules`: lists, explains, validates, generates, and tests rules.

mod cfn_lint;
mod example;
mod filter;
mod list;
mod marks;
mod new;
pub(super) mod page;
mod policies;
mod test;
mod units;

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use crate::cli::Environment;
use crate::cli::args::{RulesCommand, RulesGenArguments, RulesLintArguments};
use crate::cli::exit::{Error, Exit};
use crate::cli::expand::expand_and_print;
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::config::{Choices, RuleSettings};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::engine::{RuleSource, lint_rules};
use crate::files::Disk;
use crate::report::counted;
use crate::rules::{guard, json};
use crate::text::escape::Notation;

/// Runs one of the commands about rules.
pub(super) fn run(command: &RulesCommand, environment: &Environment) -> Result<Exit, Error> {
    match command {
        RulesCommand::List(it) => list::run(it, environment),
        RulesCommand::Show(it) => page::run(it, environment),
        RulesCommand::New(it) => new::run(it, environment),
        RulesCommand::Lint(it) => lint(it, environment),
        RulesCommand::Gen(it) => generate(it, environment),
        RulesCommand::Test(it) => test::run(it, environment),
        RulesCommand::Schema => schema(),
    }
}

fn lint(arguments: &RulesLintArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut workspace = Workspace::bare(arguments.color, environment);
    let files: &[PathBuf] = &arguments.files;
    let source = RuleSource {
        working: &environment.working,
        tree: &Disk,
        choices: Choices { builtin_rules: Some(false), ..Choices::default() },
        needs_texts: true,
        paths: files,
        settings: &RuleSettings::default(),
        environment: &environment.variables,
        limits: &workspace.limits,
    };
    let (loaded, linted, problems) = lint_rules(&source, &workspace.sources);
    // A check prints a warning for a rule that it cannot compare with a variable, and continues. Here such a rule is
    // an error.
    let problems: Vec<Diagnostic> = problems.into_iter().map(with_rule_errors).collect();
    let errors = problems.iter().filter(|problem| problem.level == Level::Error).count();
    let warnings = problems.iter().filter(|problem| problem.level == Level::Warning).count();
    workspace.print(Vec::new(), problems)?;
    let mut out = streams::out(Notation::Plain);
    let policies = linted.policies.into_iter().filter(|(_, count)| *count > 0);
    let found = policies.chain([("rule", loaded.rules.len()), ("error", errors), ("warning", warnings)]);
    writeln!(out, "{}{}", listed(found), not_linted(linted.others))?;
    Ok(if errors > 0 { Exit::Usage } else { Exit::Clean })
}

/// Returns numbers with their nouns.
fn listed(numbers: impl Iterator<Item = (&'static str, usize)>) -> String {
    let counted = |(noun, count)| match (noun, count) {
        ("policy", 0 | 2..) => format!("{count} policies"),
        _ => counted(count, noun),
    };
    numbers.map(counted).collect::<Vec<String>>().join(", ")
}

/// Returns the end of the summary, about files that are neither rules nor policies. Empty without any.
fn not_linted(others: BTreeMap<&'static str, usize>) -> String {
    if others.is_empty() { String::new() } else { format!("; not linted: {}", listed(others.into_iter())) }
}

/// Raises an invalid rule to an error, even if a check would continue with it.
fn with_rule_errors(problem: Diagnostic) -> Diagnostic {
    let level = if problem.code == Code::RuleInvalid { Level::Error } else { problem.level };
    problem.with_level(level)
}

fn generate(arguments: &RulesGenArguments, environment: &Environment) -> Result<Exit, Error> {
    let inputs = &arguments.template.inputs;
    let mut workspace = Workspace::open(inputs.config.as_deref(), inputs.color, environment)?;
    let assumptions = workspace.assumptions();
    let (expanded, exit) = expand_and_print(&arguments.template, &assumptions, &mut workspace)?;
    if let Some(document) = expanded.and_then(|expanded| expanded.expansion.document) {
        streams::out(Notation::Plain).write_all(guard::generate(&document).as_bytes())?;
    }
    Ok(exit)
}

fn schema() -> Result<Exit, Error> {
    writeln!(streams::out(Notation::Json), "{:#}", json::schema())?;
    Ok(Exit::Clean)
}
