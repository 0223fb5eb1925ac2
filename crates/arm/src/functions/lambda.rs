//! Functions that take a lambda expression.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-lambda>.

use std::cmp::Ordering;
use std::sync::Arc;

use foldhash::HashMap;

use crate::diagnostic::Code;
use crate::eval::{
    Binding, Evaluator, Frame, Frames, decisive, dependent, find_lambda_variable, undecided, undecided_between,
};
use crate::expr::{Expr, ExprKind, Target};
use crate::fault::Fault;
use crate::functions::{Args, Function, article, at_least, between, exactly, lazy, scoped};
use crate::value::{Data, Kind, Member, Str, Traits, Unknown, Value};

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

/// An argument of the form `lambda('a', 'b', …, body)`.
struct Lambda<'a> {
    names: Vec<&'a Str>,
    body: &'a Expr,
    /// The bindings around the lambda, which its body also sees.
    frames: &'a Frames,
}

impl<'a> Lambda<'a> {
    /// Reads the lambda in `argument`. It must have a number of variables that is in `names`.
    fn new(
        function: &str,
        argument: &'a Expr,
        frames: &'a Frames,
        names: std::ops::RangeInclusive<usize>,
    ) -> Result<Self, Fault> {
        let wrong = || {
            let (min, max) = (names.start(), names.end());
            let count = match (min, max) {
                (1, 1) => "1 variable".to_owned(),
                _ if min == max => format!("{min} variables"),
                _ => format!("{min} or {max} variables"),
            };
            let message = format!("`{function}` expects a lambda with {count}");
            Fault::arguments(message).in_text(argument.start, argument.end)
        };
        let ExprKind::Call(Target::Builtin(target), arguments) = &argument.kind else { return Err(wrong()) };
        let Some((body, variables)) = arguments.split_last().filter(|_| target.name == "lambda") else {
            return Err(wrong());
        };
        let name = |variable: &'a Expr| match &variable.kind {
            ExprKind::Literal(value) => value.as_shared_str(),
            _ => None,
        };
        let variables: Vec<_> = variables.iter().map(name).collect::<Option<_>>().ok_or_else(wrong)?;
        if !names.contains(&variables.len()) {
            return Err(wrong());
        }
        Ok(Self { names: variables, body, frames })
    }

    /// Returns the value of the body with `values` bound to the variables, as many as the lambda declares.
    fn call<const N: usize>(&self, evaluator: &Evaluator<'_>, values: [Value; N]) -> Result<Value, Fault> {
        let mut frames = self.frames.clone();
        for (name, value) in self.names.iter().zip(values) {
            frames = Frame::push(&frames, Binding::Lambda((*name).clone(), value));
        }
        evaluator.eval(self.body, &frames)
    }
}

#[expect(clippy::indexing_slicing, reason = "the evaluator checks the arity of a function before it calls it")]
fn argument(arguments: &[Expr], index: usize) -> &Expr {
    &arguments[index]
}

