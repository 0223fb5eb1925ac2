//! The functions of the template language, one file per family.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions>.
//!
//! A family is a table sorted by name; adding its table to [`FAMILIES`] is the only registration. The evaluator checks the
//! arity, evaluates the arguments and handles unknown ones in one place for all functions.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod args;
mod array;
mod bounded;
mod cidr;
mod comparison;
mod date;
mod deployment;
mod encoding;
mod ends;
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

use foldhash::HashMap;

use crate::eval::{Evaluator, Frames};
use crate::expr::Expr;
use crate::fault::Fault;
use crate::text::{Suggestions, with_lower_case};
use crate::value::{Ends, Kind, Value};

pub use self::args::{Args, FromValue, article};
pub(super) use self::hash::{NEW_GUID, murmur64, unique_text};

/// The tables of all families; names are unique across them.
pub const FAMILIES: &[&[Function]] = &[
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

/// Number of arguments that a function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// The smallest number of arguments.
    pub min: usize,
    /// The largest number of arguments; `usize::MAX` if there is no limit.
    pub max: usize,
}

/// Returns the arity of a function that always takes `n` arguments.
pub const fn exactly(n: usize) -> Arity {
    Arity { min: n, max: n }
}

/// Returns the arity of a function that takes `min` arguments or more.
pub const fn at_least(min: usize) -> Arity {
    Arity { min, max: usize::MAX }
}

/// Returns the arity of a function with `min` required and `max - min` optional arguments.
pub const fn between(min: usize, max: usize) -> Arity {
    Arity { min, max }
}

impl Arity {
    /// Returns the arity in words, for messages: `2 arguments`, `at least 1 argument`, `1 or 2 arguments`.
    pub fn describe(self) -> String {
        let plural = |n: usize| if n == 1 { "argument" } else { "arguments" };
        match (self.min, self.max) {
            (min, max) if min == max => format!("{min} {}", plural(min)),
            (min, usize::MAX) => format!("at least {min} {}", plural(min)),
            (min, max) if max == min + 1 => format!("{min} or {max} arguments"),
            (min, max) => format!("{min} to {max} arguments"),
        }
    }
}

