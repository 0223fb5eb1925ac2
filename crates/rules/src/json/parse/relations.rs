//! Parses operators about several values or resources: `count`, `refersTo`, `referencedBy`.

use crate::json::operators::{Bounds, Refusal};
use crate::json::parse::evaluation::{evaluation, evaluation_beside};
use crate::json::parse::problems::{Checked, Problems, Reported, describe_found};
use crate::json::rule::{Count, Evaluation, Reference, Through};
use crate::lookup::{Path, Segment};
use crate::value::Value;

/// Member of `referencedBy` with the kind of the reference.
const THROUGH: &str = "through";

/// Value of `through` for a resource that extends another, or is its child.
const SCOPE: &str = "scope";

/// Parses `count`. `around` is the enclosing evaluation, which selects what is counted.
pub(super) fn count(around: &Value, given: &Value, problems: &mut Problems) -> Checked<Count> {
    let Some(object) = given.as_object() else {
        problems.error(
            given,
            format!("`count` is {}; expected an object like `{{\"greater\": 1}}`", describe_found(given)),
        );
        return Err(Reported);
    };
    let bounds = Bounds::read(object, &[]).map_err(|refusal| {
        if let Refusal::Unusable(why) = refusal {
            problems.error(given, format!("`count`: {why}"));
        }
        Reported
    })?;
    let [type_name, path] = ["resourceType", "path"].map(|name| around.get(name).and_then(Value::as_str));
    let path = path.map(Path::parse);
    if type_name.is_none() && path.is_none() {
        problems.lacks(around, "`count` needs a `resourceType` or a `path` beside it");
        return Err(Reported);
    }
    let array = path.as_ref().and_then(array_of);
    let is_filtered = around.get("where").is_some_and(|value| !value.is_null());
    let what = match (type_name, &path, &array) {
        (_, _, Some(_)) if is_filtered => "matching items".to_owned(),
        (_, _, Some(_)) => "items".to_owned(),
        (Some(type_name), None, _) => format!("`{type_name}`"),
        _ => "matching values".to_owned(),
    };
    Ok(Count { bounds, what: what.into(), array })
}

/// Returns the path of the array whose items a path leads to, if that is one array.
fn array_of(path: &Path) -> Option<Path> {
    let (last, above) = path.segments.split_last()?;
    let Segment::Items(name) = last else { return None };
    let is_plain = above.iter().all(|segment| matches!(segment, Segment::Name(_) | Segment::Item(..)));
    let segments = above.iter().cloned().chain([Segment::Name(name.clone())]).collect();
    is_plain.then_some(Path { segments, has_wildcard: false })
}

/// Parses `refersTo`, which needs the path of an ID beside it.
pub(super) fn refers_to(around: &Value, given: &Value, problems: &mut Problems) -> Checked<Evaluation> {
    let has_path = around.get("path").is_some_and(|value| !value.is_null());
    if !has_path {
        problems.lacks(around, "`refersTo` needs the `path` of an ID beside it");
    }
    let inner = evaluation(given, None, problems)?;
    has_path.then_some(inner).ok_or(Reported)
}

/// Parses `referencedBy`, which may hold an evaluation.
pub(super) fn referenced_by(given: &Value, problems: &mut Problems) -> Checked<Reference> {
    let condition = evaluation_beside(given, &["resourceType", THROUGH], problems);
    let mut text = |name: &str, expected: &str| {
        let Some(value) = given.get(name) else {
            problems.lacks(given, format!("`referencedBy` needs `{name}`: {expected}"));
            return Err(Reported);
        };
        let text = value.as_str().filter(|text| !text.is_empty());
        if text.is_none() {
            problems.error(value, format!("`{name}` is {}; expected {expected}", describe_found(value)));
        }
        text.ok_or(Reported)
    };
    let type_name = text("resourceType", "the type of the resource that refers to this one");
    let through = text(THROUGH, "`scope`, or the path of an ID in that resource");
    let through = through.map(|text| match text {
        text if text.eq_ignore_ascii_case(SCOPE) => Through::Scope,
        text => Through::Path(Path::parse(text)),
    });
    Ok(Reference { type_name: type_name?.into(), through: through?, condition: condition?.map(Box::new) })
}
