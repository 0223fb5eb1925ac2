//! Boolean functions that evaluate all their arguments. `and`, `or` and `if` are in the `lazy` module.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-logical>.

use crate::fault::Fault;
use crate::functions::{Args, Function, exactly, pure};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("bool", exactly(1), Kind::Bool, bool_of),
    pure("false", exactly(0), Kind::Bool, |_| Ok(Value::from(false))),
    pure("not", exactly(1), Kind::Bool, not),
    pure("true", exactly(0), Kind::Bool, |_| Ok(Value::from(true))),
];

/// `bool(arg1)`: converts `true` and `false` (case-insensitive), and numbers, which are true unless they are 0.
fn bool_of(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    match &value.data {
        Data::Bool(value) => Ok(Value::from(*value)),
        Data::Int(number) => Ok(Value::from(*number != 0)),
        Data::String(text) => match text.trim() {
            word if word.eq_ignore_ascii_case("true") => Ok(Value::from(true)),
            word if word.eq_ignore_ascii_case("false") => Ok(Value::from(false)),
            other => Err(Fault::failed(format!("`{other}` is not a Boolean; expected `true` or `false`"))),
        },
        _ => Err(args.mismatch(0, "a Boolean, an integer or a string")),
    }
}

/// Returns the opposite of a Boolean: `not(arg1)`.
fn not(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (bool,) = args.get()?;
    Ok(Value::from(!value))
}
