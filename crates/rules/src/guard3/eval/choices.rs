//! Comparisons of a value that only a deployment knows, where it may be a list. Of a list, the items are compared, so nothing is
//! certain of it unless it can only be one of a few values.

use crate::guard3::eval::compare::Answer;
use crate::guard3::eval::set::Set;
use crate::guard3::eval::view::{List, View};
use crate::value::Kind;

/// Whether a value may be a list with items that are not known.
pub(super) fn may_be_list(view: View<'_>) -> bool {
    matches!(view, View::Unknown(unknown) if unknown.kind == Kind::Array)
}

/// The results of all values that an unknown one can have. `None` for a known value, and for one that is no list and could be
/// many.
pub(super) fn of_each(view: View<'_>, judge: impl Fn(View<'_>) -> Set) -> Option<Set> {
    let View::Unknown(unknown) = view else { return None };
    let choices = unknown.known_choices().iter().map(|choice| judge(View::value(choice)));
    choices.reduce(Set::and).or_else(|| may_be_list(view).then_some(Set::EITHER))
}

/// The result of a comparison whose checks are those of the items of a list. `some` of them is enough if that is asked for.
pub(super) fn of_items(list: List<'_>, some: bool, negated: bool, answer: impl Fn(View<'_>) -> Answer) -> Set {
    let mut all = if some { Set::FAIL } else { Set::PASS };
    for item in list.iter() {
        let set = answer(item).checked(negated);
        let (decides, other) = if some { (Set::PASS, Set::FAIL) } else { (Set::FAIL, Set::PASS) };
        if set.is(decides) {
            return decides;
        }
        all = if set.is(other) { all } else { Set::EITHER };
    }
    all
}
