//! The type of a property in the type definitions of Azure or AWS.

use crate::cli::explain::find::Target;
use crate::cli::explain::path::{Segment, after_prefix, parse};
use crate::schema::{PathPart, declared};
use crate::value::Value;

/// Returns the type of a property according to the type of its resource. `None` if that is unknown.
pub(super) fn declared_type(target: &Target<'_>) -> Option<String> {
    let resource = target.resource?;
    let (path, start) = (parse(target.walk.path()).ok()?, parse(&resource.path).ok()?);
    let parts: Vec<PathPart<'_>> = after_prefix(&path, &start)?.iter().map(part).collect();
    let version = resource.body.get("apiVersion").and_then(Value::as_str);
    declared(&resource.type_name, version, &parts)
}

fn part(segment: &Segment) -> PathPart<'_> {
    match segment {
        Segment::Key(name) => PathPart::Name(name),
        Segment::Index(_) | Segment::Items => PathPart::Item,
    }
}
