//! Writes values as JSON text. Expressions convert values to strings like Json.NET, which differs: see
//! `arm::functions::json_text`.

use std::io;

use crate::text::cut;
use crate::value::{Data, Kind, Member, Traits, Value};

/// Replaces a secret in all output of a value.
pub const SECRET: &str = "{{Secret}}";

/// The format of JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonStyle {
    is_indented: bool,
    is_sorted: bool,
    shows_secrets: bool,
}

impl JsonStyle {
    /// A single line without spaces, with secrets masked.
    pub const COMPACT: Self = Self { is_indented: false, is_sorted: false, shows_secrets: false };
    /// Several lines, indented by two spaces, with secrets masked.
    pub const INDENTED: Self = Self { is_indented: true, ..Self::COMPACT };
    /// Like [`JsonStyle::COMPACT`], with the members of objects sorted by name.
    pub const SORTED: Self = Self { is_sorted: true, ..Self::COMPACT };

    /// Returns the style without masking of secrets. Only for comparisons, never for output.
    #[must_use]
    pub const fn with_secrets(self) -> Self {
        Self { shows_secrets: true, ..self }
    }
}

/// Writes a value as JSON. An unknown is written as its approximation.
pub fn write_json(value: &Value, style: JsonStyle, out: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
    Writer { style, out }.value(value, 0)
}

/// The value of a member that is written without being completely in memory.
#[expect(missing_debug_implementations, reason = "items are made when they are written")]
pub enum Lazy<'a> {
    Whole(Value),
    /// The items of an array, each of which is created when it is written.
    Items(Box<dyn Iterator<Item = Value> + 'a>),
}

/// Writes an object like [`write_json`].
pub fn write_members(
    members: Vec<(&str, Lazy<'_>)>,
    style: JsonStyle,
    out: &mut (impl io::Write + ?Sized),
) -> io::Result<()> {
    let mut writer = Writer { style, out };
    writer.list([b"{", b"}"], members.into_iter(), 0, |writer, (key, lazy)| {
        writer.key(key)?;
        match lazy {
            Lazy::Whole(value) => writer.value(&value, 1),
            Lazy::Items(items) => writer.list([b"[", b"]"], items, 1, |writer, item| writer.value(&item, 2)),
        }
    })
}

impl Value {
    /// Returns compact JSON with secrets masked.
    pub fn to_json(&self) -> String {
        self.to_json_as(JsonStyle::COMPACT)
    }

    /// Returns the JSON of the value in a style.
    pub fn to_json_as(&self, style: JsonStyle) -> String {
        let mut bytes = Vec::new();
        // Writing to a vector cannot fail.
        let _ = write_json(self, style, &mut bytes);
        String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }

    /// Returns compact JSON with secrets masked, truncated after `length` bytes. Writing stops there, so a large
    /// value takes no longer than a small one.
    pub fn to_json_up_to(&self, length: usize) -> String {
        let mut prefix = Prefix { bytes: Vec::new(), length };
        // The only possible error is that of `Prefix`, which then has enough bytes.
        let is_complete = write_json(self, JsonStyle::COMPACT, &mut prefix).is_ok();
        let text = String::from_utf8_lossy(&prefix.bytes);
        if is_complete { cut(&text, length) } else { cut(&format!("{text} "), length) }
    }
}

/// Indentation of a line, which is written in pieces.
const BLANKS: [u8; 64] = [b' '; 64];

struct Writer<'a, W: ?Sized> {
    style: JsonStyle,
    out: &'a mut W,
}

impl<W: io::Write + ?Sized> Writer<'_, W> {
    fn value(&mut self, value: &Value, depth: usize) -> io::Result<()> {
        let is_masked = value.traits.has(Traits::SECRET) && !self.style.shows_secrets;
        match &value.data {
            // A secret array or object keeps its shape: the leaves are masked.
            Data::Array(array) => {
                self.list([b"[", b"]"], array.iter(), depth, |writer, item| writer.value(item, depth + 1))
            }
            Data::Object(object) if self.style.is_sorted => {
                let mut members: Vec<&Member> = object.iter().collect();
                members.sort_by(|a, b| a.key.cmp(&b.key));
                self.members(members.into_iter(), depth)
            }
            Data::Object(object) => self.members(object.iter(), depth),
            Data::Unknown(unknown) if is_masked && matches!(unknown.kind, Kind::Any | Kind::String) => {
                self.string(SECRET)
            }
            Data::Unknown(unknown) => self.value(&unknown.approximation, depth),
            _ if is_masked => self.string(SECRET),
            Data::Null => self.out.write_all(b"null"),
            Data::Bool(boolean) => self.out.write_all(if *boolean { b"true" } else { b"false" }),
            Data::Int(integer) => Ok(serde_json::to_writer(&mut *self.out, integer)?),
            Data::BigInt(digits) => self.out.write_all(digits.as_bytes()),
            // The shortest digits that read back as the number, and at least one after the point.
            Data::Float(float) => Ok(serde_json::to_writer(&mut *self.out, float)?),
            Data::String(text) => self.string(text),
        }
    }

    fn string(&mut self, text: &str) -> io::Result<()> {
        Ok(serde_json::to_writer(&mut *self.out, text)?)
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        self.string(key)?;
        self.out.write_all(if self.style.is_indented { b": " } else { b":" })
    }

    fn members<'a>(&mut self, members: impl Iterator<Item = &'a Member>, depth: usize) -> io::Result<()> {
        self.list([b"{", b"}"], members, depth, |writer, member| {
            writer.key(&member.key)?;
            writer.value(&member.value, depth + 1)
        })
    }

    fn list<T>(
        &mut self,
        [open, close]: [&[u8]; 2],
        items: impl Iterator<Item = T>,
        depth: usize,
        mut write: impl FnMut(&mut Self, T) -> io::Result<()>,
    ) -> io::Result<()> {
        self.out.write_all(open)?;
        let mut is_empty = true;
        for item in items {
            if !is_empty {
                self.out.write_all(b",")?;
            }
            is_empty = false;
            self.line(depth + 1)?;
            write(self, item)?;
        }
        if !is_empty {
            self.line(depth)?;
        }
        self.out.write_all(close)
    }

    fn line(&mut self, depth: usize) -> io::Result<()> {
        if !self.style.is_indented {
            return Ok(());
        }
        self.out.write_all(b"\n")?;
        let mut missing = 2 * depth;
        while missing > 0 {
            let blanks = BLANKS.get(..missing).unwrap_or(&BLANKS);
            self.out.write_all(blanks)?;
            missing -= blanks.len();
        }
        Ok(())
    }
}

