//! Parses and validates rulesets.

mod compile;
mod details;
pub(in crate::guard) mod fault;
mod grammar;
mod lint;
mod metadata;
mod path;
mod suspicious;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use foldhash::HashSet;

use crate::diagnostic::{Diagnostic, Level, RuleInfo, Severity};
use crate::guard::ast::{Assignment, Clause};
use crate::guard::piece::Piece;
use crate::guard::rule::Rule;
use crate::guard::variables::Variables;
use crate::text::{FileId, Sources, Suggestions};

pub use self::lint::lint;

use self::compile::Compiler;
use self::grammar::{Statement, statement};

pub(crate) use self::fault::Fault;
pub(crate) use self::metadata::Metadata;

/// Parses a ruleset. The ID of a rule is `name`, the name of the file, with the number of its line.
///
/// All problems are reported. A line with an error is skipped; one with a warning is not.
pub fn parse(
    file: FileId,
    name: &str,
    text: &str,
    environment: &BTreeMap<String, String>,
) -> (Vec<Rule>, Vec<Diagnostic>) {
    let mut faults = Vec::new();
    let lines = read(text, &mut faults);
    let variables = Variables::new(&lines.assignments, environment);
    let mut compiler = Compiler { variables: &variables, suggestions: Suggestions::default(), warnings: Vec::new() };
    let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy();
    let mut rules = Vec::new();
    for line in lines.clauses {
        suspicious::clause(&line.clause, &mut faults);
        match rule(file, &stem, line, &mut compiler) {
            Ok(rule) => rules.push(rule),
            Err(found) => faults.extend(found),
        }
    }
    faults.extend(compiler.warnings);
    let mut diagnostics: Vec<Diagnostic> = faults.into_iter().map(|fault| fault.into_diagnostic(file)).collect();
    diagnostics.sort_by_key(|diagnostic| diagnostic.primary.span);
    diagnostics.dedup();
    (rules, diagnostics)
}

/// True if a text is a ruleset without errors, whatever values its variables have.
pub fn is_valid(text: &str) -> bool {
    let mut faults = Vec::new();
    let lines = read(text, &mut faults);
    faults.iter().all(|fault| !fault.is_error()) && !lines.clauses.is_empty()
}

/// Parses one line without variables. Returns `None` if it has an error, or is not one rule.
pub(in crate::guard) fn parse_line(line: &str) -> Option<Rule> {
    let file = Sources::new().add("line.ruleset", "");
    let (mut rules, problems) = parse(file, "line.ruleset", line, &BTreeMap::new());
    rules.pop().filter(|_| rules.is_empty() && problems.iter().all(|problem| problem.level != Level::Error))
}

/// Lines of a ruleset, by kind.
#[derive(Default)]
struct Lines<'a> {
    assignments: Vec<Assignment<'a>>,
    /// Names of the assignments.
    names: HashSet<&'a str>,
    clauses: Vec<Line<'a>>,
}

/// A line with rules.
struct Line<'a> {
    number: u32,
    /// Metadata in the comments right above the line.
    metadata: Metadata<'a>,
    clause: Clause<'a>,
}

fn read<'a>(text: &'a str, faults: &mut Vec<Fault<'a>>) -> Lines<'a> {
    let mut lines = Lines::default();
    let mut comments: Vec<Piece<'_>> = Vec::new();
    for (number, line) in Piece::whole(text).lines() {
        match statement(line) {
            Ok(Statement::Comment(text)) => {
                comments.push(text);
                continue;
            }
            Ok(Statement::Clause(clause)) => {
                lines.clauses.push(Line { number, metadata: Metadata::new(&comments, faults), clause });
            }
            Ok(Statement::Assignment(assignment)) => {
                if !lines.names.insert(assignment.name.text) {
                    faults.push(reassigned(assignment.name));
                }
                lines.assignments.push(assignment);
            }
            Ok(Statement::Blank) => {}
            Err(found) => faults.extend(found),
        }
        comments.clear();
    }
    lines
}

fn reassigned(name: Piece<'_>) -> Fault<'_> {
    let message = format!("`{}` already has a value; the last one counts, also for the rules before it", name.text);
    Fault::suspicious(name, message)
}

fn rule<'a>(file: FileId, stem: &str, line: Line<'a>, compiler: &mut Compiler<'a, '_>) -> Result<Rule, Vec<Fault<'a>>> {
    let clause = &line.clause;
    let (mut branches, mut faults) = (Vec::new(), Vec::new());
    for (index, rule) in clause.rules.iter().enumerate() {
        match compiler.branch(index, rule) {
            Ok(branch) => branches.push(branch),
            Err(found) => faults.extend(found),
        }
    }
    if !faults.is_empty() {
        return Err(faults);
    }
    let mut known = HashSet::default();
    let types = clause.rules.iter().map(|rule| rule.type_name.text);
    let resource_types = types.filter(|name| known.insert(*name)).map(str::to_owned).collect();
    let message = clause.rules.iter().find_map(|rule| rule.check.message).filter(|message| !message.text.is_empty());
    let name = clause.rules.first().map(|rule| format!("{} {}", rule.type_name.text, rule.check.path_text.text));
    let mut info = RuleInfo {
        id: format!("{stem}:{}", line.number),
        name: name.unwrap_or_default(),
        short_description: message.unwrap_or(clause.text).text.to_owned(),
        full_description: clause.text.text.to_owned(),
        recommendation: None,
        help_uri: None,
        severity: Severity::Medium,
        resource_types,
        definition: Some(clause.text.span(file)),
        check: None,
        details: Arc::default(),
    };
    let fixes = line.metadata.describe(&mut info);
    let spans = clause.rules.iter().map(|rule| rule.text.span(file)).collect();
    let rule = Rule::new(Arc::new(info), clause.joint, branches, spans);
    Ok(rule.with_strict(line.metadata.strict).with_exceptions(line.metadata.except).with_fixes(fixes))
}
