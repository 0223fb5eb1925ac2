//! Places that the built-in compiler noted while it made a template: each of its values has the span of its source.

use crate::source_map::pointer::{Step, child};
use crate::source_map::{Exactness, Place};
use crate::text::Span;
use crate::value::{Member, Value};

/// The place of what the author wrote at `steps` in a resource. `None` for what the compiler added, for what is computed
/// by a formula, and for what comes from another file than that of its template.
pub(super) fn place(template: &Value, steps: &[Step<'_>]) -> Option<Place> {
    steps.first().filter(|section| *section == "resources")?;
    let mut file = template.span?.file;
    let mut above: Vec<&Value> = vec![template];
    let mut through = Vec::new();
    let mut span = None;
    for (at, step) in steps.iter().enumerate() {
        let value = *above.last()?;
        let inner = child(Some(value), step)?;
        let before = at.checked_sub(1).and_then(|at| steps.get(at));
        if step == "template" && before.is_some_and(|before| before == "properties") && inner.get("$schema").is_some() {
            // Templates that Bicep made begin at the start of their file.
            steps.get(at + 1).filter(|section| *section == "resources")?;
            file = inner.span.filter(|span| span.end == 0)?.file;
            through.extend(above.iter().rev().nth(1).and_then(|module| module.span));
        }
        span = written(value, step, inner);
        above.push(inner);
    }
    let is_sorted = steps.iter().any(|step| step == "dependsOn");
    let value = above.last()?.span.filter(|value| !is_sorted && value.file == file)?;
    Some(Place { span: span?, value, exactness: Exactness::Exact, through })
}

/// The span of a property with its name, or of an item. `None` if the author did not write it there.
fn written(object: &Value, step: &str, value: &Value) -> Option<Span> {
    let Some(members) = object.as_object() else { return value.span };
    let member = members.iter().rev().find(|member| &*member.key == step)?;
    member.key_span?;
    Member::span(member)
}
