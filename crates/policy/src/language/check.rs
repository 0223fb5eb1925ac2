//! Finds errors in the expressions of a definition for which Azure rejects it.

use formwork_arm::expr::{self, Expr, ExprKind, Target, TextKind, text_kind};

use crate::problem::Problem;
use crate::value::{Data, Value};

/// Functions of templates that policies do not have. Functions whose names begin with `list` are forbidden, too.
const FORBIDDEN: &[&str] = &[
    "copyIndex",
    "dateTimeAdd",
    "dateTimeFromEpoch",
    "dateTimeToEpoch",
    "deployment",
    "environment",
    "extensionResourceId",
    "filter",
    "groupBy",
    "lambda",
    "lambdaVariables",
    "managementGroup",
    "map",
    "mapValues",
    "newGuid",
    "pickZones",
    "providers",
    "reduce",
    "reference",
    "references",
    "resourceId",
    "resourceInfo",
    "sort",
    "subscriptionResourceId",
    "tenant",
    "tenantResourceId",
    "toObject",
    "variables",
];

/// Functions that policies have besides those of templates.
pub(crate) const OWN: &[&str] = &["addDays", "current", "field", "ipRangeContains", "policy", "requestContext"];

/// Names that expressions can refer to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Declared<'a> {
    /// Names that `parameters()` accepts, case-insensitive.
    pub(crate) parameters: &'a [&'a str],
}

/// Adds the errors in the expressions of `value` to `problems`. The template that a policy deploys has its own
/// functions and is skipped.
pub(crate) fn check_expressions(value: &Value, declared: Declared<'_>, problems: &mut Vec<Problem>) {
    match &value.data {
        Data::String(text) if text_kind(text) == TextKind::Expression => match expr::parse(text) {
            Ok(parsed) => check_calls(&parsed, value, declared, problems),
            Err(fault) => problems.push(Problem::new(value.span, format!("`{text}`: {}", fault.message()))),
        },
        Data::Array(items) => {
            for item in items.iter() {
                check_expressions(item, declared, problems);
            }
        }
        Data::Object(object) => {
            let members = object.iter().filter(|member| !member.key.eq_ignore_ascii_case("deployment"));
            for member in members {
                check_expressions(&member.value, declared, problems);
            }
        }
        _ => {}
    }
}

/// Checks the calls in an expression, which is all of the string `text`.
fn check_calls(expr: &Expr, text: &Value, declared: Declared<'_>, problems: &mut Vec<Problem>) {
    match &expr.kind {
        ExprKind::Literal(_) => {}
        ExprKind::Property(base, _) => check_calls(base, text, declared, problems),
        ExprKind::Index(base, index) => {
            check_calls(base, text, declared, problems);
            check_calls(index, text, declared, problems);
        }
        ExprKind::Call(target, arguments) => {
            if let Some(message) = refused(target, arguments, declared) {
                problems.push(Problem::new(text.span, message));
            }
            for argument in arguments {
                check_calls(argument, text, declared, problems);
            }
        }
    }
}

/// Returns the reason for which a policy cannot contain a call.
fn refused(target: &Target, arguments: &[Expr], declared: Declared<'_>) -> Option<String> {
    let name = target.name();
    let is = |known: &&&str| known.eq_ignore_ascii_case(name);
    let is_own = OWN.iter().any(|known| is(&known));
    match target {
        _ if is_own => None,
        Target::User { .. } => Some(format!("`{name}` is a user-defined function, which policies do not have")),
        Target::Unknown(_) => Some(format!("there is no function `{name}`")),
        Target::Builtin(function) => {
            let is_list = function.name.starts_with("list");
            if is_list || FORBIDDEN.iter().any(|known| is(&known)) {
                return Some(format!("the function `{name}` cannot be used in policies"));
            }
            let [Expr { kind: ExprKind::Literal(literal), .. }] = arguments else { return None };
            let parameter = literal.as_str().filter(|_| function.name == "parameters")?;
            let is_declared = declared.parameters.iter().any(|known| known.eq_ignore_ascii_case(parameter));
            (!is_declared).then(|| format!("there is no parameter `{parameter}`"))
        }
    }
}
