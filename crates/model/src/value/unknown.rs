//! Values that are known only after a deployment.

use std::sync::{Arc, LazyLock};

use crate::text::cut;
use crate::value::{Data, Few, Size, Str, Traits, Value};

/// The kind of a value, named as in Azure's type declarations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The kind is unknown.
    Any,
    /// The kind of the value `null`.
    Null,
    /// A Boolean, `true` or `false`.
    Bool,
    /// An integer of any size.
    Int,
    /// A number that is not an integer.
    Float,
    /// A string of characters.
    String,
    /// An array of values.
    Array,
    /// An object with named members.
    Object,
}

impl Kind {
    /// Returns the name of the kind, such as `int`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Null => "null",
            Self::Bool => "bool",
            Self::Int => "int",
            Self::Float => "float",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }
}

/// A value that is unknown before a deployment, with the reason. It never results in a finding by itself, and nothing
/// is invented for it: the approximation is only for display, and for the known parts of a string.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// The kind that the value will have.
    pub kind: Kind,
    /// The reason why it is unknown, for example ``parameter `sku` has no value``. Lower case, without a period at
    /// the end.
    pub why: Str,
    /// The nearest known value. It contains no unknowns.
    pub approximation: Value,
    /// True if the approximation is certain but incomplete, as for the runtime state of a resource whose template
    /// is known.
    pub open: bool,
    /// The only possible values, which may be partly unknown. Empty if the value could be anything, or there are too
    /// many.
    pub choices: Few<Value>,
    /// The certain parts of a string. `None` if there are none.
    pub ends: Option<Arc<Ends>>,
    /// True if the value may be missing.
    pub is_optional: bool,
}

/// The certain parts of a partly known string.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ends {
    /// The certain beginning.
    pub start: String,
    /// The certain end, after the beginning.
    pub end: String,
    /// True if there is at least one character between the two, and no white space, as in an ID.
    pub is_filled: bool,
    /// The least number of characters between the two.
    pub least: u32,
    /// The greatest number of characters between the two. `None` if there is no bound.
    pub most: Option<u32>,
    /// Some of the characters that are certainly between the two, each once.
    pub inside: String,
}

/// Maximum number of characters that are kept of those between the ends.
const MAX_INSIDE: usize = 64;

impl Ends {
    /// Returns whether a string may be the unknown one. `is_same` compares strings.
    pub fn admit(&self, text: &str, is_same: fn(&str, &str) -> bool) -> bool {
        let [start, end] = [&self.start, &self.end].map(|part| part.chars().count());
        let middle = text.chars().count().checked_sub(start + end);
        let Some(middle) = middle.filter(|middle| *middle > 0 || !self.is_filled) else { return false };
        let boundary = |count: usize| text.char_indices().nth(count).map_or(text.len(), |(at, _)| at);
        let (Some((first, rest)), Some((_, last))) =
            (text.split_at_checked(boundary(start)), text.split_at_checked(boundary(start + middle)))
        else {
            return false;
        };
        let between = rest.strip_suffix(last).unwrap_or(rest);
        let is_filled = !self.is_filled || !between.contains(char::is_whitespace);
        is_same(first, &self.start) && is_same(last, &self.end) && is_filled
    }

    /// Adds characters that are certainly between the two.
    pub fn add_inside(&mut self, text: &str) {
        for letter in text.chars() {
            if self.inside.chars().count() < MAX_INSIDE && !self.inside.contains(letter) {
                self.inside.push(letter);
            }
        }
    }

    /// Appends what is certain of another string, of which the beginning is already a part of the ends.
    pub fn append(&mut self, other: &Self) {
        let middle = std::mem::take(&mut self.end);
        let count = u32::try_from(middle.chars().count()).unwrap_or(u32::MAX);
        self.least = self.least.saturating_add(count).saturating_add(other.least);
        self.most = self.most.zip(other.most).and_then(|(own, most)| own.checked_add(count)?.checked_add(most));
        self.is_filled &= other.is_filled && !middle.contains(char::is_whitespace);
        self.add_inside(&middle);
        self.add_inside(&other.inside);
        self.end.clone_from(&other.end);
    }

    /// Returns `true` if the string is certainly not empty.
    pub fn has_text(&self) -> bool {
        self.is_filled || !self.start.is_empty() || !self.end.is_empty()
    }
}

/// The shared approximation of unknown objects.
static EMPTY: LazyLock<Value> = LazyLock::new(|| Value::object(Vec::new()));

/// The shared approximation of unknown strings.
static EMPTY_STRING: LazyLock<Value> = LazyLock::new(|| Value::from(""));

/// Maximum length of a reason in bytes. A reason quotes names, and may contain the reason of another unknown.
const MAX_REASON: usize = 1_000;

fn reason(why: impl Into<Str>) -> Str {
    let why = why.into();
    if why.len() <= MAX_REASON { why } else { Str::from(cut(&why, MAX_REASON)) }
}

/// Maximum number of choices. A value with more could be anything.
const MAX_CHOICES: usize = 8;

impl Unknown {
    /// Creates an unknown of which only the kind is known. The approximation is the empty value of the kind.
    pub fn new(kind: Kind, why: impl Into<Str>) -> Self {
        let approximation = match kind {
            Kind::Any | Kind::Object => EMPTY.clone(),
            Kind::Null => Value::NULL,
            Kind::Bool => Value::from(false),
            Kind::Int => Value::from(0),
            Kind::Float => Value::from(0.0),
            Kind::String => EMPTY_STRING.clone(),
            Kind::Array => Value::array(Vec::new()),
        };
        Self { kind, why: reason(why), approximation, open: false, choices: Few::NONE, ends: None, is_optional: false }
    }

