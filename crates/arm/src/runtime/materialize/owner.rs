//! Children that set a single property of their parent.

use crate::model::{Document, Resource};
use crate::runtime::lay::{Arrays, changed, over};
use crate::runtime::materialize::children;
use crate::value::Value;

/// A child that sets a property of its parent.
struct Setter {
    parent: &'static str,
    child: &'static str,
    /// The path in the child of the value that it sets.
    from: &'static [&'static str],
    /// The path of the property in the parent.
    to: &'static [&'static str],
}

const SETTERS: &[Setter] = &[
    administrators("Microsoft.Sql/servers"),
    directory_only("Microsoft.Sql/servers"),
    administrators("Microsoft.Sql/managedInstances"),
    directory_only("Microsoft.Sql/managedInstances"),
];

/// Returns the setter for `administrators/ActiveDirectory`: the administrators of a server.
const fn administrators(parent: &'static str) -> Setter {
    Setter { parent, child: "administrators", from: &["properties"], to: &["properties", "administrators"] }
}

/// Returns the setter for `azureADOnlyAuthentications/Default`, which restricts logins to accounts of the directory.
const fn directory_only(parent: &'static str) -> Setter {
    Setter {
        parent,
        child: "azureADOnlyAuthentications",
        from: &["properties", "azureADOnlyAuthentication"],
        to: &["properties", "administrators", "azureADOnlyAuthentication"],
    }
}

/// Returns `state` with the properties that the children of `resource` set. `None` if they set nothing.
pub(super) fn settled(document: &Document, resource: &Resource, state: &Value) -> Option<Value> {
    let mut settled = None;
    for setter in SETTERS.iter().filter(|setter| setter.parent.eq_ignore_ascii_case(&resource.type_name)) {
        for (_, child, kind) in children(document, resource) {
            let value = setter.from.iter().try_fold(&child.state, |value, name| value.get(name));
            let Some(value) = value.filter(|_| kind.eq_ignore_ascii_case(setter.child)) else { continue };
            let set = |known: Option<&Value>| {
                Some(known.map_or_else(|| value.clone(), |known| over(known, value, Arrays::Replaced)))
            };
            settled = changed(settled.as_ref().unwrap_or(state), setter.to, &set).or(settled);
        }
    }
    settled
}
