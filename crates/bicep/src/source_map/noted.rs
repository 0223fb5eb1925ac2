//! Locations that the built-in compiler recorded: each value of its templates has the span of its source.

use crate::source_map::pointer::{PathStep, child};
use crate::source_map::{Exactness, SourceLocation};
use crate::text::Span;
use crate::value::{Member, Value};

/// Returns the location of an author's value at `steps` in a resource. `None` for values that the compiler added or
/// computes by a formula, and for values from another file than their template's.
pub(super) fn place(template: &Value, steps: &[PathStep<'_>]) -> Option<SourceLocation> {
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
            // Templates compiled from Bicep start at the start of their file.
            steps.get(at + 1).filter(|section| *section == "resources")?;
            file = inner.span.filter(|span| span.end == 0)?.file;
            through.extend(above.iter().rev().nth(1).and_then(|module| module.span));
        }
        span = written(value, step, inner);
        above.push(inner);
    }
    let is_sorted = steps.iter().any(|step| step == "dependsOn");
    let value = above.last()?.span.filter(|value| !is_sorted && value.file == file)?;
    Some(SourceLocation { span: span?, value, exactness: Exactness::Exact, through })
}

/// Returns the span of a property with its name, or of an item. `None` if the author did not write it there.
fn written(object: &Value, step: &str, value: &Value) -> Option<Span> {
    let Some(members) = object.as_object() else { return value.span };
    let member = members.iter().rev().find(|member| &*member.key == step)?;
    member.key_span?;
    Member::span(member)
}
