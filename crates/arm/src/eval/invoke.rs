//! Calls of built-in functions. Arity, evaluation of arguments, unknowns, secrets, provenance and limits are handled
//! here for all functions.

use std::sync::Arc;

use crate::artifacts;
use crate::eval::access::{because_of, is_wholly_secret};
use crate::eval::frame::Frames;
use crate::eval::placeholder::marked;
use crate::eval::{Evaluator, World};
use crate::expr::Expr;
use crate::fault::Fault;
use crate::functions::{Args, Call, Function};
use crate::value::{Data, Ends, Kind, Step, Traits, Unknown, Value, Via, held_bytes};

/// The functions that build the ID of a resource.
const RESOURCE_IDS: [&str; 5] =
    ["resourceId", "subscriptionResourceId", "tenantResourceId", "extensionResourceId", "managementGroupResourceId"];

impl Evaluator<'_> {
    /// Calls a function with unevaluated arguments.
    pub(super) fn invoke(
        &self,
        function: &'static Function,
        arguments: &[Expr],
        frames: &Frames,
    ) -> Result<Value, Fault> {
        self.world.step(1)?;
        let arity = function.arity;
        if arguments.len() < arity.min || arguments.len() > arity.max {
            let expected = arity.describe();
            return Err(Fault::arity(format!("`{}` takes {expected}, found {}", function.name, arguments.len())));
        }
        let call = match function.call {
            // A lazy function handles unknowns, provenance and limits itself.
            Call::Lazy(call) => return call(self, arguments, frames),
            Call::Pure(call) => Ordinary::Pure(call),
            Call::Scoped(call) => Ordinary::Scoped(call),
        };
        let values = arguments.iter().map(|argument| self.eval(argument, frames)).collect::<Result<Vec<_>, _>>()?;
        self.world.step(values.iter().map(cost).sum())?;
        self.apply(function, &call, &values, frames)
    }

    /// Calls a function with evaluated arguments. If one of them is unknown, so is the result, unless the function keeps
    /// unknowns or returns the same value for every choice of them.
    fn apply(
        &self,
        function: &'static Function,
        call: &Ordinary,
        values: &[Value],
        frames: &Frames,
    ) -> Result<Value, Fault> {
        let unknown = values.iter().find_map(|value| value.as_unknown());
        let Some(cause) = unknown.filter(|_| !function.keeps_unknown) else {
            let before = held_bytes();
            let result = call.run(self, function, values, frames).map_err(|fault| fault.without_secrets(values))?;
            // What is in the result may be shared, or all of it new.
            self.world.step(held_bytes().saturating_sub(before) / size_of::<Value>())?;
            self.charge(&result)?;
            let result = self.with_placeholder_mark(function, call, result, values);
            return Ok(trace(function, mark(self.world, function, result, values), values));
        };
        let args = Args::new(function.name, values, self.world.limits);
        if let Some(decided) = function.decides.and_then(|decides| decides(args)) {
            let decided = Value::from(decided);
            let is_certain = values.iter().all(|value| value.as_unknown().is_some() || !is_placeholder(value));
            let decided = if is_certain { decided } else { marked(function, decided, values) };
            return Ok(trace(function, decided, values));
        }
        let choices = self.each_choice(function, call, values, frames).unwrap_or_default();
        if let Some((first, others)) = choices.split_first()
            && others.iter().all(|other| other.same(first))
        {
            return Ok(trace(function, marked(function, first.clone(), values), values));
        }
        // The results differ, or cannot be listed.
        let approximation = self.approximate(function, call, values, frames);
        let has_path = approximation.as_ref().is_some_and(|uri| artifacts::keeps_path(function.name, values, uri));
        let ends = function.ends.map(|ends| ends(args)).unwrap_or_default();
        let kind = if ends == Ends::default() { function.returns } else { Kind::String };
        let unknown = because_of(cause, kind, approximation).one_of(choices).between(ends);
        let unknown = marked(function, Value::unknown(unknown).with_traits(assumed(values)), values);
        let unknown = unknown.with_traits(form_of(function, values));
        let unknown = if has_path { unknown.with_traits(Traits::PATH) } else { unknown };
        Ok(trace(function, mark(self.world, function, unknown, values), values))
    }

    /// Marks a known result if it depends on a placeholder among the arguments or in the scope.
    fn with_placeholder_mark(
        &self,
        function: &'static Function,
        call: &Ordinary,
        result: Value,
        values: &[Value],
    ) -> Value {
        let context = self.world.context;
        let is_intact = |value: &Value| value.as_str().is_some() && value.traits.has(Traits::INTACT);
        let keeps_parts = values.iter().all(|value| !is_placeholder(value) || is_intact(value));
        if let (Ordinary::Scoped(_), Data::String(text)) = (call, &result.data)
            && RESOURCE_IDS.contains(&function.name)
        {
            let is_certain = keeps_parts && context.is_own(&self.level.scope.id());
            let traits = context.traits_of(text);
            let traits = if is_certain && traits.has(Traits::PLACEHOLDER) { traits | Traits::INTACT } else { traits };
            return marked(function, result.with_traits(traits), values);
        }
        if !values.iter().any(is_placeholder) || self.is_certain(function, values) {
            return result;
        }
        let is_composed = matches!(function.name, "concat" | "format" | "toLower" | "toUpper");
        let result = marked(function, result, values).with_traits(form_of(function, values));
        if is_composed && keeps_parts && result.as_str().is_some() {
            result.with_traits(Traits::INTACT)
        } else {
            result
        }
    }

    /// Returns `true` if the result does not depend on the placeholders in the arguments, because the text around them
    /// decides it.
    fn is_certain(&self, function: &'static Function, values: &[Value]) -> bool {
        let Some(decides) = function.decides else { return false };
        let open = |value: &Value| {
            let text = value.as_str().filter(|_| value.traits.has(Traits::INTACT))?;
            let ends = self.world.context.ends_of(text)?;
            Some(Value::unknown(Unknown::new(Kind::String, "").between(ends)))
        };
        let values: Vec<Value> = values.iter().map(|value| open(value).unwrap_or_else(|| value.clone())).collect();
        !values.iter().any(is_placeholder) && decides(Args::new(function.name, &values, self.world.limits)).is_some()
    }

    /// Returns the results for every combination of the possible values of the arguments. `None` if these cannot be
    /// listed, are too many, or if the function fails for one of them.
    fn each_choice(
        &self,
        function: &'static Function,
        call: &Ordinary,
        values: &[Value],
        frames: &Frames,
    ) -> Option<Vec<Value>> {
        let mut combinations: Vec<Vec<Value>> = vec![Vec::with_capacity(values.len())];
        for value in values {
            // An unknown nested inside an argument is handled by the function itself.
            let choices = if value.as_unknown().is_some() { value.choices()? } else { std::slice::from_ref(value) };
            if combinations.len() * choices.len() > MAX_COMBINATIONS {
                return None;
            }
            let extended = |combination: &Vec<Value>| {
                let with = |choice: &Value| combination.iter().chain([choice]).cloned().collect();
                choices.iter().map(with).collect::<Vec<_>>()
            };
            combinations = combinations.iter().flat_map(extended).collect();
        }
        let result = |values: Vec<Value>| {
            let result = call.run(self, function, &values, frames).ok()?;
            self.charge(&result).ok()?;
            Some(mark(self.world, function, marked(function, result, &values), &values))
        };
        combinations.into_iter().map(result).collect()
    }

    /// Returns the result for the approximations of the arguments. If the function fails for them, unknowns of any kind
    /// are replaced by empty strings, which most functions accept.
    fn approximate(
        &self,
        function: &'static Function,
        call: &Ordinary,
        values: &[Value],
        frames: &Frames,
    ) -> Option<Value> {
        // Once a limit is exceeded, no more work is done for what is only shown.
        self.world.step(0).ok()?;
        let known: Vec<Value> = values.iter().map(Value::approximate).collect();
        let with_strings = || {
            values.iter().zip(&known).map(|(value, known)| match value.as_unknown() {
                Some(unknown) if unknown.kind == Kind::Any => Value::from("").with_traits(known.traits),
                _ => known.clone(),
            })
        };
        let run = |values: &[Value]| call.run(self, function, values, frames).ok();
        let result = run(&known).or_else(|| run(&with_strings().collect::<Vec<_>>()))?;
        self.charge(&result).ok()?;
        Some(result)
    }

    /// Checks a computed value against the limits, and charges its size as steps.
    pub fn charge(&self, value: &Value) -> Result<(), Fault> {
        let limits = self.world.limits;
        self.fits(value)?;
        // What an unknown looks like has been built, too.
        let shown = value.as_unknown().map_or(value, |unknown| &unknown.approximation);
        let built = match &shown.data {
            Data::String(text) if text.len() > limits.text_bytes => {
                return Err(Fault::limit(format!(
                    "the string has {} bytes; the limit is {}",
                    text.len(),
                    limits.text_bytes
                )));
            }
            // Copying bytes is much cheaper than a step.
            Data::String(text) => text.len() / BYTES_IN_STEP,
            Data::Array(array) => array.len(),
            Data::Object(object) => object.len(),
            _ => 0,
        };
        self.world.step(built)
    }

    /// Checks the size of a value against the limits.
    pub(super) fn fits(&self, value: &Value) -> Result<(), Fault> {
        let (size, nesting) = (value.size(), self.world.limits.nesting);
        let weight_limit = self.world.budget.weight_limit();
        if size.weight as usize > weight_limit || size.depth > nesting {
            return Err(Fault::limit(format!(
                "the value has {} parts and is nested {} levels deep; the limits are {} and {}",
                size.weight, size.depth, weight_limit, nesting
            )));
        }
        Ok(())
    }
}

