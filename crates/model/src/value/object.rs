//! Objects: names and values in the order of the text.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::text::{Span, with_lower_case};
use crate::value::held::Held;
use crate::value::{Few, Size, Str, Traits, Value};

/// Objects with at least this many members are searched through an index.
const INDEXED_FROM: usize = 12;

/// A name and its value.
#[derive(Clone, Debug)]
pub struct Member {
    /// The name, without escapes.
    pub key: Str,
    /// The source text of the name, with its quotes. `None` for a computed member.
    pub key_span: Option<Span>,
    /// The value of the member.
    pub value: Value,
}

impl Member {
    /// A computed member, which has no source text.
    pub fn new(key: impl Into<Str>, value: Value) -> Self {
        Self { key: key.into(), key_span: None, value }
    }

    /// From the name to the end of the value, where both were written in one place.
    pub fn span(&self) -> Option<Span> {
        match (self.key_span, self.value.span) {
            (Some(key), Some(value)) if key.file == value.file && key.start <= value.start => Some(key.to(value)),
            (_, span) => span,
        }
    }
}

/// Members in the order of the text. Names of Resource Manager ignore case, so [`Object::get`] does.
#[derive(Debug)]
pub struct Object {
    members: Box<[Member]>,
    /// Members that are written but not part of the object, because an expression computes them as `null`.
    dropped: Few<Member>,
    size: Size,
    traits: Traits,
    _held: Held<Member>,
    /// Boxed, because few objects have one, and a template consists of objects.
    index: OnceLock<Box<Index>>,
}

/// Name -> index of the last member that it finds.
type Index = HashMap<Box<str>, u32>;

impl Object {
    pub(super) fn new(members: Vec<Member>, dropped: Vec<Member>) -> Self {
        let size = Size::of_members(members.iter().map(|member| &member.value));
        let traits = members.iter().fold(Traits::NONE, |all, member| all | member.value.traits);
        let traits = traits.without(Traits::OF_ITSELF);
        let held = Held::of(members.len() + dropped.len());
        Self { members: members.into(), dropped: dropped.into(), size, traits, _held: held, index: OnceLock::new() }
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    pub(super) fn traits(&self) -> Traits {
        self.traits
    }

    /// The number of members, counting each of several with one name.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether the object has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The members in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.members.iter()
    }

    /// The value of the member with this name, ignoring case. Of several, the last counts, but an exact match wins.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.member(name).map(|member| &member.value)
    }

    /// The member with this name, ignoring case: see [`Object::get`].
    pub fn member(&self, name: &str) -> Option<&Member> {
        if self.members.len() < INDEXED_FROM {
            let (name, mut near) = (name.as_bytes(), None);
            for member in self.members.iter().rev().filter(|member| member.key.len() == name.len()) {
                let key = member.key.as_bytes();
                if key == name {
                    return Some(member);
                }
                if near.is_none() && key.eq_ignore_ascii_case(name) {
                    near = Some(member);
                }
            }
            return near;
        }
        let index = self.index.get_or_init(|| Box::new(self.build_index()));
        let lowered = || with_lower_case(name, |lower| index.get(lower).copied());
        let at = index.get(name).copied().or_else(lowered)?;
        self.members.get(at as usize)
    }

    /// The member of this name, ignoring case, that is written but not part of the object because it is computed as `null`.
    pub fn dropped(&self, name: &str) -> Option<&Member> {
        self.dropped.iter().find(|member| member.key.eq_ignore_ascii_case(name))
    }

    /// The value of the member with exactly this name.
    pub fn get_exact(&self, name: &str) -> Option<&Value> {
        let near = self.member(name)?;
        (near.key == *name).then_some(&near.value)
    }

    /// Exact names are entered beside the lower-case ones, so that an exact match wins.
    fn build_index(&self) -> Index {
        let mut index = Index::default();
        for (at, member) in (0u32..).zip(&self.members) {
            index.insert(member.key.to_ascii_lowercase().into_boxed_str(), at);
        }
        for (at, member) in (0u32..).zip(&self.members) {
            if member.key.bytes().any(|byte| byte.is_ascii_uppercase()) {
                index.insert((*member.key).into(), at);
            }
        }
        // A name in lower case wins over other spellings of it.
        for (at, member) in (0u32..).zip(&self.members) {
            if !member.key.bytes().any(|byte| byte.is_ascii_uppercase()) {
                index.insert((*member.key).into(), at);
            }
        }
        index
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = &'a Member;
    type IntoIter = std::slice::Iter<'a, Member>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(names: &[&str]) -> Object {
        Object::new((0i64..).zip(names).map(|(at, name)| Member::new(*name, Value::from(at))).collect(), Vec::new())
    }

    #[test]
    fn names_are_found_in_any_spelling_alike_with_and_without_an_index() {
        let few = ["Name", "TYPE", "type", "x", "X"];
        let mut many = few.to_vec();
        many.extend(["a", "b", "c", "d", "e", "f", "g", "h", "i"]);
        for names in [&few[..], &many] {
            let it = object(names);
            let found = |name| it.get(name).and_then(Value::as_int);
            assert_eq!(found("NAME"), Some(0));
            assert_eq!(found("TYPE"), Some(1));
            assert_eq!(found("type"), Some(2));
            assert_eq!(found("Type"), Some(2));
            assert_eq!(found("X"), Some(4));
            assert_eq!(found("missing"), None);
            assert!(it.get_exact("name").is_none());
        }
    }
}