/// Accepts bytes until there are more than `length`.
struct Prefix {
    bytes: Vec<u8>,
    length: usize,
}

impl io::Write for Prefix {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = (self.length + 1).saturating_sub(self.bytes.len());
        if room == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        let (taken, _) = bytes.split_at_checked(room).unwrap_or((bytes, &[]));
        self.bytes.extend_from_slice(taken);
        Ok(taken.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Unknown;

    #[test]
    fn secrets_are_masked_and_unknowns_approximated() {
        let secret = Value::from("hunter2").with_traits(Traits::SECRET);
        let unknown = Value::unknown(Unknown::like(Kind::String, "why", Value::from("a-")));
        let value = Value::object(vec![
            Member::new("s", secret),
            Member::new("u", unknown),
            Member::new("n", Value::NULL),
            Member::new("f", Value::from(1.5)),
        ]);
        assert_eq!(value.to_json(), r#"{"s":"{{Secret}}","u":"a-","n":null,"f":1.5}"#);
    }

    #[test]
    fn members_are_indented_or_ordered_on_demand() {
        let inner = Value::object(vec![Member::new("c", Value::from(1))]);
        let value = Value::object(vec![Member::new("b", Value::array(vec![Value::NULL])), Member::new("a", inner)]);
        let indented = "{\n  \"b\": [\n    null\n  ],\n  \"a\": {\n    \"c\": 1\n  }\n}";
        assert_eq!(value.to_json_as(JsonStyle::INDENTED), indented);
        assert_eq!(value.to_json_as(JsonStyle::SORTED), r#"{"a":{"c":1},"b":[null]}"#);
    }

    #[test]
    fn a_line_is_indented_however_deep_it_is() {
        let deepest = 3 * BLANKS.len();
        let value = (0..deepest).fold(Value::from(1), |inner, _| Value::array(vec![inner]));
        let text = value.to_json_as(JsonStyle::INDENTED);
        let depths = (0..=deepest).chain((0..deepest).rev());
        for (line, depth) in text.lines().zip(depths) {
            assert_eq!(line.len() - line.trim_start_matches(' ').len(), 2 * depth);
        }
    }

    #[test]
    fn what_is_written_bit_by_bit_looks_the_same() {
        let items = || vec![Value::from(1), Value::array(vec![Value::from(2)])];
        let whole =
            Value::object(vec![Member::new("a", Value::array(items())), Member::new("b", Value::array(vec![]))]);
        for style in [JsonStyle::INDENTED, JsonStyle::COMPACT] {
            let members =
                vec![("a", Lazy::Items(Box::new(items().into_iter()))), ("b", Lazy::Whole(Value::array(vec![])))];
            let mut out = Vec::new();
            write_members(members, style, &mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), whole.to_json_as(style));
        }
    }

    #[test]
    fn secrets_are_only_written_for_those_who_ask() {
        let value = Value::array(vec![Value::from("hunter2").with_traits(Traits::SECRET)]);
        assert_eq!(value.to_json_as(JsonStyle::COMPACT), r#"["{{Secret}}"]"#);
        assert_eq!(value.to_json_as(JsonStyle::COMPACT.with_secrets()), r#"["hunter2"]"#);
    }

    #[test]
    fn long_text_is_cut() {
        let value = Value::array(vec![Value::from("é".repeat(50))]);
        assert_eq!(value.to_json_up_to(6), r#"["éé…"#);
        assert_eq!(Value::from(12).to_json_up_to(2), "12");
        assert_eq!(Value::from(123).to_json_up_to(2), "12…");
    }
}
