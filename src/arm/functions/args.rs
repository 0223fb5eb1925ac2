//! Typed arguments: the one place that words what is wrong with them.

use crate::arm::fault::Fault;
use crate::model::Limits;
use crate::value::{Data, Kind, Object, Str, Traits, Unknown, Value};

/// How much of a text a message shows.
const CITED_CHARACTERS: usize = 60;

/// The evaluated arguments of one call. Their number is in the arity of the function already.
///
/// No argument *is* an unknown, unless the function keeps unknowns; but one may *hold* some
/// (`traits.has(Traits::UNKNOWN)`).
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    function: &'static str,
    values: &'a [Value],
    limits: &'a Limits,
}

impl<'a> Args<'a> {
    /// The arguments of a call of `function`.
    pub fn new(function: &'static str, values: &'a [Value], limits: &'a Limits) -> Self {
        Self { function, values, limits }
    }

    /// The bounds of the run.
    pub fn limits(self) -> &'a Limits {
        self.limits
    }

    /// The documented name of the function that is called.
    pub fn function(self) -> &'static str {
        self.function
    }

    /// The arguments as they are.
    pub fn values(self) -> &'a [Value] {
        self.values
    }

    /// How many there are.
    pub fn len(self) -> usize {
        self.values.len()
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.values.is_empty()
    }

    /// The argument at `index`, typed.
    pub fn at<T: FromValue<'a>>(self, index: usize) -> Result<T, Fault> {
        let value = self.values.get(index);
        T::from_value(value).ok_or_else(|| self.mismatch(index, T::WANTED))
    }

    /// All arguments, typed: `let (text, start): (&str, i64) = args.get()?`.
    pub fn get<T: FromArgs<'a>>(self) -> Result<T, Fault> {
        T::from_args(self)
    }

    /// What a function gives that reads everything inside its arguments. Where there is an unknown, that is an unknown
    /// of `kind` too, near to the result for the approximated arguments.
    pub fn known_throughout(
        self,
        kind: Kind,
        compute: impl FnOnce(Args<'_>) -> Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        let Some(unknown) = self.values.iter().find_map(Value::first_unknown) else {
            return compute(self);
        };
        let known: Vec<Value> = self.values.iter().map(Value::approximate).collect();
        // A failure may be owed to the approximation, so it says nothing of the deployment.
        Ok(Value::unknown(match compute(Args::new(self.function, &known, self.limits)) {
            Ok(result) => Unknown::like(kind, unknown.why.clone(), result),
            Err(_) => Unknown::new(kind, unknown.why.clone()),
        }))
    }

    /// A text that is the argument at `index`, or comes from it, as messages show it: cut where it is long, masked where
    /// it is secret.
    pub fn cite(self, index: usize, text: &str) -> String {
        if self.values.get(index).is_some_and(|value| value.traits.has(Traits::SECRET)) {
            return "a secret".to_owned();
        }
        match text.char_indices().nth(CITED_CHARACTERS) {
            Some((end, _)) => format!("`{}...`", &text[..end]),
            None => format!("`{text}`"),
        }
    }

    /// The fault of an argument that is not what the function wants, which is a noun phrase: `a string`.
    pub fn mismatch(self, index: usize, wanted: &str) -> Fault {
        let found = self.values.get(index).map_or("nothing", |value| article(value.kind()));
        Fault::arguments(format!("argument {} of `{}` must be {wanted}, found {found}", index + 1, self.function))
    }
}

/// A kind with its article, as messages name what they found.
pub(crate) fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Any => "a value",
        Kind::Null => "null",
        Kind::Bool => "a bool",
        Kind::Int => "an int",
        Kind::Float => "a float",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// A type that an argument may have.
pub trait FromValue<'a>: Sized {
    /// What a message says was wanted: a noun phrase.
    const WANTED: &'static str;

    /// The argument as this type, `None` if it does not fit. An absent argument is `None`.
    fn from_value(value: Option<&'a Value>) -> Option<Self>;
}

impl<'a> FromValue<'a> for &'a Value {
    const WANTED: &'static str = "a value";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value
    }
}

impl<'a> FromValue<'a> for &'a str {
    const WANTED: &'static str = "a string";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value?.as_str()
    }
}

impl<'a> FromValue<'a> for &'a Str {
    const WANTED: &'static str = "a string";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value?.as_shared_str()
    }
}

impl FromValue<'_> for i64 {
    const WANTED: &'static str = "an int";

    fn from_value(value: Option<&Value>) -> Option<Self> {
        value?.as_int()
    }
}

impl FromValue<'_> for bool {
    const WANTED: &'static str = "a bool";

    fn from_value(value: Option<&Value>) -> Option<Self> {
        value?.as_bool()
    }
}

impl<'a> FromValue<'a> for &'a [Value] {
    const WANTED: &'static str = "an array";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value?.as_array()
    }
}

impl<'a> FromValue<'a> for &'a Object {
    const WANTED: &'static str = "an object";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value?.as_object()
    }
}

/// An argument that may be absent. `null` counts as absent.
impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    const WANTED: &'static str = T::WANTED;

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        match value.map(|it| &it.data) {
            None | Some(Data::Null) => Some(None),
            Some(_) => T::from_value(value).map(Some),
        }
    }
}

/// A tuple of argument types.
pub trait FromArgs<'a>: Sized {
    /// The arguments as this tuple.
    fn from_args(args: Args<'a>) -> Result<Self, Fault>;
}

macro_rules! tuples {
    ($(($($name:ident $index:literal),+))*) => {$(
        impl<'a, $($name: FromValue<'a>),+> FromArgs<'a> for ($($name,)+) {
            fn from_args(args: Args<'a>) -> Result<Self, Fault> {
                Ok(($(args.at::<$name>($index)?,)+))
            }
        }
    )*};
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
}
