//! Writes a long object in the layout of `serde_json`'s pretty printer, with lists whose items all threads make.

use std::io;

use serde::Serialize;
use serde_json::ser::Formatter;

use crate::parallel;

/// An object of which some members are written.
pub(super) struct Object<'w> {
    out: &'w mut dyn io::Write,
    /// What comes before the next member.
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

    /// A member that is left out if there is no value.
    pub(super) fn optional(&mut self, name: &str, value: Option<&impl Serialize>) -> io::Result<()> {
        value.map_or(Ok(()), |value| self.member(name, value))
    }

    /// A list of what `each` makes of the items. There may be a million, so each is made when it is written.
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

/// The text of a value that stands `depth` deep in an object.
fn text(value: &impl Serialize, depth: usize) -> io::Result<Vec<u8>> {
    let mut text = Vec::with_capacity(USUAL);
    let layout = Layout { depth, has_value: false };
    value.serialize(&mut serde_json::Serializer::with_formatter(&mut text, layout))?;
    Ok(text)
}

/// How many bytes most results are shorter than.
const USUAL: usize = 2_048;

/// The layout of `serde_json`'s pretty printer, which cannot begin inside another value.
struct Layout {
    /// How many arrays and objects are open.
    depth: usize,
    /// Whether the innermost of them has a value.
    has_value: bool,
}

impl Layout {
    fn open(&mut self, out: &mut (impl io::Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(bracket)
    }

    fn close(&mut self, out: &mut (impl io::Write + ?Sized), bracket: &[u8]) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value {
            self.line(out)?;
        }
        out.write_all(bracket)
    }

    fn next(&self, out: &mut (impl io::Write + ?Sized), is_first: bool) -> io::Result<()> {
        if !is_first {
            out.write_all(b",")?;
        }
        self.line(out)
    }

    fn line(&self, out: &mut (impl io::Write + ?Sized)) -> io::Result<()> {
        out.write_all(b"\n")?;
        (0..self.depth).try_for_each(|_| out.write_all(b"  "))
    }
}

impl Formatter for Layout {
    fn begin_array<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"[")
    }

    fn end_array<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"]")
    }

    fn begin_array_value<W: io::Write + ?Sized>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        self.next(out, is_first)
    }

    fn end_array_value<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.open(out, b"{")
    }

    fn end_object<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.close(out, b"}")
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, out: &mut W, is_first: bool) -> io::Result<()> {
        self.next(out, is_first)
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}

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
