//! Declarations of templates in JSON, and in any form of YAML.

use arcstr::ArcStr;
use formwork_model::text::{Sources, Span};
use formwork_model::value::Value;

use super::{Declaration, Kind, section};

/// Maximum depth of a text.
const MAX_DEPTH: u32 = 100;

pub(super) fn of_json(text: &ArcStr) -> Vec<Declaration> {
    of_template(json(text))
}

pub(super) fn of_yaml(text: &ArcStr) -> Vec<Declaration> {
    of_template(yaml(text))
}

pub(super) fn json(text: &ArcStr) -> Option<Value> {
    let file = Sources::new().add("", text.clone());
    formwork_syntax::json::parse(file, text, MAX_DEPTH).value
}

pub(super) fn yaml(text: &ArcStr) -> Option<Value> {
    let file = Sources::new().add("", text.clone());
    formwork_syntax::yaml::parse_template(file, text, MAX_DEPTH, &|_| true).value
}

/// Returns the allowed values of a template's parameter, if they are strings or numbers.
pub(super) fn allowed(template: Option<Value>, parameter: &str) -> Vec<String> {
    let parameters = template.as_ref().and_then(|template| first_of(template, ["parameters", "Parameters"]));
    let declared = parameters.and_then(|parameters| parameters.get(parameter).cloned());
    let listed = declared.and_then(|declared| first_of(&declared, ["allowedValues", "AllowedValues"]));
    let values = listed.as_ref().and_then(Value::as_array).into_iter().flatten();
    values.map(|value| value.as_str().map_or_else(|| value.to_json(), ToOwned::to_owned)).collect()
}

fn first_of(value: &Value, names: [&str; 2]) -> Option<Value> {
    names.iter().find_map(|name| value.get(name)).cloned()
}

fn of_template(template: Option<Value>) -> Vec<Declaration> {
    let Some(template) = template else { return Vec::new() };
    let mut found = Vec::new();
    for member in template.as_object().into_iter().flatten() {
        let Some(kind) = section(&member.key) else { continue };
        let members = member.value.as_object().into_iter().flatten();
        found.extend(members.filter_map(|member| named(kind, &member.key, member.key_span, &member.value)));
        let items = member.value.as_array().into_iter().flatten();
        found.extend(items.filter_map(|item| unnamed(kind, item)));
    }
    found
}

fn named(kind: Kind, name: &str, span: Option<Span>, value: &Value) -> Option<Declaration> {
    let span = span?;
    let place = span.start as usize..span.end as usize;
    Some(Declaration { name: name.to_owned(), kind, place, type_name: type_of(value), computed: None })
}

/// Returns a resource of an ARM template, which is an item of an array with a name.
fn unnamed(kind: Kind, item: &Value) -> Option<Declaration> {
    let name = item.as_object()?.iter().find(|member| member.key.eq_ignore_ascii_case("name"));
    let text = name.and_then(|name| name.value.as_str()).filter(|text| !text.is_empty());
    let place = name.and_then(|name| name.value.span).or(item.span);
    let named = named(kind, text.or_else(|| item.get("type")?.as_str())?, place, item)?;
    let is_computed = text.is_some_and(|text| text.starts_with('['));
    let key = name.and_then(|name| name.key_span).filter(|_| is_computed);
    Some(Declaration { computed: key.map(|key| key.start as usize), ..named })
}

fn type_of(value: &Value) -> Option<String> {
    let type_name = value.get("Type").or_else(|| value.get("type"))?;
    type_name.as_str().map(ToOwned::to_owned)
}
