//! Calling a function of the language: number of arguments, evaluation, unknowns, secrets, provenance and limits, in
//! one place for all of them.

use std::sync::Arc;

use crate::arm::eval::Evaluator;
use crate::arm::eval::access::because_of;
use crate::arm::eval::frame::Frames;
use crate::arm::expr::Expr;
use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Call, Function};
use crate::value::{Data, Kind, Member, Step, Traits, Unknown, Value, Via};

impl Evaluator<'_> {
    pub(super) fn invoke(
        &self,
        function: &'static Function,
        arguments: &[Expr],
        frames: &Frames,
    ) -> Result<Value, Fault> {
        self.world.step(1)?;
        let arity = function.arity;
        if arguments.len() < arity.min || arguments.len() > arity.max {
            let wanted = arity.describe();
            return Err(Fault::arguments(format!("`{}` takes {wanted}, found {}", function.name, arguments.len())));
        }
        let call = match function.call {
            Call::Lazy(call) => return call(self, arguments, frames),
            Call::Pure(call) => Ordinary::Pure(call),
            Call::Scoped(call) => Ordinary::Scoped(call),
        };
        let values = arguments.iter().map(|it| self.eval(it, frames)).collect::<Result<Vec<_>, _>>()?;
        self.apply(function, &call, &values, frames)
    }

    fn apply(
        &self,
        function: &'static Function,
        call: &Ordinary,
        values: &[Value],
        frames: &Frames,
    ) -> Result<Value, Fault> {
        let unknown = values.iter().find_map(|value| value.as_unknown());
        let Some(cause) = unknown.filter(|_| !function.keeps_unknown) else {
            let result = call.run(self, function, values, frames)?;
            self.charge(&result)?;
            return Ok(trace(mark(function, result, values), values));
        };
        let choices = self.each_choice(function, call, values, frames).unwrap_or_default();
        if let Some((first, others)) = choices.split_first()
            && others.iter().all(|it| it.same(first))
        {
            return Ok(trace(first.clone(), values));
        }
        let approximation = self.approximate(function, call, values, frames);
        let unknown = because_of(cause, function.returns, approximation).one_of(choices);
        Ok(trace(mark(function, Value::unknown(unknown), values), values))
    }

    /// What the function makes of every combination of the values that its arguments can have. `None` where these cannot
    /// be listed, are too many, or where it fails for some.
    fn each_choice(
        &self,
        function: &'static Function,
        call: &Ordinary,
        values: &[Value],
        frames: &Frames,
    ) -> Option<Vec<Value>> {
        let mut combinations: Vec<Vec<Value>> = vec![Vec::with_capacity(values.len())];
        for value in values {
            // An unknown inside of an argument is for the function to mind.
            let choices = if value.as_unknown().is_some() { value.choices()? } else { std::slice::from_ref(value) };
            if combinations.len() * choices.len() > MAX_COMBINATIONS {
                return None;
            }
            let extended = |it: &Vec<Value>| {
                let one = |choice: &Value| it.iter().chain([choice]).cloned().collect();
                choices.iter().map(one).collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(extended).collect();
        }
        let result = |values: Vec<Value>| {
            let result = call.run(self, function, &values, frames).ok()?;
            self.charge(&result).ok()?;
            Some(mark(function, result, &values))
        };
        combinations.into_iter().map(result).collect()
    }

    /// What the function would make of the approximations of its arguments. Where an unknown could be anything, it is
    /// read as an empty text if nothing else will do.
    fn approximate(
        &self,
        function: &'static Function,
        call: &Ordinary,
        values: &[Value],
        frames: &Frames,
    ) -> Option<Value> {
        let known: Vec<Value> = values.iter().map(Value::approximate).collect();
        let texts = || {
            values.iter().zip(&known).map(|(value, known)| match value.as_unknown() {
                Some(unknown) if unknown.kind == Kind::Any => Value::from("").with_traits(known.traits),
                _ => known.clone(),
            })
        };
        let run = |values: &[Value]| call.run(self, function, values, frames).ok();
        let result = run(&known).or_else(|| run(&texts().collect::<Vec<_>>()))?;
        self.charge(&result).ok()?;
        Some(result)
    }

    /// Holds a computed value against the limits.
    pub fn charge(&self, value: &Value) -> Result<(), Fault> {
        let limits = self.world.limits;
        let built = match &value.data {
            Data::String(text) if text.len() > limits.text_bytes => {
                return Err(Fault::limit(format!(
                    "a text of {} bytes, and the limit is {}",
                    text.len(),
                    limits.text_bytes
                )));
            }
            Data::String(text) => text.len() / 64,
            Data::Array(array) => array.len(),
            Data::Object(object) => object.len(),
            _ => 0,
        };
        let size = value.size();
        if size.weight > limits.value_weight || size.depth > limits.nesting {
            return Err(Fault::limit(format!(
                "a value of {} parts, {} deep: the limits are {} and {}",
                size.weight, size.depth, limits.value_weight, limits.nesting
            )));
        }
        self.world.step(built)
    }
}