    /// Restricts the unknown to these values. They are ignored if there are too many or one is unknown.
    #[must_use]
    pub fn one_of(mut self, choices: impl IntoIterator<Item = Value>) -> Self {
        let mut distinct: Vec<Value> = Vec::new();
        for choice in choices {
            if choice.traits.has(Traits::UNKNOWN) || distinct.len() == MAX_CHOICES {
                return self;
            }
            if !distinct.iter().any(|known| known.same(&choice)) {
                distinct.push(choice);
            }
        }
        self.choices = distinct.into();
        self
    }

    /// Restricts the unknown to these values, between which the template chooses. They may be partly unknown.
    #[must_use]
    pub fn either(self, choices: impl IntoIterator<Item = Value>) -> Self {
        Self { choices: choices.into_iter().collect(), ..self }
    }

    /// Returns the only possible values, if all are completely known. Empty otherwise.
    pub fn known_choices(&self) -> &[Value] {
        let are_known = !self.is_optional && self.choices.iter().all(|choice| !choice.traits.has(Traits::UNKNOWN));
        if are_known { &self.choices } else { &[] }
    }

    /// Creates an unknown that will probably be similar to `approximation`.
    pub fn like(kind: Kind, why: impl Into<Str>, approximation: Value) -> Self {
        let approximation = approximation.approximate();
        Self { kind, why: reason(why), approximation, open: false, choices: Few::NONE, ends: None, is_optional: false }
    }

    /// Creates a value of which `known` is certain, but may be incomplete.
    pub fn open(why: impl Into<Str>, known: Value) -> Self {
        Self {
            kind: known.kind(),
            why: reason(why),
            approximation: known,
            open: true,
            choices: Few::NONE,
            ends: None,
            is_optional: false,
        }
    }

    /// Marks the unknown as possibly missing.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { is_optional: true, ..self }
    }

    /// Sets the certain parts of the string.
    #[must_use]
    pub fn between(mut self, ends: Ends) -> Self {
        self.ends = (ends != Ends::default()).then(|| Arc::new(ends));
        self
    }

    /// Returns the size, including the known parts, so that a chain of nested unknowns is also limited.
    pub(super) fn size(&self) -> Size {
        let known = self.approximation.size();
        let known = Size { weight: known.weight.saturating_add(1), ..known };
        self.choices.iter().map(Value::size).fold(known, |size, choice| Size {
            weight: size.weight.saturating_add(choice.weight),
            depth: size.depth.max(choice.depth.saturating_add(1)),
        })
    }

    pub(super) fn traits(&self) -> Traits {
        let choices = self.choices.iter().fold(Traits::NONE, |all, choice| all | choice.traits);
        Traits::UNKNOWN | (self.approximation.traits | choices).without(Traits::DYNAMIC).without(Traits::PATH)
    }
}

impl Value {
    /// Replaces all unknowns in the value by their approximations. Secrets stay secret.
    #[must_use]
    pub fn approximate(&self) -> Self {
        if !self.traits.has(Traits::UNKNOWN) {
            return self.clone();
        }
        let known = match &self.data {
            Data::Unknown(unknown) => unknown.approximation.approximate(),
            Data::Array(array) => Self::array(array.iter().map(Self::approximate).collect()),
            Data::Object(object) => Self::object(
                object
                    .iter()
                    .map(|member| super::Member { value: member.value.approximate(), ..member.clone() })
                    .collect(),
            ),
            _ => return self.clone(),
        };
        let traits = known.traits | self.traits.without(Traits::UNKNOWN).without(Traits::PATH).without(Traits::ASSUMED);
        Self { span: self.span, via: self.via.clone(), traits, ..known }
    }

    /// Returns the possible values. A known value has only itself. `None` if they cannot be listed.
    pub fn choices(&self) -> Option<&[Self]> {
        match &self.data {
            Data::Unknown(unknown) => Some(unknown.known_choices()).filter(|choices| !choices.is_empty()),
            _ if self.traits.has(Traits::UNKNOWN) => None,
            _ => Some(std::slice::from_ref(self)),
        }
    }

    /// Returns the first unknown in the value, in document order.
    pub fn first_unknown(&self) -> Option<&Arc<Unknown>> {
        if !self.traits.has(Traits::UNKNOWN) {
            return None;
        }
        match &self.data {
            Data::Unknown(unknown) => Some(unknown),
            Data::Array(array) => array.iter().find_map(Self::first_unknown),
            Data::Object(object) => object.iter().find_map(|member| member.value.first_unknown()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_may_be_one_with_certain_ends() {
        let check = |start: &str, end: &str, is_filled: bool, text: &str, expected: bool| {
            let ends = Ends { start: start.to_owned(), end: end.to_owned(), is_filled, ..Ends::default() };
            assert_eq!(ends.admit(text, |a, b| a == b), expected, "{text} as {start}…{end}");
        };
        check("ab", "bc", false, "abbc", true);
        check("ab", "bc", false, "abc", false);
        check("ab", "bc", true, "abbc", false);
        check("é", "", true, "é漢", true);
        check("é", "", true, "é 漢", false);
        check("é", "", false, "e漢", false);
        check("", "é", false, "xé", true);
    }
}
