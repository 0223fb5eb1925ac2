//! Laying values over one another.

use crate::value::{Data, Member, Str, Unknown, Value};

/// An object that is being built.
#[derive(Default)]
struct Branch(Vec<(&'static str, Tree)>);

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
        let at = self.0.iter().position(|(name, tree)| *name == first && matches!(tree, Tree::Branch(_)));
        let at = at.unwrap_or_else(|| {
            self.0.push((first, Tree::Branch(Self::default())));
            self.0.len() - 1
        });
        if let Tree::Branch(branch) = &mut self.0[at].1 {
            branch.put(rest, value);
        }
    }

    fn into_value(self) -> Value {
        let members = self.0.into_iter().map(|(name, tree)| match tree {
            Tree::Leaf(value) => Member::new(name, value),
            Tree::Branch(branch) => Member::new(name, branch.into_value()),
        });
        Value::object(members.collect())
    }
}

/// An object of values at paths like `a.b`. `None` without any.
pub(super) fn grown(values: impl Iterator<Item = (&'static str, Value)>) -> Option<Value> {
    let mut root = Branch::default();
    for (path, value) in values {
        root.put(path, value);
    }
    (!root.0.is_empty()).then(|| root.into_value())
}

/// `known` with `added` laid under it: new members are added, objects go into objects, arrays of one length item by
/// item. What is there stays.
pub(super) fn under(known: &Value, added: &Value) -> Value {
    match (&known.data, &added.data) {
        (Data::Object(object), Data::Object(more)) => {
            let mut members: Vec<Member> = object.iter().cloned().collect();
            for member in more.iter() {
                match members.iter_mut().find(|it| it.key.eq_ignore_ascii_case(&member.key)) {
                    Some(it) => it.value = under(&it.value, &member.value),
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

/// What becomes of arrays where one value is laid over another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrays {
    /// The later one counts.
    Replaced,
    /// The items of the later one are added, each once.
    United,
}

/// `base` with `later` laid over it: objects into objects, anything else replaced; `null` says nothing. An unknown has
/// what it replaces as its approximation.
pub(super) fn over(base: &Value, later: &Value, arrays: Arrays) -> Value {
    match (&base.data, &later.data) {
        (_, Data::Null) => base.clone(),
        (Data::Object(object), Data::Object(more)) => {
            let mut members: Vec<Member> = object.iter().cloned().collect();
            for member in more.iter() {
                match members.iter_mut().find(|it| it.key.eq_ignore_ascii_case(&member.key)) {
                    Some(it) => *it = Member { value: over(&it.value, &member.value, arrays), ..member.clone() },
                    None => members.push(member.clone()),
                }
            }
            like_before(base, Value::object(members))
        }
        (Data::Array(items), Data::Array(more)) if arrays == Arrays::United => {
            let new = more.iter().filter(|it| !items.iter().any(|known| known.same(it)));
            like_before(base, Value::array(items.iter().chain(new).cloned().collect()))
        }
        (_, Data::Unknown(unknown)) if !unknown.open && base.as_unknown().is_none() => {
            let like = Unknown::like(unknown.kind, unknown.why.clone(), base.clone());
            Value { span: later.span, via: later.via.clone(), ..Value::unknown(like) }.with_traits(later.traits)
        }
        _ => later.clone(),
    }
}

/// The member at a path of `object`, made by `change` of what is there; objects on the way are made where they are
/// missing. A value on the way that is no object stays, and nothing changes.
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
    let key = known.map_or_else(|| Str::from(*first), |it| it.key.clone());
    let mut members: Vec<Member> = object.as_object()?.iter().cloned().collect();
    match members.iter_mut().rfind(|it| *it.key == *key) {
        Some(member) => member.value = value,
        None => members.push(Member::new(key, value)),
    }
    Some(like_before(object, Value::object(members)))
}

fn like_before(before: &Value, value: Value) -> Value {
    Value { span: before.span, via: before.via.clone(), ..value }
}
