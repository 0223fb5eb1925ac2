//! Changes of Bicep texts.

use std::sync::Arc;

use crate::bicep::reader::{self, File, Member, Node, Property, Shape};
use crate::engine::fix::layout::{Added, Braces, Extent, Style, insertion};
use crate::text::{FileId, Span};
use crate::value::{Data, Value};

/// How a property is set off from the next.
const STYLE: Style = Style { needs_comma: false, padding: " " };

/// What makes a file of an expression.
const BEFORE: &str = "var it = ";

/// The text for `value` in place of `old`, which must be the literal of what was found.
pub(super) fn literal(file: FileId, old: &str, found: &Value, value: &Value) -> Option<String> {
    means(file, old, found).then_some(())?;
    written(value)
}

/// A new property in the object whose text is at `span`. `None` if that is no object, if it has such a property already,
/// or takes some from elsewhere.
pub(super) fn member(span: Span, text: &str, key: &str, value: &Value) -> Option<Added> {
    let (open, end) = (span.start as usize, span.end as usize);
    let object = text.get(open..end).filter(|it| it.starts_with('{') && it.ends_with('}'))?;
    let is_identifier = key.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_');
    if !is_identifier || key.starts_with(|it: char| it.is_ascii_digit()) {
        return None;
    }
    let names = names(span.file, object)?;
    if names.iter().any(|it| it.eq_ignore_ascii_case(key)) {
        return None;
    }
    let braces = Braces { open, close: end - 1, members: extents(span.file, object, open)? };
    let written = written(value)?;
    let member = |colon: &str| format!("{key}{colon}{written}");
    let (range, new) = insertion(text, &braces, &member, STYLE)?;
    let patched = format!("{}{new}{}", text.get(open..range.start)?, text.get(range.end..end)?);
    let is_as_intended =
        self::names(span.file, &patched)?.split_last().is_some_and(|(last, rest)| last == key && *rest == *names);
    is_as_intended.then(|| Added { range, text: new, title: format!("{key}: {written}") })
}

/// Reads an expression.
fn read(file: FileId, expression: &str) -> Option<File> {
    let (read, problems) = reader::read(file, &Arc::from(format!("{BEFORE}{expression}\n")));
    let is_one = read.declarations.len() == 1 && problems.is_empty();
    is_one.then_some(read)
}

/// The expression, if that is all.
fn whole<'f>(read: &'f File, expression: &str) -> Option<&'f Node> {
    let node = read.declarations.first()?.value.as_ref()?;
    let range = (node.range.start as usize, node.range.end as usize);
    (range == (BEFORE.len(), BEFORE.len() + expression.len())).then_some(node)
}

fn properties<'f>(read: &'f File, object: &str) -> Option<Vec<&'f Property>> {
    let Shape::Object(members) = &whole(read, object)?.shape else { return None };
    let properties = members.iter().map(|it| match it {
        Member::Property(it) => Some(it),
        Member::Spread(_) | Member::Resource(_) => None,
    });
    properties.collect()
}

/// The names in an object, with no name that is computed among them.
fn names(file: FileId, object: &str) -> Option<Vec<String>> {
    let read = read(file, object)?;
    let properties = properties(&read, object)?;
    properties.iter().map(|it| Some(read.word(it.key)?.into_owned())).collect()
}

fn extents(file: FileId, object: &str, open: usize) -> Option<Vec<Extent>> {
    let read = read(file, object)?;
    let at = |it: u32| (it as usize - BEFORE.len()) + open;
    let extent = |it: &&Property| Extent {
        start: at(it.key.start),
        key_end: at(it.key.end),
        value_start: at(it.value.range.start),
        end: at(it.value.range.end),
    };
    Some(properties(&read, object)?.iter().map(extent).collect())
}

/// Whether a text is a literal of this value.
fn means(file: FileId, text: &str, value: &Value) -> bool {
    match &value.data {
        Data::Bool(it) => text == it.to_string(),
        Data::Int(it) => text == it.to_string(),
        Data::String(it) => {
            let Some(read) = read(file, text).filter(|_| text.starts_with('\'') && !text.contains('\n')) else {
                return false;
            };
            whole(&read, text).and_then(|node| read.word(node.range)).is_some_and(|word| *word == **it)
        }
        _ => false,
    }
}

/// A value as Bicep writes it. It has no numbers with a fraction, and texts with escapes are left to the author.
fn written(value: &Value) -> Option<String> {
    match &value.data {
        Data::Bool(it) => Some(it.to_string()),
        Data::Int(it) => Some(it.to_string()),
        Data::String(it) => {
            let is_simple = !it.contains(['\'', '\\', '$']) && !it.contains(char::is_control);
            is_simple.then(|| format!("'{it}'"))
        }
        _ => None,
    }
}
