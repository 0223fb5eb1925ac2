//! Objects: names and values in the order of the text.

use std::sync::OnceLock;

use foldhash::HashMap;

use crate::text::{Span, with_lower_case};
use crate::value::held::Held;
use crate::value::{Few, Size, Str, Traits, Value};

/// Number of members from which objects are searched with an index.
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
    /// Creates a computed member, which has no source text.
    pub fn new(key: impl Into<Str>, value: Value) -> Self {
        Self { key: key.into(), key_span: None, value }
    }

    /// Returns the text from the name to the end of the value, if both are in the same location.
    pub fn span(&self) -> Option<Span> {
        match (self.key_span, self.value.span) {
            (Some(key), Some(value)) if key.file == value.file && key.start <= value.start => Some(key.to(value)),
            (_, span) => span,
        }
    }
}

/// Members in the order of the text. Resource Manager ignores the case of names, and so does [`Object::get`].
#[derive(Debug)]
pub struct Object {
    members: Box<[Member]>,
    /// Members in the text that are not part of the object, because their expression results in `null`.
    dropped: Few<Member>,
    size: Size,
    traits: Traits,
    _held: Held<Member>,
    /// The index is boxed to save memory, because few objects have one.
    index: OnceLock<Box<Index>>,
}

/// Maps names to the index of the last member with this name.
type Index = HashMap<Box<str>, u32>;

impl Object {
    pub(super) fn new(members: Vec<Member>, dropped: Vec<Member>) -> Self {
        let size = Size::of_members(members.iter().map(|member| &member.value));
        let traits = members.iter().fold(Traits::NONE, |all, member| all | member.value.traits);
        let traits = traits.without(Traits::OF_ITSELF);
        let held = Held::new(members.len() + dropped.len());
        Self { members: members.into(), dropped: dropped.into(), size, traits, _held: held, index: OnceLock::new() }
    }

    pub(super) fn size(&self) -> Size {
        self.size
    }

    pub(super) fn traits(&self) -> Traits {
        self.traits
    }

    /// Returns the number of members, including those with the same name.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns whether the object has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Iterates over the members in the order of the text.
    pub fn iter(&self) -> std::slice::Iter<'_, Member> {
        self.members.iter()
    }

    /// Returns the value of the member with this name, ignoring case. An exact match has precedence, then the last
    /// member.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.member(name).map(|member| &member.value)
    }

    /// Returns the member with this name, ignoring case: see [`Object::get`].
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
        let at = index.get(name).copied().or_else(|| with_lower_case(name, |lower| index.get(lower).copied()))?;
        self.members.get(at as usize)
    }

    /// Returns the member with this name, ignoring case, that is not part of the object because its expression
    /// results in `null`.
    pub fn dropped(&self, name: &str) -> Option<&Member> {
        self.dropped.iter().find(|member| member.key.eq_ignore_ascii_case(name))
    }

    /// Returns the value of the member with exactly this name.
    pub fn get_exact(&self, name: &str) -> Option<&Value> {
        let near = self.member(name)?;
        (near.key == *name).then_some(&near.value)
    }

    /// Builds the index. It contains exact names besides the lower-case ones, so that an exact match has precedence.
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
        // A name in lower case has precedence over other spellings.
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
