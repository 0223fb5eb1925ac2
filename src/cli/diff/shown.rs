//! Values and source lines for the difference. Secrets are never shown.

use serde_json::{Value as Json, json};

use crate::cli::diff::sides::{Side, Sides};
use crate::diff::{Cause, ResourceChange, Seen};
use crate::engine::Deployed;
use crate::model::Document;
use crate::report::difference::{self, MAX_DEPTH, Parent};
use crate::text::Span;
use crate::value::{Data, Traits, Unknown, Value};

/// Replaces a secret.
const SECRET: &str = "(secret)";

/// Replaces a value that is known only after the deployment.
const UNKNOWN: &str = "(known after deployment)";

/// Maximum number of nested values of a value.
const MAX_PARTS: usize = 1_000;

/// Returns the JSON of a value. What is not known in it is a placeholder, and secrets are masked.
pub(in crate::cli) fn shown_value(value: &Value, is_secret: bool) -> Json {
    if is_secret { json!(SECRET) } else { whole(value, &mut 0) }
}

/// Converts a value for the document.
pub(super) fn value(value: &Value, is_secret: bool) -> difference::Value {
    if is_secret || is_leaf_secret(value) {
        return difference::Value::Secret;
    }
    match &value.data {
        Data::Unknown(unknown) => {
            difference::Value::Unknown { why: unknown.why.to_string(), approximation: approximation(unknown) }
        }
        _ => difference::Value::Known(whole(value, &mut 0)),
    }
}

/// Returns the known part of an unknown value. `None` if nothing is known.
fn approximation(unknown: &Unknown) -> Option<Json> {
    let known = &unknown.approximation;
    let is_informative = match &known.data {
        Data::String(text) => !text.is_empty(),
        Data::Array(items) => !items.is_empty(),
        Data::Object(object) => !object.is_empty(),
        _ => false,
    };
    is_informative.then(|| whole(known, &mut 0))
}

/// Returns whether a value is a secret without items or properties. A secret array or object is shown, with its
/// leaves masked.
fn is_leaf_secret(value: &Value) -> bool {
    value.traits.has(Traits::SECRET) && !matches!(value.data, Data::Array(_) | Data::Object(_))
}

/// Converts a value with everything that is nested in it. `parts` counts the values so far. After too many, an
/// ellipsis is written.
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
pub(super) struct SourceLine {
    /// The name of the file, as it is shown.
    pub(super) file: String,
    pub(super) line: u32,
}

impl SourceLine {
    fn from_span(deployed: Option<&Deployed>, span: Span, side: &Side) -> Option<Self> {
        let span = deployed?.place(span, &side.sources);
        let source = side.sources.get(span.file);
        Some(Self { file: side.source_name(source.name()), line: source.position(span.start).line })
    }

    /// Returns the line that sets a parameter, on the new side or else on the old side.
    pub(super) fn from_cause(cause: &Cause, [old, new]: [Option<&Deployed>; 2], sides: &Sides) -> Option<Self> {
        let (deployed, side) = if cause.is_old_span { (old, &sides.old) } else { (new, &sides.new) };
        Self::from_span(deployed, cause.span?, side)
    }
}

/// The declaration and the parents of a resource, on the new side or else on the old side.
#[derive(Debug)]
pub(super) struct Surroundings {
    /// The line of the declaration.
    pub(super) place: Option<SourceLine>,
    /// The parent resources, outermost first.
    pub(super) parents: Vec<Parent>,
}

impl Surroundings {
    pub(super) fn new(resource: &ResourceChange, [old, new]: [Option<&Deployed>; 2], sides: &Sides) -> Self {
        let (seen, deployed, side) = match (&resource.new, &resource.old) {
            (Some(seen), _) => (Some(seen), new, &sides.new),
            (None, seen) => (seen.as_ref(), old, &sides.old),
        };
        let document = deployed.and_then(|deployed| deployed.document.as_ref());
        Self {
            place: seen.and_then(|seen| SourceLine::from_span(deployed, seen.span, side)),
            parents: seen.zip(document).map(|(seen, document)| parents(seen, document)).unwrap_or_default(),
        }
    }
}

fn parents(seen: &Seen, document: &Document) -> Vec<Parent> {
    let first = seen.at.and_then(|at| document.around(at));
    let around = std::iter::successors(first, |id| document.around(*id));
    let masked = |text: &str| document.hidden.masked(text).into_owned();
    let parent = |id| {
        let parent = document.resource(id);
        Parent { type_name: masked(&parent.type_name), name: masked(&parent.name) }
    };
    let mut parents: Vec<Parent> = around.map(parent).collect();
    parents.reverse();
    parents.truncate(MAX_DEPTH);
    parents
}
