//! Runtime properties: what Azure adds to a resource by itself, and what can be told of it without asking.
//!
//! 1. [`project`] lays over a resource what follows from its name, its place and its own properties: endpoints, host
//!    names, ids of what is written in it. What Azure draws (ids of principals, keys) is unknown and has a placeholder.
//! 2. [`reference_view`] adds what only Azure knows, with its kind, for `reference()`: an address that nobody can tell is
//!    an unknown text, and no guess of it is ever printed.
//! 3. [`materialize()`] settles properties that children or later deployments decide.
//!
//! A projected property never replaces one that the author wrote. Rules do not see them: they judge what is written.

mod lay;
mod materialize;
mod source;
mod subject;
mod table;

use crate::arm::runtime::source::{Property, Source};
use crate::value::{Kind, Member, Str, Unknown, Value};

pub(super) use self::materialize::materialize;
pub(super) use self::subject::Subject;

/// The state of a resource: its body with runtime properties added.
pub(super) fn project(type_name: &str, subject: &Subject<'_>) -> Value {
    let found = table::properties(type_name);
    let told = found.iter().filter_map(|it| Some((it.path, it.value(subject)?)));
    let mut added = Vec::new();
    if let Some(properties) = lay::grown(told) {
        added.push(Member::new("properties", properties));
    }
    added.extend(system_identity(subject));
    if added.is_empty() {
        return subject.body.clone();
    }
    lay::under(subject.body, &Value::object(added))
}

/// The `properties` of a resource as `reference()` sees them: with what only Azure knows, as unknowns of a kind.
pub(super) fn reference_view(type_name: &str, name: &str, properties: Value) -> Value {
    let unknown = |it: &Property| match it.source {
        Source::Unknown(kind) => {
            let why = format!("only Azure knows `{}` of `{name}`", it.path);
            Some((it.path, Value::unknown(Unknown::new(kind, why))))
        }
        _ => None,
    };
    match lay::grown(table::properties(type_name).iter().filter_map(unknown)) {
        Some(added) => lay::under(&properties, &added),
        None => properties,
    }
}

/// Azure draws the principal of a system-assigned identity.
fn system_identity(subject: &Subject<'_>) -> Option<Member> {
    let kind = subject.body.get("identity")?.get("type")?.as_str()?;
    if !kind.to_ascii_lowercase().contains("systemassigned") {
        return None;
    }
    let principal = subject.drawn("identity.principalId", crate::arm::context::PLACEHOLDER_ID);
    let members = vec![Member::new("principalId", principal), Member::new("tenantId", subject.tenant_id())];
    Some(Member::new("identity", Value::object(members)))
}

/// The items of an array, as objects that hold their ids: `<id>/<name of the array>/<name of the item>`.
fn ids_of_items(subject: &Subject<'_>, array: &str) -> Option<Value> {
    let items = subject.property(array)?.as_array()?;
    let with_id = |item: &Value| {
        let name = item.get("name");
        let id = name.and_then(|it| Some(subject.text_of(it, format!("{}/{array}/{}", subject.id, it.as_str()?))));
        Value::object(id.map(|it| Member::new("id", it)).into_iter().collect())
    };
    Some(Value::array(items.iter().map(with_id).collect()))
}

/// An unknown text that looks like `text`.
fn like(text: impl Into<Str>, why: impl Into<Str>) -> Value {
    Value::unknown(Unknown::like(Kind::String, why, Value::from(text.into())))
}

#[cfg(test)]
mod tests;
