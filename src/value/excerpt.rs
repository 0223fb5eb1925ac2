//! Values of bounded size, for reports.

use std::fmt;

use crate::value::{Data, Kind, Member, SECRET, Str, Traits, Value};

/// The longest JSON of a value in a report, in bytes.
const MAX_LENGTH: usize = 200;

/// A value as reports show it: a copy without secrets, unknowns and provenance, of which only the beginning is there if
/// it is large. It displays as compact JSON, cut with an ellipsis. One that comes from a report has its text instead.
#[derive(Clone, Debug)]
pub struct ValueExcerpt(
    /// Boxed, because most findings have none, and a run may have 100,000.
    Box<Excerpt>,
);

#[derive(Clone, Debug)]
struct Excerpt {
    value: Value,
    /// What a report showed.
    shown: Option<Box<str>>,
}

impl ValueExcerpt {
    /// The excerpt of a value. Secrets are masked, and unknowns are replaced by their approximations.
    pub fn of(value: &Value) -> Self {
        Self(Box::new(Excerpt { value: Copier { room: MAX_LENGTH + 1 }.value(value), shown: None }))
    }
}

impl ValueExcerpt {
    /// The excerpt that displays as this text, because it did so before.
    pub(crate) fn shown_as(text: String) -> Self {
        Self(Box::new(Excerpt { value: Value::from(text.as_str()), shown: Some(text.into_boxed_str()) }))
    }

    /// The excerpt for a sentence: a string without quotation marks, everything else as JSON.
    pub fn plain(&self) -> String {
        match self.0.value.as_str() {
            Some(text) => crate::text::cut(text, MAX_LENGTH),
            None => self.to_string(),
        }
    }
}

impl fmt::Display for ValueExcerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.shown {
            Some(text) => f.write_str(text),
            None => f.write_str(&self.0.value.to_json_up_to(MAX_LENGTH)),
        }
    }
}

impl PartialEq for ValueExcerpt {
    fn eq(&self, other: &Self) -> bool {
        self.0.value.same(&other.0.value) && self.0.shown == other.0.shown
    }
}

impl Eq for ValueExcerpt {}

/// Copies values up to a size.
///
/// Where it leaves something out, the JSON of the copy is longer than [`MAX_LENGTH`] even so, and begins like that of
/// the original: whoever displays the copy sees no difference.
struct Copier {
    /// How many more bytes of JSON are of interest. What was copied is counted as less than it takes, never as more.
    room: usize,
}

impl Copier {
    fn value(&mut self, value: &Value) -> Value {
        let is_secret = value.traits.has(Traits::SECRET);
        match &value.data {
            Data::Array(array) => {
                self.take(1);
                let mut items = Vec::new();
                for item in array.iter() {
                    if self.room == 0 {
                        break;
                    }
                    items.push(self.value(item));
                }
                Value::array(items)
            }
            Data::Object(object) => {
                self.take(1);
                let mut members = Vec::new();
                for member in object.iter() {
                    if self.room == 0 {
                        break;
                    }
                    let key = self.text(&member.key);
                    members.push(Member::new(key, self.value(&member.value)));
                }
                Value::object(members)
            }
            Data::Unknown(unknown) if !(is_secret && matches!(unknown.kind, Kind::Any | Kind::String)) => {
                self.value(&unknown.approximation)
            }
            Data::Unknown(_) => Value::from(self.text(SECRET)),
            _ if is_secret => Value::from(self.text(SECRET)),
            Data::String(text) => Value::from(self.text(text)),
            Data::BigInt(digits) => Value::new(Data::BigInt(self.text(digits))),
            Data::Null | Data::Bool(_) | Data::Int(_) | Data::Float(_) => {
                self.take(1);
                Value::new(value.data.clone())
            }
        }
    }

    /// A text of its own: a range of a template would keep the whole template in memory.
    fn text(&mut self, text: &str) -> Str {
        let end = text.ceil_char_boundary(self.room);
        self.take(end);
        Str::from(text.get(..end).unwrap_or(text))
    }

    fn take(&mut self, length: usize) {
        self.room = self.room.saturating_sub(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Unknown;

    /// An excerpt must look like its value, and be small.
    #[track_caller]
    fn check(value: &Value) {
        let excerpt = ValueExcerpt::of(value);
        assert_eq!(excerpt.to_string(), value.to_json_up_to(MAX_LENGTH));
        assert!(excerpt.0.value.to_json().len() < 3 * MAX_LENGTH, "{excerpt:?}");
        assert!(!excerpt.0.value.traits.has(Traits::SECRET) && !excerpt.0.value.traits.has(Traits::UNKNOWN));
    }

    #[test]
    fn an_excerpt_displays_like_its_value() {
        check(&Value::NULL);
        check(&Value::from(1.0));
        check(&Value::from("é".repeat(5_000)));
        check(&Value::array(vec![Value::from(7); 5_000]));
        check(&Value::new(Data::BigInt("9".repeat(5_000).into())));
        for length in 180..210 {
            check(&Value::from("x".repeat(length)));
            check(&Value::array(vec![Value::from("x".repeat(length)), Value::from(1), Value::from(2)]));
            check(&Value::object(vec![Member::new("x".repeat(length), Value::from(1)), Member::new("y", Value::NULL)]));
        }
    }

    #[test]
    fn secrets_and_unknowns_stay_outside() {
        let secret = Value::from("hunter2").with_traits(Traits::SECRET);
        let unknown = Value::unknown(Unknown::like(Kind::String, "why", Value::from("a-")));
        let derived = Value::unknown(Unknown::new(Kind::String, "why")).with_traits(Traits::SECRET);
        let value = Value::array(vec![secret, unknown, derived]);
        check(&value);
        assert_eq!(ValueExcerpt::of(&value).to_string(), r#"["{{Secret}}","a-","{{Secret}}"]"#);
    }
}
