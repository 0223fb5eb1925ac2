//! The functions of the template language, one file a family.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions>.
//!
//! A family is a table sorted by name; adding its table to [`FAMILIES`] is the only registration. Arity, evaluation
//! of arguments and unknown arguments are dealt with in one place for all functions: the evaluator.

mod args;
mod array;
mod bounded;
mod cidr;
mod comparison;
mod date;
mod deployment;
mod encoding;
mod equality;
mod format;
mod hash;
mod json_text;
mod lambda;
mod lazy;
mod logical;
mod numeric;
mod object;
mod resource;
mod scope;
mod search;
mod string;
#[cfg(test)]
mod testing;
mod uri;
mod zones;

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use crate::arm::eval::{Evaluator, Frames};
use crate::arm::expr::Expr;
use crate::arm::fault::Fault;
use crate::text::did_you_mean;
use crate::value::{Kind, Value};

pub(crate) use self::args::{Args, FromValue, article};
pub(super) use self::hash::unique_text;

/// Every function table.
pub(crate) const FAMILIES: &[&[Function]] = &[
    array::FUNCTIONS,
    cidr::FUNCTIONS,
    comparison::FUNCTIONS,
    date::FUNCTIONS,
    deployment::FUNCTIONS,
    encoding::FUNCTIONS,
    format::FUNCTIONS,
    hash::FUNCTIONS,
    lambda::FUNCTIONS,
    lazy::FUNCTIONS,
    logical::FUNCTIONS,
    numeric::FUNCTIONS,
    object::FUNCTIONS,
    resource::FUNCTIONS,
    scope::FUNCTIONS,
    search::FUNCTIONS,
    string::FUNCTIONS,
    uri::FUNCTIONS,
    zones::FUNCTIONS,
];

/// How many arguments a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// At least so many.
    pub min: usize,
    /// At most so many.
    pub max: usize,
}

/// Exactly `n` arguments.
pub(crate) const fn exactly(n: usize) -> Arity {
    Arity { min: n, max: n }
}

/// `min` arguments or more.
pub(crate) const fn at_least(min: usize) -> Arity {
    Arity { min, max: usize::MAX }
}

/// From `min` to `max` arguments.
pub(crate) const fn between(min: usize, max: usize) -> Arity {
    Arity { min, max }
}

impl Arity {
    /// For messages: `2 arguments`, `at least 1 argument`, `1 to 3 arguments`.
    pub fn describe(self) -> String {
        let plural = |n: usize| if n == 1 { "argument" } else { "arguments" };
        match (self.min, self.max) {
            (min, max) if min == max => format!("{min} {}", plural(min)),
            (min, usize::MAX) => format!("at least {min} {}", plural(min)),
            (min, max) => format!("{min} to {max} arguments"),
        }
    }
}

/// One function of the language.
#[derive(Debug)]
pub struct Function {
    /// The name as documented. Calls may spell it in any case.
    pub name: &'static str,
    /// How many arguments it takes.
    pub arity: Arity,
    /// The kind of its result: the kind of the unknown that it gives for an unknown argument.
    pub returns: Kind,
    /// Whether it takes unknown arguments as they are. All others give an unknown where an argument *is* one; one that
    /// is deep inside an argument is theirs to mind (see [`Args`]).
    pub keeps_unknown: bool,
    /// Whether its result is a part of a compound argument as it is, which says by itself whether it is a secret.
    pub picks: bool,
    /// The implementation.
    pub call: Call,
}

/// The ways in which a function is called.
#[derive(Debug)]
pub enum Call {
    /// Depends on its arguments alone.
    Pure(fn(Args<'_>) -> Result<Value, Fault>),
    /// Also sees the deployment, and the loops and lambdas around the call.
    Scoped(fn(&Evaluator<'_>, Args<'_>, &Frames) -> Result<Value, Fault>),
    /// Gets its arguments unevaluated.
    Lazy(fn(&Evaluator<'_>, &[Expr], &Frames) -> Result<Value, Fault>),
}

/// A function of its arguments alone.
pub(crate) const fn pure(
    name: &'static str,
    arity: Arity,
    returns: Kind,
    call: fn(Args<'_>) -> Result<Value, Fault>,
) -> Function {
    Function { name, arity, returns, keeps_unknown: false, picks: false, call: Call::Pure(call) }
}

/// A function that also sees the deployment.
pub(crate) const fn scoped(
    name: &'static str,
    arity: Arity,
    returns: Kind,
    call: fn(&Evaluator<'_>, Args<'_>, &Frames) -> Result<Value, Fault>,
) -> Function {
    Function { name, arity, returns, keeps_unknown: false, picks: false, call: Call::Scoped(call) }
}

/// A function that evaluates its arguments itself.
pub(crate) const fn lazy(
    name: &'static str,
    arity: Arity,
    call: fn(&Evaluator<'_>, &[Expr], &Frames) -> Result<Value, Fault>,
) -> Function {
    Function { name, arity, returns: Kind::Any, keeps_unknown: true, picks: false, call: Call::Lazy(call) }
}

impl Function {
    /// The same function, handed unknown arguments as they are.
    #[must_use]
    pub(crate) const fn keeping_unknowns(mut self) -> Self {
        self.keeps_unknown = true;
        self
    }

    /// The same function, known to give a part of an argument.
    #[must_use]
    pub(crate) const fn picking(mut self) -> Self {
        self.picks = true;
        self
    }
}

static INDEX: LazyLock<FxHashMap<String, &'static Function>> = LazyLock::new(|| {
    let all = FAMILIES.iter().flat_map(|family| family.iter());
    all.map(|function| (function.name.to_ascii_lowercase(), function)).collect()
});

/// The function of a name in any spelling. Resource providers make up names that begin with `list`.
pub(crate) fn lookup(name: &str) -> Option<&'static Function> {
    let lower = name.to_ascii_lowercase();
    let found = INDEX.get(lower.as_str()).copied();
    found.or_else(|| lower.starts_with("list").then_some(&resource::LIST))
}

/// The end of a message about a name that is no function: see [`did_you_mean`].
pub(super) fn hint(name: &str) -> String {
    let all = FAMILIES.iter().flat_map(|family| family.iter());
    did_you_mean(name, all.map(|function| function.name))
}
