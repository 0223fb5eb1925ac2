//! What a run knows of the cloud around a deployment.

use crate::value::{Str, Value};

/// What is known of the scopes that a deployment targets. Everything that is absent is unknown.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Members of `resourceGroup()`, such as `location` and `tags`. They are those of the group `name`, and of any group if there
    /// is no name.
    pub resource_group: Option<Value>,
    /// Members of `subscription()`, such as `displayName`. They are those of `subscriptionId`, and of any subscription without it.
    pub subscription: Option<Value>,
    /// The names of the management groups around the subscription, the nearest first.
    pub management_groups: Option<Vec<Str>>,
    /// The time of the run in ISO 8601. Without it, expiry and `utcNow()` are unknown.
    pub now: Option<Str>,
}

impl Surroundings {
    /// Whether a group, given by its ID and its name, is the one that is described.
    pub(super) fn is_group(&self, id: &str, name: &str) -> bool {
        let subscription = id.split('/').nth(2).unwrap_or_default();
        names(self.resource_group.as_ref(), "name", name) && self.is_subscription(subscription)
    }

    /// Whether a subscription is the one that is described.
    pub(super) fn is_subscription(&self, id: &str) -> bool {
        names(self.subscription.as_ref(), "subscriptionId", id)
    }
}

/// Whether what is described has this name, or none.
fn names(described: Option<&Value>, member: &str, name: &str) -> bool {
    let own = described.and_then(|described| described.get(member)).and_then(Value::as_str);
    own.is_none_or(|own| own.eq_ignore_ascii_case(name))
}
