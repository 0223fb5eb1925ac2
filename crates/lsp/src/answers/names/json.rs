//! Names in templates of Resource Manager, and in parameter files in JSON and YAML.

use std::ops::Range;

use formwork_model::text::Span;
use formwork_model::value::{Member, Value};

use super::MAX_PLACES;
use crate::outline::Kind;

/// Where expressions of a template use a parameter or a variable, and references a type. The case of a name does not count.
pub(super) fn uses(text: &str, name: &str, kind: Kind) -> Vec<Range<usize>> {
    let found = |mark: char, before: &'static str, after: char| {
        let is_before = move |at: &usize| text.get(..*at).is_some_and(|text| super::ends_with(text, before));
        let places = text.match_indices(mark).map(|(at, _)| at).filter(is_before);
        places.filter_map(move |at| written(text, at + mark.len_utf8(), name, after)).take(MAX_PLACES).collect()
    };
    match kind {
        Kind::Parameter => found('(', "parameters", '\''),
        Kind::Variable => found('(', "variables", '\''),
        Kind::Type => found('/', "#/definitions", '"'),
        _ => Vec::new(),
    }
}

/// Where a name is that begins at a place, after blanks and a quote, if there is one, and ends with a quote.
fn written(text: &str, at: usize, name: &str, quote: char) -> Option<Range<usize>> {
    let rest = text.get(at..)?.trim_start();
    let rest = rest.strip_prefix(quote).unwrap_or(rest);
    let start = text.len() - rest.len();
    let is_it = rest.get(..name.len())?.eq_ignore_ascii_case(name) && rest.get(name.len()..)?.starts_with(quote);
    is_it.then(|| start..start + name.len())
}

/// Where a parameter file sets a parameter: as a member of its parameters, or as an item with its key.
pub(super) fn assignments(file: Option<&Value>, text: &str, name: &str) -> Vec<Range<usize>> {
    let Some(file) = file else { return Vec::new() };
    // Resource Manager ignores the case of names, and CloudFormation does not.
    let section = |key: &str| {
        let found = file.as_object().into_iter().flatten().find(|member| *member.key == *key)?;
        found.value.as_object()
    };
    let of_arm = section("parameters");
    let of_aws = section("Parameters").or_else(|| file.as_object());
    let key = |member: &Member| member.key_span;
    let spans: Vec<Option<Span>> = match (of_arm, of_aws) {
        (Some(members), _) => members.iter().filter(|member| member.key.eq_ignore_ascii_case(name)).map(key).collect(),
        (None, Some(members)) => members.iter().filter(|member| *member.key == *name).map(key).collect(),
        (None, None) => {
            let items = file.as_array().into_iter().flatten();
            let keys = items.filter_map(|item| item.get("ParameterKey"));
            keys.filter(|key| key.as_str() == Some(name)).map(|key| key.span).collect()
        }
    };
    spans.into_iter().flatten().map(|span| unquoted(text, span)).collect()
}

/// A name without its quotes.
fn unquoted(text: &str, span: Span) -> Range<usize> {
    let range = span.start as usize..span.end as usize;
    let is_quoted = text.get(range.clone()).is_some_and(|name| name.len() > 1 && name.starts_with(['"', '\'']));
    if is_quoted { range.start + 1..range.end - 1 } else { range }
}
