//! Object functions.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-object>. Functions
//! that also take arrays are with the array functions.

use foldhash::HashMap;

use crate::dotnet::culture;
use crate::fault::Fault;
use crate::functions::{Args, Function, article, at_least, equality, exactly, pure};
use crate::value::{Data, Kind, Member, Object, Unknown, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("createObject", at_least(0), Kind::Object, create_object).keeping_unknowns(),
    pure("items", exactly(1), Kind::Array, items),
    pure("null", exactly(0), Kind::Null, |_| Ok(Value::NULL)),
    pure("objectKeys", exactly(1), Kind::Array, object_keys),
    pure("shallowMerge", exactly(1), Kind::Object, shallow_merge),
];

/// `createObject(key1, value1, key2, value2, …)`: the last value of a repeated key overrides the others.
fn create_object(args: Args<'_>) -> Result<Value, Fault> {
    let (pairs, rest) = args.values().as_chunks::<2>();
    if !rest.is_empty() {
        let found = args.len();
        return Err(Fault::arguments(format!(
            "`createObject` takes pairs of a key and a value, found an odd number of arguments ({found})"
        )));
    }
    let mut members: Vec<Member> = Vec::with_capacity(pairs.len());
    let mut index: HashMap<&str, usize> = HashMap::default();
    let mut decided = true;
    for (number, [key, value]) in (1..).zip(pairs) {
        let name = match &key.data {
            Data::String(name) => name,
            Data::Unknown(_) => {
                decided = false;
                continue;
            }
            _ => {
                let found = article(key.kind());
                return Err(Fault::arguments(format!("key{number} of `createObject` must be a string, found {found}")));
            }
        };
        if let Some(member) = index.get(&**name).and_then(|&at| members.get_mut(at)) {
            member.value = value.clone();
            continue;
        }
        index.insert(name, members.len());
        members.push(Member { key_span: key.span, ..Member::new(name.clone(), value.clone()) });
    }
    let object = Value::object(members);
    Ok(if decided { object } else { equality::undecided(args.values(), Kind::Object, object) })
}

/// `items(inputObject)`: the members as an array of `{ key, value }`, in the invariant culture's order of their keys.
fn items(args: Args<'_>) -> Result<Value, Fault> {
    let (object,): (&Object,) = args.get()?;
    let mut members: Vec<&Member> = object.iter().collect();
    members.sort_by(|a, b| culture::compare(&a.key, &b.key));
    let item = |member: &Member| {
        let pair = vec![Member::new("key", key(member)), Member::new("value", member.value.clone())];
        Value { span: member.span(), ..Value::object(pair) }
    };
    Ok(Value::array(members.into_iter().map(item).collect()))
}

/// `objectKeys(object)`: the keys, sorted case-insensitively.
fn object_keys(args: Args<'_>) -> Result<Value, Fault> {
    let (object,): (&Object,) = args.get()?;
    let mut members: Vec<&Member> = object.iter().collect();
    // The sort is stable, so keys that differ only in case keep their order.
    members.sort_by(|a, b| culture::compare_ignoring_case(&a.key, &b.key));
    Ok(Value::array(members.into_iter().map(key).collect()))
}

/// Returns the key of a member as a value with the key's span.
fn key(member: &Member) -> Value {
    Value { span: member.key_span, ..Value::from(member.key.clone()) }
}

/// `shallowMerge(inputObjects)`: merges the objects in an array. Of two members with the same key (case-insensitive), the
/// later value and the first spelling stay. Entries that are `null` add nothing.
fn shallow_merge(args: Args<'_>) -> Result<Value, Fault> {
    let (inputs,): (&[Value],) = args.get()?;
    let mut objects = Vec::with_capacity(inputs.len());
    let mut decided = true;
    for (at, input) in inputs.iter().enumerate() {
        match &input.data {
            Data::Object(object) => objects.push(&**object),
            Data::Null => {}
            Data::Unknown(unknown) => {
                decided = false;
                objects.extend(unknown.approximation.as_object());
            }
            _ => {
                let found = article(input.kind());
                return Err(Fault::arguments(format!(
                    "`shallowMerge` takes an array of objects, found {found} at index {at}"
                )));
            }
        }
    }
    let merged = Merge::shallow(objects);
    Ok(if decided { merged } else { equality::undecided(args.values(), Kind::Object, merged) })
}

/// Merges the members of several objects, one for each key (case-insensitive).
#[derive(Default)]
pub(super) struct Merge {
    members: Vec<Member>,
    /// Positions in `members` by the key in lower case.
    index: HashMap<String, usize>,
}

