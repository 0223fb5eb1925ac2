//! Functions that take a lambda.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-lambda>.

use std::cmp::Ordering;

use crate::arm::eval::{Binding, Evaluator, Frame, Frames, find_lambda_variable, undecided};
use crate::arm::expr::{Expr, ExprKind, Target};
use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Function, article, at_least, between, exactly, lazy, scoped};
use crate::value::{Data, Kind, Member, Str, Unknown, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    lazy("filter", exactly(2), filter),
    lazy("groupBy", between(2, 3), group_by),
    lazy("lambda", at_least(1), lambda),
    scoped("lambdaVariables", exactly(1), Kind::Any, lambda_variables),
    lazy("map", exactly(2), map),
    lazy("mapValues", exactly(2), map_values),
    lazy("reduce", exactly(3), reduce),
    lazy("sort", exactly(2), sort),
    lazy("toObject", between(2, 3), to_object),
];

/// A call of `lambda('a', 'b', …, body)` that is an argument.
struct Lambda<'a> {
    names: Vec<&'a Str>,
    body: &'a Expr,
    /// What its body sees of the place where it is written.
    frames: &'a Frames,
}

impl<'a> Lambda<'a> {
    fn new(
        function: &str,
        argument: &'a Expr,
        frames: &'a Frames,
        names: std::ops::RangeInclusive<usize>,
    ) -> Result<Self, Fault> {
        let wrong = || {
            let (min, max) = (names.start(), names.end());
            let count = if min == max { format!("{min}") } else { format!("{min} or {max}") };
            let message = format!("`{function}` wants a lambda of {count} variables here");
            Fault::arguments(message).in_text(argument.start, argument.end)
        };
        let ExprKind::Call(Target::Builtin(target), arguments) = &argument.kind else { return Err(wrong()) };
        let Some((body, variables)) = arguments.split_last().filter(|_| target.name == "lambda") else {
            return Err(wrong());
        };
        let name = |it: &'a Expr| match &it.kind {
            ExprKind::Literal(value) => value.as_shared_str(),
            _ => None,
        };
        let variables: Vec<_> = variables.iter().map(name).collect::<Option<_>>().ok_or_else(wrong)?;
        if !names.contains(&variables.len()) {
            return Err(wrong());
        }
        Ok(Self { names: variables, body, frames })
    }

    /// The value of the body. Values beyond the number of variables are not handed over.
    fn call<const N: usize>(&self, evaluator: &Evaluator<'_>, values: [Value; N]) -> Result<Value, Fault> {
        let mut frames = self.frames.clone();
        for (name, value) in self.names.iter().zip(values) {
            frames = Frame::push(&frames, Binding::Lambda((*name).clone(), value));
        }
        evaluator.eval(self.body, &frames)
    }
}

/// The evaluated first argument, or the unknown that the function has to give for it.
enum Input {
    Known(Value),
    Undecided(Value),
}

fn array(
    evaluator: &Evaluator<'_>,
    function: &str,
    argument: &Expr,
    frames: &Frames,
    returns: Kind,
) -> Result<Input, Fault> {
    let value = evaluator.eval(argument, frames)?;
    match &value.data {
        Data::Array(_) => Ok(Input::Known(value)),
        Data::Unknown(unknown) => {
            let undecided = undecided(unknown, returns, None).through(value.via.clone());
            Ok(Input::Undecided(undecided.with_traits(value.traits)))
        }
        _ => {
            let found = article(value.kind());
            Err(Fault::arguments(format!("argument 1 of `{function}` must be an array, found {found}")))
        }
    }
}

fn items(value: &Value) -> impl Iterator<Item = (i64, &Value)> {
    (0..).zip(value.as_array().unwrap_or_default())
}

fn bool_of(function: &str, value: &Value) -> Result<bool, Fault> {
    value.as_bool().ok_or_else(|| {
        Fault::failed(format!("the lambda of `{function}` must give a bool, found {}", article(value.kind())))
    })
}

fn text_of(function: &str, value: &Value) -> Result<Str, Fault> {
    value.as_shared_str().cloned().ok_or_else(|| {
        Fault::failed(format!("the lambda of `{function}` must give a string, found {}", article(value.kind())))
    })
}

