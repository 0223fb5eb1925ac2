//! The facts about a resource from which its runtime properties are computed.

use crate::context::Context;
use crate::eval::assumed;
use crate::runtime::{like, table};
use crate::scope::normal_location;
use crate::value::{SECRET, Str, Traits, Unknown, Value};

/// A resource whose runtime properties are computed.
pub(crate) struct ResourceFacts<'a> {
    /// The full resource ID.
    pub(crate) id: &'a str,
    /// The full name, which may be unknown.
    pub(crate) name: &'a Value,
    /// The full name as a string: the approximation of an unknown name.
    pub(crate) name_text: &'a str,
    /// The evaluated declaration, without runtime properties.
    pub(crate) body: &'a Value,
    /// The tenant and subscription that the resource is deployed to.
    pub(crate) context: &'a Context,
}

impl ResourceFacts<'_> {
    /// Returns the last segment of the name.
    pub(super) fn own_name(&self) -> &str {
        self.name_text.rsplit('/').next().unwrap_or(self.name_text)
    }

    /// Returns the first segment of the name, which names the top-level parent.
    pub(super) fn root_name(&self) -> &str {
        self.name_text.split('/').next().unwrap_or(self.name_text)
    }

    /// Returns the declared value of a property.
    pub(super) fn property(&self, name: &str) -> Option<&Value> {
        self.body.get("properties")?.get(name)
    }

    /// Returns the declared value of a property if it is a known string and not empty.
    pub(super) fn property_text(&self, name: &str) -> Option<&str> {
        self.property(name)?.as_str().filter(|text| !text.is_empty())
    }

    /// Returns the region in the form used by host names: `East US` becomes `eastus`. The approximation if it is
    /// unknown. `None` if it is not declared.
    pub(super) fn region(&self) -> Option<String> {
        let location = self.body.get("location")?;
        let known = location.as_unknown().map_or(location, |unknown| &unknown.approximation);
        known.as_str().filter(|location| !location.is_empty()).map(normal_location)
    }

    /// Returns a value that also depends on the region: unknown if the region is.
    pub(super) fn regional(&self, value: Value) -> Value {
        let Some(location) = self.body.get("location") else { return value };
        match location.as_unknown() {
            Some(cause) => {
                let traits = value.traits.without(Traits::ASSUMED) | assumed([location, &value]);
                let unknown = Unknown::like(value.kind(), cause.why.clone(), value.clone());
                Value::unknown(unknown).through(value.via).with_traits(traits)
            }
            None => value,
        }
    }

    pub(super) fn tenant_id(&self) -> Value {
        self.context.tenant.get("tenantId").cloned().unwrap_or(Value::NULL)
    }

    /// Returns a string that depends on the name and the region. Unknown if the name is, and secret if either of them
    /// is.
    pub(super) fn text(&self, text: impl Into<Str>) -> Value {
        let text = text.into();
        let is_from_name = self.is_from_name(&text);
        self.masked(
            is_from_name,
            match self.name.as_unknown() {
                Some(cause) => like(text, cause.why.clone()).with_traits(assumed([self.name])),
                None => Value::from(text),
            },
        )
    }

    /// Returns a string that also depends on `property`. Secret if the property is.
    pub(super) fn text_of(&self, property: &Value, text: impl Into<Str>) -> Value {
        let value = self.text(text).through(property.via.clone());
        if property.traits.has(Traits::SECRET) { value.with_traits(Traits::SECRET) } else { value }
    }

    /// Returns an unknown string that Azure generates, with `placeholder` as its approximation.
    pub(super) fn drawn(&self, path: &str, placeholder: &str) -> Value {
        let name = if self.name.traits.has(Traits::SECRET) { SECRET } else { self.name_text };
        let value = like(placeholder, format!("Azure chooses `{path}` of `{name}`"));
        self.masked(self.is_from_name(placeholder), value)
    }

    /// Returns `true` if `text` reveals the name, as a host name that begins with it does and a generated ID does not.
    fn is_from_name(&self, text: &str) -> bool {
        let text = text.to_lowercase();
        [self.own_name(), self.root_name()].iter().any(|name| text.contains(&name.to_lowercase()))
    }

    /// Marks the value as a secret if it reveals a secret name or location.
    fn masked(&self, is_from_name: bool, value: Value) -> Value {
        let sources = [Some(self.name).filter(|_| is_from_name), self.body.get("location")];
        let secret = sources.into_iter().flatten().find(|source| source.traits.has(Traits::SECRET));
        match secret {
            Some(secret) => {
                let source = secret.secret_via().and_then(|via| via.secret.as_ref());
                value.with_traits(Traits::SECRET).with_secret_source(source)
            }
            None => value,
        }
    }

    /// Fills in the placeholders of a pattern: `{name}` (the last segment of the name), `{root}` (the first one),
    /// `{region}`, or a key of [`table::domain`]. `None` if a placeholder has no value.
    pub(super) fn fill(&self, pattern: &str) -> Option<String> {
        let mut text = String::with_capacity(pattern.len() + 32);
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            let (placeholder, after) = after.split_once('}')?;
            text.push_str(before);
            match placeholder {
                "name" => text.push_str(self.own_name()),
                "root" => text.push_str(self.root_name()),
                "region" => text.push_str(&self.region()?),
                domain => text.push_str(table::domain(domain)?),
            }
            rest = after;
        }
        text.push_str(rest);
        Some(text)
    }
}
