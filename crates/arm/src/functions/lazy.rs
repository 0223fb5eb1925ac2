//! Functions that evaluate only the arguments they need.

use std::sync::Arc;

use crate::eval::{Evaluator, Frames, decisive, undecided, undecided_between};
use crate::expr::Expr;
use crate::fault::Fault;
use crate::functions::{Function, article, at_least, exactly, lazy};
use crate::value::{Data, Kind, Traits, Unknown, Value, Via};

pub(super) const FUNCTIONS: &[Function] = &[
    lazy("and", at_least(2), and),
    lazy("coalesce", at_least(1), coalesce),
    lazy("if", exactly(3), if_),
    lazy("or", at_least(2), or),
];

/// `and(arg1, arg2, …)`: stops at the first `false`, even after an unknown argument.
fn and(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    all_are(true, "and", evaluator, arguments, frames)
}

/// `or(arg1, arg2, …)`: stops at the first `true`, even after an unknown argument.
fn or(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    all_are(false, "or", evaluator, arguments, frames)
}

/// Returns `neutral` if all arguments are `neutral`, or its opposite as soon as one argument is. An argument after an
/// unknown one may never be evaluated, so its fault only explains the unknown.
fn all_are(
    neutral: bool,
    name: &str,
    evaluator: &Evaluator<'_>,
    arguments: &[Expr],
    frames: &Frames,
) -> Result<Value, Fault> {
    let mut open: Option<Arc<Unknown>> = None;
    let mut traits = Traits::NONE;
    for (number, argument) in (1..).zip(arguments) {
        let value = match &open {
            None => boolean(evaluator, argument, frames, name, number)?,
            Some(cause) => match boolean(&evaluator.guarded_if(true), argument, frames, name, number) {
                Ok(value) => value,
                Err(fault) if fault.is_textual() => return Err(fault),
                Err(fault) => {
                    let cause = Unknown::new(Kind::Bool, format!("{}, and a later argument fails: {fault}", cause.why));
                    return Ok(undecided(&cause, Kind::Bool, None));
                }
            },
        };
        match value.data {
            Data::Bool(found) if found != neutral => return Ok(Value::from(!neutral).through(value.via)),
            Data::Unknown(unknown) => {
                traits = traits | placeholder_in(value.traits);
                open.get_or_insert(unknown);
            }
            _ => {}
        }
    }
    Ok(open.map_or_else(|| Value::from(neutral), |cause| undecided(&cause, Kind::Bool, None).with_traits(traits)))
}

/// Returns the argument at this index, which must be a Boolean or unknown.
fn boolean(
    evaluator: &Evaluator<'_>,
    argument: &Expr,
    frames: &Frames,
    name: &str,
    number: usize,
) -> Result<Value, Fault> {
    let value = decisive(evaluator.eval(argument, frames)?);
    if matches!(value.data, Data::Bool(_) | Data::Unknown(_)) {
        return Ok(value);
    }
    let found = article(value.kind());
    Err(Fault::arguments(format!("argument {number} of `{name}` must be a Boolean, found {found}")))
}

/// `coalesce(arg1, arg2, …)`: the first argument that is not null, or null.
fn coalesce(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    for argument in arguments {
        let value = evaluator.eval(argument, frames)?;
        if !value.is_null() {
            return Ok(value);
        }
        // Whether it is null decides which argument is returned.
        if value.traits.has(Traits::PLACEHOLDER) {
            return Ok(decisive(value));
        }
    }
    Ok(Value::NULL)
}

