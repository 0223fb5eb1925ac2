//! Arrays of a parent whose items may be resources of their own.

use crate::arm::runtime::lay::{Arrays, changed, over};
use crate::arm::runtime::materialize::{children, own_name};
use crate::model::{Document, Resource};
use crate::value::{Kind, Member, Unknown, Value};

/// How a child stands in the array of its parent.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    /// As `{id, name, properties}`.
    Nested,
    /// With its properties beside its name.
    Flat,
}

/// Parent type, child segment, array of the parent.
const COLLECTIONS: &[(&str, &str, &str, Shape)] = &[
    ("Microsoft.ContainerService/managedClusters", "agentPools", "agentPoolProfiles", Shape::Flat),
    ("Microsoft.Network/loadBalancers", "backendAddressPools", "backendAddressPools", Shape::Nested),
    ("Microsoft.Network/loadBalancers", "inboundNatRules", "inboundNatRules", Shape::Nested),
    ("Microsoft.Network/networkSecurityGroups", "securityRules", "securityRules", Shape::Nested),
    ("Microsoft.Network/routeTables", "routes", "routes", Shape::Nested),
    ("Microsoft.Network/virtualNetworks", "subnets", "subnets", Shape::Nested),
    ("Microsoft.Network/virtualNetworks", "virtualNetworkPeerings", "virtualNetworkPeerings", Shape::Nested),
];

/// The state of a resource with the items that are resources of their own. `None` if there are none.
pub(super) fn settled(document: &Document, resource: &Resource) -> Option<Value> {
    let mut rows = COLLECTIONS.iter().filter(|row| row.0.eq_ignore_ascii_case(&resource.type_name)).peekable();
    rows.peek()?;
    let mut state = None;
    for (_, segment, array, shape) in rows {
        let items = children(document, resource).filter(|(_, _, kind)| kind.eq_ignore_ascii_case(segment));
        let items: Vec<Value> = items.map(|(_, child, _)| item(child, *shape)).collect();
        if items.is_empty() {
            continue;
        }
        let before = state.as_ref().unwrap_or(&resource.state);
        let with_items = changed(before, &["properties", array], &|known| joined(known, &items));
        state = with_items.or(state);
    }
    state
}

fn item(child: &Resource, shape: Shape) -> Value {
    let text = Value::from(own_name(child));
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
            let id = Member::new("id", Value::from(child.id.clone()));
            vec![name, id, Member::new("properties", properties)]
        }
        Shape::Flat => [name].into_iter().chain(properties.as_object().into_iter().flatten().cloned()).collect(),
    };
    Value::object(members)
}

/// The array with each item laid over the one of its name, or added. `None` where the array is not known.
fn joined(known: Option<&Value>, items: &[Value]) -> Option<Value> {
    let mut all = match known {
        None => Vec::new(),
        Some(known) if known.is_null() => Vec::new(),
        Some(known) => known.as_array()?.to_vec(),
    };
    let name = |it: &Value| it.get("name").and_then(Value::as_str).map(str::to_lowercase);
    for item in items {
        let wanted = name(item);
        match all.iter_mut().find(|it| wanted.is_some() && name(it) == wanted) {
            Some(known) => *known = over(known, item, Arrays::Replaced),
            None => all.push(item.clone()),
        }
    }
    Some(Value { span: known.and_then(|it| it.span), ..Value::array(all) })
}
