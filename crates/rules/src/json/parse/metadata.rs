//! Parses the metadata of a rule: ID, descriptions, severity.

use std::sync::Arc;

use crate::diagnostic::{RuleInfo, Severity};
use crate::json::Rule;
use crate::json::parse::constants::Constants;
use crate::json::parse::problems::{Checked, Problems, Reported, describe_found};
use crate::json::parse::{details, evaluation};
use crate::value::{Data, Value};

/// Members of a rule. `$schema` is for editors. Those from `category` on only exist in formwork; Template Analyzer
/// ignores them.
const NAMES: &[&str] = &[
    "id",
    "name",
    "shortDescription",
    "fullDescription",
    "recommendation",
    "helpUri",
    "severity",
    "evaluation",
    "$schema",
    "category",
    "pillar",
    "optional",
    "production",
    "platformDefault",
    "controls",
    "tags",
    "example",
    "fix",
];

/// Parses one rule with its evaluation. An error means that problems were reported.
pub(super) fn rule(value: &Value, constants: &mut Constants<'_>, problems: &mut Problems) -> Checked<Rule> {
    let Some(object) = value.as_object() else {
        problems.error(value, format!("a rule must be an object, found {}", describe_found(value)));
        return Err(Reported);
    };
    let unique = problems.check_names(object, NAMES);
    let id = required(value, "id", problems);
    let name = required(value, "name", problems);
    let short_description = required(value, "shortDescription", problems);
    let full_description = required(value, "fullDescription", problems);
    let recommendation = text(value, "recommendation", problems);
    let help_uri = text(value, "helpUri", problems);
    let severity = severity(value, problems);
    let (details, fixes) = details::details(value, problems);
    let given = value.get("evaluation");
    if given.is_none() {
        problems.lacks(value, "a rule needs an `evaluation`");
    }
    let given = constants.resolve(given.ok_or(Reported)?, problems)?;
    let evaluation = evaluation::evaluation(&given, None, problems);
    unique?;
    let evaluation = evaluation?;
    let info = RuleInfo {
        id: id?,
        name: name?,
        short_description: short_description?,
        full_description: full_description?,
        recommendation: recommendation?,
        help_uri: help_uri?,
        severity: severity?,
        resource_types: evaluation::written_types(&given),
        definition: value.span,
        check: None,
        details: Arc::new(details),
    };
    Ok(Rule { info: Arc::new(info), evaluation, fixes })
}

/// Returns a string that every rule must have.
fn required(rule: &Value, name: &str, problems: &mut Problems) -> Checked<String> {
    match text(rule, name, problems)? {
        Some(text) if text.trim().is_empty() => {
            let at = rule.get(name).unwrap_or(rule);
            problems.error(at, format!("`{name}` is empty"));
            Err(Reported)
        }
        Some(text) => Ok(text),
        None => {
            problems.lacks(rule, format!("a rule needs `{name}`"));
            Err(Reported)
        }
    }
}

/// Returns an optional string.
fn text(rule: &Value, name: &str, problems: &mut Problems) -> Checked<Option<String>> {
    match rule.get(name).map(|value| (value, &value.data)) {
        None | Some((_, Data::Null)) => Ok(None),
        Some((_, Data::String(text))) => Ok(Some((**text).to_owned())),
        Some((value, _)) => {
            problems.error(value, format!("`{name}` is {}; expected a string", describe_found(value)));
            Err(Reported)
        }
    }
}

/// Returns the severity of a rule, which is medium by default.
fn severity(rule: &Value, problems: &mut Problems) -> Checked<Severity> {
    const ALL: [Severity; 3] = [Severity::High, Severity::Medium, Severity::Low];
    let Some(value) = rule.get("severity") else { return Ok(Severity::Medium) };
    let severity = match &value.data {
        Data::Int(number) => ALL.into_iter().find(|severity| i64::from(severity.number()) == *number),
        Data::String(name) => ALL.into_iter().find(|severity| severity.as_str().eq_ignore_ascii_case(name)),
        _ => None,
    };
    if severity.is_none() {
        let message = format!("`severity` is {}; expected 1 (high), 2 (medium) or 3 (low)", describe_found(value));
        problems.error(value, message);
    }
    severity.ok_or(Reported)
}
