//! Aliases of types that the table does not have, derived from their names and the published types.
//!
//! An alias is the name of the type and a path. The path leaves out `properties`: that of the resource, and that of the
//! resources within it, such as the rules of a network security group. In the built-in definitions, names give the path
//! of all but one in a hundred aliases of the types that the table has.

use formwork_schema::{PathPart, has};

/// Providers whose aliases are derived. The table lacks Microsoft.Network, whose list is too large for the snapshot
/// that the table was made from.
const PROVIDERS: &[&str] = &["microsoft.network/"];

/// Type in the examples of Microsoft's documentation. All its aliases are below `properties`.
const EXAMPLE: &str = "microsoft.test/resourcetype";

/// Returns the path of an alias on resources of a type. `None` if the alias is not derived, or if the type has no such
/// property.
pub(super) fn find(resource_type: &str, alias: &str) -> Option<String> {
    let start = alias.get(..resource_type.len())?;
    let name = alias.get(start.len()..)?.strip_prefix('/')?;
    let is_of_type = start.eq_ignore_ascii_case(resource_type) && !name.contains('/');
    let lower = resource_type.to_ascii_lowercase();
    if !is_of_type {
        return None;
    }
    if lower == EXAMPLE {
        return Some(format!("properties.{name}"));
    }
    PROVIDERS.iter().any(|provider| lower.starts_with(provider)).then(|| follow(resource_type, name)).flatten()
}

/// Follows a path through the types, with `properties` before each name that only exists below it.
fn follow(resource_type: &str, name: &str) -> Option<String> {
    let mut path: Vec<PathPart<'_>> = Vec::new();
    let mut text = String::new();
    for (at, part) in name.split('.').enumerate() {
        let (member, items) = part.strip_suffix("[*]").map_or((part, false), |member| (member, true));
        let inner = [PathPart::Name("properties"), PathPart::Name(member)];
        let own = [PathPart::Name(member)];
        // The properties of a resource come first: `tags` of its root is no alias.
        let ways: [&[PathPart<'_>]; 2] = if at == 0 { [&inner, &own] } else { [&own, &inner] };
        let way = ways.into_iter().find(|way| has(resource_type, &[&path, *way].concat()))?;
        for step in way {
            if let PathPart::Name(name) = step {
                text.push_str(if text.is_empty() { "" } else { "." });
                text.push_str(name);
            }
        }
        path.extend(way);
        if items {
            path.push(PathPart::Item);
            text.push_str("[*]");
            if !has(resource_type, &path) {
                return None;
            }
        }
    }
    Some(text)
}
