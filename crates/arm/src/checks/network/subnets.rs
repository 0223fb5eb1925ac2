//! The addresses of networks and subnets.

use std::str::FromStr as _;

use ipnet::IpNet;

use crate::checks::network::{NETWORK_RANGE, NETWORK_SUBNET, NetworkPart, one_or_many, written};
use crate::eval::World;
use crate::model::{Issue, Resource, join_index, join_key};
use crate::value::{Traits, Value};

/// Maximum number of subnets of a network, and of their prefixes, to compare with each other.
const MAX_SUBNETS: usize = 512;

/// Reports prefixes in the address space of a network that are not ranges of addresses.
pub(super) fn check_network(network: &Resource, world: &World<'_>) {
    let path = join_key(&join_key(&network.path, "properties"), "addressSpace");
    let space = network.body.get("properties").and_then(|properties| properties.get("addressSpace"));
    for (path, value) in space.into_iter().flat_map(|space| one_or_many(space, &path, "addressPrefix")) {
        check_range(path, value, world);
    }
    check_space(space, &path, world);
}

/// Reports ranges of the address space that overlap.
fn check_space(space: Option<&Value>, path: &str, world: &World<'_>) {
    let prefixes = space.and_then(|space| space.get("addressPrefixes")?.as_array()).unwrap_or_default();
    let path = join_key(path, "addressPrefixes");
    let mut known: Vec<IpNet> = Vec::new();
    for (at, value) in prefixes.iter().enumerate().take(MAX_SUBNETS) {
        let Some(own) = range(value) else { continue };
        let other = known.iter().find(|other| other.contains(&own) || own.contains(*other));
        if let (Some(other), Some(span)) = (other.filter(|other| **other != own), value.span) {
            let message = format!("`{own}` overlaps with `{other}` of the same address space; remove one of them");
            world.issue(Issue::new(NETWORK_SUBNET, join_index(&path, at), span, message).with_value(value));
        }
        known.push(own);
    }
}

/// Reports prefixes of subnets that are not ranges of addresses.
pub(super) fn check_prefixes(subnets: &[NetworkPart<'_>], world: &World<'_>) {
    for subnet in subnets.iter().take(MAX_SUBNETS) {
        for (path, value) in one_or_many(subnet.properties, &subnet.path, "addressPrefix") {
            check_range(path, value, world);
        }
    }
}

fn check_range(path: String, value: &Value, world: &World<'_>) {
    let Some((text, span)) = written(value) else { return };
    let message = match IpNet::from_str(text.trim()) {
        Ok(range) if range.trunc() == range => return,
        Ok(range) => {
            format!("`{text}` does not begin with the first address of its range; write `{}`", range.trunc())
        }
        Err(_) => format!("`{text}` is not a range of addresses, such as `10.0.0.0/16`"),
    };
    world.issue(Issue::new(NETWORK_RANGE, path, span, message).with_value(value));
}

/// A prefix of a subnet, with its location in the text.
struct Prefix<'a> {
    network: IpNet,
    value: &'a Value,
    path: String,
    subnet: &'a NetworkPart<'a>,
}

/// Reports subnets outside of their network, or that overlap. The address space of a network outside the document is
/// not known.
pub(super) fn check_places(network: Option<&Resource>, subnets: &[NetworkPart<'_>], world: &World<'_>) {
    let space = network.and_then(|network| network.body.get("properties")?.get("addressSpace")?.get("addressPrefixes"));
    let space = space.and_then(Value::as_array).unwrap_or_default();
    let ranges: Vec<IpNet> = space.iter().filter_map(range).collect();
    // Nothing is outside a range that is not known.
    let is_known = !ranges.is_empty() && ranges.len() == space.len();
    let prefixes = prefixes(subnets);
    for (at, prefix) in prefixes.iter().enumerate() {
        let Some(span) = prefix.value.span else { continue };
        let issue =
            |message: String| Issue::new(NETWORK_SUBNET, prefix.path.as_str(), span, message).with_value(prefix.value);
        let own = prefix.network;
        if is_known && !ranges.iter().any(|range| range.contains(&own)) {
            world.issue(issue(format!("subnet `{own}` is outside the address space of its virtual network")));
        }
        let overlaps = |other: &IpNet| other.contains(&own) || own.contains(other);
        let other = prefixes.iter().take(at).find(|other| {
            let is_other = !std::ptr::eq(other.subnet, prefix.subnet) && prefix.subnet.is_beside(other.subnet);
            is_other && overlaps(&other.network)
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

/// Returns the known prefixes of subnets.
fn prefixes<'a>(subnets: &'a [NetworkPart<'a>]) -> Vec<Prefix<'a>> {
    let of = |subnet: &'a NetworkPart<'a>| {
        let known = move |(path, value)| Some(Prefix { network: range(value)?, value, path, subnet });
        one_or_many(subnet.properties, &subnet.path, "addressPrefix").into_iter().filter_map(known)
    };
    subnets.iter().take(MAX_SUBNETS).flat_map(of).take(MAX_SUBNETS).collect()
}

/// Returns the range of addresses in a value that is known and not secret.
fn range(value: &Value) -> Option<IpNet> {
    let text = value.as_str().filter(|_| !value.traits.has(Traits::SECRET))?;
    IpNet::from_str(text.trim()).ok().map(|range| range.trunc())
}
