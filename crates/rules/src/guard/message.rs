//! Messages of cfn-guard 1.0, word for word, and those of the embedded rules.

use crate::guard::ast::Operator;
use crate::guard::eval::{Leaf, LeafKind};
use crate::guard::json_text::{shown, squeezed};
use crate::guard::rule::{Branch, Check};
use crate::guard::test::Test;
use crate::value::{Value, plain};

/// Returns the message of an embedded rule, such as "`PubliclyAccessible` is `true`, so the database can be reached
/// from the internet". `None` if the rule does not state the consequence.
pub(super) fn of_embedded(branch: &Branch, leaf: &Leaf) -> Option<String> {
    let consequence = branch.check.message.as_ref()?;
    let property = leaf.shown.trim_start_matches('.');
    Some(match &leaf.kind {
        LeafKind::Unknown(why) => format!("`{property}` is not known before the deployment, because {why}"),
        LeafKind::Missing(_) => format!("`{property}` is missing, so {consequence}"),
        LeafKind::Wrong(value) => format!("`{property}` is `{}`, so {consequence}", plain(value)),
    })
}

/// Returns the message for a resource that violates a branch, or may violate it.
pub(super) fn message(resource: &str, branch: &Branch, leaf: &Leaf) -> String {
    let condition = match &branch.condition {
        Some(condition) => format!(" when {} {}", branch.type_name, condition.text),
        None => String::new(),
    };
    match &leaf.kind {
        LeafKind::Unknown(why) => {
            format!(
                "[{resource}] may fail: [{}] is not known before the deployment, because {why}{condition}",
                leaf.shown
            )
        }
        LeafKind::Missing(_) => {
            format!("[{resource}] failed because {}{condition}", missing(&branch.check, &leaf.shown))
        }
        LeafKind::Wrong(value) => {
            format!("[{resource}] failed because {}{condition}", wrong(&branch.check, &leaf.shown, value))
        }
    }
}

fn missing(check: &Check, path: &str) -> String {
    match &check.message {
        Some(message) => message.to_string(),
        None => format!("it does not contain the required property of [{path}]"),
    }
}

fn wrong(check: &Check, path: &str, value: &Value) -> String {
    if let Test::Undefined { reference } = &check.test {
        return format!("there is no value defined for [{reference}] to check [{path}] against");
    }
    let raw = shown(value);
    let value = match check.test {
        Test::Equal { negated: false, .. } => raw.into_owned(),
        _ => squeezed(&raw),
    };
    if let Some(message) = &check.message {
        return format!("[{path}] is [{value}] and {message}");
    }
    match &check.test {
        Test::Equal { negated: false, shown, .. } => {
            format!("[{path}] is [{value}] and the permitted value is [{shown}]")
        }
        Test::Equal { negated: true, .. } => format!("[{path}] is [{value}] and that value is not permitted"),
        Test::Match { negated: false, pattern } => {
            format!("[{path}] is [{value}] and the permitted pattern is [{}]", pattern.source)
        }
        Test::Match { negated: true, pattern } => {
            format!("[{path}] is [{value}] and the pattern [{}] is not permitted", pattern.source)
        }
        Test::Order { operator, shown, .. } => {
            format!("[{path}] is [{value}] and the permitted value is [{} {shown}]", Operator::as_str(*operator))
        }
        Test::Member { negated: false, shown, .. } => format!("[{value}] is not in {shown} for [{path}]"),
        Test::Member { negated: true, shown, .. } => {
            format!("[{value}] is in {shown} which is not permitted for [{path}]")
        }
        Test::Undefined { .. } => String::new(),
    }
}
