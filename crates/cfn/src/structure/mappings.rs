//! The mappings.
//!
//! Reference: <https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/mappings-section-structure.html>.

use crate::Breach;
use crate::diagnostic::Severity;
use crate::diagnostic::common_checks::EXPRESSION_UNDEFINED;
use crate::model::join_key;
use crate::stack::Stack;
use crate::structure::{MAX_SHOWN, call, is_macro, is_scalar, kind, names};
use crate::text::{Span, cut};
use crate::value::{Member, Value};

/// The most mappings of a template.
const MAX: usize = 200;

pub(super) fn check_mappings(stack: &Stack<'_>) {
    let Some((mappings, span)) = stack.declared("Mappings") else { return };
    stack.refuse_more(("mappings", "Mappings"), mappings.len(), MAX, span);
    for mapping in mappings.iter().filter(|member| !is_macro(member)) {
        names::check_declared_name(stack, mapping, ("a mapping", ""));
        for row in rows(stack, mapping) {
            for cell in rows(stack, row) {
                value(stack, cell);
            }
        }
    }
}

/// Returns the members of a mapping, or of a row of it, which must be an object.
fn rows<'v>(stack: &Stack<'_>, member: &'v Member) -> impl Iterator<Item = &'v Member> {
    let object = member.value.as_object();
    if object.is_none() && !member.value.is_null() {
        let message = format!("`{}` in a mapping must be an object, found {}", member.key, kind(&member.value));
        stack.refuse(&member.value, message);
    }
    object.into_iter().flatten().filter(|member| !is_macro(member))
}

/// Checks that a value is a string, a number, or a list. CloudFormation does not look into the items of a list, except
/// for functions, which it does not evaluate here.
fn value(stack: &Stack<'_>, Member { key, value, .. }: &Member) {
    let is_list = value.as_array().is_some();
    let items = value.as_array().unwrap_or(std::slice::from_ref(value));
    for item in items.iter().filter(|item| !item.is_null()) {
        if let Some(call) = call(item) {
            stack.refuse(item, format!("`{key}` in a mapping calls `{}`; mappings cannot call functions", call.key));
        } else if !is_list && !is_scalar(item) {
            let message = format!("`{key}` in a mapping must be a string or a list, found {}", kind(item));
            stack.refuse(item, message);
        }
    }
}

/// Reports a key that some rows of a mapping lack, where a parameter selects the row, or that no row has. CloudFormation
/// looks the key up in each branch of `Fn::If`, also in those that are not selected.
pub(super) fn check_rows(stack: &Stack<'_>, name: &str, (row, key): (&Value, &Value), span: Option<Span>) {
    let mapping = stack.section("Mappings").and_then(|mappings| mappings.get_exact(name)?.as_object());
    let (Some(row), Some(key), Some(mapping)) = (call(row), key.as_str(), mapping) else { return };
    if stack.has_extensions || mapping.iter().any(is_macro) || mapping.is_empty() || mapping.len() > MAX {
        return;
    }
    // What is no row is reported where it is.
    let may_have =
        |row: &Member| row.value.as_object().is_none_or(|row| row.get_exact(key).is_some() || row.iter().any(is_macro));
    if !mapping.iter().any(may_have) {
        let cells = mapping.iter().filter_map(|row| row.value.as_object()).flatten();
        let hint = stack.world.suggestions.did_you_mean(key, cells.map(|cell| &*cell.key));
        let message = format!("no row of the mapping `{name}` has a key `{}`{hint}", cut(key, MAX_SHOWN));
        return stack.breach(EXPRESSION_UNDEFINED, join_key("Mappings", name), message, span);
    }
    let parameter = row.value.as_str().filter(|_| *row.key == *"Ref");
    let declaration = parameter.and_then(|name| stack.section("Parameters")?.get_exact(name)?.as_object());
    let Some(declaration) = declaration else { return };
    let allowed = declaration.get_exact("AllowedValues").and_then(Value::as_array).unwrap_or_default();
    let allowed: Vec<&str> = allowed.iter().filter_map(Value::as_str).take(MAX).collect();
    let lacks = |value: &&str| {
        let row = mapping.get_exact(value).and_then(Value::as_object);
        row.is_some_and(|row| row.get_exact(key).is_none() && !row.iter().any(is_macro))
    };
    let without: Vec<&str> = allowed.iter().copied().filter(lacks).collect();
    if let [first, rest @ ..] = without.as_slice() {
        let more = if rest.is_empty() { String::new() } else { format!(" and {} others", rest.len()) };
        let message = format!(
            "the mapping `{name}` has no `{}` under `{}`{more}, which `{}` may be; add the key to each row",
            cut(key, MAX_SHOWN),
            cut(first, MAX_SHOWN),
            parameter.unwrap_or_default(),
        );
        if let Some(span) = span {
            let path = join_key(&join_key("Mappings", name), first);
            // The branch may be one that needs another value of the parameter.
            let severity = Some(Severity::Medium);
            let further = Vec::new();
            let breach =
                Breach { check: EXPRESSION_UNDEFINED, path, message, span, is_pedantic: false, severity, further };
            stack.world.report_breach(breach);
        }
    }
}
