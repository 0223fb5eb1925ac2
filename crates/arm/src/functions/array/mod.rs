//! Array functions, including those that also take strings and objects.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-array>. Lengths of
//! strings and positions in them are in UTF-16 code units, as in .NET.

mod item;
mod set;

use std::cmp::Ordering;

use crate::fault::Fault;
use crate::functions::{Args, Function, at_least, ends, equality, exactly, pure};
use crate::value::{Data, Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("array", exactly(1), Kind::Array, array).keeping_unknowns(),
    pure("contains", exactly(2), Kind::Bool, set::contains).decided_by(ends::contains),
    pure("createArray", at_least(0), Kind::Array, create_array).keeping_unknowns(),
    pure("distinct", exactly(1), Kind::Array, set::distinct),
    pure("empty", exactly(1), Kind::Bool, empty).decided_by(ends::empty),
    pure("first", exactly(1), Kind::Any, first).picking(),
    pure("flatten", exactly(1), Kind::Array, flatten),
    pure("indexFromEnd", exactly(2), Kind::Any, item::index_from_end).picking(),
    pure("intersection", at_least(2), Kind::Any, set::intersection),
    pure("last", exactly(1), Kind::Any, last).picking(),
    pure("length", exactly(1), Kind::Int, length),
    pure("max", at_least(1), Kind::Int, max),
    pure("min", at_least(1), Kind::Int, min),
    pure("range", exactly(2), Kind::Array, range),
    pure("skip", exactly(2), Kind::Any, skip),
    pure("take", exactly(2), Kind::Any, take).with_ends(ends::of_take),
    pure("tryGet", at_least(2), Kind::Any, item::try_get).keeping_unknowns().picking(),
    pure("tryIndexFromEnd", exactly(2), Kind::Any, item::try_index_from_end).picking(),
    pure("union", at_least(2), Kind::Any, set::union),
];

/// The largest count that `range` accepts.
const MAX_RANGE: i64 = 10_000;

/// `array(convertToArray)`: wraps a value in an array, unless it already is one.
fn array(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    Ok(match (&value.data, value.kind()) {
        (Data::Array(_), _) | (Data::Unknown(_), Kind::Array) => value.clone(),
        // A value of unknown kind may turn out to be an array, which would not be wrapped.
        (Data::Unknown(unknown), Kind::Any) if matches!(unknown.approximation.data, Data::Array(_)) => {
            equality::undecided(args.values(), Kind::Array, unknown.approximation.clone())
        }
        (Data::Unknown(_), Kind::Any) => {
            equality::undecided(args.values(), Kind::Array, Value::array(vec![value.clone()]))
        }
        _ => Value::array(vec![value.clone()]),
    })
}

/// Returns an array of the arguments: `createArray(arg1, arg2, …)`.
fn create_array(args: Args<'_>) -> Result<Value, Fault> {
    Ok(Value::array(args.values().to_vec()))
}

/// `empty(itemToTest)`: `true` if an array, object or string is empty. `null` counts as empty.
fn empty(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    Ok(Value::from(match &value.data {
        Data::Null => true,
        Data::Array(items) => items.is_empty(),
        Data::Object(object) => object.is_empty(),
        Data::String(text) => text.is_empty(),
        Data::Bool(_) | Data::Int(_) | Data::BigInt(_) | Data::Float(_) | Data::Unknown(_) => false,
    }))
}

/// Returns the number of items, members, or UTF-16 code units: `length(arg1)`.
fn length(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    let length = match &value.data {
        Data::Array(items) => items.len(),
        Data::Object(object) => object.len(),
        Data::String(text) => units(text),
        _ => return Err(args.mismatch(0, "an array, an object or a string")),
    };
    Ok(Value::from(i64::try_from(length).unwrap_or(i64::MAX)))
}

/// `first(arg1)`: the first item of an array, or `null`; the first character of a string, or an empty string.
fn first(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    match &value.data {
        Data::Null => Ok(Value::NULL),
        Data::Array(items) => Ok(items.first().cloned().unwrap_or(Value::NULL)),
        Data::String(text) => Ok(Value::from(split(text, 1).0)),
        _ => Err(args.mismatch(0, "an array or a string")),
    }
}

/// `last(arg1)`: the last item of an array, or `null`; the last character of a string, or an empty string.
fn last(args: Args<'_>) -> Result<Value, Fault> {
    let (value,): (&Value,) = args.get()?;
    match &value.data {
        Data::Null => Ok(Value::NULL),
        Data::Array(items) => Ok(items.last().cloned().unwrap_or(Value::NULL)),
        Data::String(text) => Ok(Value::from(split(text, units(text).saturating_sub(1)).1)),
        _ => Err(args.mismatch(0, "an array or a string")),
    }
}

