//! Equality of values that may contain unknowns, and sets based on it.

use std::hash::{DefaultHasher, Hash, Hasher};

use foldhash::HashMap;

use crate::functions::ends;
use crate::outcomes::Outcomes;
use crate::value::{Data, Kind, Traits, Unknown, Value};

/// Maximum number of comparisons that a [`Set`] spends on items that contain unknowns and so cannot be found by hash.
/// Real templates stay far below; the limit bounds the quadratic work that a hostile one could cause.
const COMPARISONS: usize = 1_000_000;

/// Compares two values in the sense of [`Value::same`], where unknowns inside may be any value of their kind.
pub(super) fn same(a: &Value, b: &Value) -> Outcomes {
    if !(a.traits | b.traits).has(Traits::UNKNOWN) {
        return Outcomes::from(a.same(b));
    }
    match (&a.data, &b.data) {
        (Data::Unknown(_), _) | (_, Data::Unknown(_)) => {
            let may_be_equal = ends::may_equal(a, b) && ends::may_equal(b, a);
            Outcomes::FALSE.union(Outcomes::TRUE.only_if(may_be_equal))
        }
        (Data::Array(a), Data::Array(b)) if a.len() == b.len() => {
            Outcomes::all(a.iter().zip(b.iter()).map(|(a, b)| same(a, b)))
        }
        (Data::Object(a), Data::Object(b)) if a.len() == b.len() => Outcomes::all(a.iter().map(|member| {
            let other = b.get_exact(&member.key);
            other.map_or(Outcomes::FALSE, |other| same(&member.value, other))
        })),
        _ => Outcomes::FALSE,
    }
}

/// Returns the unknown result of a function that depends on an unknown inside one of its arguments.
pub(super) fn undecided(arguments: &[Value], kind: Kind, approximation: Value) -> Value {
    let why = arguments.iter().find_map(Value::first_unknown).map(|unknown| unknown.why.clone());
    Value::unknown(Unknown::like(kind, why.unwrap_or_else(|| "it depends on an unknown value".into()), approximation))
}

/// A set of values under [`same`].
#[derive(Default)]
pub(super) struct Set<'a> {
    /// Values without unknowns, in order.
    known: Vec<&'a Value>,
    /// Values without unknowns, by their hash.
    by_hash: HashMap<u64, Vec<&'a Value>>,
    /// Values that contain an unknown.
    open: Vec<&'a Value>,
    /// Comparisons with values that contain unknowns so far: see [`COMPARISONS`].
    compared: usize,
}

impl<'a> Set<'a> {
    pub(super) fn insert(&mut self, value: &'a Value) {
        if value.traits.has(Traits::UNKNOWN) {
            self.open.push(value);
        } else {
            self.known.push(value);
            self.by_hash.entry(hash(value)).or_default().push(value);
        }
    }

    /// Returns `TRUE` if an equal value is in the set.
    pub(super) fn contains(&mut self, value: &Value) -> Outcomes {
        let is_open = value.traits.has(Traits::UNKNOWN);
        if !is_open {
            let alike = self.by_hash.get(&hash(value));
            if alike.is_some_and(|alike| alike.iter().any(|other| other.same(value))) {
                return Outcomes::TRUE;
            }
        }
        // A value without unknowns was looked up by hash; one with unknowns may equal any of the known ones.
        let known = self.known.iter().filter(|_| is_open);
        for other in self.open.iter().chain(known) {
            self.compared += 1;
            if self.compared > COMPARISONS || same(other, value).is_open() {
                return Outcomes::UNKNOWN;
            }
        }
        Outcomes::FALSE
    }
}

impl<'a> FromIterator<&'a Value> for Set<'a> {
    fn from_iter<T: IntoIterator<Item = &'a Value>>(values: T) -> Self {
        let mut set = Self::default();
        values.into_iter().for_each(|value| set.insert(value));
        set
    }
}

