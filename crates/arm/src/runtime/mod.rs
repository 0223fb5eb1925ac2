//! Runtime properties: the properties that Azure adds to a deployed resource, as far as they can be predicted.
//!
//! 1. [`project`] adds properties that follow from the resource's name, location and declared properties, such as
//!    endpoints and host names. Values that Azure generates, such as principal IDs and keys, are unknowns with a
//!    placeholder.
//! 2. [`reference_view`] adds, for `reference()` only, properties that nothing in the template determines, such as IP
//!    addresses. They are unknowns that have a kind but no approximation, so no guess is ever printed.
//! 3. [`materialize()`] merges properties that children or later deployments set.
//!
//! A runtime property never replaces one that the author wrote. Rules do not see runtime properties: they evaluate the
//! template, not the state.

#![deny(clippy::indexing_slicing, clippy::string_slice, clippy::panic, clippy::expect_used, clippy::unwrap_used)]

mod facts;
mod lay;
mod materialize;
mod sensitivity;
mod source;
mod table;

use crate::context::PLACEHOLDER_ID;
use crate::runtime::source::{RuntimeProperty, Source};
use crate::scope::normal_location;
use crate::value::{Kind, Member, Str, Unknown, Value};

pub(super) use self::facts::ResourceFacts;
pub(super) use self::materialize::materialize;
pub(super) use self::sensitivity::{Sensitivity, sensitivity};

/// Returns the state of a resource: its body with runtime properties added.
pub(super) fn project(type_name: &str, facts: &ResourceFacts<'_>) -> Value {
    let known = table::properties(type_name);
    let values = known.iter().filter_map(|property| Some((property.path, property.value(facts)?)));
    let mut added = Vec::new();
    if let Some(properties) = lay::object_of_paths(values) {
        added.push(Member::new("properties", properties));
    }
    added.extend(system_identity(facts));
    if added.is_empty() {
        return facts.body.clone();
    }
    lay::under(facts.body, &Value::object(added))
}

/// Returns the `properties` of a resource that `reference()` returns, including those that only Azure knows as
/// unknowns.
pub(super) fn reference_view(type_name: &str, name: &str, properties: Value) -> Value {
    let unknown = |property: &RuntimeProperty| match property.source {
        Source::Unknown(kind) => {
            let why = format!("only Azure knows `{}` of `{name}`", property.path);
            Some((property.path, Value::unknown(Unknown::new(kind, why))))
        }
        _ => None,
    };
    let properties = with_normal_location(properties);
    let properties = sensitivity::returned(type_name, "properties", &properties);
    match lay::object_of_paths(table::properties(type_name).iter().filter_map(unknown)) {
        Some(added) => lay::under(&properties, &added),
        None => properties,
    }
}

/// Normalizes the primary location in the properties to Azure's form.
fn with_normal_location(properties: Value) -> Value {
    const NAME: &str = "primaryLocation";
    let normal = |value: Option<&Value>| {
        let value = value?;
        Some(Value { data: Value::from(normal_location(value.as_str()?)).data, ..value.clone() })
    };
    if properties.get(NAME).is_none() {
        return properties;
    }
    lay::changed(&properties, &[NAME], &normal).unwrap_or(properties)
}

/// Returns the `identity` of a resource with a system-assigned identity, whose principal ID Azure generates.
fn system_identity(facts: &ResourceFacts<'_>) -> Option<Member> {
    let kind = facts.body.get("identity")?.get("type")?.as_str()?;
    if !kind.to_ascii_lowercase().contains("systemassigned") {
        return None;
    }
    let principal = facts.drawn("identity.principalId", PLACEHOLDER_ID);
    let members = vec![Member::new("principalId", principal), Member::new("tenantId", facts.tenant_id())];
    Some(Member::new("identity", Value::object(members)))
}

/// Returns the items of an array property as objects with their IDs, `<id>/<array>/<name of the item>`. Azure gives an
/// ID to each of these child objects.
fn ids_of_items(facts: &ResourceFacts<'_>, array: &str) -> Option<Value> {
    let items = facts.property(array)?.as_array()?;
    let with_id = |item: &Value| {
        let name = item.get("name").and_then(|name| Some((name, name.as_str()?)));
        let id = name.map(|(value, name)| facts.text_of(value, format!("{}/{array}/{name}", facts.id)));
        Value::object(id.map(|id| Member::new("id", id)).into_iter().collect())
    };
    Some(Value::array(items.iter().map(with_id).collect()))
}

/// Returns an unknown string with `text` as its approximation.
fn like(text: impl Into<Str>, why: impl Into<Str>) -> Value {
    Value::unknown(Unknown::like(Kind::String, why, Value::from(text.into())))
}

#[cfg(test)]
mod tests;
