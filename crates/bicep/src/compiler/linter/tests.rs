//! What a rule says of a file, as lines or as marks under the text.

use std::path::Path;

use crate::compiler::compile;
use crate::compiler::linter::check_of_rule;
use crate::compiler::linter::rules::RULES;
use crate::compiler::memory::Memory;
use crate::diagnostic::Severity;
use crate::text::Sources;

/// The lines of what a rule finds in a file.
#[track_caller]
pub(super) fn lines(rule: &str, text: &str) -> Vec<u32> {
    lines_in(rule, text, &[])
}

/// The same with other files beside it.
#[track_caller]
pub(super) fn lines_in(rule: &str, text: &str, others: &[(&str, &str)]) -> Vec<u32> {
    let mut found = found(rule, text, others);
    found.sort();
    found.into_iter().map(|(line, ..)| line).collect()
}

/// Compares what a rule finds with the marks in the text: a comment with `^` under what is found, and the message after them.
/// Several comments are about the line before them.
#[track_caller]
pub(super) fn check(rule: &str, text: &str) {
    let mut marked = Vec::new();
    let mut line = 0;
    for (number, own) in (1..).zip(text.lines()) {
        match own.trim_start().strip_prefix("//").and_then(|mark| mark.trim_start().split_once(' ')) {
            Some((carets, message)) if carets.starts_with('^') => {
                let start = own.find('^').unwrap_or_default();
                marked.push((line, start, start + carets.len(), message.to_owned()));
            }
            _ => line = number,
        }
    }
    let mut found = found(rule, text, &[]);
    found.sort();
    assert_eq!(found, marked, "{text}");
}

/// The line of each finding, its first and last column, counted from 0, and its message.
#[track_caller]
fn found(rule: &str, text: &str, others: &[(&str, &str)]) -> Vec<(u32, usize, usize, String)> {
    let check = RULES.iter().find(|own| own.name == rule).expect("the rule is in the table").check;
    let config = format!(r#"{{"analyzers": {{"core": {{"rules": {{"{rule}": {{"level": "warning"}}}}}}}}}}"#);
    let sources = Sources::new();
    let files = [("main.bicep", text), ("bicepconfig.json", &config)];
    let mut host = Memory::new(&sources, others.iter().copied().chain(files));
    let made = compile(Path::new("/r/main.bicep"), &mut host);
    let mut found = Vec::new();
    for issue in made.issues.iter().filter(|issue| issue.check == check) {
        let source = sources.get(issue.span.file);
        if source.text() != text {
            continue;
        }
        let start = source.position(issue.span.start);
        let column = start.column as usize - 1;
        found.push((start.line, column, column + (issue.span.end - issue.span.start) as usize, issue.message.clone()));
    }
    found
}

#[test]
fn only_the_level_of_an_error_fails_a_check() {
    let text = "param p string
resource d 'Microsoft.Resources/deployments@2022-09-01' = {
  name: 'd'
  properties: { mode: 'Incremental', expressionEvaluationOptions: { scope: 'inner' }, template: { outputs: p } }
}
";
    let rule = "nested-deployment-template-scoping";
    let severity = |level: &str| {
        let config = format!(r#"{{"analyzers": {{"core": {{"rules": {{"{rule}": {{"level": "{level}"}}}}}}}}}}"#);
        let sources = Sources::new();
        let mut host = Memory::new(&sources, [("main.bicep", text), ("bicepconfig.json", &config)]);
        let issues = compile(Path::new("/r/main.bicep"), &mut host).issues;
        let issue = issues.into_iter().find(|issue| Some(issue.check) == check_of_rule(rule)).expect("it is found");
        issue.severity
    };
    let levels = ["info", "warning", "error", "?"];
    assert_eq!(levels.map(severity), [Severity::Low, Severity::Low, Severity::High, Severity::High].map(Some));
}

#[test]
fn the_rules_are_sorted_and_named_as_their_checks() {
    assert!(RULES.is_sorted_by_key(|rule| rule.name));
    let own = ["parameter/unused", "variable/unused"];
    for rule in RULES {
        let id = rule.check.id();
        assert!(own.contains(&id) || id.strip_prefix("bicep/") == Some(rule.name), "{id}: {}", rule.name);
    }
}