/// `if(condition, whenTrue, whenFalse)`: evaluates only the branch that is taken. If the condition is unknown, so is the
/// result, unless both branches have the same value.
fn if_(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let [condition, when_true, when_false] = arguments else {
        return Err(Fault::arguments("`if` takes 3 arguments"));
    };
    let condition = decisive(evaluator.eval(condition, frames)?);
    match &condition.data {
        Data::Bool(taken) => {
            let value = evaluator.eval(if *taken { when_true } else { when_false }, frames)?;
            // A literal has no provenance of its own; it was chosen by the condition.
            Ok(match value.via {
                None => value.through(condition.via.as_ref().map(Via::chosen)),
                Some(_) => value,
            })
        }
        Data::Unknown(unknown) => {
            // The branch that is not taken may fail, for instance because the condition guards it.
            let evaluator = evaluator.guarded_if(true);
            let either = |yes: Value, no: Value| {
                if yes.same(&no) {
                    return yes;
                }
                if evaluator.world.explores.get() {
                    return branches(unknown, yes, no);
                }
                either(unknown, yes, no).with_traits(placeholder_in(condition.traits))
            };
            match (evaluator.eval(when_true, frames), evaluator.eval(when_false, frames)) {
                // What is known of the result is the branch for what the condition is taken for.
                (Ok(yes), Ok(no)) if unknown.approximation.as_bool() == Some(true) => Ok(either(no, yes)),
                (Ok(yes), Ok(no)) => Ok(either(yes, no)),
                // If both branches fail, the deployment does, whatever the condition.
                (Err(fault), Err(_)) => Err(fault),
                (Ok(_), Err(fault)) | (Err(fault), Ok(_)) if fault.is_textual() => Err(fault),
                (Ok(other), Err(fault)) | (Err(fault), Ok(other)) => {
                    let traits = other.traits.without(Traits::ASSUMED);
                    let why = format!("{}, and one of the branches fails: {fault}", unknown.why);
                    let cause = Unknown::new(Kind::Any, why);
                    Ok(undecided(&cause, Kind::Any, Some(other)).with_traits(traits))
                }
            }
        }
        _ => {
            let found = article(condition.kind());
            Err(Fault::arguments(format!("argument 1 of `if` must be a Boolean, found {found}")))
        }
    }
}

/// Returns [`Traits::PLACEHOLDER`] if `traits` has it, without the other traits.
fn placeholder_in(traits: Traits) -> Traits {
    if traits.has(Traits::PLACEHOLDER) { Traits::PLACEHOLDER } else { Traits::NONE }
}

/// Returns the unknown that is either `yes` or `no`, which differ.
fn either(cause: &Unknown, yes: Value, no: Value) -> Value {
    let traits = (yes.traits | no.traits).without(Traits::ASSUMED);
    let choices = yes.choices().zip(no.choices()).map(|(yes, no)| [yes, no].concat());
    let kind = if yes.kind() == no.kind() { yes.kind() } else { Kind::Any };
    undecided_between(choices.unwrap_or_default(), cause, kind, Some(no)).with_traits(traits)
}

/// Maximum number of branches of one value that are kept.
const MAX_BRANCHES: usize = 16;

/// Returns the unknown that is one of the branches `yes` and `no`, which may be partly unknown.
fn branches(cause: &Unknown, yes: Value, no: Value) -> Value {
    let traits = yes.traits | no.traits;
    let kind = if yes.kind() == no.kind() { yes.kind() } else { Kind::Any };
    let mut all: Vec<Value> = Vec::new();
    for branch in [yes, no] {
        match branch.as_unknown().filter(|unknown| !unknown.choices.is_empty()) {
            Some(unknown) => all.extend(unknown.choices.iter().cloned()),
            None => all.push(branch),
        }
    }
    all.truncate(MAX_BRANCHES);
    Value::unknown(Unknown::new(kind, cause.why.clone()).either(all)).with_traits(traits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_has_the_kind_of_both_branches() {
        let cause = Unknown::new(Kind::Bool, "a test says so");
        let kind = |yes: Value, no: Value| either(&cause, yes, no).as_unknown().map(|unknown| unknown.kind);
        assert_eq!(kind("a".into(), "b".into()), Some(Kind::String));
        assert_eq!(kind("a".into(), 1.into()), Some(Kind::Any));
    }
}
