//! `Fn::If`, and conditions as values.

use crate::assumed::Branches;
use crate::evaluator::Evaluator;
use crate::functions::{Call, Outcome, expected};
use crate::outcomes::Outcomes;
use crate::value::{Kind, Member, Unknown, Value};

/// Evaluates `Fn::If`. If the condition is unknown, so is the result, unless both values are the same.
pub(super) fn if_(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let [condition, yes, no] = call.parts(expected::IF)? else { return Err(call.fault(expected::IF)) };
    let truth = match condition.as_shared_str() {
        Some(name) => evaluator.condition_named(&call.at.loops.substitute(name), condition.span, call.at),
        None => evaluator.truth(condition, call.at),
    };
    let Some(unknown) = &truth.cause else {
        let chosen = if truth.outcomes == Outcomes::TRUE { yes } else { no };
        let value = evaluator.value(chosen, call.at);
        if let Some(name) = condition.as_shared_str() {
            let branches = call.argument.span.map(|text| Branches { text, is_gone: value.is_none() });
            evaluator.stack.note_condition(&call.at.loops.substitute(name), &truth, branches);
        }
        return Ok(value);
    };
    let (yes, no) = (evaluator.value(yes, call.at), evaluator.value(no, call.at));
    Ok(match (yes, no) {
        (None, None) => None,
        (Some(yes), Some(no)) if yes.same(&no) => Some(yes),
        (Some(yes), Some(no)) => {
            let kind = if yes.kind() == no.kind() { yes.kind() } else { Kind::Any };
            let traits = yes.traits | no.traits;
            let choices = [yes.clone(), no];
            Some(Value::unknown(Unknown::like(kind, unknown.why.clone(), yes).either(choices)).with_traits(traits))
        }
        (Some(only), None) | (None, Some(only)) => {
            let traits = only.traits;
            let unknown = Unknown::like(Kind::Any, unknown.why.clone(), only.clone()).optional().either([only]);
            Some(Value::unknown(unknown).with_traits(traits))
        }
    })
}

/// Evaluates `Fn::Equals`, `Fn::And` and the like outside of conditions, which the language extensions allow.
pub(super) fn condition(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let written = Value::object(vec![Member::new(call.name, call.argument.clone())]);
    Ok(Some(evaluator.truth(&written, call.at).into_value()))
}
