//! Evaluates operators without a right side.

use crate::guard3::ast::{Check, Unary};
use crate::guard3::eval::clause::Tally;
use crate::guard3::eval::query::is_function;
use crate::guard3::eval::results::{FAIL, PASS, SKIP};
use crate::guard3::eval::scope::{QueryResult, ResultKind, Scope};
use crate::guard3::eval::view::{Item, View};
use crate::guard3::eval::{Abort, EvalResult, Evaluator, Role};
use crate::outcomes::Outcomes;
use crate::value::{Ends, Kind, Unknown};

impl<'a> Evaluator<'a> {
    pub(super) fn unary(
        &self,
        scope: &Scope<'_, 'a>,
        check: &'a Check,
        operator: Unary,
        negated: bool,
        role: Role,
    ) -> EvalResult<Outcomes> {
        let results = self.query(scope, &check.query)?;
        let is_negated = negated != check.negated;
        let is_of_selection = check.query.ends_in_selection() || check.query.is_lone_variable();
        let asks_for_results = operator == Unary::Empty && is_of_selection;
        let mut tally = Tally::new();
        for found in &results {
            let set = if asks_for_results && !check.query.is_lone_variable() {
                Ok(selected(found))
            } else {
                holds(operator, found)
            };
            let set = match set {
                Ok(set) if is_negated => set.negated(),
                Ok(set) => set,
                Err(_) if role == Role::Assertion => FAIL,
                Err(abort) => return Err(abort),
            };
            self.checked(check, found, set);
            tally.add(set, found.is_certain);
        }
        let set = tally.of_checks(check.query.some);
        if !tally.may_be_empty() {
            return Ok(set);
        }
        let of_none = if asks_for_results { Outcomes::from(!is_negated) } else { SKIP };
        if results.is_empty() {
            return Ok(if of_none == FAIL { self.nothing(check) } else { of_none });
        }
        Ok(set.union(of_none))
    }
}

fn holds(operator: Unary, found: &QueryResult<'_>) -> EvalResult<Outcomes> {
    match &found.kind {
        ResultKind::Lost(_) => return Ok(Outcomes::from(operator == Unary::Empty)),
        ResultKind::Unseen(_) => return Ok(Outcomes::UNKNOWN),
        ResultKind::Value | ResultKind::Literal => {}
    }
    let view = found.at.item.view();
    if operator == Unary::Empty {
        return empty(view);
    }
    if operator == Unary::Exists {
        return Ok(match view {
            View::Unknown(unknown) if unknown.is_optional => Outcomes::UNKNOWN,
            _ => PASS,
        });
    }
    let of_value = is_of_type(operator, view);
    let is_written_so = operator == Unary::IsStruct && is_written_as_function(&found.at.item);
    Ok(if is_written_so { PASS } else { of_value })
}

/// Returns the result for an element of a selection: a selected null exists.
fn selected(found: &QueryResult<'_>) -> Outcomes {
    match (&found.kind, found.at.item.view()) {
        (ResultKind::Lost(_), _) => PASS,
        (ResultKind::Unseen(_), _) => Outcomes::UNKNOWN,
        (_, View::Unknown(unknown)) => match unknown.kind {
            Kind::Any => Outcomes::UNKNOWN,
            kind => Outcomes::from(kind == Kind::Null),
        },
        (_, view) => Outcomes::from(matches!(view, View::Null)),
    }
}

fn empty(view: View<'_>) -> EvalResult<Outcomes> {
    match view {
        View::List(list) => Ok(Outcomes::from(list.len() == 0)),
        View::Map(map) => Ok(Outcomes::from(map.len() == 0)),
        View::String(text) | View::Spelled(text, _) => Ok(Outcomes::from(text.is_empty())),
        View::Unknown(unknown) => may_be_empty(unknown),
        _ => Err(Abort::Undecidable),
    }
}

fn may_be_empty(unknown: &Unknown) -> EvalResult<Outcomes> {
    match unknown.kind {
        _ if unknown.is_optional => Ok(Outcomes::UNKNOWN),
        Kind::Int | Kind::Float | Kind::Bool | Kind::Null => Err(Abort::Undecidable),
        _ if unknown
            .ends
            .as_deref()
            .is_some_and(|ends: &Ends| ends.is_filled || !ends.start.is_empty() || !ends.end.is_empty()) =>
        {
            Ok(FAIL)
        }
        _ if unknown.open => {
            let has_part = !matches!(empty(View::value(&unknown.approximation)), Ok(set) if set.may_be(PASS));
            Ok(if has_part { FAIL } else { Outcomes::UNKNOWN })
        }
        _ => Ok(Outcomes::UNKNOWN),
    }
}

fn is_of_type(operator: Unary, view: View<'_>) -> Outcomes {
    let is_it = match (operator, view) {
        (_, View::Unknown(unknown)) => {
            let wanted = match operator {
                Unary::IsString => Kind::String,
                Unary::IsList => Kind::Array,
                Unary::IsStruct => Kind::Object,
                Unary::IsBool => Kind::Bool,
                Unary::IsInt => Kind::Int,
                Unary::IsFloat => Kind::Float,
                _ => Kind::Null,
            };
            return match unknown.kind {
                Kind::Any => Outcomes::UNKNOWN,
                _ if unknown.is_optional => Outcomes::UNKNOWN,
                kind => Outcomes::from(kind == wanted),
            };
        }
        (Unary::IsString, View::String(_) | View::Spelled(..))
        | (Unary::IsList, View::List(_))
        | (Unary::IsStruct, View::Map(_))
        | (Unary::IsBool, View::Bool(_))
        | (Unary::IsInt, View::Int(_))
        | (Unary::IsFloat, View::Float(_))
        | (Unary::IsNull, View::Null) => true,
        (Unary::IsInt, View::Spelled(_, number)) => number.fract() == 0.0,
        (Unary::IsFloat, View::Spelled(_, number)) => number.fract() != 0.0,
        _ => false,
    };
    Outcomes::from(is_it)
}

/// True if the author wrote an intrinsic function instead of a value.
fn is_written_as_function(item: &Item<'_>) -> bool {
    let Item::Value(_, Some(written)) = item else { return false };
    let only = written.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next());
    only.is_some_and(|member| is_function(&member.key))
}
