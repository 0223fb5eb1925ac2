//! Removal of properties that are `null`: Resource Manager drops them before it sends a resource to its provider.

use crate::value::{Data, Member, Object, Traits, Value};

/// Source of a value in the template.
#[derive(Clone, Copy)]
enum Written<'a> {
    /// The text in this value.
    As(&'a Value),
    /// A property loop with this `input`, once for each item of an array.
    Loop(&'a Value),
    /// Nothing: an expression computed all of it.
    Nowhere,
}

impl Written<'_> {
    fn member(self, key: &str) -> Self {
        let Self::As(value) = self else { return Self::Nowhere };
        let Some(object) = value.as_object() else { return Self::Nowhere };
        if let Some(value) = object.get(key) {
            return Self::As(value);
        }
        let loops = object.get("copy").and_then(Value::as_array).unwrap_or_default().iter();
        let mut named = loops.filter(|element| element.get("name").and_then(Value::as_str) == Some(key));
        named.next().and_then(|element| element.get("input")).map_or(Self::Nowhere, Self::Loop)
    }

    fn item(self, at: usize, of: usize) -> Self {
        match self {
            Self::Loop(input) => Self::As(input),
            Self::As(value) => {
                let items = value.as_array().filter(|items| items.len() == of);
                items.and_then(|items| items.get(at)).map_or(Self::Nowhere, Self::As)
            }
            Self::Nowhere => Self::Nowhere,
        }
    }
}

/// Drops the members that an expression computes as `null`. A literal `null` stays, because rules check the author's
/// text. The arguments of a nested deployment are not properties of a resource: with `is_deployment`, objects that an
/// expression computes keep their members. `None` if nothing is dropped.
pub(super) fn without_computed(value: &Value, declared: &Value, is_deployment: bool) -> Option<Value> {
    without(value, Written::As(declared), is_deployment)
}

/// Drops all members that are `null`, in nested objects too. `None` if nothing is dropped.
pub(super) fn without_any(value: &Value) -> Option<Value> {
    without(value, Written::Nowhere, false)
}

fn without(value: &Value, written: Written<'_>, is_deployment: bool) -> Option<Value> {
    if !value.traits.has(Traits::NULL) {
        return None;
    }
    let changed = match (&value.data, written) {
        (Data::Object(_), Written::As(Value { data: Data::String(_), .. }) | Written::Nowhere) if is_deployment => {
            return None;
        }
        (Data::Object(object), _) => without_members(object, written, is_deployment)?,
        (Data::Array(items), _) => {
            let inside = |(at, item)| without(item, written.item(at, items.len()), is_deployment);
            let changed: Vec<Option<Value>> = items.iter().enumerate().map(inside).collect();
            if changed.iter().all(Option::is_none) {
                return None;
            }
            let items = changed.into_iter().zip(items.iter()).map(|(new, item)| new.unwrap_or_else(|| item.clone()));
            Value::array(items.collect())
        }
        _ => return None,
    };
    Some(Value { span: value.span, via: value.via.clone(), ..changed })
}

fn without_members(object: &Object, written: Written<'_>, is_deployment: bool) -> Option<Value> {
    let (mut kept, mut dropped, mut is_changed) = (Vec::with_capacity(object.len()), Vec::new(), false);
    for member in object {
        let written = written.member(&member.key);
        let is_literal = matches!(written, Written::As(Value { data: Data::Null, .. }));
        if member.value.is_null() && !is_literal {
            dropped.push(member.clone());
            continue;
        }
        match without(&member.value, written, is_deployment) {
            Some(value) => {
                is_changed = true;
                kept.push(Member { value, ..member.clone() });
            }
            None => kept.push(member.clone()),
        }
    }
    (is_changed || !dropped.is_empty()).then(|| Value::object_without(kept, dropped))
}
