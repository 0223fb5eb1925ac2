//! Comparisons of unknown values that may be lists. The items of a list are compared, so nothing is certain unless the
//! value is one of a few alternatives.

use crate::guard3::eval::compare::check_result;
use crate::guard3::eval::view::{List, View};
use crate::outcomes::Outcomes;
use crate::value::Kind;

/// True if a value may be a list with unknown items.
pub(super) fn may_be_list(view: View<'_>) -> bool {
    matches!(view, View::Unknown(unknown) if unknown.kind == Kind::Array)
}

/// Returns the union of the results of all alternatives of an unknown value. `None` for a known value, and for a value
/// that is not a list and has too many alternatives.
pub(super) fn of_each(view: View<'_>, judge: impl Fn(View<'_>) -> Outcomes) -> Option<Outcomes> {
    let View::Unknown(unknown) = view else { return None };
    let choices = unknown.known_choices().iter().map(|choice| judge(View::value(choice)));
    choices.reduce(Outcomes::union).or_else(|| may_be_list(view).then_some(Outcomes::UNKNOWN))
}

/// Returns the result of checking each item of a list. With `some`, one passing item is enough.
pub(super) fn of_items(list: List<'_>, some: bool, negated: bool, answer: impl Fn(View<'_>) -> Outcomes) -> Outcomes {
    let results = list.iter().map(|item| check_result(answer(item), negated));
    if some { Outcomes::any(results) } else { Outcomes::all(results) }
}
