//! Definitions, initiatives, assignments, exemptions and enrollments, read from the JSON of their files.
//!
//! Documents come as resources of Resource Manager, with their members below `properties`, or as the Azure CLI prints
//! them, with all members in one object. Reading never fails: what is wrong with a document is among its problems, and
//! a document that Azure would refuse decides nothing.

mod assignment;
mod definition;
mod exemption;
mod index;
mod initiative;
mod parameters;
mod selectors;

pub(crate) use self::assignment::PROVIDER;
pub use self::assignment::{Assignment, Enforcement, Message, Override, OverrideKind};
pub use self::definition::{Definition, Mode, Rule};
pub use self::exemption::{Enrollment, Exemption};
pub use self::index::{Assigned, Index};
pub use self::initiative::{Initiative, Reference};
pub use self::parameters::{Arguments, Kind, Parameter};
pub use self::selectors::{ResourceSelector, Selector, SelectorKind};
pub use crate::problem::Problem;

use std::sync::Arc;

use crate::ids::last_segment;
use crate::value::{Str, Value};

/// Policy documents of a run.
#[derive(Debug, Default)]
pub struct Policies {
    /// Definitions, including built-in ones.
    pub definitions: Vec<Arc<Definition>>,
    /// Initiatives, including built-in ones.
    pub initiatives: Vec<Arc<Initiative>>,
    /// Assignments, all of which count as in force.
    pub assignments: Vec<Assignment>,
    /// Exemptions.
    pub exemptions: Vec<Exemption>,
    /// Enrollments of scopes in assignments with [`Enforcement::Enroll`].
    pub enrollments: Vec<Enrollment>,
    /// Problems of files that do not concern a single document.
    pub problems: Vec<Problem>,
}

/// Returns the object with the members of a document: `properties`, or the document itself.
fn properties(document: &Value) -> &Value {
    document.get("properties").filter(|own| own.as_object().is_some()).unwrap_or(document)
}

/// Returns the string of a member, or an empty string.
fn text(object: &Value, name: &str) -> Str {
    object.get(name).and_then(Value::as_shared_str).cloned().unwrap_or_else(|| Str::from(""))
}

/// Returns the string of a member, unless it is missing or empty.
fn optional_text(object: &Value, name: &str) -> Option<Str> {
    Some(text(object, name)).filter(|text| !text.is_empty())
}

/// Returns the name of a document: its own, or the last segment of its ID.
fn name(document: &Value) -> Str {
    let own = text(document, "name");
    if !own.is_empty() {
        return own;
    }
    Str::from(last_segment(&text(document, "id")))
}

/// Returns the string of a member like [`optional_text`], and reports a value of another type.
fn checked_text(object: &Value, name: &str, problems: &mut Vec<Problem>) -> Option<Str> {
    let value = object.get(name)?;
    if value.as_str().is_none() && !value.is_null() {
        problems.push(mistyped(value, name, "a string"));
    }
    optional_text(object, name)
}

/// Returns the items of an array at a member, or no items. Reports a value of another type.
fn items<'v>(object: &'v Value, name: &str, problems: &mut Vec<Problem>) -> &'v [Value] {
    let Some(value) = object.get(name).filter(|value| !value.is_null()) else { return &[] };
    value.as_array().unwrap_or_else(|| {
        problems.push(mistyped(value, name, "an array"));
        &[]
    })
}

/// Returns the strings of an array at a member, or none. Reports values of other types.
fn texts(object: &Value, name: &str, problems: &mut Vec<Problem>) -> Vec<Str> {
    let mut texts = Vec::new();
    for item in items(object, name, problems) {
        match item.as_shared_str() {
            Some(text) => texts.push(text.clone()),
            None => problems.push(mistyped(item, name, "an array of strings")),
        }
    }
    texts
}

fn mistyped(value: &Value, name: &str, expected: &str) -> Problem {
    Problem::new(value.span, format!("`{name}` has the wrong type; expected {expected}"))
}
