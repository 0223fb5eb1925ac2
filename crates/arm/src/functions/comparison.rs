//! Comparison functions.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-comparison>.
//! `coalesce` evaluates only the arguments that it needs, so it is in the `lazy` module.

use std::cmp::Ordering;

use crate::dotnet::culture;
use crate::fault::Fault;
use crate::functions::{Args, Function, ends, equality, exactly, pure};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("equals", exactly(2), Kind::Bool, equals).decided_by(ends::equals),
    pure("greater", exactly(2), Kind::Bool, greater),
    pure("greaterOrEquals", exactly(2), Kind::Bool, greater_or_equals),
    pure("less", exactly(2), Kind::Bool, less),
    pure("lessOrEquals", exactly(2), Kind::Bool, less_or_equals),
];

/// `equals(arg1, arg2)`: deep equality of any two values. Strings are case-sensitive; values of different kinds differ.
fn equals(args: Args<'_>) -> Result<Value, Fault> {
    let (a, b): (&Value, &Value) = args.get()?;
    match equality::same(a, b).to_bool() {
        Some(same) => Ok(Value::from(same)),
        None => Ok(equality::undecided(args.values(), Kind::Bool, Value::from(a.approximate().same(&b.approximate())))),
    }
}

/// `greater(arg1, arg2)`: `true` if the first argument orders after the second.
fn greater(args: Args<'_>) -> Result<Value, Fault> {
    order(args).map(|order| Value::from(order.is_gt()))
}

/// `greaterOrEquals(arg1, arg2)`: `true` if the first argument orders after the second, or equal to it.
fn greater_or_equals(args: Args<'_>) -> Result<Value, Fault> {
    order(args).map(|order| Value::from(order.is_ge()))
}

/// `less(arg1, arg2)`: `true` if the first argument orders before the second.
fn less(args: Args<'_>) -> Result<Value, Fault> {
    order(args).map(|order| Value::from(order.is_lt()))
}

/// `lessOrEquals(arg1, arg2)`: `true` if the first argument orders before the second, or equal to it.
fn less_or_equals(args: Args<'_>) -> Result<Value, Fault> {
    order(args).map(|order| Value::from(order.is_le()))
}

/// Orders numbers by value, and strings as the invariant culture does.
fn order(args: Args<'_>) -> Result<Ordering, Fault> {
    let (a, b): (&Value, &Value) = args.get()?;
    let order = match (&a.data, &b.data) {
        (Data::Int(a), Data::Int(b)) => Some(a.cmp(b)),
        (Data::String(a), Data::String(b)) => Some(culture::compare(a, b)),
        (Data::String(_), _) => return Err(args.mismatch(1, "a string like the first")),
        // An integer is compared with a float as its nearest float.
        _ => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a.partial_cmp(&b),
            (Some(_), None) => return Err(args.mismatch(1, "a number like the first")),
            (None, _) => return Err(args.mismatch(0, "a number or a string")),
        },
    };
    order.ok_or_else(|| Fault::failed("the numbers cannot be ordered"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::{array, call, fails, unknown};

    #[test]
    fn equality_is_deep_and_by_kind() {
        assert_eq!(call("equals", &["1".into(), 1.into()]), "false");
        assert_eq!(call("equals", &[Value::NULL, "".into()]), "false");
        assert_eq!(call("equals", &[array(["a", "b"]), array(["a", "b"])]), "true");
        assert_eq!(call("equals", &[array(["a", "b"]), array(["b", "a"])]), "false");
    }

    #[test]
    fn an_unknown_item_matters_only_if_the_rest_is_equal() {
        let open = |first: &str| Value::array(vec![first.into(), unknown()]);
        assert_eq!(call("equals", &[open("a"), open("b")]), "false");
        assert_eq!(call("equals", &[open("a"), array(["a"])]), "false");
        assert_eq!(call("equals", &[open("a"), array(["a", "x"])]), "unknown bool");
        assert_eq!(call("equals", &[open("a"), open("a")]), "unknown bool");
    }

    #[test]
    fn order_needs_two_of_a_kind() {
        assert_eq!(call("less", &[1.into(), 1.5.into()]), "true");
        assert_eq!(call("greater", &["A".into(), "a".into()]), "true");
        assert_eq!(
            fails("less", &[1.into(), "2".into()]),
            "argument 2 of `less` must be a number like the first, found a string"
        );
        assert_eq!(
            fails("less", &[Value::NULL, 2.into()]),
            "argument 1 of `less` must be a number or a string, found null"
        );
    }
}
