//! Compares two values.
//!
//! Values of kinds that cannot be compared are neither equal nor different: such a check fails whatever its operator
//! is. In membership tests, they are just different. The outcome is then neither true nor false.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::guard3::ast::{Binary, Ends, Range};
use crate::guard3::eval::results::FAIL;
use crate::guard3::eval::view::{List, Map, View};
use crate::outcomes::Outcomes;
use crate::pattern::Form;
use crate::value::{Kind, Unknown};

/// Outcome of comparing values of kinds that cannot be compared.
pub(super) const INCOMPARABLE: Outcomes = Outcomes::NEITHER;

/// Converts the outcomes of a comparison to those of a check.
pub(super) fn check_result(answer: Outcomes, negated: bool) -> Outcomes {
    let compared = answer.without(INCOMPARABLE).negated_if(negated);
    compared.union(FAIL.only_if(answer.may_be(INCOMPARABLE)))
}

/// Converts the outcomes of a comparison to those of a membership test, where values that cannot be compared are
/// different.
pub(super) fn membership_result(answer: Outcomes) -> Outcomes {
    answer.without(INCOMPARABLE).union(Outcomes::FALSE.only_if(answer.may_be(INCOMPARABLE)))
}

/// Evaluates `a == b`. Strings match patterns, and numbers match ranges.
pub(super) fn equal(a: View<'_>, b: View<'_>) -> Outcomes {
    let (a, b) = settled(a, b);
    match (a, b) {
        (View::Unknown(unknown), other) | (other, View::Unknown(unknown)) => may_equal(unknown, other),
        (View::String(text), View::Pattern(pattern)) | (View::Pattern(pattern), View::String(text)) => {
            // A search that backtracks too often finds nothing certain.
            pattern.pattern.is_match(text).map_or(Outcomes::ANY, Outcomes::from)
        }
        (View::String(a), View::String(b)) => Outcomes::from(a == b),
        (View::Map(a), View::Map(b)) => equal_maps(a, b),
        (View::List(a), View::List(b)) => equal_lists(a, b),
        (View::Bool(a), View::Bool(b)) => Outcomes::from(a == b),
        (View::Pattern(a), View::Pattern(b)) => Outcomes::from(a.source == b.source),
        (value, View::Range(range)) => within(value, range),
        (a, b) => order(a, b).map_or(INCOMPARABLE, |ordering| Outcomes::from(ordering.is_eq())),
    }
}

/// Compares like [`equal`] in a membership test, where values that cannot be compared are different. If `in_ranges`,
/// numbers match ranges.
pub(super) fn same(a: View<'_>, b: View<'_>, in_ranges: bool) -> Outcomes {
    let (a, b) = settled(a, b);
    match (a, b) {
        (View::Range(a), View::Range(b)) => Outcomes::from(a == b),
        (_, View::Range(_)) if !in_ranges => Outcomes::FALSE,
        (View::List(a), View::List(b)) => {
            if a.len() != b.len() {
                return Outcomes::FALSE;
            }
            Outcomes::all(a.iter().zip(b.iter()).map(|(a, b)| same(a, b, in_ranges)))
        }
        (View::Map(a), View::Map(b)) => {
            if a.len() != b.len() {
                return Outcomes::FALSE;
            }
            Outcomes::all(
                a.iter().map(|(key, value)| b.get(key).map_or(Outcomes::FALSE, |other| same(value, other, in_ranges))),
            )
        }
        (a, b) => membership_result(equal(a, b)),
    }
}

/// Evaluates `a < b` and the other orderings.
pub(super) fn in_order(operator: Binary, a: View<'_>, b: View<'_>) -> Outcomes {
    if let (View::Unknown(unknown), other) | (other, View::Unknown(unknown)) = settled(a, b) {
        return match is_comparable(unknown.kind, other) {
            Outcomes::FALSE => INCOMPARABLE,
            _ => by_choices(unknown, |choice| {
                if matches!(a, View::Unknown(_)) {
                    in_order(operator, choice, b)
                } else {
                    in_order(operator, a, choice)
                }
            }),
        };
    }
    let (a, b) = settled(a, b);
    let Some(ordering) = order(a, b) else { return INCOMPARABLE };
    Outcomes::from(match operator {
        Binary::Less => ordering.is_lt(),
        Binary::AtMost => ordering.is_le(),
        Binary::Greater => ordering.is_gt(),
        _ => ordering.is_ge(),
    })
}

/// Converts strings that spell numbers: next to a number they are numbers, else strings.
fn settled<'v>(a: View<'v>, b: View<'v>) -> (View<'v>, View<'v>) {
    (settled_beside(a, b), settled_beside(b, a))
}

fn settled_beside<'v>(view: View<'v>, other: View<'_>) -> View<'v> {
    let View::Spelled(text, number) = view else { return view };
    let is_beside_number = match other {
        View::Int(_) | View::Float(_) => true,
        View::Range(range) => !matches!(range.ends, Ends::Chars(..)),
        _ => false,
    };
    if is_beside_number { View::Float(number) } else { View::String(text) }
}

