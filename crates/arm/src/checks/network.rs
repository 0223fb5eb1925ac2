//! What Azure refuses in networks: priorities and ports of security rules, and the addresses of networks and subnets.
//!
//! Reference: <https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview>,
//! <https://learn.microsoft.com/azure/virtual-network/virtual-network-manage-subnet>.

use std::str::FromStr as _;

use foldhash::HashMap;
use ipnet::IpNet;

use crate::diagnostic::Check;
use crate::eval::World;
use crate::model::{Document, Issue, Resource, join_index, join_key};
use crate::text::{Span, placeholders};
use crate::value::{Data, Traits, Value};

/// The priorities that a security rule may have.
const PRIORITIES: std::ops::RangeInclusive<i64> = 100..=4096;

/// How many subnets of a network are compared with each other.
const MAX_SUBNETS: usize = 512;

/// Reports security rules and subnets that Azure refuses.
pub(super) fn check(document: &Document, world: &World<'_>) {
    for resource in &document.resources {
        if resource.type_name.eq_ignore_ascii_case("Microsoft.Network/networkSecurityGroups") {
            priorities(resource, world);
            ports(resource, world);
        } else if resource.type_name.eq_ignore_ascii_case("Microsoft.Network/virtualNetworks") {
            subnets(resource, world);
            prefixes_of_network(resource, world);
        }
    }
}

/// The items of an array of a resource, each with its path.
fn items<'a>(resource: &'a Resource, name: &str) -> impl Iterator<Item = (String, &'a Value)> {
    let path = join_key(&join_key(&resource.path, "properties"), name);
    let items = resource.body.get("properties").and_then(|properties| properties.get(name)?.as_array());
    items.unwrap_or_default().iter().enumerate().map(move |(at, item)| (join_index(&path, at), item))
}

fn priorities(group: &Resource, world: &World<'_>) {
    let mut taken: HashMap<(String, i64), (&Value, String)> = HashMap::default();
    for (path, rule) in items(group, "securityRules") {
        let Some(properties) = rule.get("properties") else { continue };
        let Some(priority) = properties.get("priority") else { continue };
        let (Data::Int(number), Some(span)) = (&priority.data, priority.span) else { continue };
        let path = join_key(&join_key(&path, "properties"), "priority");
        let issue =
            |message: String| Issue::new(Check::NetworkPriority, path.as_str(), span, message).with_value(priority);
        if !PRIORITIES.contains(number) {
            world.issue(issue(format!("a priority of {number} is not between 100 and 4096")));
        }
        let name = |rule: &Value| world.masked(rule.get("name").and_then(Value::as_str).unwrap_or("?")).into_owned();
        let Some(direction) = properties.get("direction").and_then(Value::as_str) else { continue };
        let key = (direction.to_ascii_lowercase(), *number);
        match taken.get(&key) {
            Some((other, first)) => {
                let message = format!("rule `{first}` has the priority {number}, too, in the same direction");
                let issue = issue(message);
                world.issue(match other.span {
                    Some(place) if place != span => issue.with_label(place, "the other rule is here"),
                    _ => issue,
                });
            }
            None => {
                taken.insert(key, (priority, name(rule)));
            }
        }
    }
}

/// Reports ports of security rules that do not exist, and what is no port.
fn ports(group: &Resource, world: &World<'_>) {
    for (path, rule) in items(group, "securityRules") {
        let Some(properties) = rule.get("properties") else { continue };
        let path = join_key(&path, "properties");
        for name in ["sourcePortRange", "destinationPortRange"] {
            for (path, value) in one_or_many(properties, &path, name) {
                let Some((text, span)) = written(value) else { continue };
                if text != "*" && !is_port_range(text) {
                    let message = format!("`{text}` is not a port, a range such as `8000-8080`, or `*`");
                    world.issue(Issue::new(Check::NetworkRange, path, span, message).with_value(value));
                }
            }
        }
    }
}

/// Whether the text is a port, or the first and the last port of a range.
fn is_port_range(text: &str) -> bool {
    let port = |text: &str| text.trim().parse::<u16>().ok();
    match text.split_once('-') {
        Some((first, last)) => port(first).zip(port(last)).is_some_and(|(first, last)| first <= last),
        None => port(text).is_some(),
    }
}