/// So many combinations of possible arguments are tried.
const MAX_COMBINATIONS: usize = 16;

/// A function that is called with evaluated arguments.
enum Ordinary {
    Pure(fn(Args<'_>) -> Result<Value, Fault>),
    Scoped(fn(&Evaluator<'_>, Args<'_>, &Frames) -> Result<Value, Fault>),
}

impl Ordinary {
    fn run(
        &self,
        evaluator: &Evaluator<'_>,
        function: &'static Function,
        values: &[Value],
        frames: &Frames,
    ) -> Result<Value, Fault> {
        let args = Args::new(function.name, values, evaluator.world.limits);
        match self {
            Self::Pure(call) => call(args),
            Self::Scoped(call) => call(evaluator, args, frames),
        }
    }
}

/// A result is secret where a secret text went in, and where a text was made of something that holds a secret. Truth
/// values and numbers say too little to hide: `empty(secret)` is no secret.
fn mark(function: &Function, result: Value, arguments: &[Value]) -> Value {
    let secret = |value: &&Value| value.traits.has(Traits::SECRET);
    if !arguments.iter().any(|value| secret(&value)) || result.traits.has(Traits::SECRET) {
        return result;
    }
    let is_scalar = |value: &Value| !matches!(value.data, Data::Array(_) | Data::Object(_));
    let from_text = arguments.iter().filter(secret).any(is_scalar);
    if function.picks && !from_text {
        return result;
    }
    match result.kind() {
        Kind::Null | Kind::Bool | Kind::Int | Kind::Float => result,
        Kind::Array | Kind::Object if !from_text => result,
        _ => all_secret(result),
    }
}

/// The same value with everything in it a secret.
pub(crate) fn all_secret(value: Value) -> Value {
    let marked = match &value.data {
        Data::Array(array) => Value::array(array.iter().cloned().map(all_secret).collect()),
        Data::Object(object) => {
            let member = |it: &Member| Member { value: all_secret(it.value.clone()), ..it.clone() };
            Value::object(object.iter().map(member).collect())
        }
        // An empty text hides nothing, and would mask everything that it is pasted to.
        Data::String(text) if text.is_empty() => return value,
        _ => return value.with_traits(Traits::SECRET),
    };
    Value { span: value.span, via: value.via, ..marked }
}

/// Gives a computed value the chains of the arguments that it was made of, unless it has one of its own.
fn trace(result: Value, arguments: &[Value]) -> Value {
    if result.via.is_some() {
        return result;
    }
    let mut chains = arguments.iter().filter_map(|value| value.via.as_ref());
    let Some(first) = chains.next() else { return result };
    let via = match (chains.next(), result.span) {
        (None, None) => Arc::clone(first),
        (None, span) => Via::new(first.step.clone(), span, first.behind.iter().cloned()),
        (Some(second), _) => Via::new(Step::Combined, None, [first, second].into_iter().chain(chains).take(4).cloned()),
    };
    result.through(Some(via))
}

/// The unknown that a lazy function gives where its decision hangs on `cause`.
pub(crate) fn undecided(cause: &Unknown, kind: Kind, approximation: Option<Value>) -> Value {
    undecided_between(Vec::new(), cause, kind, approximation)
}

/// As [`undecided`], where the result can only be one of these, if there are any.
pub(crate) fn undecided_between(
    choices: Vec<Value>,
    cause: &Unknown,
    kind: Kind,
    approximation: Option<Value>,
) -> Value {
    Value::unknown(because_of(cause, kind, approximation).one_of(choices))
}