/// `skip(originalValue, numberToSkip)`: the value without its first items or characters.
fn skip(args: Args<'_>) -> Result<Value, Fault> {
    parts(args).map(|(_, after)| after)
}

/// `take(originalValue, numberToTake)`: the first items or characters, or all if there are fewer.
fn take(args: Args<'_>) -> Result<Value, Fault> {
    parts(args).map(|(before, _)| before)
}

/// Splits an array or a string in two at the position in the second argument.
fn parts(args: Args<'_>) -> Result<(Value, Value), Fault> {
    let (value, count): (&Value, i64) = args.get()?;
    let count = usize::try_from(count.max(0)).unwrap_or(usize::MAX);
    match &value.data {
        Data::Array(items) => {
            let (before, after) = items.split_at(count.min(items.len()));
            Ok((Value::array(before.to_vec()), Value::array(after.to_vec())))
        }
        Data::String(text) => {
            let (before, after) = split(text, count);
            Ok((Value::from(before), Value::from(after)))
        }
        _ => Err(args.mismatch(0, "an array or a string")),
    }
}

/// Returns the length of a string in UTF-16 code units.
fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.encode_utf16().count() }
}

/// Splits a string after `count` UTF-16 code units. Rust strings cannot hold half a surrogate pair, so each half of a
/// split pair becomes U+FFFD.
fn split(text: &str, count: usize) -> (String, String) {
    if text.is_ascii() {
        let (before, after) = text.split_at_checked(count).unwrap_or((text, ""));
        return (before.to_owned(), after.to_owned());
    }
    let mut before = String::new();
    let mut rest = text.chars();
    let mut taken = 0;
    while taken < count {
        let Some(character) = rest.next() else { break };
        taken += character.len_utf16();
        if taken > count {
            let half = char::REPLACEMENT_CHARACTER;
            before.push(half);
            return (before, format!("{half}{}", rest.as_str()));
        }
        before.push(character);
    }
    (before, rest.as_str().to_owned())
}

/// `range(startIndex, count)`: `count` consecutive integers.
fn range(args: Args<'_>) -> Result<Value, Fault> {
    let (start, count): (i64, i64) = args.get()?;
    if !(0..=MAX_RANGE).contains(&count) {
        return Err(Fault::failed(format!("the count of `range` must be from 0 to {MAX_RANGE}, found {count}")));
    }
    let end = start.checked_add(count).filter(|&end| end <= i64::from(i32::MAX));
    let end = end.ok_or_else(|| {
        let limit = i32::MAX;
        Fault::failed(format!("start plus count of `range` must not exceed {limit}, found {start} + {count}"))
    })?;
    Ok(Value::array((start..end).map(Value::from).collect()))
}

/// `flatten(arrayToFlatten)`: concatenates the arrays in an array, one level deep.
fn flatten(args: Args<'_>) -> Result<Value, Fault> {
    let (arrays,): (&[Value],) = args.get()?;
    let mut items = Vec::new();
    let mut decided = true;
    for (at, array) in arrays.iter().enumerate() {
        match &array.data {
            Data::Array(array) => items.extend(array.iter().cloned()),
            // What an unknown array contributes is known only approximately.
            Data::Unknown(unknown) => {
                decided = false;
                items.extend(unknown.approximation.as_array().unwrap_or_default().iter().cloned());
            }
            _ => {
                let found = super::article(array.kind());
                return Err(Fault::arguments(format!(
                    "`flatten` takes an array of arrays, found {found} at index {at}"
                )));
            }
        }
    }
    let flat = Value::array(items);
    Ok(if decided { flat } else { equality::undecided(args.values(), Kind::Array, flat) })
}

/// `max(arg1, arg2, …)`: the largest of the arguments, which are integers or arrays of integers.
fn max(args: Args<'_>) -> Result<Value, Fault> {
    extreme(args, Ordering::Greater)
}

/// `min(arg1, arg2, …)`: the smallest of the arguments, which are integers or arrays of integers.
fn min(args: Args<'_>) -> Result<Value, Fault> {
    extreme(args, Ordering::Less)
}

