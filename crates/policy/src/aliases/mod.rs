//! Aliases: the names by which policies refer to properties of resources.
//!
//! Which property an alias stands for is in a table that Azure publishes for each resource type; names tell only most of it.
//! `table` reads the embedded table, `derived` follows the names where the table has nothing.
//! Reference: <https://learn.microsoft.com/azure/governance/policy/concepts/definition-structure-alias>.

mod derived;
#[cfg_attr(not(feature = "types"), path = "absent.rs")]
mod table;
#[cfg(test)]
#[cfg(feature = "types")]
mod tests;

use crate::path::Path;
use crate::value::Str;

use self::table::Entry;

pub use self::table::source;

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
    if let Some(entry) = entry(resource_type, alias) {
        return match entry {
            Entry::Path(path) => Alias::Path(Path::parse(&path)),
            Entry::Pattern => Alias::Unknown(Str::from(format!("`{alias}` is a part of a property"))),
        };
    }
    // An alias without the name of a type may be one of several types, of which the table has some.
    if is_of_some_type(alias) && names_type(alias) {
        return Alias::OfOtherType;
    }
    Alias::Unknown(Str::from(format!("the alias `{alias}` is not known")))
}

/// Whether an alias is one of some resource type. Names ignore case.
pub fn is_of_some_type(alias: &str) -> bool {
    own_type(alias).is_some_and(|own| entry(own, alias).is_some()) || table::has(alias)
}

/// The aliases of a type, to suggest one of them.
pub fn of_type(resource_type: &str) -> Vec<String> {
    table::aliases(resource_type)
}

fn entry(resource_type: &str, alias: &str) -> Option<Entry> {
    table::find(resource_type, alias).or_else(|| derived::find(resource_type, alias).map(Entry::Path))
}

/// The type that an alias begins with, up to the last `/` before the path: `Microsoft.Network/virtualNetworks/subnets` of
/// `Microsoft.Network/virtualNetworks/subnets/networkSecurityGroup.id`.
fn own_type(alias: &str) -> Option<&str> {
    Some(alias.rsplit_once('/')?.0)
}

/// Whether an alias begins with the name of a type, and not only with that of a provider.
fn names_type(alias: &str) -> bool {
    alias.matches('/').count() > 1
}
