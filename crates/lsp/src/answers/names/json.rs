//! Names in Resource Manager templates, and in parameter files in JSON and YAML.

use std::ops::Range;

use formwork_model::text::Span;
use formwork_model::value::{Object, Value};

use super::MAX_PLACES;
use crate::outline::Kind;

/// Returns the uses of a parameter or variable in expressions of a template, and references to a type. Names are
/// case-insensitive.
pub(super) fn uses(text: &str, name: &str, kind: Kind) -> Vec<Range<usize>> {
    let (mark, before, after) = match kind {
        Kind::Parameter => ('(', "parameters", '\''),
        Kind::Variable => ('(', "variables", '\''),
        Kind::Type => ('/', "#/definitions", '"'),
        _ => return Vec::new(),
    };
    let places = text.match_indices(mark).map(|(at, _)| at);
    let places = places.filter(|at| text.get(..*at).is_some_and(|text| super::ends_with(text, before)));
    places.filter_map(|at| written(text, at + mark.len_utf8(), name, after)).take(MAX_PLACES).collect()
}

/// Returns the range of a name at a position, after spaces and an optional quote, if it ends with a quote.
fn written(text: &str, at: usize, name: &str, quote: char) -> Option<Range<usize>> {
    let rest = text.get(at..)?.trim_start();
    let rest = rest.strip_prefix(quote).unwrap_or(rest);
    let start = text.len() - rest.len();
    let is_it = rest.get(..name.len())?.eq_ignore_ascii_case(name) && rest.get(name.len()..)?.starts_with(quote);
    is_it.then(|| start..start + name.len())
}

/// Returns the assignments of a parameter in a parameter file: as a member of its parameters, or as an item with its
/// key.
pub(super) fn assignments(file: Option<&Value>, text: &str, name: &str) -> Vec<Range<usize>> {
    let Some(file) = file else { return Vec::new() };
    // Resource Manager ignores the case of names; CloudFormation does not.
    let of_arm = section(file, "parameters");
    let of_aws = section(file, "Parameters").or_else(|| file.as_object());
    let spans: Vec<Option<Span>> = match (of_arm, of_aws) {
        (Some(members), _) => {
            let members = members.iter().filter(|member| member.key.eq_ignore_ascii_case(name));
            members.map(|member| member.key_span).collect()
        }
        (None, Some(members)) => {
            members.iter().filter(|member| *member.key == *name).map(|member| member.key_span).collect()
        }
        (None, None) => {
            let items = file.as_array().into_iter().flatten();
            let keys = items.filter_map(|item| item.get("ParameterKey"));
            keys.filter(|key| key.as_str() == Some(name)).map(|key| key.span).collect()
        }
    };
    spans.into_iter().flatten().map(|span| unquoted(text, span)).collect()
}

/// Returns a section of a file. The name is case-sensitive.
fn section<'v>(file: &'v Value, name: &str) -> Option<&'v Object> {
    let member = file.as_object().into_iter().flatten().find(|member| *member.key == *name)?;
    member.value.as_object()
}

/// Returns the range of a name without its quotes.
fn unquoted(text: &str, span: Span) -> Range<usize> {
    let range = span.start as usize..span.end as usize;
    let is_quoted = text.get(range.clone()).is_some_and(|name| name.len() > 1 && name.starts_with(['"', '\'']));
    if is_quoted { range.start + 1..range.end - 1 } else { range }
}
