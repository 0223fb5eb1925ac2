//! Values and places, as reports of differences show them. Secrets are never shown.

use serde_json::{Map, Value as Json, json};

use crate::cli::diff::pairs::Pair;
use crate::cli::diff::sides::Sides;
use crate::diff::{Cause, ResourceChange};
use crate::engine::Deployed;
use crate::text::escape::visible;
use crate::text::{Sources, Span, cut};
use crate::value::{Data, Traits, Unknown, Value};

/// What takes the place of a secret.
const SECRET: &str = "(secret)";

/// What takes the place of what only a deployment can know.
const UNKNOWN: &str = "(known after deployment)";

/// How many bytes of a value, and of a reason, a line for people has.
const MAX_TEXT: usize = 120;

/// How many values a value that is shown as a whole has at most.
const MAX_PARTS: usize = 1_000;

/// A value on one line, for people.
pub(super) fn text(value: &Value, is_secret: bool) -> String {
    if is_secret || is_leaf_secret(value) {
        return SECRET.to_owned();
    }
    match &value.data {
        Data::Unknown(unknown) => {
            let why = visible(&cut(&unknown.why, MAX_TEXT)).into_owned();
            match approximation(unknown) {
                Some(like) => format!("{UNKNOWN}, like {}: {why}", short(&like)),
                None => format!("{UNKNOWN}: {why}"),
            }
        }
        _ => short(&whole(value, &mut 0)),
    }
}

fn short(json: &Json) -> String {
    visible(&cut(&json.to_string(), MAX_TEXT)).into_owned()
}

/// A value as an object, for programs: its `value`, why it is `unknown`, or that it is `secret`.
pub(super) fn object(value: &Value, is_secret: bool) -> Json {
    if is_secret || is_leaf_secret(value) {
        return json!({"secret": true});
    }
    match &value.data {
        Data::Unknown(unknown) => {
            let mut object = Map::from_iter([("unknown".to_owned(), json!(&*unknown.why))]);
            object.extend(approximation(unknown).map(|like| ("approximation".to_owned(), like)));
            Json::Object(object)
        }
        _ => json!({"value": whole(value, &mut 0)}),
    }
}

/// What is known of an unknown value, if that is anything.
fn approximation(unknown: &Unknown) -> Option<Json> {
    let known = &unknown.approximation;
    let says_something = match &known.data {
        Data::String(text) => !text.is_empty(),
        Data::Array(items) => !items.is_empty(),
        Data::Object(object) => !object.is_empty(),
        _ => false,
    };
    says_something.then(|| whole(known, &mut 0))
}

/// A secret array or object keeps its shape, and its leaves are masked.
fn is_leaf_secret(value: &Value) -> bool {
    value.traits.has(Traits::SECRET) && !matches!(value.data, Data::Array(_) | Data::Object(_))
}

/// The value with all that is in it. `parts` counts the values so far; there is an ellipsis in the place of too many.
fn whole(value: &Value, parts: &mut usize) -> Json {
    *parts += 1;
    if *parts > MAX_PARTS {
        return json!("…");
    }
    if is_leaf_secret(value) {
        return json!(SECRET);
    }
    match &value.data {
        Data::Null => Json::Null,
        Data::Bool(boolean) => json!(boolean),
        Data::Int(integer) => json!(integer),
        Data::BigInt(digits) => json!(&**digits),
        Data::Float(float) => json!(float),
        Data::String(text) => json!(&**text),
        Data::Unknown(_) => json!(UNKNOWN),
        Data::Array(items) => {
            let room = MAX_PARTS.saturating_sub(*parts) + 1;
            items.iter().take(room).map(|item| whole(item, parts)).collect()
        }
        Data::Object(object) => {
            let room = MAX_PARTS.saturating_sub(*parts) + 1;
            let members = object.iter().take(room);
            Json::Object(members.map(|member| (member.key.to_string(), whole(&member.value, parts))).collect())
        }
    }
}

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// The name of the file.
    pub(super) file: String,
    pub(super) line: u32,
}

fn place(deployed: Option<&Deployed>, span: Span, sources: &Sources) -> Option<Place> {
    let span = deployed?.place(span, sources);
    let source = sources.get(span.file);
    Some(Place { file: source.name().to_string(), line: source.position(span.start).line })
}

/// Where a resource is declared, on the new side if it is there.
pub(super) fn place_of(resource: &ResourceChange, pair: &Pair<'_>, sides: &Sides) -> Option<Place> {
    match (&resource.new, &resource.old) {
        (Some(seen), _) => place(pair.new, seen.span, &sides.new.sources),
        (None, seen) => place(pair.old, seen.as_ref()?.span, &sides.old.sources),
    }
}

/// Where the value of a parameter is written, on the new side if it is there.
pub(super) fn place_of_cause(cause: &Cause, pair: &Pair<'_>, sides: &Sides) -> Option<Place> {
    if cause.is_old_span {
        place(pair.old, cause.span?, &sides.old.sources)
    } else {
        place(pair.new, cause.span?, &sides.new.sources)
    }
}
