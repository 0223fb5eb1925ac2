//! Typed arguments, and the messages for arguments of the wrong type.

use crate::fault::Fault;
use crate::model::Limits;
use crate::value::{Data, Kind, Object, SECRET, Traits, Unknown, Value};

/// Maximum number of characters of a string that a message quotes.
const CITED_CHARACTERS: usize = 60;

/// The evaluated arguments of one call. The evaluator has already checked their number against the function's arity.
///
/// No argument *is* an unknown, unless the function is marked as keeping unknowns; but an array or object may *contain*
/// some (`traits.has(Traits::UNKNOWN)`).
#[derive(Clone, Copy, Debug)]
pub struct Args<'a> {
    function: &'static str,
    values: &'a [Value],
    limits: &'a Limits,
}

impl<'a> Args<'a> {
    /// Wraps the arguments of a call to `function`, given by its documented name.
    pub fn new(function: &'static str, values: &'a [Value], limits: &'a Limits) -> Self {
        Self { function, values, limits }
    }

    /// Returns the limits of the run.
    pub fn limits(self) -> &'a Limits {
        self.limits
    }

    /// Returns the documented name of the called function.
    pub fn function(self) -> &'static str {
        self.function
    }

    /// Returns all arguments, without a check of their types.
    pub fn values(self) -> &'a [Value] {
        self.values
    }

    /// Returns the number of arguments.
    pub(crate) fn len(self) -> usize {
        self.values.len()
    }

    /// Returns the argument at `index` as a `T`, or a fault that names the expected type.
    pub fn at<T: FromValue<'a>>(self, index: usize) -> Result<T, Fault> {
        let value = self.values.get(index);
        T::from_value(value).ok_or_else(|| self.mismatch(index, T::EXPECTED))
    }

    /// Returns the leading arguments as a tuple: `let (text, start): (&str, i64) = args.get()?`.
    pub fn get<T: FromArgs<'a>>(self) -> Result<T, Fault> {
        T::from_args(self)
    }

    /// Runs a function that reads everything inside its arguments. If any of it is unknown, the result is an unknown of
    /// `kind`, approximated by the result for the approximated arguments.
    pub fn known_throughout(
        self,
        kind: Kind,
        compute: impl FnOnce(Args<'_>) -> Result<Value, Fault>,
    ) -> Result<Value, Fault> {
        let Some(unknown) = self.values.iter().find_map(Value::first_unknown) else {
            return compute(self);
        };
        let known: Vec<Value> = self.values.iter().map(Value::approximate).collect();
        // The approximation itself may cause a failure, so a failure says nothing about the deployment.
        Ok(Value::unknown(match compute(Args::new(self.function, &known, self.limits)) {
            Ok(result) => Unknown::like(kind, unknown.why.clone(), result),
            Err(_) => Unknown::new(kind, unknown.why.clone()),
        }))
    }

    /// Quotes `text`, which is the argument at `index` or part of it, for a message: shortened if it is long, masked if
    /// the argument is a secret.
    pub fn cite(self, index: usize, text: &str) -> String {
        if self.values.get(index).is_some_and(|value| value.traits.has(Traits::SECRET)) {
            return "a secret".to_owned();
        }
        let end = text.char_indices().nth(CITED_CHARACTERS).map(|(end, _)| end);
        match end.and_then(|end| text.get(..end)) {
            Some(start) => format!("`{start}...`"),
            None => format!("`{text}`"),
        }
    }

    /// Returns `text`, which is the argument at `index` or part of it, for a message: masked if the argument is a
    /// secret.
    pub fn shown(self, index: usize, text: &'a str) -> &'a str {
        let is_secret = self.values.get(index).is_some_and(|value| value.traits.has(Traits::SECRET));
        if is_secret { SECRET } else { text }
    }

    /// Returns the fault for an argument of the wrong type. `expected` is a noun phrase: `a string`.
    pub fn mismatch(self, index: usize, expected: &str) -> Fault {
        let found = self.values.get(index).map_or("nothing", |value| article(value.kind()));
        Fault::arguments(format!("argument {} of `{}` must be {expected}, found {found}", index + 1, self.function))
    }

    /// Returns the fault for a string of the right type but with a value that the function does not accept.
    pub fn invalid(self, index: usize, expected: &str, text: &str) -> Fault {
        let found = self.cite(index, text);
        Fault::arguments(format!("argument {} of `{}` must be {expected}, found {found}", index + 1, self.function))
    }
}

/// Returns the noun phrase that messages use for a value of this kind: `an array`.
pub fn article(kind: Kind) -> &'static str {
    match kind {
        Kind::Any => "a value",
        Kind::Null => "null",
        Kind::Bool => "a Boolean",
        Kind::Int => "an integer",
        Kind::Float => "a float",
        Kind::String => "a string",
        Kind::Array => "an array",
        Kind::Object => "an object",
    }
}

/// A Rust type that an argument can be read as.
pub trait FromValue<'a>: Sized {
    /// Noun phrase for the expected value in messages.
    const EXPECTED: &'static str;

    /// Returns the argument as this type, or `None` if it has another. `value` is `None` for an argument that is
    /// absent.
    fn from_value(value: Option<&'a Value>) -> Option<Self>;
}

impl<'a> FromValue<'a> for &'a Value {
    const EXPECTED: &'static str = "a value";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value
    }
}

impl<'a> FromValue<'a> for &'a str {
    const EXPECTED: &'static str = "a string";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value?.as_str()
    }
}

impl FromValue<'_> for i64 {
    const EXPECTED: &'static str = "an integer";

    fn from_value(value: Option<&Value>) -> Option<Self> {
        value?.as_int()
    }
}

impl FromValue<'_> for bool {
    const EXPECTED: &'static str = "a Boolean";

    fn from_value(value: Option<&Value>) -> Option<Self> {
        value?.as_bool()
    }
}

impl<'a> FromValue<'a> for &'a [Value] {
    const EXPECTED: &'static str = "an array";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value?.as_array()
    }
}

impl<'a> FromValue<'a> for &'a Object {
    const EXPECTED: &'static str = "an object";

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        value?.as_object()
    }
}

/// An optional argument. `null` counts as absent.
impl<'a, T: FromValue<'a>> FromValue<'a> for Option<T> {
    const EXPECTED: &'static str = T::EXPECTED;

    fn from_value(value: Option<&'a Value>) -> Option<Self> {
        match value.map(|value| &value.data) {
            None | Some(Data::Null) => Some(None),
            Some(_) => T::from_value(value).map(Some),
        }
    }
}

/// A tuple of types that a list of arguments can be read as.
pub trait FromArgs<'a>: Sized {
    /// Returns the leading arguments as this tuple, or a fault for the first of the wrong type.
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

// Functions with more arguments read the others with `Args::at`.
tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
}
