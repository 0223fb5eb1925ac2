//! Templates for the fuzz targets, made of what templates are made of: bytes alone rarely get past the parser.
//!
//! Names come from small pools, so that most of what refers to something finds it, in a way that nobody would write.

pub mod stack;
pub mod template;

use arbitrary::{Result, Unstructured};
use serde_json::{Map, Value, json};

/// The source of all decisions. Without bytes that are left, it always decides on the first choice.
pub type Bytes<'a, 'b> = &'a mut Unstructured<'b>;

/// How many members a list may have.
const MANY: usize = 4;

/// One of a list.
fn any<'l>(bytes: Bytes<'_, '_>, list: &[&'l str]) -> Result<&'l str> {
    bytes.choose(list).copied()
}

/// Whether something rare is there.
fn seldom(bytes: Bytes<'_, '_>) -> Result<bool> {
    bytes.ratio(1, 4)
}

/// As many of something as the bytes say.
fn several<T>(bytes: Bytes<'_, '_>, mut make: impl FnMut(Bytes<'_, '_>) -> Result<T>) -> Result<Vec<T>> {
    let count = bytes.int_in_range(0..=MANY)?;
    (0..count).map(|_| make(bytes)).collect()
}

/// An object with several members.
fn members(
    bytes: Bytes<'_, '_>,
    names: &[&str],
    mut make: impl FnMut(Bytes<'_, '_>) -> Result<Value>,
) -> Result<Value> {
    let mut all = Map::new();
    for _ in 0..bytes.int_in_range(0..=MANY)? {
        all.insert(any(bytes, names)?.to_owned(), make(bytes)?);
    }
    Ok(Value::Object(all))
}

/// A value without expressions that has no parts.
fn scalar(bytes: Bytes<'_, '_>) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=6)? {
        0 => json!(any(bytes, TEXTS)?),
        1 => Value::Null,
        2 => json!(bytes.arbitrary::<bool>()?),
        3 => json!(bytes.int_in_range(-2..=9)?),
        4 => json!(bytes.arbitrary::<i64>()?),
        5 => json!(bytes.arbitrary::<f64>()?),
        _ => json!(bytes.arbitrary::<&str>()?),
    })
}

const TEXTS: &[&str] = &[
    "",
    "a",
    "p0",
    "v0",
    "r0",
    "a/b",
    "é\u{1F980}",
    "2020-01-01",
    "2021-05-06T07:08:09Z",
    "P1D",
    "10.0.0.0/16",
    "aGk=",
    "{}",
    "[1]",
    "{0}-{1:N}",
    "%20",
    "true",
    "7",
    "1.10",
    "\u{202e}\u{1b}[31m",
    "::error::x",
    "${A}",
    "${!A}",
    "a,b",
    "Standard_LRS",
    "/subscriptions/x/resourceGroups/y",
    "latest",
    "https://example.com/a.json",
    "${AWS::Region}-${r0.Arn}",
    "arn:aws:s3:::a",
];
