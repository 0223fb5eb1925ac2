//! Computation of runtime properties.

use crate::context::PLACEHOLDER_ID;
use crate::runtime::ResourceFacts;
use crate::value::{Kind, Value};

/// A runtime property of the resources of some type.
#[derive(Clone, Copy)]
pub(super) struct RuntimeProperty {
    /// The path in `properties`, such as `primaryEndpoints.blob`.
    pub(super) path: &'static str,
    /// Source of the value.
    pub(super) source: Source,
}

/// Source of the value of a runtime property.
#[derive(Clone, Copy)]
pub(super) enum Source {
    /// A string that is the same for all resources.
    Fixed(&'static str),
    /// A number that is the same for all resources.
    Number(i64),
    /// An array that is empty unless the template sets it.
    Empty,
    /// A pattern that is filled in ([`ResourceFacts::fill`]) and converted to lower case.
    Lower(&'static str),
    /// A pattern that is filled in.
    Text(&'static str),
    /// A string that Azure generates. The filled-in pattern is its approximation.
    Like(&'static str),
    /// An ID that Azure generates.
    Drawn,
    /// The ID of the tenant.
    Tenant,
    /// The result of a function. `None` if the property is not known for this resource.
    Of(fn(&ResourceFacts<'_>) -> Option<Value>),
    /// A value of this kind that only Azure knows. Only `reference()` returns it.
    Unknown(Kind),
}

impl RuntimeProperty {
    /// Creates the property at `path`, for the tables of types.
    pub(super) const fn new(path: &'static str, source: Source) -> Self {
        Self { path, source }
    }

    /// Returns the value of the property for a resource. `None` if it cannot be computed.
    pub(super) fn value(&self, facts: &ResourceFacts<'_>) -> Option<Value> {
        match self.source {
            Source::Fixed(text) => Some(Value::from(text)),
            Source::Number(number) => Some(Value::from(number)),
            Source::Empty => Some(Value::array(Vec::new())),
            Source::Lower(pattern) => Some(filled(facts, pattern, facts.fill(pattern)?.to_lowercase())),
            Source::Text(pattern) => Some(filled(facts, pattern, facts.fill(pattern)?)),
            Source::Like(pattern) => Some(facts.drawn(self.path, &facts.fill(pattern)?)),
            Source::Drawn => Some(facts.drawn(self.path, PLACEHOLDER_ID)),
            Source::Tenant => Some(facts.tenant_id()),
            Source::Of(make) => make(facts),
            Source::Unknown(_) => None,
        }
    }
}

/// Returns the string that a pattern was filled in to.
fn filled(facts: &ResourceFacts<'_>, pattern: &str, text: String) -> Value {
    let value = facts.text(text);
    if pattern.contains("{region}") { facts.regional(value) } else { value }
}
