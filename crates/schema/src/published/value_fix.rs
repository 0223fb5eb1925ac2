//! Fixes of likely misspellings, and of old API versions.

use crate::model::{FixSite, Resource, ValueFix, Walk};
use crate::published::misfit::{Misfit, MisfitKind, MisfitStep};
use crate::published::walk;
use crate::text::only_near;
use crate::value::{Data, Str, Value};

/// Returns the fix of a misspelled name or value. `None` if several corrections are possible, or if the value is not
/// written in the resource itself.
pub(super) fn of_misfit(resource: &Resource, misfit: &Misfit<'_>) -> Option<ValueFix> {
    match &misfit.kind {
        MisfitKind::UnknownProperty { known, .. } => {
            let (MisfitStep::Member(name), above) = misfit.steps.split_last()? else { return None };
            let meant = only_near(name, known.iter().copied())?;
            renamed(&walk(resource, above, &misfit.chosen), name, meant)
        }
        MisfitKind::Value { found, choices } => {
            let meant = only_near(found.as_str()?, choices.iter().copied())?;
            replaced(&walk(resource, &misfit.steps, &misfit.chosen), misfit.steps.last()?, meant)
        }
        MisfitKind::Misspelled { meant, .. } => {
            replaced(&walk(resource, &misfit.steps, &misfit.chosen), misfit.steps.last()?, meant)
        }
        _ => None,
    }
}

/// Returns a fix that replaces a member of the resource, if it is a string literal.
pub(super) fn of_member(resource: &Resource, name: &str, value: &str) -> Option<ValueFix> {
    let step = MisfitStep::Member(name);
    replaced(&walk(resource, &[step], &[]), &step, value)
}

/// Returns a fix that renames a member, unless the object already has the new name.
fn renamed(above: &Walk<'_>, name: &str, meant: &str) -> Option<ValueFix> {
    let object = above.value().filter(|object| above.is_in_place() && object.via.is_none())?.as_object()?;
    let member = object.member(name).filter(|_| object.member(meant).is_none() && object.dropped(meant).is_none())?;
    let site = FixSite::Key { key: member.key_span?, value: member.value.span?, found: member.key.clone() };
    Some(ValueFix { name: name.to_owned(), value: Value::from(meant), site, is_guess: false })
}

fn replaced(walk: &Walk<'_>, last: &MisfitStep<'_>, meant: &str) -> Option<ValueFix> {
    let name = match last {
        MisfitStep::Member(name) => (*name).to_owned(),
        MisfitStep::Item(index) => format!("[{index}]"),
    };
    let found = walk.value().filter(|found| walk.is_in_place() && matches!(found.data, Data::String(_)))?;
    let site = FixSite::Value { span: found.span?, found: found.clone() };
    Some(ValueFix { name, value: Value::from(Str::from(meant)), site, is_guess: false })
}
