//! Merging of objects, with precedence for the existing or for the added values.

use crate::value::{Data, Member, Str, Unknown, Value};

/// An object that is being built from values at paths.
#[derive(Default)]
struct Branch(Vec<(&'static str, Tree)>);

/// A member of a [`Branch`].
enum Tree {
    Leaf(Value),
    Branch(Branch),
}

impl Branch {
    fn put(&mut self, path: &'static str, value: Value) {
        let Some((first, rest)) = path.split_once('.') else {
            self.0.push((path, Tree::Leaf(value)));
            return;
        };
        let mut branches = self.0.iter_mut().filter_map(|(name, tree)| match tree {
            Tree::Branch(branch) if *name == first => Some(branch),
            _ => None,
        });
        if let Some(branch) = branches.next() {
            return branch.put(rest, value);
        }
        let mut branch = Self::default();
        branch.put(rest, value);
        self.0.push((first, Tree::Branch(branch)));
    }

    fn into_value(self) -> Value {
        let members = self.0.into_iter().map(|(name, tree)| match tree {
            Tree::Leaf(value) => Member::new(name, value),
            Tree::Branch(branch) => Member::new(name, branch.into_value()),
        });
        Value::object(members.collect())
    }
}

/// Builds an object from values at paths such as `a.b`. `None` if there are no values.
pub(super) fn object_of_paths(values: impl Iterator<Item = (&'static str, Value)>) -> Option<Value> {
    let mut root = Branch::default();
    for (path, value) in values {
        root.put(path, value);
    }
    (!root.0.is_empty()).then(|| root.into_value())
}

/// Merges `added` into `known`, which takes precedence: members that are missing are added, objects are merged, and
/// arrays of equal length are merged item by item.
pub(super) fn under(known: &Value, added: &Value) -> Value {
    match (&known.data, &added.data) {
        (Data::Object(object), Data::Object(more)) => {
            let mut members: Vec<Member> = object.iter().cloned().collect();
            for member in more.iter() {
                match members.iter_mut().find(|known| known.key.eq_ignore_ascii_case(&member.key)) {
                    Some(known) => known.value = under(&known.value, &member.value),
                    None => members.push(member.clone()),
                }
            }
            like_before(known, Value::object(members))
        }
        (Data::Array(items), Data::Array(more)) if items.len() == more.len() => {
            let items = items.iter().zip(more.iter()).map(|(known, added)| under(known, added));
            like_before(known, Value::array(items.collect()))
        }
        _ => known.clone(),
    }
}

/// Strategy of [`over`] for merging two arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrays {
    /// The later array replaces the earlier one.
    Replaced,
    /// The items of the later array are added, unless the earlier one has them already.
    United,
}

/// Merges `later` into `base`. Objects are merged, and anything else in `later` takes precedence, except that `null`
/// changes nothing. An unknown gets the value that it replaces as its approximation.
pub(super) fn over(base: &Value, later: &Value, arrays: Arrays) -> Value {
    match (&base.data, &later.data) {
        (_, Data::Null) => base.clone(),
        (Data::Object(object), Data::Object(more)) => {
            let mut members: Vec<Member> = object.iter().cloned().collect();
            for member in more.iter() {
                match members.iter_mut().find(|known| known.key.eq_ignore_ascii_case(&member.key)) {
                    Some(known) => {
                        *known = Member { value: over(&known.value, &member.value, arrays), ..member.clone() };
                    }
                    None => members.push(member.clone()),
                }
            }
            like_before(base, Value::object(members))
        }
        (Data::Array(items), Data::Array(more)) if arrays == Arrays::United => {
            let new = more.iter().filter(|item| !items.iter().any(|known| known.same(item)));
            like_before(base, Value::array(items.iter().chain(new).cloned().collect()))
        }
        (_, Data::Unknown(unknown)) if !unknown.open && base.as_unknown().is_none() => {
            let like = Unknown::like(unknown.kind, unknown.why.clone(), base.clone());
            Value { span: later.span, via: later.via.clone(), ..Value::unknown(like) }.with_traits(later.traits)
        }
        _ => later.clone(),
    }
}

/// Returns `object` with the member at `path` replaced by the result of `change` for its value. Missing objects on the
/// path are added. `None` if a value on the path is not an object, or if `change` returns `None`.
pub(super) fn changed(
    object: &Value,
    path: &[&str],
    change: &dyn Fn(Option<&Value>) -> Option<Value>,
) -> Option<Value> {
    let [first, rest @ ..] = path else { return change(Some(object)) };
    let known = object.as_object()?.member(first);
    let value = match (known, rest) {
        (Some(member), []) => change(Some(&member.value))?,
        (Some(member), rest) => changed(&member.value, rest, change)?,
        (None, []) => change(None)?,
        (None, rest) => changed(&Value::object(Vec::new()), rest, change)?,
    };
    let key = known.map_or_else(|| Str::from(*first), |member| member.key.clone());
    let mut members: Vec<Member> = object.as_object()?.iter().cloned().collect();
    match members.iter_mut().rfind(|member| *member.key == *key) {
        Some(member) => member.value = value,
        None => members.push(Member::new(key, value)),
    }
    Some(like_before(object, Value::object(members)))
}

/// Returns `value` with the span and provenance of the value that it replaces.
fn like_before(before: &Value, value: Value) -> Value {
    Value { span: before.span, via: before.via.clone(), ..value }
}
