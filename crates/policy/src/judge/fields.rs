//! Properties of requests, by field name and by alias.

use crate::path::Step;
use crate::value::{Data, Kind, Str, Unknown, Value};

/// Property that a field leads to.
#[derive(Clone, Debug)]
pub(super) enum Property {
    /// A single property; `None` if it is missing or null.
    One(Option<Value>),
    /// Properties of `[*]`.
    Many(Many),
}

/// Properties of `[*]`.
#[derive(Clone, Debug, Default)]
pub(super) struct Many {
    /// Property of each item; `None` if it is missing or null.
    pub(super) items: Vec<Option<Value>>,
    /// True if an array on the path is missing, or is not an array.
    pub(super) lacks_array: bool,
    /// Reason for which an array on the path is unknown.
    pub(super) unknown: Option<Str>,
    /// Number of visited values, for the limit on steps.
    pub(super) visited: usize,
}

/// Values that are visited in an array of arrays.
const MAX_VISITED: usize = 100_000;

/// Returns the property at the end of `steps` from a value.
pub(super) fn follow(from: Option<&Value>, steps: &[Step]) -> Property {
    let mut many = Many::default();
    collect(from, steps, &mut many);
    if steps.contains(&Step::Each) { Property::Many(many) } else { Property::One(many.items.pop().flatten()) }
}

fn collect(value: Option<&Value>, steps: &[Step], found: &mut Many) {
    found.visited += 1;
    if found.visited > MAX_VISITED {
        found.unknown = Some(Str::from("the arrays have too many items to look at all"));
        return;
    }
    let value = value.filter(|value| !value.is_null());
    let Some((step, rest)) = steps.split_first() else {
        found.items.push(value.cloned());
        return;
    };
    match (step, value.map(|value| &value.data)) {
        (Step::Member(name), Some(Data::Object(object))) => collect(object.get(name), rest, found),
        (Step::Member(name), Some(Data::Unknown(unknown))) => {
            match unknown.approximation.get(name).filter(|_| unknown.open) {
                Some(known) => collect(Some(known), rest, found),
                None => collect(Some(&part_of(unknown)), rest, found),
            }
        }
        (Step::Member(_), _) => collect(None, rest, found),
        (Step::Each, Some(Data::Array(items))) => items.iter().for_each(|item| collect(Some(item), rest, found)),
        (Step::Each, Some(Data::Unknown(unknown))) => found.unknown = Some(unknown.why.clone()),
        (Step::Each, _) => found.lacks_array = true,
    }
}

/// Returns a part of an unknown value. The part may be missing.
pub(super) fn part_of(unknown: &Unknown) -> Value {
    Value::unknown(Unknown { is_optional: true, ..Unknown::new(Kind::Any, unknown.why.clone()) })
}

/// Returns the name of a tag in a field, such as `tags['x']`, `tags.x` or `tags[a.b]`. `None` for another field.
pub(super) fn tag_name(field: &str) -> Option<String> {
    let rest = field
        .get("tags".len()..)
        .filter(|_| field.get(.."tags".len()).is_some_and(|start| start.eq_ignore_ascii_case("tags")))?;
    if let Some(name) = rest.strip_prefix('.') {
        return Some(name.to_owned());
    }
    let inner = rest.strip_prefix('[')?.strip_suffix(']')?;
    let quoted = inner.strip_prefix('\'').and_then(|inner| inner.strip_suffix('\''));
    Some(quoted.map_or_else(|| inner.to_owned(), |name| name.replace("''", "'")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_written_in_several_ways() {
        for (field, name) in [
            ("tags['a b']", Some("a b")),
            ("tags.env", Some("env")),
            ("Tags[a.b]", Some("a.b")),
            ("tags['''x''']", Some("'x'")),
            ("tags", None),
            ("tagsx", None),
        ] {
            assert_eq!(tag_name(field).as_deref(), name, "{field}");
        }
    }
}
