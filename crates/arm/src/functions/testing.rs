//! Helpers that call functions from unit tests, without an evaluator.

use crate::fault::Fault;
use crate::functions::{Args, Call, lookup};
use crate::model::Limits;
use crate::value::{Kind, Unknown, Value};

#[track_caller]
fn invoke(name: &str, values: &[Value]) -> Result<Value, Fault> {
    let function = lookup(name).expect("the function exists");
    let Call::Pure(call) = function.call else { panic!("`{name}` needs an evaluator") };
    call(Args::new(function.name, values, &Limits::default()))
}

/// Calls a function and returns its result as JSON; `unknown KIND` for an unknown.
#[track_caller]
pub(super) fn call(name: &str, values: &[Value]) -> String {
    let value = invoke(name, values).expect("the call succeeds");
    match value.as_unknown() {
        Some(unknown) => format!("unknown {}", unknown.kind.as_str()),
        None => value.to_json(),
    }
}

/// Calls a function that must fail, and returns its message.
#[track_caller]
pub(super) fn fails(name: &str, values: &[Value]) -> String {
    invoke(name, values).expect_err("the call fails").to_string()
}

/// Returns an unknown string.
pub(super) fn unknown() -> Value {
    Value::unknown(Unknown::new(Kind::String, "a test says so"))
}

pub(super) fn array<T: Into<Value>>(items: impl IntoIterator<Item = T>) -> Value {
    Value::array(items.into_iter().map(Into::into).collect())
}