fn is_placeholder(value: &Value) -> bool {
    value.traits.has(Traits::PLACEHOLDER)
}

/// Returns [`Traits::FORMED`] if the result of a function depends on placeholders among the arguments, but its length
/// and characters are of a known form.
fn form_of(function: &Function, values: &[Value]) -> Traits {
    const HASHES: &[&str] = &["guid", "uniqueString"];
    const KEEPING: &[&str] = &["concat", "format", "substring", "take", "toLower", "toUpper"];
    let is_formed = |value: &Value| value.traits.has(Traits::FORMED);
    let is_sure = |value: &Value| !is_placeholder(value) || is_formed(value);
    let is_hash = HASHES.contains(&function.name) && values.iter().any(is_placeholder);
    let keeps = KEEPING.contains(&function.name) && values.iter().any(is_formed) && values.iter().all(is_sure);
    if is_hash || keeps { Traits::FORMED } else { Traits::NONE }
}

/// Number of bytes of a string that count as one step.
const BYTES_IN_STEP: usize = 16;

/// Returns the number of steps for reading an argument. A function may read everything in it. If parts are unknown, the
/// call is repeated for an approximation, which is a copy.
fn cost(argument: &Value) -> usize {
    let weight = argument.size().weight as usize;
    match &argument.data {
        Data::String(text) => text.len() / (4 * BYTES_IN_STEP),
        _ if argument.traits.has(Traits::UNKNOWN) => weight,
        _ => weight / 4,
    }
}

