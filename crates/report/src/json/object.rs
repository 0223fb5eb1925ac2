//! Writes a long object in the layout of `serde_json`'s pretty printer. All threads format the items of its lists.

use std::io;

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::parallel;

/// An object that is being written.
pub(super) struct Object<'w> {
    out: &'w mut dyn io::Write,
    /// Text before the next member.
    before: &'static str,
}

impl<'w> Object<'w> {
    pub(super) fn new(out: &'w mut dyn io::Write) -> Self {
        Self { out, before: "{\n  " }
    }

    fn name(&mut self, name: &str) -> io::Result<()> {
        write!(self.out, "{}\"{name}\": ", self.before)?;
        self.before = ",\n  ";
        Ok(())
    }

    pub(super) fn member(&mut self, name: &str, value: &impl Serialize) -> io::Result<()> {
        self.name(name)?;
        self.out.write_all(&text(value, 1)?)
    }

    /// Writes a member, unless there is no value.
    pub(super) fn optional(&mut self, name: &str, value: Option<&impl Serialize>) -> io::Result<()> {
        value.map_or(Ok(()), |value| self.member(name, value))
    }

    /// Writes a list of the values that `each` returns for the items. There may be a million items, so each value is
    /// made when it is written.
    pub(super) fn list<'t, T: Sync, V: Serialize>(
        &mut self,
        name: &str,
        items: &'t [T],
        each: impl Fn(&'t T) -> V + Sync,
    ) -> io::Result<()> {
        self.name(name)?;
        let text = |item: &'t T| text(&each(item), 2);
        parallel::stream(items, text, |texts| {
            let mut before = "[\n    ";
            for text in texts {
                self.out.write_all(before.as_bytes())?;
                self.out.write_all(&text?)?;
                before = ",\n    ";
            }
            self.out.write_all(if items.is_empty() { b"[]" } else { b"\n  ]" })
        })
    }

    pub(super) fn end(self) -> io::Result<()> {
        self.out.write_all(b"\n}\n")
    }
}

/// Formats a value that is `depth` levels deep in an object.
fn text(value: &impl Serialize, depth: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(USUAL);
    let mut layout = PrettyFormatter::new();
    // It indents by what it has opened, which something else wrote.
    (0..depth).try_for_each(|_| layout.begin_object(&mut io::sink()))?;
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, layout))?;
    Ok(text)
}

/// Length in bytes that most results do not exceed.
const USUAL: usize = 2_048;

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_layout_is_that_of_serde_json() {
        let (list, object) = (json!([1, {"a": ["x\ny", {}]}, []]), json!({"b": [[2]], "c": {}}));
        let mut out = Vec::new();
        let mut written = Object::new(&mut out);
        written.list("none", &[], |item: &u8| *item).unwrap();
        written.member("object", &object).unwrap();
        written.optional("absent", None::<&u8>).unwrap();
        written.list("list", list.as_array().unwrap(), Value::clone).unwrap();
        written.end().unwrap();
        let expected = json!({"none": [], "object": object, "list": list});
        assert_eq!(String::from_utf8(out).unwrap(), format!("{expected:#}\n"));
    }
}
