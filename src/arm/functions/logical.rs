//! Functions of truth values that evaluate all their arguments.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-logical>.

use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Function, exactly, pure};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("bool", exactly(1), Kind::Bool, bool_of),
    pure("false", exactly(0), Kind::Bool, |_| Ok(Value::from(false))),
    pure("not", exactly(1), Kind::Bool, not),
    pure("true", exactly(0), Kind::Bool, |_| Ok(Value::from(true))),
];

/// `bool(value)`: of `true` and `false` in any case, and of a number, which is true unless it is 0.
fn bool_of(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    match &value.data {
        Data::Bool(value) => Ok(Value::from(*value)),
        Data::Int(number) => Ok(Value::from(*number != 0)),
        Data::String(text) => match text.trim() {
            it if it.eq_ignore_ascii_case("true") => Ok(Value::from(true)),
            it if it.eq_ignore_ascii_case("false") => Ok(Value::from(false)),
            it => Err(Fault::failed(format!("`{it}` is neither `true` nor `false`"))),
        },
        _ => Err(args.mismatch(0, "a bool, an int or a string")),
    }
}

/// `not(argument1)`
fn not(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (bool,) = args.get()?;
    Ok(Value::from(!value))
}
