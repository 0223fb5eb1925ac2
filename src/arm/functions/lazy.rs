//! Functions that evaluate only the arguments they need.

use crate::arm::eval::{Evaluator, Frames, undecided, undecided_between};
use crate::arm::expr::Expr;
use crate::arm::fault::Fault;
use crate::arm::functions::{Function, article, at_least, exactly, lazy};
use crate::value::{Data, Kind, Traits, Unknown, Value};

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

/// `neutral` if all arguments are `neutral`, or its opposite as soon as one argument is.
fn all_are(
    neutral: bool,
    name: &str,
    evaluator: &Evaluator<'_>,
    arguments: &[Expr],
    frames: &Frames,
) -> Result<Value, Fault> {
    let mut open: Option<Value> = None;
    for (index, argument) in arguments.iter().enumerate() {
        let value = evaluator.eval(argument, frames)?;
        match &value.data {
            Data::Bool(found) if *found != neutral => return Ok(Value::from(!neutral).through(value.via)),
            Data::Bool(_) => {}
            Data::Unknown(unknown) => {
                open.get_or_insert_with(|| undecided(unknown, Kind::Bool, None));
            }
            _ => {
                let found = article(value.kind());
                return Err(Fault::arguments(format!(
                    "argument {} of `{name}` must be a Boolean, found {found}",
                    index + 1
                )));
            }
        }
    }
    Ok(open.unwrap_or_else(|| Value::from(neutral)))
}

/// `coalesce(arg1, arg2, …)`: the first argument that is not null, or null.
fn coalesce(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    for argument in arguments {
        let value = evaluator.eval(argument, frames)?;
        if !value.is_null() {
            return Ok(value);
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
    let condition = evaluator.eval(condition, frames)?;
    match &condition.data {
        Data::Bool(taken) => {
            let value = evaluator.eval(if *taken { when_true } else { when_false }, frames)?;
            // A literal has no provenance of its own; it was chosen by the condition.
            Ok(match value.via {
                None => value.through(condition.via.clone()),
                Some(_) => value,
            })
        }
        Data::Unknown(unknown) => {
            // The branch that is not taken may fail, for instance because the condition guards it.
            let (yes, no) = (evaluator.eval(when_true, frames).ok(), evaluator.eval(when_false, frames).ok());
            Ok(either(unknown, yes, no))
        }
        _ => {
            let found = article(condition.kind());
            Err(Fault::arguments(format!("argument 1 of `if` must be a Boolean, found {found}")))
        }
    }
}

/// What is known about a value that is one of two. `None` stands for a branch that fails.
fn either(cause: &Unknown, yes: Option<Value>, no: Option<Value>) -> Value {
    let traits = [&yes, &no].into_iter().flatten().fold(Traits::NONE, |all, branch| all | branch.traits);
    match (yes, no) {
        (Some(yes), Some(no)) if yes.same(&no) => yes,
        (yes, no) => {
            let choices = match (&yes, &no) {
                (Some(yes), Some(no)) => yes.choices().zip(no.choices()).map(|(yes, no)| [yes, no].concat()),
                _ => None,
            };
            let kind = match (&yes, &no) {
                (Some(yes), Some(no)) if yes.kind() == no.kind() => yes.kind(),
                _ => Kind::Any,
            };
            undecided_between(choices.unwrap_or_default(), cause, kind, no.or(yes)).with_traits(traits)
        }
    }
}
