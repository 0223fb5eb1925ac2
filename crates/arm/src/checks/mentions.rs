//! Types of resources that expressions name, and keys of storage accounts that their API version does not return.

use crate::checks::ProcessedTemplate;
use crate::checks::expressions::{Call, each_call, is_inner_template};
use crate::diagnostic::{Code, Diagnostic};
use crate::expr::{Expr, ExprKind, Target};
use crate::model::MentionedType;
use crate::value::{Member, Object, Str, Value};

/// Functions with the type of a resource among their first arguments.
const TYPED: &[&str] = &[
    "extensionResourceId",
    "managementGroupResourceId",
    "providers",
    "resourceId",
    "subscriptionResourceId",
    "tenantResourceId",
];

/// Type of the accounts whose keys have changed their form.
const ACCOUNTS: &str = "Microsoft.Storage/storageAccounts";

/// First API version that returns the keys of an account as a list. Reference:
/// <https://learn.microsoft.com/rest/api/storagerp/srp_json_get_storage_account_keys>.
const LISTED_SINCE: &str = "2016-01-01";

/// Adds the types that the calls of a template name, and reports keys that accounts do not return.
pub(super) fn collect(subject: &ProcessedTemplate<'_>, mentioned: &mut Vec<MentionedType>) {
    // The expressions of a nested template of outer scope are in the enclosing template, too.
    if subject.is_outer {
        return;
    }
    let enters = |object: &Object, member: &Member| !is_inner_template(object, member);
    each_call(subject.world(), subject.template, &enters, &mut |call| {
        check_keys(subject, call);
        let (Some(name), Some(span)) = (named_type(call), call.span()) else { return };
        mentioned.push(MentionedType { name, function: call.function, path: subject.path.to_owned(), span });
    });
}

/// Returns the type that a call names. `None` if it is computed.
fn named_type(call: &Call<'_>) -> Option<Str> {
    if call.function == "providers" {
        let [provider, kind] = call.arguments else { return None };
        return Some(Str::from(format!("{}/{}", literal(provider)?, literal(kind)?)));
    }
    if let Some(name) = typed(call.function, call.arguments) {
        return Some(name);
    }
    if TYPED.contains(&call.function) {
        return None;
    }
    // `reference('Microsoft.Web/sites/s')`: types and names take turns.
    let is_read = matches!(call.function, "reference" | "references") || call.function.starts_with("list");
    let text =
        literal(call.arguments.first()?).filter(|text| is_read && is_type(text) && !text.contains("/providers/"))?;
    let mut segments = text.split('/');
    let provider = segments.next()?;
    let types: Vec<&str> = segments.by_ref().step_by(2).collect();
    (text.split('/').count() % 2 == 1).then(|| Str::from(format!("{provider}/{}", types.join("/"))))
}

/// Returns the type of the resource whose ID an expression is. `None` if it is computed.
pub(crate) fn resource_type_of(expr: &Expr) -> Option<Str> {
    let ExprKind::Call(Target::Builtin(function), arguments) = &expr.kind else { return None };
    typed(function.name, arguments)
}

fn typed(function: &str, arguments: &[Expr]) -> Option<Str> {
    let literals = arguments.iter().take(3).filter_map(literal);
    let mut types = literals.filter(|text| is_type(text));
    types.next().filter(|_| TYPED.contains(&function)).cloned()
}

/// Returns the text of a string literal.
fn literal(expr: &Expr) -> Option<&Str> {
    let ExprKind::Literal(value) = &expr.kind else { return None };
    value.as_shared_str()
}

/// Returns `true` for a text that begins with a provider, such as `Microsoft.Web/sites`.
fn is_type(text: &str) -> bool {
    text.split_once('/').is_some_and(|(provider, rest)| {
        let is_name = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
        !rest.is_empty() && provider.contains('.') && provider.split('.').all(is_name)
    })
}

/// Reports `listKeys(…).key1` of a storage account whose API version returns a list, and the other way round.
fn check_keys(subject: &ProcessedTemplate<'_>, call: &Call<'_>) {
    let ("listKeys", [of, version, ..], Some(property)) = (call.function, call.arguments, call.property) else {
        return;
    };
    let is_day = |text: &&Str| text.get(..4).is_some_and(|year| year.bytes().all(|byte| byte.is_ascii_digit()));
    let Some(version) = literal(version).filter(is_day).filter(|_| is_account(subject, of)) else { return };
    let is_list = **version >= *LISTED_SINCE;
    let message = match (is_list, property.to_ascii_lowercase().as_str()) {
        (true, "key1") => format!("the keys of `{version}` have no `key1`; write `keys[0].value`"),
        (true, "key2") => format!("the keys of `{version}` have no `key2`; write `keys[1].value`"),
        (false, "keys") => format!("the keys of `{version}` are not a list; write `key1`, or use a newer API version"),
        _ => return,
    };
    if let Some(span) = call.span() {
        subject.world().report(Diagnostic::new(Code::ExpressionFailed, span, message));
    }
}

/// Returns `true` if an expression is the ID or the symbolic name of a storage account.
fn is_account(subject: &ProcessedTemplate<'_>, of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Call(Target::Builtin(function), arguments) if function.name == "resourceId" => {
            arguments.iter().filter_map(literal).any(|text| text.eq_ignore_ascii_case(ACCOUNTS))
        }
        ExprKind::Literal(_) => {
            let symbol = literal(of).and_then(|name| subject.template.get("resources")?.get(name)?.get("type"));
            symbol.and_then(Value::as_str).is_some_and(|kind| kind.eq_ignore_ascii_case(ACCOUNTS))
        }
        _ => false,
    }
}