/// A built-in function of the language.
#[derive(Debug)]
pub struct Function {
    /// The name as documented. Calls are case-insensitive.
    pub name: &'static str,
    /// Number of arguments that the function takes.
    pub arity: Arity,
    /// The kind of the result, also for the unknown that an unknown argument leads to.
    pub returns: Kind,
    /// True if the function is called with unknown arguments. All other functions return an unknown without being
    /// called if an argument *is* one; unknowns nested inside an argument are their own responsibility (see [`Args`]).
    pub keeps_unknown: bool,
    /// True if the function returns a part of an array or object unchanged, so that the result is a secret only if that
    /// part is.
    pub picks: bool,
    /// Computes the certain parts of the result, a string, if an argument is unknown.
    pub ends: Option<fn(Args<'_>) -> Ends>,
    /// Computes the result, a Boolean, if the certain parts of an unknown argument decide it.
    pub decides: Option<fn(Args<'_>) -> Option<bool>>,
    /// Computes a property of the result, if that is faster than the whole. Only functions without arguments have one.
    pub property: Option<fn(&Evaluator<'_>, &str) -> Option<Value>>,
    /// The implementation.
    pub call: Call,
}

/// Implementation of a function, by the inputs that it sees.
#[derive(Debug)]
pub enum Call {
    /// Depends only on its evaluated arguments.
    Pure(fn(Args<'_>) -> Result<Value, Fault>),
    /// Also sees the deployment, and the loops and lambdas around the call.
    Scoped(fn(&Evaluator<'_>, Args<'_>, &Frames) -> Result<Value, Fault>),
    /// Gets its arguments unevaluated, and decides which of them to evaluate.
    Lazy(fn(&Evaluator<'_>, &[Expr], &Frames) -> Result<Value, Fault>),
}

/// Returns the table entry of a function that depends only on its arguments.
pub const fn pure(
    name: &'static str,
    arity: Arity,
    returns: Kind,
    call: fn(Args<'_>) -> Result<Value, Fault>,
) -> Function {
    Function::new(name, arity, returns, Call::Pure(call))
}

/// Returns the table entry of a function that also sees the deployment.
pub const fn scoped(
    name: &'static str,
    arity: Arity,
    returns: Kind,
    call: fn(&Evaluator<'_>, Args<'_>, &Frames) -> Result<Value, Fault>,
) -> Function {
    Function::new(name, arity, returns, Call::Scoped(call))
}

/// Returns the table entry of a function that evaluates its arguments itself.
pub const fn lazy(
    name: &'static str,
    arity: Arity,
    call: fn(&Evaluator<'_>, &[Expr], &Frames) -> Result<Value, Fault>,
) -> Function {
    Function::new(name, arity, Kind::Any, Call::Lazy(call)).keeping_unknowns()
}

impl Function {
    const fn new(name: &'static str, arity: Arity, returns: Kind, call: Call) -> Self {
        Self {
            name,
            arity,
            returns,
            keeps_unknown: false,
            picks: false,
            ends: None,
            decides: None,
            property: None,
            call,
        }
    }

    /// Marks the function as called with unknown arguments: see [`Function::keeps_unknown`].
    #[must_use]
    pub const fn keeping_unknowns(mut self) -> Self {
        self.keeps_unknown = true;
        self
    }

    /// Marks the function as returning a part of an argument: see [`Function::picks`].
    #[must_use]
    pub const fn picking(mut self) -> Self {
        self.picks = true;
        self
    }

    /// Sets the function that computes the certain parts of an unknown result: see [`Function::ends`].
    #[must_use]
    pub const fn with_ends(mut self, ends: fn(Args<'_>) -> Ends) -> Self {
        self.ends = Some(ends);
        self
    }

    /// Sets the function that decides the result by the certain parts of unknown arguments: see [`Function::decides`].
    #[must_use]
    pub const fn decided_by(mut self, decides: fn(Args<'_>) -> Option<bool>) -> Self {
        self.decides = Some(decides);
        self
    }

    /// Sets the function that finds a property of the result without the whole: see [`Function::property`].
    #[must_use]
    pub const fn with_property(mut self, property: fn(&Evaluator<'_>, &str) -> Option<Value>) -> Self {
        self.property = Some(property);
        self
    }
}

/// Functions by their documented names, the usual spelling in templates, and by their names in lower case.
static INDEX: LazyLock<HashMap<String, &'static Function>> = LazyLock::new(|| {
    let all = FAMILIES.iter().flat_map(|family| family.iter());
    let names = |function: &Function| [function.name.to_owned(), function.name.to_ascii_lowercase()];
    all.flat_map(|function| names(function).map(|name| (name, function))).collect()
});

/// Prefix of the names of resource operations that return secrets.
const LIST: &str = "list";

/// Looks up a built-in function, case-insensitively. Any name that begins with `list` is one, since resource providers
/// define their own.
pub fn lookup(name: &str) -> Option<&'static Function> {
    let found = INDEX.get(name).or_else(|| with_lower_case(name, |lower| INDEX.get(lower)));
    found.copied().or_else(|| {
        let known = resource::KNOWN_LISTS.iter().find(|function| function.name.eq_ignore_ascii_case(name));
        let is_list = name.get(..LIST.len()).is_some_and(|start| start.eq_ignore_ascii_case(LIST));
        is_list.then(|| known.unwrap_or(&resource::LIST))
    })
}

/// Returns the suggestion at the end of a message about a name that is not a function.
pub(super) fn hint(name: &str, suggestions: &Suggestions) -> String {
    let all = FAMILIES.iter().flat_map(|family| family.iter());
    suggestions.did_you_mean(name, all.map(|function| function.name))
}
