//! Aliases: the names by which policies refer to properties of resources.
//!
//! Reference: <https://learn.microsoft.com/azure/governance/policy/concepts/definition-structure-alias>.

use crate::path::{Path, Step};
use crate::value::Str;

/// What an alias stands for on resources of one type.
#[derive(Clone, Debug)]
pub enum Alias {
    /// The property at this path below the resource.
    Path(Path),
    /// Nothing: the alias is one of another type, so its property is missing.
    OfOtherType,
    /// Not known, for this reason: lower case, no final stop.
    Unknown(Str),
}

/// Looks up an alias for resources of the type `resource_type`. Both are compared without regard to case.
pub fn resolve(resource_type: &str, alias: &str) -> Alias {
    let Some(rest) = alias.get(..resource_type.len()).filter(|start| start.eq_ignore_ascii_case(resource_type)) else {
        return Alias::OfOtherType;
    };
    let Some(name) = alias.get(rest.len()..).and_then(|rest| rest.strip_prefix('/')) else {
        return Alias::OfOtherType;
    };
    if name.contains('/') {
        return Alias::OfOtherType;
    }
    let path = Path::parse(name);
    let is_at_root = matches!(path.0.first(), Some(Step::Member(first)) if ROOT.contains(&&**first));
    let path = if is_at_root { path } else { Path::parse(&format!("properties.{name}")) };
    Alias::Path(path)
}

/// Members of a resource that are not below `properties`.
const ROOT: [&str; 6] = ["sku", "identity", "zones", "plan", "kind", "managedBy"];