impl Merge {
    /// Merges the top level only: later values replace earlier ones.
    fn shallow<'a>(objects: impl IntoIterator<Item = &'a Object>) -> Value {
        Self::all(objects, |_, new| new.clone())
    }

    /// Merges nested objects as well.
    pub(super) fn deep<'a>(objects: impl IntoIterator<Item = &'a Object>) -> Value {
        Self::all(objects, |old, new| match (&old.data, &new.data) {
            (Data::Object(old), Data::Object(new)) => Self::deep([&**old, &**new]),
            // The unknown may be an object whose members would stay.
            (Data::Unknown(unknown), Data::Object(_)) if matches!(unknown.kind, Kind::Any | Kind::Object) => {
                Value::unknown(Unknown::like(Kind::Object, unknown.why.clone(), new.clone()))
            }
            _ => new.clone(),
        })
    }

    fn all<'a>(objects: impl IntoIterator<Item = &'a Object>, join: fn(&Value, &Value) -> Value) -> Value {
        let mut merge = Self::default();
        for member in objects.into_iter().flatten() {
            merge.add(member, join);
        }
        Value::object(merge.members)
    }

    fn add(&mut self, member: &Member, join: fn(&Value, &Value) -> Value) {
        let name = member.key.to_ascii_lowercase();
        let Some(old) = self.index.get(&name).and_then(|&at| self.members.get_mut(at)) else {
            self.index.insert(name, self.members.len());
            self.members.push(member.clone());
            return;
        };
        // A finding on the value should point at the member that set it last.
        old.key_span = member.key_span;
        old.value = join(&old.value, &member.value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::{array, call, fails, unknown};
    use crate::model::Limits;

    fn object(members: &[(&str, i64)]) -> Value {
        Value::object(members.iter().map(|&(key, value)| Member::new(key, value.into())).collect())
    }

    #[test]
    fn items_are_sorted_by_key_with_digits_and_lower_case_first() {
        let keys = ["defKey", "ABCKey", "456Key", "abcKey", "123Key"].map(|key| (key, 0));
        let sorted = items(Args::new("items", &[object(&keys)], &Limits::default())).unwrap();
        let keys: Vec<_> = sorted.as_array().unwrap().iter().filter_map(|item| item.get("key")?.as_str()).collect();
        assert_eq!(keys, ["123Key", "456Key", "abcKey", "ABCKey", "defKey"]);
    }

    #[test]
    fn keys_that_differ_in_case_keep_their_order() {
        assert_eq!(call("objectKeys", &[object(&[("b", 0), ("A", 0), ("a", 0)])]), r#"["A","a","b"]"#);
    }

    #[test]
    fn merging_keeps_the_first_spelling_and_the_last_value() {
        let inputs = array([object(&[("Name", 1), ("x", 2)]), object(&[("name", 3)])]);
        assert_eq!(call("shallowMerge", &[inputs]), r#"{"Name":3,"x":2}"#);
        assert_eq!(
            fails("shallowMerge", &[array([1])]),
            "`shallowMerge` takes an array of objects, found an integer at index 0"
        );
    }

    #[test]
    fn unknown_values_stay_where_they_are() {
        assert_eq!(call("createObject", &["a".into(), unknown(), "b".into(), 1.into()]), r#"{"a":"","b":1}"#);
        assert_eq!(call("createObject", &[unknown(), 1.into()]), "unknown object");
        assert_eq!(call("shallowMerge", &[Value::array(vec![object(&[]), unknown()])]), "unknown object");
    }

    #[test]
    fn what_replaces_an_unknown_is_certain_unless_both_are_objects() {
        let with = |value: Value| Value::object(vec![Member::new("a", value)]);
        let like = |kind: Kind| with(Value::unknown(Unknown::new(kind, "a test says so")));
        let new = || with(object(&[("b", 1)]));
        let joined = |old: Value| {
            Merge::deep([&old, &new()].map(|value| value.as_object().unwrap()))
                .first_unknown()
                .map(|unknown| unknown.kind)
        };
        assert_eq!(joined(like(Kind::Object)), Some(Kind::Object));
        assert_eq!(joined(like(Kind::Any)), Some(Kind::Object));
        assert_eq!(joined(like(Kind::Array)), None);
    }

    #[test]
    fn keys_are_strings_and_come_with_a_value() {
        assert_eq!(call("createObject", &["a".into(), 1.into(), "a".into(), 2.into()]), r#"{"a":2}"#);
        assert_eq!(
            fails("createObject", &[1.into(), "a".into()]),
            "key1 of `createObject` must be a string, found an integer"
        );
        assert_eq!(
            fails("createObject", &["a".into()]),
            "`createObject` takes pairs of a key and a value, found an odd number of arguments (1)"
        );
    }
}