/// `filter(array, lambda(item[, index]))`: the items for which the lambda gives `true`. Where it cannot say for one,
/// the whole array is unknown.
fn filter(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = match array(evaluator, "filter", &arguments[0], frames, Kind::Array)? {
        Input::Known(value) => value,
        Input::Undecided(value) => return Ok(value),
    };
    let lambda = Lambda::new("filter", &arguments[1], frames, 1..=2)?;
    let (mut kept, mut cause) = (Vec::new(), None);
    for (index, item) in items(&input) {
        let verdict = lambda.call(evaluator, [item.clone(), Value::from(index)])?;
        match verdict.as_unknown() {
            Some(unknown) => cause = cause.or_else(|| Some(unknown.clone())),
            None if bool_of("filter", &verdict)? => kept.push(item.clone()),
            None => {}
        }
    }
    let kept = Value::array(kept).through(input.via);
    Ok(match cause {
        Some(cause) => undecided(&cause, Kind::Array, Some(kept)),
        None => kept,
    })
}

/// `map(array, lambda(item[, index]))`: what the lambda gives for each item.
fn map(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = match array(evaluator, "map", &arguments[0], frames, Kind::Array)? {
        Input::Known(value) => value,
        Input::Undecided(value) => return Ok(value),
    };
    let lambda = Lambda::new("map", &arguments[1], frames, 1..=2)?;
    let mapped = items(&input).map(|(index, item)| lambda.call(evaluator, [item.clone(), Value::from(index)]));
    let mapped = Value::array(mapped.collect::<Result<_, _>>()?);
    evaluator.charge(&mapped)?;
    Ok(mapped.through(input.via.clone()))
}

/// `mapValues(object, lambda(value))`: the same names with what the lambda gives for each value.
fn map_values(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = evaluator.eval(&arguments[0], frames)?;
    let lambda = Lambda::new("mapValues", &arguments[1], frames, 1..=1)?;
    let object = match &input.data {
        Data::Object(object) => object,
        Data::Unknown(unknown) => return Ok(undecided(unknown, Kind::Object, None)),
        _ => {
            let found = article(input.kind());
            return Err(Fault::arguments(format!("argument 1 of `mapValues` must be an object, found {found}")));
        }
    };
    let members = object.iter().map(|member| {
        let value = lambda.call(evaluator, [member.value.clone()])?;
        Ok(Member { value, ..member.clone() })
    });
    let mapped = Value::object(members.collect::<Result<_, Fault>>()?);
    evaluator.charge(&mapped)?;
    Ok(mapped.through(input.via.clone()))
}

/// `reduce(array, initial, lambda(current, next[, index]))`; an empty array gives `initial`.
fn reduce(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = match array(evaluator, "reduce", &arguments[0], frames, Kind::Any)? {
        Input::Known(value) => value,
        Input::Undecided(value) => return Ok(value),
    };
    let lambda = Lambda::new("reduce", &arguments[2], frames, 2..=3)?;
    let mut current = evaluator.eval(&arguments[1], frames)?;
    for (index, item) in items(&input) {
        current = lambda.call(evaluator, [current, item.clone(), Value::from(index)])?;
    }
    Ok(current)
}

/// `sort(array, lambda(a, b))`, where the lambda says whether `a` comes before `b`. Items that are in no order keep it.
fn sort(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = match array(evaluator, "sort", &arguments[0], frames, Kind::Array)? {
        Input::Known(value) => value,
        Input::Undecided(value) => return Ok(value),
    };
    let lambda = Lambda::new("sort", &arguments[1], frames, 2..=2)?;
    let sorter = Sorter { evaluator, lambda };
    match sorter.sort(input.as_array().unwrap_or_default().to_vec())? {
        Sorted::Known(items) => Ok(Value::array(items).through(input.via.clone())),
        Sorted::Undecided(cause) => Ok(undecided(&cause, Kind::Array, Some(input))),
    }
}

enum Sorted {
    Known(Vec<Value>),
    Undecided(std::sync::Arc<Unknown>),
}

struct Sorter<'a> {
    evaluator: &'a Evaluator<'a>,
    lambda: Lambda<'a>,
}