/// Returns a hash that agrees with [`Value::same`]: values that are the same have equal hashes.
fn hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    match &value.data {
        Data::Null | Data::Unknown(_) => {}
        Data::Bool(value) => value.hash(&mut hasher),
        // An integer equals a float of the same value, so all numbers hash as floats. Adding zero turns -0.0 into 0.0.
        Data::Int(_) | Data::BigInt(_) | Data::Float(_) => {
            value.as_f64().map(|number| (number + 0.0).to_bits()).hash(&mut hasher);
        }
        Data::String(text) => text.hash(&mut hasher),
        Data::Array(items) => items.iter().for_each(|item| hash(item).hash(&mut hasher)),
        Data::Object(object) => {
            // A sum does not depend on the order of the members, and neither does equality.
            let members = object.iter().map(|member| {
                let mut hasher = DefaultHasher::new();
                (&member.key, hash(&member.value)).hash(&mut hasher);
                hasher.finish()
            });
            members.fold(0_u64, u64::wrapping_add).hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Member;

    #[test]
    fn what_is_the_same_hashes_alike() {
        let object = |names: [&str; 2]| Value::object(names.map(|name| Member::new(name, Value::from(name))).to_vec());
        for (a, b) in [
            (Value::from(1), Value::from(1.0)),
            (Value::from(0.0), Value::from(-0.0)),
            (object(["a", "b"]), object(["b", "a"])),
            (Value::array(vec![Value::from(2)]), Value::array(vec![Value::from(2.0)])),
        ] {
            assert!(a.same(&b), "{a:?} {b:?}");
            assert_eq!(hash(&a), hash(&b), "{a:?} {b:?}");
        }
    }

    #[test]
    fn large_sets_are_searched_in_no_time() {
        let items: Vec<Value> = (0..200_000).map(|number| Value::array(vec![Value::from(number)])).collect();
        let mut set: Set<'_> = items.iter().collect();
        assert!(items.iter().all(|item| set.contains(item) == Outcomes::TRUE));
        assert_eq!(set.contains(&Value::from(1)), Outcomes::FALSE);
    }
    /// Returns an array of a number and an unknown.
    fn open(number: i64) -> Value {
        Value::array(vec![Value::from(number), Value::unknown(Unknown::new(Kind::String, "a test says so"))])
    }

    #[test]
    fn searching_among_unknowns_has_an_end() {
        let items: Vec<Value> = (0..1_000).map(open).collect();
        let mut set: Set<'_> = items.iter().collect();
        let other = Value::array(vec![Value::from(-1), Value::from("x")]);
        assert!((0..COMPARISONS / items.len()).all(|_| set.contains(&other) == Outcomes::FALSE));
        assert_eq!(set.contains(&other), Outcomes::UNKNOWN);
    }

    #[test]
    fn objects_of_different_size_are_not_equal() {
        let some = |names: &[&str]| {
            let unknown = Value::unknown(Unknown::new(Kind::Int, "a test says so"));
            Value::object(names.iter().map(|name| Member::new(*name, unknown.clone())).collect())
        };
        assert_eq!(same(&some(&["a"]), &some(&["a", "b"])), Outcomes::FALSE);
        assert_eq!(same(&some(&["a", "b"]), &some(&["a"])), Outcomes::FALSE);
        assert_eq!(same(&some(&["a"]), &some(&["b"])), Outcomes::FALSE);
        assert_eq!(same(&some(&["a"]), &some(&["a"])), Outcomes::UNKNOWN);
    }

    #[test]
    fn what_is_certain_of_a_string_decides_from_either_side() {
        let ends = crate::value::Ends { start: "a".to_owned(), ..crate::value::Ends::default() };
        let unknown = Unknown { ends: Some(ends.into()), ..Unknown::new(Kind::String, "a test says so") };
        let (unknown, known) = (Value::unknown(unknown), Value::from("b"));
        assert_eq!(same(&unknown, &known), Outcomes::FALSE);
        assert_eq!(same(&known, &unknown), Outcomes::FALSE);
        assert_eq!(same(&unknown, &"ab".into()), Outcomes::UNKNOWN);
    }
}