/// Returns the argument that compares as `side` to all others.
fn extreme(args: Args<'_>, side: Ordering) -> Result<Value, Fault> {
    let mut best: Option<&Value> = None;
    let mut decided = true;
    for (at, argument) in args.values().iter().enumerate() {
        // A single value counts as an array of one.
        for value in argument.as_array().unwrap_or(std::slice::from_ref(argument)) {
            match (value.as_int(), best.and_then(Value::as_int)) {
                (Some(number), Some(old)) if number.cmp(&old) != side => {}
                (Some(_), _) => best = Some(value),
                (None, _) if value.as_unknown().is_some() => decided = false,
                (None, _) => return Err(args.mismatch(at, "an integer or an array of integers")),
            }
        }
    }
    match best {
        Some(best) if decided => Ok(best.clone()),
        None if decided => Err(Fault::failed(format!("`{}` needs at least one number", args.function()))),
        best => Ok(equality::undecided(args.values(), Kind::Int, best.cloned().unwrap_or(Value::from(0)))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::{array, call, fails, unknown};
    use crate::model::Limits;
    use crate::value::Unknown;

    #[test]
    fn strings_are_split_by_utf16_units() {
        assert_eq!(call("length", &["日本".into()]), "2");
        assert_eq!(call("length", &["a😀".into()]), "3");
        assert_eq!(call("take", &["a😀b".into(), 3.into()]), "\"a😀\"");
        assert_eq!(call("take", &["a😀b".into(), 2.into()]), "\"a\u{fffd}\"");
        assert_eq!(call("skip", &["a😀b".into(), 2.into()]), "\"\u{fffd}b\"");
        assert_eq!(call("last", &["aé".into()]), "\"é\"");
        assert_eq!(call("first", &["".into()]), "\"\"");
        assert_eq!(call("take", &["abc".into(), i64::MAX.into()]), "\"abc\"");
        assert_eq!(call("skip", &["abc".into(), i64::MIN.into()]), "\"abc\"");
    }

    #[test]
    fn ranges_have_limits() {
        assert_eq!(call("range", &[(-1).into(), 3.into()]), "[-1,0,1]");
        assert_eq!(
            fails("range", &[0.into(), 2_147_483_648.into()]),
            "the count of `range` must be from 0 to 10000, found 2147483648"
        );
        assert_eq!(
            fails("range", &[i64::MAX.into(), 1.into()]),
            "start plus count of `range` must not exceed 2147483647, found 9223372036854775807 + 1"
        );
    }

    #[test]
    fn what_depends_on_an_unknown_item_is_unknown() {
        let open = [Value::array(vec![4.into(), unknown()])];
        assert_eq!(call("max", &open), "unknown int");
        assert_eq!(call("length", &open), "2");
        assert_eq!(call("first", &open), "4");
        assert_eq!(call("last", &open), "unknown string");
        assert_eq!(call("flatten", &[Value::array(vec![array([1]), unknown()])]), "unknown array");
    }

    #[test]
    fn an_unknown_that_is_not_an_array_is_wrapped() {
        let function = crate::functions::lookup("array").unwrap();
        assert!(function.keeps_unknown);
        assert_eq!(call("array", &[unknown()]), "[\"\"]");
    }

    #[test]
    fn only_integers_have_a_maximum() {
        assert_eq!(call("max", &[array([6, 4]), 8.into()]), "8");
        assert_eq!(
            fails("min", &[1.into(), "0".into()]),
            "argument 2 of `min` must be an integer or an array of integers, found a string"
        );
        assert_eq!(fails("min", &[array::<Value>([])]), "`min` needs at least one number");
    }
    #[test]
    fn what_may_be_an_array_is_wrapped_if_it_looks_like_none() {
        let like = |kind, shape: Value| Value::unknown(Unknown::like(kind, "a test says so", shape));
        for (value, expected) in [
            (like(Kind::Any, array(["a"])), "[\"a\"]"),
            (like(Kind::Any, "a".into()), "[\"a\"]"),
            (like(Kind::Array, array(["a", "b"])), "[\"a\",\"b\"]"),
        ] {
            let result = super::array(Args::new("array", &[value], &Limits::default())).expect("the call succeeds");
            let unknown = result.as_unknown().expect("the result is unknown");
            assert_eq!((unknown.kind, unknown.approximation.to_json().as_str()), (Kind::Array, expected));
        }
        assert_eq!(call("array", &[Value::NULL]), "[null]");
    }

    #[test]
    fn the_extreme_of_unknown_numbers_is_unknown() {
        let number = || Value::unknown(Unknown::new(Kind::Int, "a test says so"));
        assert_eq!(call("min", &[number()]), "unknown int");
        assert_eq!(call("max", &[Value::array(vec![1.into(), number()])]), "unknown int");
    }
}