/// Reports prefixes of a network and its subnets that are not ranges of addresses.
fn prefixes_of_network(network: &Resource, world: &World<'_>) {
    let path = join_key(&network.path, "properties");
    let space = network.body.get("properties").and_then(|properties| properties.get("addressSpace"));
    let space = space.map(|space| one_or_many(space, &join_key(&path, "addressSpace"), "addressPrefix"));
    let subnets = items(network, "subnets").take(MAX_SUBNETS).flat_map(|(path, item)| prefixes_of_subnet(&path, item));
    for (path, value) in space.into_iter().flatten().chain(subnets) {
        let Some((text, span)) = written(value) else { continue };
        let message = match IpNet::from_str(text.trim()) {
            Ok(range) if range.trunc() == range => continue,
            Ok(range) => {
                format!("`{text}` does not begin with the first address of its range; write `{}`", range.trunc())
            }
            Err(_) => format!("`{text}` is not a range of addresses, such as `10.0.0.0/16`"),
        };
        world.issue(Issue::new(Check::NetworkRange, path, span, message).with_value(value));
    }
}

/// The text of a value that is written as it is deployed: it is known and no secret, and has no placeholder.
fn written(value: &Value) -> Option<(&str, Span)> {
    let text = value.as_str().filter(|text| !text.is_empty() && placeholders(text).is_empty())?;
    Some((text, value.span.filter(|_| !value.traits.has(Traits::SECRET))?))
}

/// The value of a property, and those of the list whose name has an `s` or `es` more, each with its path.
fn one_or_many<'a>(object: &'a Value, path: &str, name: &str) -> Vec<(String, &'a Value)> {
    let one = object.get(name).map(|value| (join_key(path, name), value));
    let many = if name.ends_with('x') { format!("{name}es") } else { format!("{name}s") };
    let list = join_key(path, &many);
    let items = object.get(&many).and_then(Value::as_array).unwrap_or_default();
    one.into_iter().chain(items.iter().enumerate().map(|(at, item)| (join_index(&list, at), item))).collect()
}

/// The prefixes of a subnet, each with its path.
fn prefixes_of_subnet<'a>(path: &str, subnet: &'a Value) -> Vec<(String, &'a Value)> {
    let properties = subnet.get("properties");
    properties
        .map(|properties| one_or_many(properties, &join_key(path, "properties"), "addressPrefix"))
        .unwrap_or_default()
}

/// A prefix of a subnet, where it is written, and the name of the subnet.
struct Prefix<'a> {
    network: IpNet,
    value: &'a Value,
    path: String,
    subnet: usize,
}

fn subnets(network: &Resource, world: &World<'_>) {
    let space =
        network.body.get("properties").and_then(|properties| properties.get("addressSpace")?.get("addressPrefixes"));
    let space = space.and_then(Value::as_array).unwrap_or_default();
    let ranges: Vec<IpNet> = space.iter().filter_map(range).collect();
    // Nothing is outside a range that is not known.
    let is_known = !ranges.is_empty() && ranges.len() == space.len();
    let prefixes = prefixes(network);
    for (at, prefix) in prefixes.iter().enumerate() {
        let Some(span) = prefix.value.span else { continue };
        let issue = |message: String| {
            Issue::new(Check::NetworkSubnet, prefix.path.as_str(), span, message).with_value(prefix.value)
        };
        let own = prefix.network;
        if is_known && !ranges.iter().any(|range| range.contains(&own)) {
            world.issue(issue(format!("subnet `{own}` is outside the address space of its virtual network")));
        }
        let other = prefixes.iter().take(at).find(|other| {
            other.subnet != prefix.subnet && (other.network.contains(&own) || own.contains(&other.network))
        });
        if let Some(other) = other {
            let issue = issue(format!("subnet `{own}` overlaps with subnet `{}`", other.network));
            world.issue(match other.value.span {
                Some(place) if place != span => issue.with_label(place, "the other subnet is here"),
                _ => issue,
            });
        }
    }
}

/// The prefixes of the subnets in a network that are known.
fn prefixes(network: &Resource) -> Vec<Prefix<'_>> {
    let mut prefixes = Vec::new();
    for (subnet, (path, item)) in items(network, "subnets").take(MAX_SUBNETS).enumerate() {
        let known = |(path, value)| Some(Prefix { network: range(value)?, value, path, subnet });
        prefixes.extend(prefixes_of_subnet(&path, item).into_iter().filter_map(known));
    }
    prefixes
}

/// A range of addresses that is known and no secret.
fn range(value: &Value) -> Option<IpNet> {
    let text = value.as_str().filter(|_| !value.traits.has(Traits::SECRET))?;
    IpNet::from_str(text.trim()).ok().map(|range| range.trunc())
}
