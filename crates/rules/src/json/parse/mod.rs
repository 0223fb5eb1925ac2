//! Parses and validates rule files.

mod constants;
mod details;
mod evaluation;
mod metadata;
mod problems;
mod relations;

use arcstr::ArcStr;
use foldhash::HashMap;

use crate::diagnostic::{Code, Diagnostic};
use crate::json::Rule;
use crate::syntax::json as syntax;
use crate::text::{FileId, Span};
use crate::value::{Data, Value};

#[cfg(test)]
pub(super) use self::evaluation::STRUCTURED;

use self::constants::Constants;
use self::problems::{Problems, describe_found};

/// Greatest depth of arrays and objects in a rule file. Evaluation recurses as deeply.
pub(super) const MAX_DEPTH: u32 = 128;

/// Members of a file with constants.
const NAMES: [&str; 3] = ["constants", "rules", "$schema"];

/// Parses a rule file: a rule, an array of rules, or an object of `rules` and the `constants` that they share. It may
/// have comments and trailing commas.
///
/// All problems are reported. A rule with an error is skipped; a rule with a warning is not.
pub fn parse(file: FileId, text: &ArcStr) -> (Vec<Rule>, Vec<Diagnostic>) {
    let parsed = syntax::parse(file, text, MAX_DEPTH);
    let mut problems = Problems::new(file);
    problems.extend(parsed.diagnostics.into_iter().map(as_rule_problem));
    let mut rules = Vec::new();
    if let Some(value) = &parsed.value {
        let (given, constants) = match value.as_object().filter(|object| object.get("rules").is_some()) {
            Some(object) => {
                // A name that occurs twice was reported.
                let _ = problems.check_names(object, &NAMES);
                (object.get("rules").unwrap_or(value), object.get("constants"))
            }
            None => (value, None),
        };
        let items: &[Value] = match &given.data {
            Data::Array(items) => items,
            Data::Object(_) => std::slice::from_ref(given),
            _ => {
                problems.error(given, format!("expected a rule or an array of rules, found {}", describe_found(given)));
                &[]
            }
        };
        let mut constants = Constants::read(constants, &mut problems);
        rules = items.iter().filter_map(|item| metadata::rule(item, &mut constants, &mut problems).ok()).collect();
        constants.warn_of_unused(&mut problems);
        warn_of_duplicates(items, &mut problems);
    }
    (rules, problems.into_diagnostics())
}

fn as_rule_problem(mut diagnostic: Diagnostic) -> Diagnostic {
    if matches!(diagnostic.code, Code::SyntaxJson | Code::SyntaxDepth) {
        diagnostic.code = Code::RuleSyntax;
    }
    diagnostic
}

fn warn_of_duplicates(items: &[Value], problems: &mut Problems) {
    let mut firsts: HashMap<&str, Option<Span>> = HashMap::default();
    for id in items.iter().filter_map(|item| item.get("id")) {
        let Some(name) = id.as_str() else { continue };
        if let Some(first) = firsts.get(name) {
            let warning = problems.warn(id, format!("another rule has the id `{name}`, too"));
            if let Some(first) = *first {
                warning.label(first, "the first one");
            }
        } else {
            firsts.insert(name, id.span);
        }
    }
}

#[cfg(test)]
mod tests;
