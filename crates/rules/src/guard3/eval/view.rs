//! Uniform views of values in documents and in rules files.

use std::rc::Rc;
use std::sync::Arc;

use crate::guard3::ast::{Literal, PatternLiteral, Range};
use crate::syntax::yaml;
use crate::value::{Data, Object, Str, Traits, Unknown, Value};

/// A view of a value.
#[derive(Clone, Copy, Debug)]
pub(super) enum View<'v> {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    String(&'v str),
    /// A string that YAML reads as a number, in a notation that JSON does not have.
    Spelled(&'v str, f64),
    Char(char),
    Pattern(&'v PatternLiteral),
    Range(&'v Range),
    List(List<'v>),
    Map(Map<'v>),
    Unknown(&'v Arc<Unknown>),
}

/// Items of a list.
#[derive(Clone, Copy, Debug)]
pub(super) enum List<'v> {
    Values(&'v [Value]),
    Literals(&'v [Literal]),
}

/// Members of a map.
#[derive(Clone, Copy, Debug)]
pub(super) enum Map<'v> {
    Object(&'v Object),
    Literals(&'v [(Str, Literal)]),
}

impl<'v> View<'v> {
    pub(super) fn value(value: &'v Value) -> Self {
        match &value.data {
            Data::Null => Self::Null,
            Data::Bool(it) => Self::Bool(*it),
            Data::Int(it) => Self::Int(*it),
            Data::BigInt(digits) => Self::Float(digits.parse().unwrap_or(f64::MAX)),
            Data::Float(it) => Self::Float(*it),
            Data::String(text) => match spelled(value, text) {
                Some(number) => Self::Spelled(text, number),
                None => Self::String(text),
            },
            Data::Array(items) => Self::List(List::Values(items)),
            Data::Object(object) => Self::Map(Map::Object(object)),
            Data::Unknown(unknown) => Self::Unknown(unknown),
        }
    }

    pub(super) fn literal(literal: &'v Literal) -> Self {
        match literal {
            Literal::Null => Self::Null,
            Literal::Bool(it) => Self::Bool(*it),
            Literal::Int(it) => Self::Int(*it),
            Literal::Float(it) => Self::Float(*it),
            Literal::String(text) => Self::String(text),
            Literal::Pattern(pattern) => Self::Pattern(pattern),
            Literal::Range(range) => Self::Range(range),
            Literal::List(items) => Self::List(List::Literals(items)),
            Literal::Map(members) => Self::Map(Map::Literals(members)),
        }
    }

    pub(super) fn is_list(self) -> bool {
        matches!(self, Self::List(_))
    }

    /// True if it is neither a list nor a map.
    pub(super) fn is_scalar(self) -> bool {
        !matches!(self, Self::List(_) | Self::Map(_))
    }

    pub(super) fn text(self) -> Option<&'v str> {
        match self {
            Self::String(text) | Self::Spelled(text, _) => Some(text),
            _ => None,
        }
    }
}

fn spelled(value: &Value, text: &str) -> Option<f64> {
    let number = value.traits.has(Traits::NUMERIC).then(|| yaml::number(text)).flatten();
    number.and_then(|data| Value::new(data).as_f64())
}

impl<'v> List<'v> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Values(items) => items.len(),
            Self::Literals(items) => items.len(),
        }
    }

    pub(super) fn get(self, at: usize) -> Option<View<'v>> {
        match self {
            Self::Values(items) => items.get(at).map(View::value),
            Self::Literals(items) => items.get(at).map(View::literal),
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = View<'v>> {
        (0..self.len()).filter_map(move |at| self.get(at))
    }
}

impl<'v> Map<'v> {
    pub(super) fn len(self) -> usize {
        match self {
            Self::Object(object) => object.len(),
            Self::Literals(members) => members.len(),
        }
    }

    pub(super) fn get(self, key: &str) -> Option<View<'v>> {
        match self {
            Self::Object(object) => object.get_exact(key).map(View::value),
            Self::Literals(members) => {
                members.iter().rev().find(|(name, _)| **name == *key).map(|(_, literal)| View::literal(literal))
            }
        }
    }

    pub(super) fn iter(self) -> Box<dyn Iterator<Item = (&'v str, View<'v>)> + 'v> {
        match self {
            Self::Object(object) => Box::new(object.iter().map(|member| (&*member.key, View::value(&member.value)))),
            Self::Literals(members) => Box::new(members.iter().map(|(key, literal)| (&**key, View::literal(literal)))),
        }
    }
}

/// Subject of a query: a value of the document or the rules file, or the result of a function.
#[derive(Clone, Debug)]
pub(in crate::guard3) enum Item<'a> {
    /// A value with its unevaluated form, if that is a function.
    Value(&'a Value, Option<&'a Value>),
    Literal(&'a Literal),
    Made(Rc<Value>),
    Char(char),
}

impl<'a> Item<'a> {
    pub(super) fn view(&self) -> View<'_> {
        match self {
            Self::Value(value, _) => View::value(value),
            Self::Literal(literal) => View::literal(literal),
            Self::Made(value) => View::value(value),
            Self::Char(character) => View::Char(*character),
        }
    }

    /// Returns a value with its unevaluated form, unless that contains no functions.
    fn faces(value: &'a Value, written: Option<&'a Value>) -> Self {
        Self::Value(
            value,
            written.filter(|written: &&Value| match (&value.data, &written.data) {
                (Data::Object(own), Data::Object(written)) => !Arc::ptr_eq(own, written),
                (Data::Array(own), Data::Array(written)) => !Arc::ptr_eq(own, written),
                (_, written) => matches!(written, Data::Object(_) | Data::Array(_)),
            }),
        )
    }

    /// Returns the member with a name. Names in Azure are case-insensitive.
    pub(super) fn member(&self, key: &str, ignores_case: bool) -> Option<(Self, Option<&'a str>)> {
        match self {
            Self::Value(value, written) => {
                let object = value.as_object().or_else(|| open(value))?;
                let member = object.member(key).filter(|member| ignores_case || *member.key == *key)?;
                let written = written.and_then(|written| written.as_object()?.get_exact(key));
                Some((Self::faces(&member.value, written), Some(&member.key)))
            }
            Self::Literal(Literal::Map(members)) => {
                let (key, literal) = members.iter().rev().find(|(name, _)| **name == *key)?;
                Some((Self::Literal(literal), Some(key)))
            }
            Self::Made(made) => {
                let value = made.as_object()?.get_exact(key)?;
                Some((Self::Made(Rc::new(value.clone())), None))
            }
            Self::Literal(_) | Self::Char(_) => None,
        }
    }

    /// Returns the item with an index; a negative one counts from the end.
    pub(super) fn item(&self, index: i64) -> Option<(Self, usize)> {
        let View::List(list) = self.view() else { return None };
        let distance = usize::try_from(index.unsigned_abs()).ok()?;
        let at = if index < 0 { list.len().checked_sub(distance)? } else { distance };
        match self {
            Self::Value(value, written) => {
                let written = written.and_then(|written| written.as_array()?.get(at));
                Some((Self::faces(value.as_array()?.get(at)?, written), at))
            }
            Self::Literal(Literal::List(items)) => Some((Self::Literal(items.get(at)?), at)),
            Self::Made(value) => Some((Self::Made(Rc::new(value.as_array()?.get(at)?.clone())), at)),
            Self::Literal(_) | Self::Char(_) => None,
        }
    }

    /// Returns the number of items of a list, or `None` for anything else.
    pub(super) fn list_len(&self) -> Option<usize> {
        match self.view() {
            View::List(list) => Some(list.len()),
            _ => None,
        }
    }

    pub(super) fn is_empty_map(&self) -> bool {
        matches!(self.view(), View::Map(map) if map.len() == 0)
    }

    /// Returns the members of a map at these positions.
    pub(super) fn members_at(&self, positions: &[usize]) -> Vec<(Self, Key<'a>)> {
        let Self::Value(value, written) = self else { return Vec::new() };
        let of_written = written.and_then(|written| written.as_object());
        positions
            .iter()
            .filter_map(|at: &usize| {
                let member = value.as_object()?.iter().as_slice().get(*at)?;
                let written = of_written.and_then(|object| object.get_exact(&member.key));
                Some((Self::faces(&member.value, written), Key::Written(&member.key)))
            })
            .collect()
    }

    /// Returns the members of a map, in the order of the text, or `None` for anything else.
    pub(super) fn members(&self) -> Option<Vec<(Self, Key<'a>)>> {
        match self {
            Self::Value(value, written) => {
                let object = value.as_object()?;
                let of_written = written.and_then(|written| written.as_object());
                Some(
                    object
                        .iter()
                        .map(|member: &'a crate::value::Member| {
                            let written = of_written.and_then(|object| object.get_exact(&member.key));
                            (Self::faces(&member.value, written), Key::Written(&member.key))
                        })
                        .collect(),
                )
            }
            Self::Literal(Literal::Map(members)) => {
                Some(members.iter().map(|(key, literal)| (Self::Literal(literal), Key::Written(key))).collect())
            }
            Self::Made(value) => Some(
                value
                    .as_object()?
                    .iter()
                    .map(|member: &crate::value::Member| {
                        (Self::Made(Rc::new(member.value.clone())), Key::Made(member.key.clone()))
                    })
                    .collect(),
            ),
            Self::Literal(_) | Self::Char(_) => None,
        }
    }
}

/// Returns the known members of a value that is only partly known.
fn open(value: &Value) -> Option<&Object> {
    value.as_unknown().filter(|unknown| unknown.open)?.approximation.as_object()
}

/// The name of a member.
#[derive(Clone, Debug)]
pub(super) enum Key<'a> {
    Written(&'a Str),
    Made(Str),
}

impl Key<'_> {
    pub(super) fn text(&self) -> &Str {
        match self {
            Self::Written(text) => text,
            Self::Made(text) => text,
        }
    }
}
