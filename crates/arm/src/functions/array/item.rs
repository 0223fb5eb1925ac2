//! Access to single items by position or key, including the forms that allow for absent ones.

use crate::eval::part;
use crate::fault::Fault;
use crate::functions::Args;
use crate::value::{Data, Kind, Object, Unknown, Value};

/// `indexFromEnd(sourceArray, reverseIndex)`: the item at a position counted from the end, where 1 is the last.
pub(super) fn index_from_end(args: Args<'_>) -> Result<Value, Fault> {
    let (items, index): (&[Value], i64) = args.get()?;
    from_end(items, index).cloned().ok_or_else(|| {
        let length = items.len();
        Fault::failed(format!("index {index} from the end is out of range for an array of length {length}"))
    })
}

/// `tryIndexFromEnd(sourceArray, reverseIndex)`: like `indexFromEnd`, but `null` if there is no such item.
pub(super) fn try_index_from_end(args: Args<'_>) -> Result<Value, Fault> {
    let (base, index): (&Value, &Value) = args.get()?;
    let item = base.as_array().zip(index.as_int()).and_then(|(items, index)| from_end(items, index));
    Ok(item.cloned().unwrap_or(Value::NULL))
}

fn from_end(items: &[Value], index: i64) -> Option<&Value> {
    // Index 0 is one past the last item, which `get` refuses.
    items.get(items.len().checked_sub(usize::try_from(index).ok()?)?)
}

/// `tryGet(itemToTest, keyOrIndex, …)`: follows a path of keys, and is `null` as soon as one is missing. A key may be an
/// object `{ value, fromEnd }`, which Bicep writes for `[?^1]`.
pub(super) fn try_get(args: Args<'_>) -> Result<Value, Fault> {
    let (base,): (&Value,) = args.get()?;
    let mut found = base.clone();
    for (at, key) in args.values().iter().enumerate().skip(1) {
        if !matches!(key.data, Data::String(_) | Data::Int(_) | Data::Object(_) | Data::Unknown(_)) {
            return Err(args.mismatch(at, "a string or an integer"));
        }
        found = step(&found, key)?;
        // The rest of the path cannot lead anywhere.
        if found.is_null() {
            break;
        }
    }
    Ok(found)
}

/// Follows one key of `tryGet`.
fn step(base: &Value, key: &Value) -> Result<Value, Fault> {
    let part = match (&base.data, &key.data) {
        // How many items the unknown has is not known, so neither is the one that a position from the end selects.
        (Data::Unknown(unknown), Data::Object(_)) => {
            return Ok(Value::unknown(Unknown::new(Kind::Any, unknown.why.clone())));
        }
        (Data::Unknown(_), _) => return part(base, key),
        // An unknown key could select any part.
        (_, Data::Unknown(unknown)) => return Ok(Value::unknown(Unknown::new(Kind::Any, unknown.why.clone()))),
        (Data::Object(object), Data::String(name)) => object.get(name),
        (Data::Array(items), Data::Int(index)) => usize::try_from(*index).ok().and_then(|index| items.get(index)),
        (Data::Array(items), Data::Object(key)) => item_at(items, key),
        _ => None,
    };
    Ok(part.cloned().unwrap_or(Value::NULL))
}

/// Returns the item that a key of the form `{ value, fromEnd }` selects.
fn item_at<'a>(items: &'a [Value], key: &Object) -> Option<&'a Value> {
    let index = key.get("value").and_then(Value::as_int)?;
    match key.get("fromEnd").and_then(Value::as_bool) {
        Some(true) => from_end(items, index),
        _ => items.get(usize::try_from(index).ok()?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::{array, call, fails, unknown};
    use crate::value::Member;

    #[test]
    fn parts_are_found_by_key_and_index_from_both_ends() {
        let base = Value::object(vec![Member::new("Items", array(["a", "b"]))]);
        let from_end = Value::object(vec![Member::new("value", 1.into()), Member::new("fromEnd", true.into())]);
        assert_eq!(call("tryGet", &[base.clone(), "items".into(), 1.into()]), "\"b\"");
        assert_eq!(call("tryGet", &[base.clone(), "items".into(), from_end]), "\"b\"");
        assert_eq!(call("tryGet", &[base.clone(), "items".into(), (-1).into()]), "null");
        assert_eq!(call("tryGet", &[base.clone(), "none".into(), 1.into()]), "null");
        assert_eq!(call("tryGet", &[base, 0.into()]), "null");
        assert_eq!(call("tryGet", &[Value::NULL, "a".into()]), "null");
        assert_eq!(
            fails("tryGet", &[array(["a"]), true.into()]),
            "argument 2 of `tryGet` must be a string or an integer, found a Boolean"
        );
    }

    #[test]
    fn what_is_certain_of_an_open_unknown_is_found() {
        let known = Value::object(vec![Member::new("a", "x".into())]);
        let open = Value::unknown(Unknown::open("it is deployed", known.clone()));
        assert_eq!(call("tryGet", &[open.clone(), "a".into()]), "\"x\"");
        assert_eq!(call("tryGet", &[open, "b".into()]), "unknown any");
        assert_eq!(call("tryGet", &[known, unknown()]), "unknown any");
        let items = Value::unknown(Unknown::like(Kind::Array, "a test says so", array(["a"])));
        let last = Value::object(vec![Member::new("value", 1.into()), Member::new("fromEnd", true.into())]);
        assert_eq!(call("tryGet", &[items, last]), "unknown any");
    }

    #[test]
    fn positions_from_the_end_start_at_one() {
        assert_eq!(call("indexFromEnd", &[array(["a", "b"]), 2.into()]), "\"a\"");
        assert_eq!(
            fails("indexFromEnd", &[array(["a"]), 0.into()]),
            "index 0 from the end is out of range for an array of length 1"
        );
        assert_eq!(call("tryIndexFromEnd", &[array(["a"]), 0.into()]), "null");
    }
}
