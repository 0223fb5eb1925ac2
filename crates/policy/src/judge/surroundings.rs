//! What a run knows of the cloud around a deployment.

use crate::value::{Str, Value};

/// What is known of the scopes that a deployment targets. Everything that is absent is unknown.
#[derive(Clone, Debug, Default)]
pub struct Surroundings {
    /// Members of `resourceGroup()`, such as `location` and `tags`. `null` if nothing is known.
    pub resource_group: Option<Value>,
    /// Members of `subscription()`, such as `displayName`.
    pub subscription: Option<Value>,
    /// The names of the management groups around the subscription, the nearest first.
    pub management_groups: Option<Vec<Str>>,
    /// The time of the run in ISO 8601. Without it, expiry and `utcNow()` are unknown.
    pub now: Option<Str>,
}