/// Runs `apply` on the first argument, which must be of `kind`. If it is unknown, so is the result, which is of kind
/// `returns`: then `apply` runs on each possible argument, and on its approximation.
fn over(
    evaluator: &Evaluator<'_>,
    value: &Value,
    (function, kind, returns): (&str, Kind, Kind),
    apply: &dyn Fn(&Evaluator<'_>, &Value) -> Result<Value, Fault>,
) -> Result<Value, Fault> {
    let Data::Unknown(unknown) = &value.data else {
        if value.kind() == kind {
            return apply(evaluator, value);
        }
        let (expected, found) = (article(kind), article(value.kind()));
        return Err(Fault::arguments(format!("argument 1 of `{function}` must be {expected}, found {found}")));
    };
    // A fault for something that the argument need not be says nothing.
    let evaluator = evaluator.guarded_if(true);
    let guess = |value: &Value| (value.kind() == kind).then(|| apply(&evaluator, value).ok()).flatten();
    let choices: Option<Vec<Value>> = unknown.choices.iter().map(guess).collect();
    let choices = choices.unwrap_or_default();
    if let Some((first, others)) = choices.split_first()
        && others.iter().all(|other| other.same(first))
    {
        return Ok(first.clone());
    }
    let approximation = guess(&unknown.approximation);
    let result = undecided_between(choices, unknown, returns, approximation).through(value.via.clone());
    Ok(result.with_traits(value.traits))
}

/// Returns the items of an array with their indexes.
fn items(value: &Value) -> impl Iterator<Item = (i64, &Value)> {
    (0..).zip(value.as_array().unwrap_or_default())
}

fn bool_of(function: &str, value: &Value) -> Result<bool, Fault> {
    value.as_bool().ok_or_else(|| {
        Fault::failed(format!("the lambda of `{function}` must return a Boolean, found {}", article(value.kind())))
    })
}

fn text_of(function: &str, value: &Value) -> Result<Str, Fault> {
    value.as_shared_str().cloned().ok_or_else(|| {
        Fault::failed(format!("the lambda of `{function}` must return a string, found {}", article(value.kind())))
    })
}

/// `filter(array, lambda(item[, index]))`: the items for which the lambda returns `true`. If that is unknown for one, the
/// whole array is unknown.
fn filter(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = evaluator.eval(argument(arguments, 0), frames)?;
    over(evaluator, &input, ("filter", Kind::Array, Kind::Array), &|evaluator, input| {
        let lambda = Lambda::new("filter", argument(arguments, 1), frames, 1..=2)?;
        let (mut kept, mut cause, mut is_dependent) = (Vec::new(), None, false);
        for (index, item) in items(input) {
            let verdict = decisive(lambda.call(evaluator, [item.clone(), Value::from(index)])?);
            is_dependent |= verdict.traits.has(Traits::PLACEHOLDER);
            match verdict.as_unknown() {
                // The other items are still tested, so that faults are reported and the result can be approximated.
                Some(unknown) => cause = cause.or_else(|| Some(unknown.clone())),
                None if bool_of("filter", &verdict)? => kept.push(item.clone()),
                None => {}
            }
        }
        let kept = Value::array(kept).through(input.via.clone());
        Ok(match cause {
            Some(cause) => {
                let traits = if is_dependent { Traits::PLACEHOLDER } else { Traits::NONE };
                undecided(&cause, Kind::Array, Some(kept)).with_traits(traits)
            }
            None => kept,
        })
    })
}

/// `map(array, lambda(item[, index]))`: the result of the lambda for each item.
fn map(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let mut input = evaluator.eval(argument(arguments, 0), frames)?;
    if let Some(unknown) = input.as_unknown().filter(|_| evaluator.world.explores.get()) {
        let item = Value::unknown(Unknown::new(Kind::Any, unknown.why.clone()));
        input = Value { span: input.span, ..Value::array(vec![item]) };
    }
    over(evaluator, &input, ("map", Kind::Array, Kind::Array), &|evaluator, input| {
        let lambda = Lambda::new("map", argument(arguments, 1), frames, 1..=2)?;
        let mapped = items(input).map(|(index, item)| lambda.call(evaluator, [item.clone(), Value::from(index)]));
        let mapped = Value::array(mapped.collect::<Result<_, _>>()?);
        // The evaluator does not check the results of lazy functions against the limits.
        evaluator.charge(&mapped)?;
        Ok(mapped.through(input.via.clone()))
    })
}

/// `mapValues(object, lambda(value))`: an object with the same keys and the results of the lambda as values.
fn map_values(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = evaluator.eval(argument(arguments, 0), frames)?;
    over(evaluator, &input, ("mapValues", Kind::Object, Kind::Object), &|evaluator, input| {
        let lambda = Lambda::new("mapValues", argument(arguments, 1), frames, 1..=1)?;
        let members = input.as_object().into_iter().flatten().map(|member| {
            let value = lambda.call(evaluator, [member.value.clone()])?;
            Ok(Member { value, ..member.clone() })
        });
        let mapped = Value::object(members.collect::<Result<_, Fault>>()?);
        evaluator.charge(&mapped)?;
        Ok(mapped.through(input.via.clone()))
    })
}

/// `reduce(array, initial, lambda(current, next[, index]))`: folds an array from the left, starting with `initial`.
fn reduce(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = evaluator.eval(argument(arguments, 0), frames)?;
    over(evaluator, &input, ("reduce", Kind::Array, Kind::Any), &|evaluator, input| {
        let lambda = Lambda::new("reduce", argument(arguments, 2), frames, 2..=3)?;
        let mut current = evaluator.eval(argument(arguments, 1), frames)?;
        for (index, item) in items(input) {
            current = lambda.call(evaluator, [current, item.clone(), Value::from(index)])?;
        }
        Ok(current)
    })
}

/// `sort(array, lambda(a, b))`: a stable sort, where the lambda returns `true` if `a` comes before `b`.
fn sort(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = evaluator.eval(argument(arguments, 0), frames)?;
    over(evaluator, &input, ("sort", Kind::Array, Kind::Array), &|evaluator, input| {
        let lambda = Lambda::new("sort", argument(arguments, 1), frames, 2..=2)?;
        let sorter = Sorter { evaluator, lambda };
        match sorter.sort(input.as_array().unwrap_or_default().to_vec())? {
            Sorted::Known(items) => Ok(Value::array(items).through(input.via.clone())),
            Sorted::Undecided(cause) => Ok(undecided(&cause, Kind::Array, Some(input.clone()))),
        }
    })
}

enum Sorted {
    Known(Vec<Value>),
    Undecided(Arc<Unknown>),
}

struct Sorter<'a> {
    evaluator: &'a Evaluator<'a>,
    lambda: Lambda<'a>,
}

