//! The messages about violated constraints. REP 0010 defines the exact wording for a rejected `validate`.

use crate::functions::article;
use crate::types::check::Noun;
use crate::types::keyword::Keyword;
use crate::value::{Kind, Value};

/// The longest value that a message quotes, in bytes.
const MAX_QUOTED: usize = 60;

/// Maximum number of allowed values that a message lists.
const MAX_LISTED: usize = 8;

/// Returns the name of a part of a value in messages: ``parameter `config.name` ``.
pub(super) fn name(noun: Noun, path: &str) -> String {
    match noun {
        Noun::Parameter => format!("parameter `{path}`"),
        Noun::Output => format!("output `{path}`"),
    }
}

/// Returns the message of Resource Manager for a value that a `validate` lambda rejects, with the message of the
/// template's author.
pub(super) fn rejected(noun: Noun, path: &str, text: Option<&str>) -> String {
    let noun = match noun {
        Noun::Parameter => "template parameter",
        Noun::Output => "template output",
    };
    let cause = "The value was rejected by a custom validation predicate";
    match text {
        Some(text) => format!(
            "The provided value for the {noun} '{path}' is not valid. {cause} with the following message: '{text}'."
        ),
        None => format!("The provided value for the {noun} '{path}' is not valid. {cause}."),
    }
}

pub(super) fn unknown(name: &str, keyword: Keyword, why: &str) -> String {
    format!("cannot check `{}` of {name} before the deployment, because {why}", keyword.as_str())
}

pub(super) fn wrong_type(name: &str, found: Kind, expected: Kind) -> String {
    format!("{name} is {}; its `type` is `{}`", article(found), expected.as_str())
}

pub(super) fn null(name: &str) -> String {
    format!("{name} is null, but it is not `nullable`")
}

/// Returns the message for a value that is not allowed. `offending` is `value` itself, or an item of it.
pub(super) fn not_allowed(name: &str, value: &Value, offending: &Value, allowed: &[Value], is_secret: bool) -> String {
    let is_item = !std::ptr::eq(value, offending);
    match (is_item, is_secret) {
        (false, true) => format!("{name} is not one of its `allowedValues`"),
        (true, true) => format!("{name} contains an item that is not one of its `allowedValues`"),
        (is_item, false) => {
            let verb = if is_item { "contains" } else { "is" };
            let allowed = list(allowed.iter().map(quoted));
            format!("{name} {verb} {}; its `allowedValues` are {allowed}", quoted(offending))
        }
    }
}

/// Returns the message for a value outside a bound. `found` is `None` for a secret.
pub(super) fn out_of_bounds(name: &str, kind: Kind, found: Option<i64>, keyword: Keyword, limit: i64) -> String {
    let unit = match (kind, found) {
        (Kind::String, Some(1)) => " character",
        (Kind::String, _) => " characters",
        (Kind::Array, Some(1)) => " item",
        (Kind::Array, _) => " items",
        _ => "",
    };
    let keyword = keyword.as_str();
    match (found, unit) {
        (Some(found), "") => format!("{name} is {found}; its `{keyword}` is {limit}"),
        (Some(found), unit) => format!("{name} has {found}{unit}; its `{keyword}` is {limit}"),
        (None, _) => format!("{name} violates its `{keyword}` of {limit}"),
    }
}

pub(super) fn missing(name: &str, property: &str) -> String {
    format!("{name} is missing the required property `{property}`")
}

/// Returns the message for an undeclared property. `property` is `None` if its name is a secret.
pub(super) fn undeclared(name: &str, property: Option<&str>) -> String {
    let property =
        property.map_or_else(|| "an undeclared property".to_owned(), |key| format!("undeclared property `{key}`"));
    format!("{name} has {property}; its `additionalProperties` is `false`")
}

/// Returns the message for a value `found` of `property` that is not in the `mapping` of the discriminator, whose keys
/// are `members`.
pub(super) fn no_member<'a>(
    name: &str,
    property: &str,
    found: &Value,
    members: impl Iterator<Item = &'a str>,
    is_secret: bool,
) -> String {
    let allowed = list(members.map(|member| format!("`\"{member}\"`")));
    if is_secret {
        return format!("{name} has an invalid `{property}`; its `discriminator` allows {allowed}");
    }
    format!("{name} has `{property}` {}; its `discriminator` allows {allowed}", quoted(found))
}

pub(super) fn wrong_count(name: &str, found: usize, expected: usize, is_secret: bool) -> String {
    if is_secret {
        return format!(
            "{name} has the wrong number of items; expected exactly {expected}, because `items` is `false`"
        );
    }
    format!("{name} has {found} items; expected exactly {expected}, because `items` is `false`")
}

fn quoted(value: &Value) -> String {
    format!("`{}`", value.to_json_up_to(MAX_QUOTED))
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let more = items.len().saturating_sub(MAX_LISTED);
    let shown = items.get(..MAX_LISTED).unwrap_or(&items).join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