impl Sorter<'_> {
    /// A merge sort of its own: the order comes from a stranger, may fail, and need not be an order.
    fn sort(&self, mut items: Vec<Value>) -> Result<Sorted, Fault> {
        let mut width = 1;
        while width < items.len() {
            let mut merged = Vec::with_capacity(items.len());
            for pair in items.chunks(2 * width) {
                let (left, right) = pair.split_at(width.min(pair.len()));
                if let Some(cause) = self.merge(left, right, &mut merged)? {
                    return Ok(Sorted::Undecided(cause));
                }
            }
            items = merged;
            width *= 2;
        }
        Ok(Sorted::Known(items))
    }

    fn merge(
        &self,
        mut left: &[Value],
        mut right: &[Value],
        merged: &mut Vec<Value>,
    ) -> Result<Option<std::sync::Arc<Unknown>>, Fault> {
        while let (Some((a, rest_left)), Some((b, rest_right))) = (left.split_first(), right.split_first()) {
            match self.compare(b, a)? {
                Ok(Ordering::Less) => {
                    merged.push(b.clone());
                    right = rest_right;
                }
                Ok(_) => {
                    merged.push(a.clone());
                    left = rest_left;
                }
                Err(cause) => return Ok(Some(cause)),
            }
        }
        merged.extend(left.iter().chain(right).cloned());
        Ok(None)
    }

    fn compare(&self, a: &Value, b: &Value) -> Result<Result<Ordering, std::sync::Arc<Unknown>>, Fault> {
        let verdict = self.lambda.call(self.evaluator, [a.clone(), b.clone()])?;
        if let Some(unknown) = verdict.as_unknown() {
            return Ok(Err(unknown.clone()));
        }
        Ok(Ok(if bool_of("sort", &verdict)? { Ordering::Less } else { Ordering::Greater }))
    }
}

/// `toObject(array, lambda(item)[, lambda(item)])`: an object with the names of the first and the values of the second
/// lambda. Of equal names the last counts.
fn to_object(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = match array(evaluator, "toObject", &arguments[0], frames, Kind::Object)? {
        Input::Known(value) => value,
        Input::Undecided(value) => return Ok(value),
    };
    let mut members: Vec<Member> = Vec::new();
    let mut places = rustc_hash::FxHashMap::default();
    let undecided = keyed("toObject", evaluator, arguments, frames, &input, |key, value| {
        let at = *places.entry(key.to_ascii_lowercase()).or_insert(members.len());
        match members.get_mut(at) {
            Some(member) => member.value = value,
            None => members.push(Member::new(key, value)),
        }
    })?;
    Ok(undecided.unwrap_or_else(|| Value::object(members).through(input.via.clone())))
}

/// `groupBy(array, lambda(item)[, lambda(item)])`: an object from the names that the first lambda gives to the arrays of
/// the items that have it.
fn group_by(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = match array(evaluator, "groupBy", &arguments[0], frames, Kind::Object)? {
        Input::Known(value) => value,
        Input::Undecided(value) => return Ok(value),
    };
    let mut groups: Vec<(Str, Vec<Value>)> = Vec::new();
    let mut places = rustc_hash::FxHashMap::default();
    let undecided = keyed("groupBy", evaluator, arguments, frames, &input, |key, value| {
        let at = *places.entry(key.to_ascii_lowercase()).or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, items)) => items.push(value),
            None => groups.push((key, vec![value])),
        }
    })?;
    let members = groups.into_iter().map(|(key, items)| Member::new(key, Value::array(items)));
    Ok(undecided.unwrap_or_else(|| Value::object(members.collect()).through(input.via.clone())))
}

/// Hands the key and the value of each item to `take`. A key that cannot be known makes the whole result unknown.
fn keyed(
    function: &str,
    evaluator: &Evaluator<'_>,
    arguments: &[Expr],
    frames: &Frames,
    input: &Value,
    mut take: impl FnMut(Str, Value),
) -> Result<Option<Value>, Fault> {
    let keys = Lambda::new(function, &arguments[1], frames, 1..=1)?;
    let values = arguments.get(2).map(|it| Lambda::new(function, it, frames, 1..=1)).transpose()?;
    for (_, item) in items(input) {
        let key = keys.call(evaluator, [item.clone()])?;
        if let Some(unknown) = key.as_unknown() {
            return Ok(Some(undecided(unknown, Kind::Object, None)));
        }
        let value = match &values {
            Some(lambda) => lambda.call(evaluator, [item.clone()])?,
            None => item.clone(),
        };
        take(text_of(function, &key)?, value);
    }
    Ok(None)
}

/// `lambda(name, …, body)` has a meaning only as an argument.
fn lambda(_: &Evaluator<'_>, _: &[Expr], _: &Frames) -> Result<Value, Fault> {
    Err(Fault::arguments("`lambda` can only be an argument of a function that takes one"))
}

/// `lambdaVariables(name)`: the value that the nearest enclosing lambda of this variable got.
fn lambda_variables(_: &Evaluator<'_>, args: Args<'_>, frames: &Frames) -> Result<Value, Fault> {
    let (name,): (&str,) = args.get()?;
    find_lambda_variable(frames, name).cloned().ok_or_else(|| {
        let message = format!("there is no lambda variable `{name}` here");
        Fault::new(crate::diagnostic::Code::ExpressionUndefined, message)
    })
}