impl Sorter<'_> {
    /// Sorts with a bottom-up merge sort. The sorts of the standard library cannot stop at a failing comparison, and
    /// may panic when a comparison is not a total order, which a template's lambda need not be.
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

    /// Merges two sorted runs into `merged`, or returns the unknown that a comparison depends on.
    fn merge(
        &self,
        mut left: &[Value],
        mut right: &[Value],
        merged: &mut Vec<Value>,
    ) -> Result<Option<Arc<Unknown>>, Fault> {
        while let (Some((a, rest_left)), Some((b, rest_right))) = (left.split_first(), right.split_first()) {
            // The right item goes first only if it is less, so that equal items keep their order.
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

    /// Compares `a` with `b`, or returns the unknown that decides it. Equal items count as `Greater`, which keeps their
    /// order.
    fn compare(&self, a: &Value, b: &Value) -> Result<Result<Ordering, Arc<Unknown>>, Fault> {
        let verdict = decisive(self.lambda.call(self.evaluator, [a.clone(), b.clone()])?);
        if let Some(unknown) = verdict.as_unknown() {
            return Ok(Err(unknown.clone()));
        }
        Ok(Ok(if bool_of("sort", &verdict)? { Ordering::Less } else { Ordering::Greater }))
    }
}

/// `toObject(array, lambda(item)[, lambda(item)])`: an object whose keys come from the first lambda and whose values from
/// the second. The last of equal keys (case-insensitive) overrides the others.
fn to_object(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = evaluator.eval(argument(arguments, 0), frames)?;
    over(evaluator, &input, ("toObject", Kind::Array, Kind::Object), &|evaluator, input| {
        let mut members: Vec<Member> = Vec::new();
        let mut positions = HashMap::default();
        let undecided = keyed("toObject", evaluator, arguments, frames, input, |key, value| {
            let at = *positions.entry(key.to_ascii_lowercase()).or_insert(members.len());
            // The first spelling of a key stays.
            match members.get_mut(at) {
                Some(member) => member.value = value,
                None => members.push(Member::new(key, value)),
            }
        })?;
        Ok(undecided.unwrap_or_else(|| Value::object(members).through(input.via.clone())))
    })
}

/// `groupBy(array, lambda(item)[, lambda(item)])`: an object that maps each key from the first lambda to an array of the
/// items with that key.
fn group_by(evaluator: &Evaluator<'_>, arguments: &[Expr], frames: &Frames) -> Result<Value, Fault> {
    let input = evaluator.eval(argument(arguments, 0), frames)?;
    over(evaluator, &input, ("groupBy", Kind::Array, Kind::Object), &|evaluator, input| {
        let mut groups: Vec<(Str, Vec<Value>)> = Vec::new();
        let mut positions = HashMap::default();
        let undecided = keyed("groupBy", evaluator, arguments, frames, input, |key, value| {
            let at = *positions.entry(key.to_ascii_lowercase()).or_insert(groups.len());
            match groups.get_mut(at) {
                Some((_, items)) => items.push(value),
                None => groups.push((key, vec![value])),
            }
        })?;
        let members = groups.into_iter().map(|(key, items)| Member::new(key, Value::array(items)));
        Ok(undecided.unwrap_or_else(|| Value::object(members.collect()).through(input.via.clone())))
    })
}

/// Passes the key and the value of each item to `take`. If a key is unknown, returns the unknown that replaces the
/// whole result.
fn keyed(
    function: &str,
    evaluator: &Evaluator<'_>,
    arguments: &[Expr],
    frames: &Frames,
    input: &Value,
    mut take: impl FnMut(Str, Value),
) -> Result<Option<Value>, Fault> {
    let keys = Lambda::new(function, argument(arguments, 1), frames, 1..=1)?;
    let values = arguments.get(2).map(|argument| Lambda::new(function, argument, frames, 1..=1)).transpose()?;
    for (_, item) in items(input) {
        let key = keys.call(evaluator, [item.clone()])?;
        if let Some(unknown) = key.as_unknown() {
            return Ok(Some(undecided(unknown, Kind::Object, None)));
        }
        if key.traits.has(Traits::SECRET) {
            let secret = Unknown::new(Kind::Object, "the name of a property of the object is a secret");
            return Ok(Some(Value::unknown(secret).with_traits(Traits::SECRET)));
        }
        let value = match &values {
            Some(lambda) => lambda.call(evaluator, [item.clone()])?,
            None => item.clone(),
        };
        let value = if key.traits.has(Traits::PLACEHOLDER) { dependent(value) } else { value };
        take(text_of(function, &key)?, value);
    }
    Ok(None)
}

/// `lambda(name, …, body)` is only meaningful as an argument, where [`Lambda::new`] reads it.
fn lambda(_: &Evaluator<'_>, _: &[Expr], _: &Frames) -> Result<Value, Fault> {
    Err(Fault::arguments("`lambda` can only be an argument of a function that takes one"))
}

/// `lambdaVariables(name)`: the value of a variable of the innermost lambda that declares it.
fn lambda_variables(_: &Evaluator<'_>, args: Args<'_>, frames: &Frames) -> Result<Value, Fault> {
    let (name,): (&str,) = args.get()?;
    find_lambda_variable(frames, name).cloned().ok_or_else(|| {
        let message = format!("there is no lambda variable `{name}` here");
        Fault::new(Code::ExpressionUndefined, message)
    })
}
