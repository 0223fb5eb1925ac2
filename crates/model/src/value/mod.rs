//! Values of templates and of their expansion.
//!
//! A [`Value`] contains the source text that defines it and, if it was computed, the steps that resulted in it
//! ([`Via`]). A value that is known only after a deployment is also a value ([`Unknown`]). Clones are cheap: strings,
//! arrays, and objects are shared, and a part of a template without expressions is never copied.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod excerpt;
mod few;
mod held;
mod json;
mod locate;
mod object;
mod provenance;
mod secret;
mod str;
mod traits;
mod unknown;

use std::sync::Arc;

use crate::text::Span;

pub use self::excerpt::{ValueExcerpt, plain};
pub use self::few::Few;
pub use self::held::held_bytes;
pub use self::json::{JsonStyle, Lazy, SECRET, write_json, write_members};
pub use self::locate::{Inward, locate};
pub use self::object::{Member, Object};
pub use self::provenance::{SecretSource, Step, Via};
pub use self::str::Str;
pub use self::traits::Traits;
pub use self::unknown::{Ends, Kind, Unknown};

/// The JSON value of a [`Value`].
#[derive(Clone, Debug)]
pub enum Data {
    /// The JSON value `null`.
    Null,
    /// A Boolean: `true` or `false`.
    Bool(bool),
    /// An integer. Resource Manager computes with 64 bits.
    Int(i64),
    /// The digits of an integer that exceeds 64 bits. It can be shown and compared, but not used in computations.
    BigInt(Str),
    /// A number that is not an integer, or exceeds its range.
    Float(f64),
    /// A string, without escapes.
    String(Str),
    /// An array with its items in order.
    Array(Arc<Array>),
    /// An object with its members in order.
    Object(Arc<Object>),
    /// A value that is known only after a deployment.
    Unknown(Arc<Unknown>),
}

/// The items of an array.
#[derive(Debug)]
pub struct Array {
    items: Vec<Value>,
    size: Size,
    _held: held::Held<Value>,
}

/// The size of a value, for the limits. It is stored, not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Number of nested values, including the value itself.
    pub weight: u32,
    /// Nesting depth of its arrays and objects.
    pub depth: u32,
}

impl Size {
    const SCALAR: Self = Self { weight: 1, depth: 0 };

    fn of_members<'a>(members: impl Iterator<Item = &'a Value>) -> Self {
        members.fold(Self { weight: 1, depth: 1 }, |size, member| {
            let inner = member.size();
            Self {
                weight: size.weight.saturating_add(inner.weight),
                depth: size.depth.max(inner.depth.saturating_add(1)),
            }
        })
    }
}

impl std::ops::Deref for Array {
    type Target = [Value];

    fn deref(&self) -> &[Value] {
        &self.items
    }
}

/// A JSON value with its origin.
#[derive(Clone, Debug)]
pub struct Value {
    /// The JSON value.
    pub data: Data,
    /// The source text that defines it. `None` for a value that an expression computed.
    pub span: Option<Span>,
    /// The computation of the value. `None` for a literal.
    pub via: Option<Arc<Via>>,
    /// Facts about the value and all nested values.
    pub traits: Traits,
}

impl Value {
    /// The value `null` without a source text.
    pub const NULL: Self = Self { data: Data::Null, span: None, via: None, traits: Traits::NULL };

    /// Creates a value without origin. The traits of arrays and objects are from their members.
    pub fn new(data: Data) -> Self {
        let traits = match &data {
            Data::Array(array) => {
                array.iter().fold(Traits::NONE, |all, item| all | item.traits).without(Traits::OF_ITSELF)
            }
            Data::Object(object) => object.traits(),
            Data::Unknown(unknown) => unknown.traits(),
            Data::Null => Traits::NULL,
            Data::Bool(_) | Data::Int(_) | Data::BigInt(_) | Data::Float(_) | Data::String(_) => Traits::NONE,
        };
        Self { data, span: None, via: None, traits }
    }

    /// Creates an array. Its size and traits are from its items.
    pub fn array(mut items: Vec<Self>) -> Self {
        // Values are kept for the whole run, and the spare capacity of a vector is often as large as its content.
        items.shrink_to_fit();
        let size = Size::of_members(items.iter());
        Self::new(Data::Array(Arc::new(Array { _held: held::Held::new(items.len()), items, size })))
    }

    /// Creates an object. Members with the same name, ignoring case, are all kept, and [`Object::get`] returns the
    /// last.
    pub fn object(members: Vec<Member>) -> Self {
        Self::object_without(members, Vec::new())
    }

    /// Creates an object, with members in its text that are not part of it: see [`Object::dropped`].
    pub fn object_without(members: Vec<Member>, dropped: Vec<Member>) -> Self {
        Self::new(Data::Object(Arc::new(Object::new(members, dropped))))
    }

    /// Creates a value that is known only after a deployment.
    pub fn unknown(unknown: Unknown) -> Self {
        Self::new(Data::Unknown(Arc::new(unknown)))
    }

    /// Returns the value with its source text.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Returns the value with additional traits.
    #[must_use]
    pub fn with_traits(mut self, traits: Traits) -> Self {
        self.traits = self.traits | traits;
        self
    }

    /// Returns the value with its origin.
    #[must_use]
    pub fn through(mut self, via: Option<Arc<Via>>) -> Self {
        self.via = via;
        self
    }

    /// Returns the address of an object, which identifies it while it exists. `None` for other values.
    pub fn address(&self) -> Option<usize> {
        self.as_object().map(|object| std::ptr::from_ref(object).addr())
    }

