//! Values as JSON text.

use std::io;

use crate::value::{Data, Kind, Member, Traits, Value};

/// What a text shows in place of a secret.
const SECRET: &str = "{{Secret}}";

/// What becomes of secrets and nulls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Masking {
    /// Secrets are masked, everything else is written as it is.
    Secrets,
    /// As `Secrets`, and members that are `null` are left out, as Resource Manager does before it sends a resource.
    SecretsAndNulls,
}

/// Writes a value as JSON: compact, or indented by two blanks. An unknown is written as its approximation.
pub(crate) fn write_json(value: &Value, masking: Masking, pretty: bool, out: &mut dyn io::Write) -> io::Result<()> {
    Writer { masking, pretty, out }.value(value, 0)
}

impl Value {
    /// Compact JSON with secrets masked.
    pub fn to_json(&self) -> String {
        let mut bytes = Vec::new();
        write_json(self, Masking::Secrets, false, &mut bytes).expect("a vector takes all bytes");
        String::from_utf8(bytes).expect("JSON is written as UTF-8")
    }
}

struct Writer<'a> {
    masking: Masking,
    pretty: bool,
    out: &'a mut dyn io::Write,
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> io::Result<()> {
        match &value.data {
            Data::Array(array) => self.list(*b"[]", array.len(), depth, |it, at| it.value(&array[at], depth + 1)),
            Data::Object(object) => {
                let dropped = |member: &&Member| self.masking == Masking::SecretsAndNulls && member.value.is_null();
                let members: Vec<&Member> = object.iter().filter(|member| !dropped(member)).collect();
                self.list(*b"{}", members.len(), depth, |it, at| {
                    serde_json::to_writer(&mut it.out, &*members[at].key)?;
                    it.out.write_all(if it.pretty { b": " } else { b":" })?;
                    it.value(&members[at].value, depth + 1)
                })
            }
            Data::Unknown(unknown) => {
                let secret = value.traits.has(Traits::SECRET);
                if secret && matches!(unknown.kind, Kind::Any | Kind::String) {
                    return Ok(serde_json::to_writer(&mut self.out, SECRET)?);
                }
                self.value(&unknown.approximation, depth)
            }
            _ if value.traits.has(Traits::SECRET) => Ok(serde_json::to_writer(&mut self.out, SECRET)?),
            Data::Null => self.out.write_all(b"null"),
            Data::Bool(it) => write!(self.out, "{it}"),
            Data::Int(it) => write!(self.out, "{it}"),
            Data::BigInt(it) => self.out.write_all(it.as_bytes()),
            Data::Float(it) => Ok(serde_json::to_writer(&mut self.out, it)?),
            Data::String(it) => Ok(serde_json::to_writer(&mut self.out, &**it)?),
        }
    }

    fn list(
        &mut self,
        brackets: [u8; 2],
        len: usize,
        depth: usize,
        mut item: impl FnMut(&mut Self, usize) -> io::Result<()>,
    ) -> io::Result<()> {
        self.out.write_all(&brackets[..1])?;
        for at in 0..len {
            if at > 0 {
                self.out.write_all(b",")?;
            }
            self.line(depth + 1)?;
            item(self, at)?;
        }
        if len > 0 {
            self.line(depth)?;
        }
        self.out.write_all(&brackets[1..])
    }

    fn line(&mut self, depth: usize) -> io::Result<()> {
        if self.pretty {
            write!(self.out, "\n{:width$}", "", width = depth * 2)?;
        }
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
    fn nulls_are_left_out_on_demand() {
        let value =
            Value::object(vec![Member::new("n", Value::NULL), Member::new("a", Value::array(vec![Value::NULL]))]);
        let mut out = Vec::new();
        write_json(&value, Masking::SecretsAndNulls, true, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "{\n  \"a\": [\n    null\n  ]\n}");
    }
}
