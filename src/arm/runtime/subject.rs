//! The resource that runtime properties are told of.

use crate::arm::context::Context;
use crate::arm::runtime::{like, table};
use crate::value::{Str, Traits, Value};

/// What a projection is told of a resource.
pub(in crate::arm) struct Subject<'a> {
    /// Its id.
    pub(in crate::arm) id: &'a str,
    /// Its full name, which may be unknown.
    pub(in crate::arm) name: &'a Value,
    /// The same as a text.
    pub(in crate::arm) name_text: &'a str,
    /// What the author wrote, evaluated.
    pub(in crate::arm) body: &'a Value,
    /// The world around it.
    pub(in crate::arm) context: &'a Context,
}

impl Subject<'_> {
    /// The last segment of the name.
    pub(super) fn own_name(&self) -> &str {
        self.name_text.rsplit('/').next().unwrap_or(self.name_text)
    }

    /// The first segment of the name: that of the top-level parent.
    pub(super) fn root_name(&self) -> &str {
        self.name_text.split('/').next().unwrap_or(self.name_text)
    }

    /// What the author wrote for a property.
    pub(super) fn property(&self, name: &str) -> Option<&Value> {
        self.body.get("properties")?.get(name)
    }

    /// The same where it is a known text with something in it.
    pub(super) fn property_text(&self, name: &str) -> Option<&str> {
        self.property(name)?.as_str().filter(|it| !it.is_empty())
    }

    /// The region as host names have it: `East US` is `eastus`. `None` where it is unknown or not given.
    pub(super) fn region(&self) -> Option<String> {
        let location = self.body.get("location")?.as_str()?;
        Some(location.chars().filter(|it| !it.is_whitespace()).collect::<String>().to_lowercase())
    }

    pub(super) fn tenant_id(&self) -> Value {
        self.context.tenant.get("tenantId").cloned().unwrap_or(Value::NULL)
    }

    /// A text that was made of the name and the region: as unknown as the name, and as secret as both.
    pub(super) fn text(&self, text: impl Into<Str>) -> Value {
        self.masked(match self.name.as_unknown() {
            Some(cause) => like(text, cause.why.clone()),
            None => Value::from(text.into()),
        })
    }

    /// A text that was also made of a property.
    pub(super) fn text_of(&self, property: &Value, text: impl Into<Str>) -> Value {
        let value = self.text(text).through(property.via.clone());
        if property.traits.has(Traits::SECRET) { value.with_traits(Traits::SECRET) } else { value }
    }

    /// A text that Azure draws, and what stands for it.
    pub(super) fn drawn(&self, path: &str, placeholder: &str) -> Value {
        self.masked(like(placeholder, format!("Azure chooses `{path}` of `{}`", self.name_text)))
    }

    fn masked(&self, value: Value) -> Value {
        let place = self.body.get("location").map_or(Traits::NONE, |it| it.traits);
        if (self.name.traits | place).has(Traits::SECRET) { value.with_traits(Traits::SECRET) } else { value }
    }

    /// A pattern with its places filled in: `{name}` (own name), `{root}` (that of the top-level parent), `{region}`, or a
    /// domain of the cloud. `None` where a place has nothing.
    pub(super) fn fill(&self, pattern: &str) -> Option<String> {
        let mut text = String::with_capacity(pattern.len() + 32);
        let mut rest = pattern;
        while let Some((before, after)) = rest.split_once('{') {
            let (place, after) = after.split_once('}')?;
            text.push_str(before);
            match place {
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
