//! The suite `upgrade`: what a newer API version refuses of a resource.

use serde_json::{Value as Json, json};

use crate::model::Limits;
use crate::schema::{self, VersionedBody};
use crate::syntax::json as json_syntax;
use crate::text::{Sources, Span};
use crate::value::Value;

/// The answer to a case.
pub(super) fn answer(line: &str) -> Result<Json, String> {
    let sources = Sources::new();
    let file = sources.add("case.json", line);
    let parsed = json_syntax::parse(file, sources.get(file).text(), Limits::default().nesting);
    let case = parsed.value.ok_or("the case is not JSON")?;
    let text = |name: &str| case.get(name).and_then(Value::as_str).ok_or(format!("the case has no `{name}`"));
    let (id, type_name, from, to) = (text("id")?, text("type")?, text("from")?, text("to")?);
    let resources = case.get("template").and_then(|template| template.get("resources")).and_then(Value::as_array);
    let body = resources.and_then(<[Value]>::first).ok_or("the template has no resource")?;
    let resource = VersionedBody { type_name, body: Some(body), span: Span::whole_file(file), reads: &[] };
    let change = schema::compare_versions(&resource, from, to).ok_or("the version is not known")?;
    let breaking: Vec<Json> =
        change.breaking.iter().map(|one| json!({"check": one.check.id(), "path": one.at.path})).collect();
    let ignored: Vec<&str> = change.ignored.iter().map(|at| at.path.as_str()).collect();
    let fits =
        |to: &str| schema::compare_versions(&resource, from, to).is_some_and(|change| change.breaking.is_empty());
    let versions = schema::api_versions(type_name);
    let mut newer = versions.iter().rev().filter(|version| !version.is_preview && version.is_later_than(from));
    let newest = newer.find(|version| fits(version.name)).map(|version| version.name);
    Ok(json!({"id": id, "breaking": breaking, "ignored": ignored, "fits": newest}))
}
