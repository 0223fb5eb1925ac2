//! Known properties of the cloud around a deployment.

use crate::value::{Str, Value};

/// Known properties of the scopes that a deployment targets. Absent properties are unknown.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Members of `resourceGroup()`, such as `location` and `tags`. They describe the group `name`, or any group
    /// without a name.
    pub resource_group: Option<Value>,
    /// Members of `subscription()`, such as `displayName`. They describe the subscription `subscriptionId`, or any
    /// subscription without one.
    pub subscription: Option<Value>,
    /// Names of the management groups around the subscription, nearest first.
    pub management_groups: Option<Vec<Str>>,
    /// Time of the run in ISO 8601. Without it, expiry and `utcNow()` are unknown.
    pub now: Option<Str>,
}

impl Surroundings {
    /// True if a group, given by its ID and its name, is the described one.
    pub(super) fn is_group(&self, id: &str, name: &str) -> bool {
        let subscription = id.split('/').nth(2).unwrap_or_default();
        names(self.resource_group.as_ref(), "name", name) && self.is_subscription(subscription)
    }

    /// True if a subscription is the described one.
    pub(super) fn is_subscription(&self, id: &str) -> bool {
        names(self.subscription.as_ref(), "subscriptionId", id)
    }
}

/// True if the description has this name, or none.
fn names(described: Option<&Value>, member: &str, name: &str) -> bool {
    let own = described.and_then(|described| described.get(member)).and_then(Value::as_str);
    own.is_none_or(|own| own.eq_ignore_ascii_case(name))
}