/// Maximum number of combinations of possible arguments to try.
const MAX_COMBINATIONS: usize = 16;

/// The implementation of a function that takes evaluated arguments.
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

/// Marks a result as a secret if an argument is a secret string, or if it is a string made from an array or object that
/// contains a secret. Booleans and numbers reveal too little to hide: `empty(secret)` is not a secret.
fn mark(world: &World<'_>, function: &Function, result: Value, arguments: &[Value]) -> Value {
    let is_secret = |value: &&Value| value.traits.has(Traits::SECRET);
    // The state of a resource has its own marks. That its name is a secret makes none of the rest one.
    let is_state = function.name.starts_with("reference");
    if is_state || !arguments.iter().any(|value| is_secret(&value)) {
        return result;
    }
    if has_secret_name(world, &result, arguments) {
        let why = "the name of a property of the object is a secret";
        return Value::unknown(Unknown::new(Kind::Object, why)).with_traits(Traits::SECRET);
    }
    if result.traits.has(Traits::SECRET) {
        return result;
    }
    let from_whole = arguments.iter().filter(is_secret).any(is_wholly_secret);
    if function.picks && !from_whole {
        return result;
    }
    match result.kind() {
        Kind::Null | Kind::Bool | Kind::Int | Kind::Float => result,
        // Its parts keep their own marks.
        Kind::Array | Kind::Object if !from_whole => result,
        _ => result.into_secret(),
    }
}