fn order(a: View<'_>, b: View<'_>) -> Option<Ordering> {
    match (a, b) {
        (View::Null, View::Null) => Some(Ordering::Equal),
        (View::Int(a), View::Int(b)) => Some(a.cmp(&b)),
        (View::String(a), View::String(b)) => Some(a.cmp(b)),
        (View::Float(a), View::Float(b)) => a.partial_cmp(&b),
        (View::Int(a), View::Float(b)) => int_and_float(a, b),
        (View::Float(a), View::Int(b)) => int_and_float(b, a).map(Ordering::reverse),
        (View::Char(a), View::Char(b)) => Some(a.cmp(&b)),
        _ => None,
    }
}

/// Compares without rounding the integer.
fn int_and_float(int: i64, float: f64) -> Option<Ordering> {
    const ABOVE_ALL: f64 = 9_223_372_036_854_775_808.0;
    if float.is_nan() {
        return None;
    }
    if float >= ABOVE_ALL {
        return Some(Ordering::Less);
    }
    if float < -ABOVE_ALL {
        return Some(Ordering::Greater);
    }
    let floor = float.floor();
    #[expect(clippy::cast_possible_truncation, reason = "the floor is between the smallest and the largest integer")]
    let whole = floor as i64;
    Some(int.cmp(&whole).then(if float > floor { Ordering::Less } else { Ordering::Equal }))
}

fn within(value: View<'_>, range: &Range) -> Outcomes {
    let (low, high) = match (&range.ends, value) {
        (Ends::Ints(low, high), View::Int(_) | View::Float(_)) => (View::Int(*low), View::Int(*high)),
        (Ends::Floats(low, high), View::Int(_) | View::Float(_)) => (View::Float(*low), View::Float(*high)),
        (Ends::Chars(low, high), View::Char(_)) => (View::Char(*low), View::Char(*high)),
        _ => return INCOMPARABLE,
    };
    let (Some(above), Some(below)) = (order(value, low), order(value, high)) else { return Outcomes::FALSE };
    let is_above = above.is_gt() || above.is_eq() && range.has_low;
    Outcomes::from(is_above && (below.is_lt() || below.is_eq() && range.has_high))
}

fn equal_lists(a: List<'_>, b: List<'_>) -> Outcomes {
    if a.len() != b.len() {
        return Outcomes::FALSE;
    }
    in_turn(a.iter().zip(b.iter()).map(|(a, b)| equal(a, b)))
}

fn equal_maps(a: Map<'_>, b: Map<'_>) -> Outcomes {
    if a.len() != b.len() {
        return Outcomes::FALSE;
    }
    in_turn(a.iter().map(|(key, value)| b.get(key).map_or(Outcomes::FALSE, |other| equal(value, other))))
}

/// Returns the outcome of the first comparison that is not true. The others are not made.
fn in_turn(answers: impl Iterator<Item = Outcomes>) -> Outcomes {
    let mut result = Outcomes::TRUE;
    for answer in answers {
        result = result.without(Outcomes::TRUE).union(answer);
        if !answer.may_be(Outcomes::TRUE) {
            break;
        }
    }
    result
}

/// Compares an unknown value with another one.
fn may_equal(unknown: &Arc<Unknown>, other: View<'_>) -> Outcomes {
    if is_comparable(unknown.kind, other) == Outcomes::FALSE {
        return INCOMPARABLE;
    }
    if !unknown.known_choices().is_empty() {
        return by_choices(unknown, |choice| equal(choice, other));
    }
    let Some(ends) = unknown.ends.as_deref() else { return Outcomes::ANY };
    match other {
        View::String(text) | View::Spelled(text, _) if !ends.admit(text, |a, b| a == b) => Outcomes::FALSE,
        View::Pattern(pattern) => {
            let form = Form { start: &ends.start, end: &ends.end, is_filled: ends.is_filled };
            pattern.pattern.is_match_between(form).map_or(Outcomes::ANY, Outcomes::from)
        }
        _ => Outcomes::ANY,
    }
}

/// Returns the outcomes of all alternatives of an unknown value.
fn by_choices(unknown: &Arc<Unknown>, answer: impl Fn(View<'_>) -> Outcomes) -> Outcomes {
    Outcomes::union_of(unknown.known_choices().iter().map(|choice| answer(View::value(choice))))
}

/// Returns whether values of a kind can be compared with a value.
fn is_comparable(kind: Kind, other: View<'_>) -> Outcomes {
    match (kind, other) {
        (Kind::Any, _) | (_, View::Unknown(_)) => Outcomes::UNKNOWN,
        (Kind::Int | Kind::Float, View::Int(_) | View::Float(_) | View::Range(_) | View::Spelled(..))
        | (Kind::String, View::String(_) | View::Pattern(_) | View::Spelled(..))
        | (Kind::Bool, View::Bool(_))
        | (Kind::Array, View::List(_))
        | (Kind::Object, View::Map(_))
        | (Kind::Null, View::Null) => Outcomes::TRUE,
        // What CloudFormation computes is often the string of a number or a Boolean.
        (Kind::String, View::Int(_) | View::Float(_) | View::Range(_) | View::Bool(_)) => Outcomes::UNKNOWN,
        _ => Outcomes::FALSE,
    }
}
