//! Aliases: the names by which policies refer to properties of resources.
//!
//! Azure publishes the property of each alias in a table per resource type; most of it follows from the names, but not
//! all. `table` reads the embedded table, `derived` follows the names if the table has no row. Reference:
//! <https://learn.microsoft.com/azure/governance/policy/concepts/definition-structure-alias>.

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

/// Meaning of an alias on resources of one type.
#[derive(Clone, Debug)]
pub enum Alias {
    /// The property at this path below the resource.
    Path(Path),
    /// No property: the alias is one of another type.
    OfOtherType,
    /// Unknown, with the reason in lower case, without a final period.
    Unknown(Str),
}

/// Looks up an alias for resources of the type `resource_type`. Both are case-insensitive.
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

/// True if some resource type has the alias. Names are case-insensitive.
pub fn is_of_some_type(alias: &str) -> bool {
    own_type(alias).is_some_and(|own| entry(own, alias).is_some()) || table::has(alias)
}

/// Returns the aliases of a type, for suggestions.
pub fn of_type(resource_type: &str) -> Vec<String> {
    table::aliases(resource_type)
}

fn entry(resource_type: &str, alias: &str) -> Option<Entry> {
    table::find(resource_type, alias).or_else(|| derived::find(resource_type, alias).map(Entry::Path))
}

/// Returns the type that an alias begins with, up to the last `/` before the path:
/// `Microsoft.Network/virtualNetworks/subnets` for `Microsoft.Network/virtualNetworks/subnets/networkSecurityGroup.id`.
fn own_type(alias: &str) -> Option<&str> {
    Some(alias.rsplit_once('/')?.0)
}

/// True if an alias begins with the name of a type, not only of a provider.
fn names_type(alias: &str) -> bool {
    alias.matches('/').count() > 1
}
