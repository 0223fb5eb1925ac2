//! Network configurations that Azure rejects: priorities, ports, and addresses of security rules, and the addresses of
//! networks and subnets.
//!
//! Rules and subnets are items of their group or network, or resources of their own.
//!
//! Reference: <https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview>,
//! <https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-subnet>.

mod addresses;
mod security_rules;
mod subnets;

use foldhash::HashMap;
use formwork_model::declare_checks;

use crate::eval::World;
use crate::model::{DeploymentId, Document, Presence, Resource, join_index, join_key};
use crate::text::{Span, placeholders};
use crate::value::{Traits, Value};

declare_checks! {
    pub(crate) const CHECKS;

    NETWORK_PRIORITY = Deployment High "network/priority" "Network.Priority"
        "A security rule should have a priority of its own, from 100 to 4096"
        "Azure rejects a network security group in which two rules of one direction have the same priority."
        "Give each rule of a direction another priority."
        .platform();
    NETWORK_SUBNET = Deployment High "network/subnet" "Network.Subnet"
        "A subnet should lie in its virtual network, apart from the other subnets"
        "Azure rejects a virtual network with a subnet that is outside its address space, or that overlaps with another."
        "Correct the prefix of the subnet, or add a range to the address space."
        .platform();
    NETWORK_RANGE = Deployment High "network/range" "Network.Range"
        "A range of addresses or ports should be one that Azure can read"
        "Azure rejects a virtual network with a prefix that is not a range of addresses, and a security rule with a port above 65535, a service tag that it does not have, or no addresses."
        "For addresses, write the first one and the number of bits, such as `10.0.0.0/16`; a security rule also takes a service tag or `*`. For ports, write one port, a range with the lower port first, such as `8000-8080`, or `*`. Lists belong into the property with an `s` or `es`."
        .platform();
}

/// The groups and networks, and the types of their parts.
const GROUP: &str = "Microsoft.Network/networkSecurityGroups";
const RULE: &str = "Microsoft.Network/networkSecurityGroups/securityRules";
const NETWORK: &str = "Microsoft.Network/virtualNetworks";
const SUBNET: &str = "Microsoft.Network/virtualNetworks/subnets";

/// Reports security rules and subnets that Azure rejects.
pub(super) fn check_networks(document: &Document, world: &World<'_>) {
    for resource in &document.resources {
        if resource.type_name.eq_ignore_ascii_case(GROUP) {
            let rules = parts(document, resource, "securityRules", RULE);
            security_rules::check_ports(&rules, world);
            security_rules::check_priorities(&rules, world);
            addresses::check_addresses(&rules, world);
        } else if resource.type_name.eq_ignore_ascii_case(NETWORK) {
            let subnets = parts(document, resource, "subnets", SUBNET);
            subnets::check_network(resource, world);
            subnets::check_prefixes(&subnets, world);
            subnets::check_places(Some(resource), &subnets, world);
        }
    }
    for rules in orphans(document, RULE, GROUP) {
        security_rules::check_ports(&rules, world);
        security_rules::check_priorities(&rules, world);
        addresses::check_addresses(&rules, world);
    }
    for subnets in orphans(document, SUBNET, NETWORK) {
        subnets::check_prefixes(&subnets, world);
        subnets::check_places(None, &subnets, world);
    }
}

/// A rule of a group, or a subnet of a network.
struct NetworkPart<'a> {
    /// The last segment of its name, if it is known.
    name: Option<&'a str>,
    /// The path of its properties, and the properties.
    path: String,
    properties: &'a Value,
    /// True for a resource of its own, which may repeat an item of its parent.
    is_resource: bool,
    /// Presence of the resource. Two resources with different conditions may exclude each other.
    presence: &'a Presence,
}

impl<'a> NetworkPart<'a> {
    fn of_resource(resource: &'a Resource) -> Option<Self> {
        let name = resource.body.get("name").and_then(Value::as_str);
        Some(Self {
            name: name.and_then(|name| name.rsplit('/').next()),
            path: join_key(&resource.path, "properties"),
            properties: resource.body.get("properties")?,
            is_resource: true,
            presence: &resource.presence,
        })
    }

    /// Returns `true` if both can exist in one deployment.
    fn is_beside(&self, other: &Self) -> bool {
        let may_be_same = || match (self.name, other.name) {
            (Some(name), Some(other)) => name.eq_ignore_ascii_case(other),
            _ => true,
        };
        let is_same = (self.is_resource || other.is_resource) && may_be_same();
        self.presence.is_compatible(other.presence) && !is_same
    }
}

/// Returns the items of a property of a resource, and its children of a type.
fn parts<'a>(document: &'a Document, resource: &'a Resource, property: &str, child_type: &str) -> Vec<NetworkPart<'a>> {
    let path = join_key(&join_key(&resource.path, "properties"), property);
    let items = resource.body.get("properties").and_then(|properties| properties.get(property)?.as_array());
    let item = |(at, item): (usize, &'a Value)| {
        Some(NetworkPart {
            name: item.get("name").and_then(Value::as_str),
            path: join_key(&join_index(&path, at), "properties"),
            properties: item.get("properties")?,
            is_resource: false,
            presence: &Presence::Deployed,
        })
    };
    let children = resource.children.iter().map(|&id| document.resource(id));
    let children = children.filter(|child| child.type_name.eq_ignore_ascii_case(child_type));
    items
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter_map(item)
        .chain(children.filter_map(NetworkPart::of_resource))
        .collect()
}

/// Returns the resources of a type whose parents the document does not have, grouped by parent.
fn orphans<'a>(document: &'a Document, child_type: &str, parent_type: &str) -> Vec<Vec<NetworkPart<'a>>> {
    let mut families: Vec<Vec<NetworkPart<'a>>> = Vec::new();
    let mut known: HashMap<(DeploymentId, String), usize> = HashMap::default();
    for resource in document.resources.iter().filter(|resource| resource.type_name.eq_ignore_ascii_case(child_type)) {
        let parent = resource.parent.map(|id| document.resource(id));
        if parent.is_some_and(|parent| parent.type_name.eq_ignore_ascii_case(parent_type)) {
            continue;
        }
        let Some(part) = NetworkPart::of_resource(resource) else { continue };
        let parent = resource.id.rsplitn(3, '/').nth(2).filter(|_| part.name.is_some());
        let key = parent.map(|parent| (resource.deployment, parent.to_ascii_lowercase()));
        let family = key.map_or(families.len(), |key| *known.entry(key).or_insert(families.len()));
        match families.get_mut(family) {
            Some(family) => family.push(part),
            None => families.push(vec![part]),
        }
    }
    families
}

/// Returns the text and span of a value that is known, not secret, and without a placeholder.
fn written(value: &Value) -> Option<(&str, Span)> {
    let text = value.as_str().filter(|text| !text.is_empty() && placeholders(text).is_empty())?;
    Some((text, value.span.filter(|_| !value.traits.has(Traits::SECRET))?))
}

/// Returns the value of the property `name`, and the items of the list whose name has an `s` or `es` more, each with
/// its path.
fn one_or_many<'a>(object: &'a Value, path: &str, name: &str) -> Vec<(String, &'a Value)> {
    let one = object.get(name).map(|value| (join_key(path, name), value));
    let many = if name.ends_with('x') { format!("{name}es") } else { format!("{name}s") };
    let list = join_key(path, &many);
    let items = object.get(&many).and_then(Value::as_array).unwrap_or_default();
    one.into_iter().chain(items.iter().enumerate().map(|(at, item)| (join_index(&list, at), item))).collect()
}
