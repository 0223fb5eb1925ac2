//! The words for what is wrong with a value. Those of a rejected `validate` are fixed by REP 0010.

use crate::arm::functions::article;
use crate::arm::types::check::Noun;
use crate::arm::types::keyword::Keyword;
use crate::value::{Kind, Value};

/// The longest value in a message, in bytes.
const MAX_QUOTED: usize = 60;

/// How many allowed values a message lists.
const MAX_LISTED: usize = 8;

/// For the other messages: ``parameter `config.name` ``.
pub(super) fn name(noun: Noun, path: &str) -> String {
    match noun {
        Noun::Parameter => format!("parameter `{path}`"),
        Noun::Output => format!("output `{path}`"),
    }
}

/// As Resource Manager words it, with the text of the author where there is one.
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
    format!("{name}: whether it keeps its `{}` is not known before the deployment, because {why}", keyword.as_str())
}

pub(super) fn wrong_type(name: &str, found: Kind, wanted: Kind) -> String {
    format!("{name} is {}, and its `type` is `{}`", article(found), wanted.as_str())
}

pub(super) fn null(name: &str) -> String {
    format!("{name} is null, and it is not `nullable`")
}

pub(super) fn not_allowed(name: &str, value: &Value, offending: &Value, allowed: &[Value], is_secret: bool) -> String {
    let is_item = !std::ptr::eq(value, offending);
    let verb = if is_item { "holds" } else { "is" };
    if is_secret {
        return format!("{name} {verb} none of its `allowedValues`");
    }
    format!("{name} {verb} {}, and its `allowedValues` are {}", quoted(offending), list(allowed.iter().map(quoted)))
}

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
        (Some(found), "") => format!("{name} is {found}, and its `{keyword}` is {limit}"),
        (Some(found), unit) => format!("{name} has {found}{unit}, and its `{keyword}` is {limit}"),
        (None, _) => format!("{name} does not keep its `{keyword}`, {limit}"),
    }
}

pub(super) fn missing(name: &str, property: &str) -> String {
    format!("{name} lacks the required property `{property}`")
}

/// `property` is `None` where its name is a secret.
pub(super) fn undeclared(name: &str, property: Option<&str>) -> String {
    let property = property.map_or_else(|| "a property".to_owned(), |it| format!("the property `{it}`"));
    format!("{name} has {property} that is not declared, and its `additionalProperties` are `false`")
}

pub(super) fn no_member<'a>(
    name: &str,
    property: &str,
    found: &Value,
    members: impl Iterator<Item = &'a str>,
    is_secret: bool,
) -> String {
    let wanted = list(members.map(|it| format!("`\"{it}\"`")));
    if is_secret {
        return format!("{name} has a `{property}` that its `discriminator` does not know: wanted {wanted}");
    }
    format!("{name} has the `{property}` {}, and its `discriminator` knows {wanted}", quoted(found))
}

pub(super) fn wrong_count(name: &str, found: usize, wanted: usize, is_secret: bool) -> String {
    if is_secret {
        return format!("{name} must have exactly {wanted}, for its `items` are `false`");
    }
    format!("{name} has {found} items and must have exactly {wanted}, for its `items` are `false`")
}

fn quoted(value: &Value) -> String {
    format!("`{}`", value.to_json_up_to(MAX_QUOTED))
}

fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let more = items.len().saturating_sub(MAX_LISTED);
    let shown = items[..items.len() - more].join(", ");
    if more == 0 { shown } else { format!("{shown} and {more} more") }
}
