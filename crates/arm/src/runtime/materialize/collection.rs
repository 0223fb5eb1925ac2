//! Parents with an array whose items may also be declared as child resources, such as the subnets of a network.

use crate::model::{Document, Resource};
use crate::runtime::lay::{Arrays, changed, over};
use crate::runtime::materialize::{children, own_name};
use crate::value::{Kind, Member, Unknown, Value};

/// The form that a child has as an item of its parent's array.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// An object `{id, name, properties}`.
    Nested,
    /// The name and the properties of the child in one object.
    Flat,
}

/// Rows of parent type, last segment of the child type, array in the parent's `properties`, and form of its items.
const COLLECTIONS: &[(&str, &str, &str, Shape)] = &[
    ("Microsoft.ContainerService/managedClusters", "agentPools", "agentPoolProfiles", Shape::Flat),
    ("Microsoft.Network/loadBalancers", "backendAddressPools", "backendAddressPools", Shape::Nested),
    ("Microsoft.Network/loadBalancers", "inboundNatRules", "inboundNatRules", Shape::Nested),
    ("Microsoft.Network/networkSecurityGroups", "securityRules", "securityRules", Shape::Nested),
    ("Microsoft.Network/routeTables", "routes", "routes", Shape::Nested),
    ("Microsoft.Network/virtualNetworks", "subnets", "subnets", Shape::Nested),
    ("Microsoft.Network/virtualNetworks", "virtualNetworkPeerings", "virtualNetworkPeerings", Shape::Nested),
];

/// Returns the state of a resource including the items that are declared as children. `None` if there are none.
pub(super) fn settled(document: &Document, resource: &Resource) -> Option<Value> {
    let rows = COLLECTIONS.iter().filter(|(parent, ..)| parent.eq_ignore_ascii_case(&resource.type_name));
    let mut state = None;
    for (_, segment, array, shape) in rows {
        let items = children(document, resource).filter(|(_, _, kind)| kind.eq_ignore_ascii_case(segment));
        let items: Vec<Value> = items.map(|(_, child, _)| item(document, child, *shape)).collect();
        if items.is_empty() {
            continue;
        }
        let before = state.as_ref().unwrap_or(&resource.state);
        let with_items = changed(before, &["properties", array], &|known| merged(known, &items));
        state = with_items.or(state);
    }
    state
}

/// Returns the child as an item of its parent's array.
fn item(document: &Document, child: &Resource, shape: Shape) -> Value {
    let text = document.hidden.named(own_name(child));
    let name = Member::new(
        "name",
        match child.body.get("name").and_then(Value::as_unknown) {
            Some(unknown) => Value::unknown(Unknown::like(Kind::String, unknown.why.clone(), text)),
            None => text,
        },
    );
    let properties = child.state.get("properties").cloned().unwrap_or_else(|| Value::object(Vec::new()));
    let members = match shape {
        Shape::Nested => {
            let id = Member::new("id", document.hidden.named(&child.id));
            vec![name, id, Member::new("properties", properties)]
        }
        Shape::Flat => [name].into_iter().chain(properties.as_object().into_iter().flatten().cloned()).collect(),
    };
    Value::object(members)
}

/// Returns the array with each item merged into the one with the same name, or added. `None` if the array is unknown.
fn merged(known: Option<&Value>, items: &[Value]) -> Option<Value> {
    let mut all = match known {
        None => Vec::new(),
        Some(known) if known.is_null() => Vec::new(),
        Some(known) => known.as_array()?.to_vec(),
    };
    let name_of = |item: &Value| item.get("name").and_then(Value::as_str).map(str::to_lowercase);
    for item in items {
        let name = name_of(item);
        match all.iter_mut().find(|known| name.is_some() && name_of(known) == name) {
            Some(known) => *known = over(known, item, Arrays::Replaced),
            None => all.push(item.clone()),
        }
    }
    Some(Value { span: known.and_then(|array| array.span), ..Value::array(all) })
}
