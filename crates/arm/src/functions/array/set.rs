//! Membership, union and intersection of arrays and objects.

use crate::fault::Fault;
use crate::functions::Args;
use crate::functions::equality::{self, Set};
use crate::functions::object::Merge;
use crate::outcomes::Outcomes;
use crate::value::{Data, Kind, Member, Object, Value};

/// `contains(container, itemToFind)`: `true` if an array has an item, an object a key (case-insensitive), or a string a
/// substring.
pub(super) fn contains(args: Args<'_>) -> Result<Value, Fault> {
    let (container, item): (&Value, &Value) = args.get()?;
    match (&container.data, &item.data) {
        (Data::Array(items), _) => {
            let answer = Outcomes::any(items.iter().map(|other| equality::same(other, item)));
            let known = answer.to_bool().map(Value::from);
            Ok(known.unwrap_or_else(|| equality::undecided(args.values(), Kind::Bool, Value::from(false))))
        }
        (Data::Object(object), Data::String(name)) => Ok(Value::from(object.get(name).is_some())),
        (Data::String(text), Data::String(part)) => Ok(Value::from(text.contains(&**part))),
        (Data::Object(object), Data::Int(name)) => Ok(Value::from(object.get(&name.to_string()).is_some())),
        (Data::String(text), Data::Int(part)) => Ok(Value::from(text.contains(&part.to_string()))),
        (Data::Object(_) | Data::String(_), _) => Err(args.mismatch(1, "a string or an integer")),
        _ => Err(args.mismatch(0, "an array, an object or a string")),
    }
}

/// `distinct(array)`: drops items that equal an earlier one.
pub(super) fn distinct(args: Args<'_>) -> Result<Value, Fault> {
    let (items,): (&[Value],) = args.get()?;
    Ok(without_repetition(args, items.iter()))
}

/// Returns the items, each once. Undecided if an unknown could make two of them equal.
fn without_repetition<'a>(args: Args<'a>, items: impl Iterator<Item = &'a Value>) -> Value {
    let mut seen = Set::default();
    let mut kept = Vec::new();
    let mut decided = true;
    for item in items {
        let repeated = seen.contains(item);
        decided &= !repeated.is_open();
        // An item that may repeat an earlier one stays in the approximation.
        if repeated != Outcomes::TRUE {
            seen.insert(item);
            kept.push(item.clone());
        }
    }
    let kept = Value::array(kept);
    if decided { kept } else { equality::undecided(args.values(), Kind::Array, kept) }
}

/// `union(arg1, arg2, …)`: all items of arrays, each once; or objects merged deeply, where later values override earlier
/// ones. Arguments that are `null` add nothing.
pub(super) fn union(args: Args<'_>) -> Result<Value, Fault> {
    match operands(args, true)? {
        Operands::Arrays(arrays) => Ok(without_repetition(args, arrays.into_iter().flatten())),
        Operands::Objects(objects) => Ok(Merge::deep(objects)),
        Operands::Nulls => Ok(Value::NULL),
    }
}

/// `intersection(arg1, arg2, …)`: the items or members that all arguments have, in the order of the first argument.
pub(super) fn intersection(args: Args<'_>) -> Result<Value, Fault> {
    match operands(args, false)? {
        Operands::Arrays(arrays) => Ok(common_items(args, &arrays)),
        Operands::Objects(objects) => Ok(common_members(args, &objects)),
        Operands::Nulls => Err(args.mismatch(0, "an array or an object")),
    }
}

