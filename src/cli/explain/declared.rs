//! The type that a property has in the types of its cloud.

use crate::cli::explain::find::Target;
use crate::cli::explain::path::{Segment, after_prefix, parse};
use crate::schema::{PathPart, declared};
use crate::value::Value;

/// What the type of its resource says of a property. `None` if it does not say.
pub(super) fn of_target(target: &Target<'_>) -> Option<String> {
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
