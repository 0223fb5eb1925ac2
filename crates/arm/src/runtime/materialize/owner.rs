//! Children that set a property of their parent.

use crate::model::{Document, Resource};
use crate::runtime::lay::{Arrays, changed, over};
use crate::runtime::materialize::{children, own_name};
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
    let mut settled = policies(document, resource, state);
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

/// Type of key vaults, whose access policies are also children.
const VAULT: &str = "Microsoft.KeyVault/vaults";

/// The path of the access policies of a vault.
const POLICIES: [&str; 2] = ["properties", "accessPolicies"];

/// Returns the state of a vault after its children `accessPolicies/add`, `replace`, and `remove`, in the order of
/// deployment. `None` if nothing changes, or if the policies are not known.
fn policies(document: &Document, vault: &Resource, state: &Value) -> Option<Value> {
    if !vault.type_name.eq_ignore_ascii_case(VAULT) {
        return None;
    }
    let mut settled = None;
    for (_, child, kind) in children(document, vault) {
        if !kind.eq_ignore_ascii_case("accessPolicies") {
            continue;
        }
        let own = POLICIES.iter().try_fold(&child.state, |value, name| value.get(name)).and_then(Value::as_array)?;
        let act = |known: Option<&Value>| {
            let known = match known.filter(|known| !known.is_null()) {
                Some(known) => known.as_array()?,
                None => &[],
            };
            Some(Value::array(acted(own_name(child), known, own)?))
        };
        settled = changed(settled.as_ref().unwrap_or(state), &POLICIES, &act).or(settled);
    }
    settled
}

/// Returns the access policies after an action. `None` if the action is not one of the three.
fn acted(action: &str, known: &[Value], own: &[Value]) -> Option<Vec<Value>> {
    let is_about = |policy: &Value, other: &Value| {
        let same = |name: &str| {
            let [one, other] = [policy, other].map(|value| value.get(name).and_then(Value::as_str));
            one.unwrap_or_default().eq_ignore_ascii_case(other.unwrap_or_default())
        };
        policy.get("objectId").is_some_and(|id| id.as_str().is_some()) && same("objectId") && same("applicationId")
    };
    let others = || known.iter().filter(|policy| !own.iter().any(|other| is_about(policy, other))).cloned();
    match action.to_ascii_lowercase().as_str() {
        // `add` keeps the permissions that a policy of the same object has already.
        "add" => Some(known.iter().chain(own).cloned().collect()),
        "replace" => Some(others().chain(own.iter().cloned()).collect()),
        "remove" => Some(others().collect()),
        _ => None,
    }
}