    /// Returns the size of the value, including nested values.
    pub fn size(&self) -> Size {
        match &self.data {
            Data::Array(array) => array.size,
            Data::Object(object) => object.size(),
            Data::Unknown(unknown) => unknown.size(),
            _ => Size::SCALAR,
        }
    }

    /// Returns the string. `None` for other values.
    pub fn as_str(&self) -> Option<&str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the string with its shared storage. `None` for other values.
    pub fn as_shared_str(&self) -> Option<&Str> {
        match &self.data {
            Data::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the Boolean. `None` for other values.
    pub fn as_bool(&self) -> Option<bool> {
        match self.data {
            Data::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the integer. `None` for other values, and for integers that exceed 64 bits.
    pub fn as_int(&self) -> Option<i64> {
        match self.data {
            Data::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Returns the items of an array. `None` for other values.
    pub fn as_array(&self) -> Option<&[Self]> {
        match &self.data {
            Data::Array(array) => Some(&array.items),
            _ => None,
        }
    }

    /// Returns the members of an object. `None` for other values.
    pub fn as_object(&self) -> Option<&Object> {
        match &self.data {
            Data::Object(object) => Some(object),
            _ => None,
        }
    }

    /// Returns the unknown. `None` for other values.
    pub fn as_unknown(&self) -> Option<&Arc<Unknown>> {
        match &self.data {
            Data::Unknown(unknown) => Some(unknown),
            _ => None,
        }
    }

    /// Returns the value of the member with this name, ignoring case. `None` if there is none or this is not an
    /// object.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.as_object()?.get(name)
    }

    /// Returns the beginning of this value at `span`: enough to show its position without underlining all of it. It
    /// consists of whole characters. Only a name or a string can begin with a character of more than one byte.
    pub fn head(&self, span: Span) -> Span {
        // The text of a block scalar in YAML includes blank lines before its span.
        let first = match &self.data {
            Data::String(text) if begins_wide(text) => Some(span),
            Data::Object(object) => {
                let named = object.iter().next().filter(|member| begins_wide(&member.key));
                named.and_then(|member| member.key_span).filter(|key| key.start == span.start)
            }
            _ => None,
        };
        first.unwrap_or_else(|| Span { end: span.end.min(span.start.saturating_add(1)), ..span })
    }

    /// Returns whether the value is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// Returns the kind of the value, for messages. For an unknown, returns the kind that it will have.
    pub fn kind(&self) -> Kind {
        match &self.data {
            Data::Null => Kind::Null,
            Data::Bool(_) => Kind::Bool,
            Data::Int(_) | Data::BigInt(_) => Kind::Int,
            Data::Float(_) => Kind::Float,
            Data::String(_) => Kind::String,
            Data::Array(_) => Kind::Array,
            Data::Object(_) => Kind::Object,
            Data::Unknown(unknown) => unknown.kind,
        }
    }

    /// Returns a number as the nearest float. `None` for other values.
    pub fn as_f64(&self) -> Option<f64> {
        match &self.data {
            #[expect(clippy::cast_precision_loss, reason = "the nearest float is what is asked for")]
            Data::Int(it) => Some(*it as f64),
            Data::BigInt(digits) => digits.parse().ok(),
            Data::Float(it) => Some(*it),
            _ => None,
        }
    }

    /// Compares as JSON: numbers by value, strings by code point, members by exact name in any order. An unknown
    /// equals no value.
    pub fn same(&self, other: &Self) -> bool {
        match (&self.data, &other.data) {
            (Data::Null, Data::Null) => true,
            (Data::Bool(a), Data::Bool(b)) => a == b,
            (Data::Int(a), Data::Int(b)) => a == b,
            (Data::String(a), Data::String(b)) | (Data::BigInt(a), Data::BigInt(b)) => a == b,
            #[expect(clippy::float_cmp, reason = "equality of JSON numbers is exact")]
            (Data::Float(a), Data::Float(b)) => a == b,
            #[expect(clippy::float_cmp, clippy::cast_precision_loss, reason = "equality of JSON numbers is exact")]
            (Data::Int(a), Data::Float(b)) | (Data::Float(b), Data::Int(a)) => *a as f64 == *b,
            (Data::BigInt(_), Data::Float(_)) | (Data::Float(_), Data::BigInt(_)) => self.as_f64() == other.as_f64(),
            (Data::Array(a), Data::Array(b)) => {
                Arc::ptr_eq(a, b) || (a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| a.same(b)))
            }
            (Data::Object(a), Data::Object(b)) => {
                Arc::ptr_eq(a, b)
                    || (a.len() == b.len()
                        && a.iter()
                            .all(|member| b.get_exact(&member.key).is_some_and(|other| other.same(&member.value))))
            }
            _ => false,
        }
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::new(Data::Bool(value))
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::new(Data::Int(value))
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::new(Data::Float(value))
    }
}

impl From<Str> for Value {
    fn from(value: Str) -> Self {
        Self::new(Data::String(value))
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::new(Data::String(Str::from(value)))
    }
}

impl From<String> for Value {
    fn from(value: String) -> Self {
        Self::new(Data::String(Str::from(value)))
    }
}

impl From<Vec<Value>> for Value {
    fn from(items: Vec<Value>) -> Self {
        Self::array(items)
    }
}

/// Returns whether the first visible character of a text has more than one byte.
fn begins_wide(text: &str) -> bool {
    text.trim_ascii_start().starts_with(|first: char| !first.is_ascii())
}
