//! The request that creates or changes a resource.

use crate::value::{Str, Value};

/// What a deployment sends to the provider of a resource.
#[derive(Clone, Debug)]
pub struct Request {
    /// The resource ID.
    pub id: Str,
    /// The fully qualified type.
    pub type_name: Str,
    /// The full name, `server/database`; an unknown value if it is not known.
    pub name: Value,
    /// The version of the interface that the template uses; an unknown value if it is not known.
    pub api_version: Value,
    /// The resource as the author wrote it, evaluated: `location`, `tags`, `kind`, `sku`, `identity`, `properties` and so
    /// on. What expansion adds is not in it.
    pub body: Value,
    /// Why it is not certain that the resource is deployed. `None` if it is.
    pub doubt: Option<Str>,
    /// Whether the ID has placeholders for a subscription or a resource group that nothing declares.
    pub has_assumed_scope: bool,
}