/// The arguments of `union` or `intersection`, which must all be of one kind.
enum Operands<'a> {
    Arrays(Vec<&'a [Value]>),
    Objects(Vec<&'a Object>),
    Nulls,
}

fn operands(args: Args<'_>, skip_nulls: bool) -> Result<Operands<'_>, Fault> {
    let mut found = Operands::Nulls;
    for (at, value) in args.values().iter().enumerate() {
        match (&value.data, &mut found) {
            (Data::Null, _) if skip_nulls => {}
            (Data::Array(items), Operands::Arrays(arrays)) => arrays.push(items),
            (Data::Array(items), Operands::Nulls) => found = Operands::Arrays(vec![items]),
            (Data::Object(object), Operands::Objects(objects)) => objects.push(object),
            (Data::Object(object), Operands::Nulls) => found = Operands::Objects(vec![object]),
            (_, Operands::Nulls) => return Err(args.mismatch(at, "an array or an object")),
            (_, Operands::Arrays(_)) => return Err(args.mismatch(at, "an array like the others")),
            (_, Operands::Objects(_)) => return Err(args.mismatch(at, "an object like the others")),
        }
    }
    Ok(found)
}

fn common_items<'a>(args: Args<'a>, arrays: &[&'a [Value]]) -> Value {
    let Some((first, others)) = arrays.split_first() else { return Value::array(Vec::new()) };
    // Looking items up by hash keeps this linear.
    let mut others: Vec<Set<'_>> = others.iter().map(|items| items.iter().collect()).collect();
    let mut kept = Set::default();
    let mut items = Vec::new();
    let mut decided = true;
    for item in *first {
        let everywhere = Outcomes::all(others.iter_mut().map(|set| set.contains(item)));
        let is_new = !kept.contains(item);
        match everywhere.and(is_new) {
            Outcomes::TRUE => {
                kept.insert(item);
                items.push(item.clone());
            }
            Outcomes::FALSE => {}
            _ => decided = false,
        }
    }
    let common = Value::array(items);
    if decided { common } else { equality::undecided(args.values(), Kind::Array, common) }
}

fn common_members(args: Args<'_>, objects: &[&Object]) -> Value {
    let Some((first, others)) = objects.split_first() else { return Value::object(Vec::new()) };
    let mut members: Vec<Member> = Vec::new();
    let mut decided = true;
    for member in *first {
        let in_one = |object: &&Object| {
            let other = object.get(&member.key);
            other.map_or(Outcomes::FALSE, |other| equality::same(&member.value, other))
        };
        match Outcomes::all(others.iter().map(in_one)) {
            Outcomes::TRUE => members.push(member.clone()),
            Outcomes::FALSE => {}
            _ => decided = false,
        }
    }
    let common = Value::object(members);
    if decided { common } else { equality::undecided(args.values(), Kind::Object, common) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::functions::testing::{array, call, fails, unknown};

    fn object(members: &[(&str, Value)]) -> Value {
        Value::object(members.iter().map(|(key, value)| Member::new(*key, value.clone())).collect())
    }

    #[test]
    fn items_are_compared_by_value() {
        let a = object(&[("a", 1.into())]);
        assert_eq!(call("union", &[array([a.clone()]), array([a])]), r#"[{"a":1}]"#);
        assert_eq!(call("distinct", &[array(["a", "A", "a"])]), r#"["a","A"]"#);
        assert_eq!(call("intersection", &[array([1, 2, 2, 3]), array([3, 2])]), "[2,3]");
    }

    #[test]
    fn objects_merge_deeply_and_keep_the_first_spelling() {
        let a = object(&[("P", object(&[("x", 1.into()), ("y", array([1]))])), ("n", 1.into())]);
        let b = object(&[("p", object(&[("Y", array([2])), ("z", 3.into())])), ("n", Value::NULL)]);
        assert_eq!(call("union", &[a, b]), r#"{"P":{"x":1,"y":[2],"z":3},"n":null}"#);
    }

    #[test]
    fn nulls_add_nothing_to_a_union() {
        assert_eq!(call("union", &[Value::NULL, array([1])]), "[1]");
        assert_eq!(call("union", &[Value::NULL, Value::NULL]), "null");
        assert_eq!(
            fails("union", &[array([1]), object(&[])]),
            "argument 2 of `union` must be an array like the others, found an object"
        );
    }

    #[test]
    fn an_unknown_item_may_equal_any_other() {
        assert_eq!(call("union", &[array(["a"]), array([unknown()])]), "unknown array");
        assert_eq!(call("contains", &[array(["a".into(), unknown()]), "a".into()]), "true");
        assert_eq!(call("contains", &[array(["a".into(), unknown()]), "b".into()]), "unknown bool");
        assert_eq!(call("intersection", &[array(["a"]), array([unknown()])]), "unknown array");
        assert_eq!(call("intersection", &[array([unknown()]), array::<Value>([])]), "[]");
    }

    #[test]
    fn an_unknown_that_cannot_decide_is_ignored() {
        let entry = |name: &str| object(&[("name", name.into()), ("id", unknown())]);
        assert_eq!(
            call("union", &[array([entry("a")]), array([entry("b")])]),
            r#"[{"name":"a","id":""},{"name":"b","id":""}]"#
        );
        assert_eq!(call("union", &[array([entry("a")]), array([entry("a")])]), "unknown array");
    }

    #[test]
    fn containers_of_each_kind_are_searched() {
        assert_eq!(call("contains", &["ab1".into(), 1.into()]), "true");
        assert_eq!(call("contains", &[object(&[("one", 1.into())]), "ONE".into()]), "true");
        assert_eq!(call("contains", &[array([1]), 1.0.into()]), "true");
        assert_eq!(
            fails("contains", &[1.into(), 1.into()]),
            "argument 1 of `contains` must be an array, an object or a string, found an integer"
        );
    }
}
