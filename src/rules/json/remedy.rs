//! What would make a failed verdict pass, where the rule leaves no choice.
//!
//! A rule leaves none where it wants exactly one value (`equals`, `in` with one item, "not" of a truth value), at a place
//! where the author wrote another one, or none, himself. What came from a parameter or a variable may be meant for other
//! places too, and of several alternatives (`anyOf`) the author has to choose one.

use crate::model::Document;
use crate::rules::json::eval::{Hit, LeafHit};
use crate::rules::json::locate::{start, step};
use crate::rules::json::message::bare_name;
use crate::rules::json::operators::{Operand, Test};
use crate::rules::json::place::{Link, Node, Place};
use crate::rules::verdict::{Remedy, Spot};
use crate::value::{Data, Str, Value};

/// What makes all the values pass that made a verdict fail. Empty if that is not certain of each.
pub(super) fn remedies(document: &Document, hit: &Hit<'_>) -> Vec<Remedy> {
    let each: Option<Vec<Remedy>> = hit.leaves.iter().map(|leaf| remedy(document, leaf)).collect();
    each.unwrap_or_default()
}

fn remedy(document: &Document, leaf: &LeafHit<'_>) -> Option<Remedy> {
    if !leaf.failed || leaf.is_alternative {
        return None;
    }
    let name = bare_name(&leaf.place)?;
    let value = wanted(leaf.test, leaf.negated, &leaf.place)?;
    let spot = spot(document, &leaf.place)?;
    Some(Remedy { name, value, spot })
}

/// The one value that passes.
fn wanted(test: &Test, negated: bool, place: &Place<'_>) -> Option<Value> {
    let (operand, unwanted) = match (&test.operand, test.operator.name) {
        (Operand::Value(value), "equals") => (value, negated),
        (Operand::Value(value), "notEquals") => (value, !negated),
        (Operand::List(values), _) => match values.as_slice() {
            [only] => (only, negated),
            _ => return None,
        },
        _ => return None,
    };
    let value = match (&operand.data, unwanted) {
        // Of two truth values, anything else than one is the other; something missing would pass.
        (Data::Bool(it), true) if matches!(place.node, Node::Value(_)) => Value::from(!it),
        (Data::Bool(it), false) => Value::from(*it),
        (Data::Int(it), false) => Value::from(*it),
        (Data::Float(it), false) => Value::from(*it),
        // A bracket would begin an expression.
        (Data::String(it), false) if !it.starts_with('[') => Value::from(it.clone()),
        _ => return None,
    };
    Some(value)
}

fn spot(document: &Document, place: &Place<'_>) -> Option<Spot> {
    let (last, above) = place.trail.split_last()?;
    let mut walk = start(document, place.origin);
    for link in above {
        step(&mut walk, *link);
    }
    match (place.node, last) {
        (Node::Value(found), link) => {
            step(&mut walk, *link);
            let span = found.span.filter(|_| walk.is_in_place())?;
            let is_scalar = matches!(found.data, Data::Bool(_) | Data::Int(_) | Data::Float(_) | Data::String(_));
            is_scalar.then(|| Spot::Value { span, found: found.clone() })
        }
        (Node::Missing, Link::Key(key)) => {
            let above = walk.value().filter(|it| walk.is_in_place() && it.via.is_none())?;
            above.as_object()?;
            Some(Spot::Member { object: above.span?, key: Str::from(*key) })
        }
        _ => None,
    }
}