/// Returns [`Traits::ASSUMED`] if there are unknowns among the values, and all of them have the trait.
pub fn assumed<'a>(values: impl IntoIterator<Item = &'a Value>) -> Traits {
    let mut unknown = values.into_iter().filter(|value| value.as_unknown().is_some()).peekable();
    let is_any = unknown.peek().is_some();
    if is_any && unknown.all(|value| value.traits.has(Traits::ASSUMED)) { Traits::ASSUMED } else { Traits::NONE }
}

/// True if the function made the name of a property from a secret: from one of its arguments, as `createObject` does, or from
/// a part of one, as `json` does. Names have no marks of their own.
fn has_secret_name(world: &World<'_>, result: &Value, arguments: &[Value]) -> bool {
    let secrets = arguments.iter().filter(|value| value.traits.has(Traits::SECRET)).filter_map(Value::as_str);
    let mut secrets = secrets.filter(|secret| !secret.is_empty()).peekable();
    if secrets.peek().is_none() {
        return false;
    }
    let is_named = |secret: &str| result.as_object().into_iter().flatten().any(|member| member.key.contains(secret));
    secrets.any(is_named) || world.has_secret_names(result)
}

/// Gives a computed value the provenance of its arguments, unless it has its own, and the source of the secret in it.
fn trace(function: &Function, result: Value, arguments: &[Value]) -> Value {
    let sources = || {
        let vias = arguments.iter().chain([&result]).filter_map(Value::secret_via);
        vias.filter_map(|via| via.secret.clone())
    };
    // What is only beside a secret does not hide one.
    let source = sources().find(|source| !source.is_plain).or_else(|| sources().next());
    let is_traced = result.via.is_some();
    let result = follow(function, result, arguments);
    if is_traced || !result.traits.has(Traits::SECRET) {
        return result.with_secret_source(source.as_ref());
    }
    // The first of the arguments may come from another secret, of which nothing is left, such as its length.
    let via = result.via.as_ref().map(|via| via.with_secret(source.as_ref()));
    result.through(via).with_secret_source(source.as_ref())
}

fn follow(function: &Function, result: Value, arguments: &[Value]) -> Value {
    if result.via.is_some() {
        return result;
    }
    let mut chains = arguments.iter().filter_map(|value| value.via.as_ref());
    let Some(first) = chains.next() else { return result };
    // Arguments only say whose state these functions return.
    let is_state = function.name.starts_with("reference") || function.name.starts_with("list");
    let via = match (chains.next(), result.span) {
        (None, _) if is_state => Via::new(Step::Combined, None, [Arc::clone(first)]),
        (None, None) => Arc::clone(first),
        (None, span) => {
            Via::new(first.step.clone(), span, first.earlier.iter().cloned()).with_secret(first.secret.as_ref())
        }
        (Some(second), _) => Via::new(Step::Combined, None, [first, second].into_iter().chain(chains).take(4).cloned()),
    };
    result.through(Some(via))
}

/// Returns the unknown that a lazy function returns when its decision depends on `cause`.
pub fn undecided(cause: &Unknown, kind: Kind, approximation: Option<Value>) -> Value {
    undecided_between(Vec::new(), cause, kind, approximation)
}

/// Returns an unknown like [`undecided`], for a result that can only be one of `choices`. If these are empty, any
/// result is possible.
pub fn undecided_between(choices: Vec<Value>, cause: &Unknown, kind: Kind, approximation: Option<Value>) -> Value {
    Value::unknown(because_of(cause, kind, approximation).one_of(choices))
}
