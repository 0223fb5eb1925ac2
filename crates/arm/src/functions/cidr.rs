//! Functions for IPv4 and IPv6 address ranges in CIDR notation.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-cidr>.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

use crate::fault::Fault;
use crate::functions::{Args, Function, exactly, pure};
use crate::value::{Kind, Member, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("cidrHost", exactly(2), Kind::String, cidr_host),
    pure("cidrSubnet", exactly(3), Kind::String, cidr_subnet),
    pure("parseCidr", exactly(1), Kind::Object, parse_cidr),
];

/// Parses `10.0.0.0/8` or `fd00::/8`. Bits after the prefix are cleared.
fn parse(text: &str) -> Result<IpNet, Fault> {
    let network = match text.split_once('/') {
        Some((address, prefix)) => {
            // `parse` alone would accept a plus sign.
            let is_number = prefix.bytes().all(|byte| byte.is_ascii_digit());
            let prefix = prefix.parse().ok().filter(|_| is_number);
            prefix.zip(address.parse().ok()).and_then(|(prefix, address)| IpNet::new(address, prefix).ok())
        }
        None => text.parse().ok().and_then(classful),
    };
    network.map(|network| network.trunc()).ok_or_else(|| {
        Fault::failed(format!("`{text}` is not an address range in CIDR notation, such as `10.0.0.0/24`"))
    })
}

/// Returns the range of an address without a prefix: the range of its class, as .NET's `IPNetwork2` assumes
/// (<https://github.com/lduchosal/ipnetwork>). Tests of Azure Verified Modules deploy `cidrSubnet('192.168.1.0', 24,
/// 0)`. Multicast and reserved addresses have none.
fn classful(address: IpAddr) -> Option<IpNet> {
    let prefix = match address {
        IpAddr::V4(address) => match address.octets()[0] {
            0..=127 => 8,
            128..=191 => 16,
            192..=223 => 24,
            224.. => return None,
        },
        IpAddr::V6(_) => 64,
    };
    IpNet::new(address, prefix).ok()
}

fn bits(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits().into(),
        IpAddr::V6(address) => address.to_bits(),
    }
}

/// Returns the address with these bits. `None` if an address of the network does not have so many.
fn address(network: IpNet, bits: u128) -> Option<IpAddr> {
    match network {
        IpNet::V4(_) => u32::try_from(bits).ok().map(|bits| Ipv4Addr::from_bits(bits).into()),
        IpNet::V6(_) => Some(Ipv6Addr::from_bits(bits).into()),
    }
}

/// Returns the first and the last address that a host can have. In ranges of one or two addresses all are usable;
/// otherwise the first is the network's own, and the last of an IPv4 range is its broadcast address.
fn hosts(network: IpNet) -> (u128, u128) {
    let (first, last) = (bits(network.network()), bits(network.broadcast()));
    match network {
        _ if last - first <= 1 => (first, last),
        IpNet::V4(_) => (first + 1, last - 1),
        IpNet::V6(_) => (first + 1, last),
    }
}

/// `parseCidr(network)`: the parts of a range. Only IPv4 has a broadcast address. Unlike for `cidrHost`, the first usable
/// address of an IPv6 range is that of the network itself, as the documentation shows.
fn parse_cidr(args: Args<'_>) -> Result<Value, Fault> {
    let (text,): (&str,) = args.get()?;
    let network = parse(text)?;
    let written = |address: IpAddr| Value::from(address.to_string());
    let host = |bits: u128| written(address(network, bits).unwrap_or(network.network()));
    let (first_host, last_host) = hosts(network);
    let is_v4 = matches!(network, IpNet::V4(_));
    let mut members =
        vec![Member::new("network", written(network.network())), Member::new("netmask", written(network.netmask()))];
    if is_v4 {
        members.push(Member::new("broadcast", written(network.broadcast())));
    }
    members.push(Member::new("firstUsable", if is_v4 { host(first_host) } else { written(network.network()) }));
    members.push(Member::new("lastUsable", host(last_host)));
    members.push(Member::new("cidr", Value::from(i64::from(network.prefix_len()))));
    Ok(Value::object(members))
}

/// `cidrSubnet(network, newCIDR, subnetIndex)`: the subnet with a longer prefix, counted from the start of the network.
/// The subnet may lie after the end of the network.
fn cidr_subnet(args: Args<'_>) -> Result<Value, Fault> {
    let (text, prefix, index): (&str, i64, i64) = args.get()?;
    let network = parse(text)?;
    let lengths = network.prefix_len()..=network.max_prefix_len();
    let new_prefix = u8::try_from(prefix).ok().filter(|prefix| lengths.contains(prefix)).ok_or_else(|| {
        let (least, most) = lengths.into_inner();
        Fault::failed(format!("the new prefix of `{text}` must be from {least} to {most}, found {prefix}"))
    })?;
    let subnet = u128::try_from(index).ok().and_then(|index| {
        let size = 1_u128.checked_shl((network.max_prefix_len() - new_prefix).into());
        // The size of `::/0` does not fit into 128 bits, but its only subnet of the same size is itself.
        let offset = if index == 0 { 0 } else { size?.checked_mul(index)? };
        let first = address(network, bits(network.network()).checked_add(offset)?)?;
        IpNet::new(first, new_prefix).ok()
    });
    let subnet = subnet
        .ok_or_else(|| Fault::failed(format!("`{text}` has no subnet number {index} with prefix {new_prefix}")))?;
    Ok(Value::from(subnet.to_string()))
}

/// `cidrHost(network, hostIndex)`: the address of a host in a range, counted from 0.
fn cidr_host(args: Args<'_>) -> Result<Value, Fault> {
    let (text, index): (&str, i64) = args.get()?;
    let network = parse(text)?;
    let (first, last) = hosts(network);
    let host = u128::try_from(index).ok().and_then(|index| first.checked_add(index)).filter(|&host| host <= last);
    let host = host.and_then(|host| address(network, host));
    let host = host.ok_or_else(|| Fault::failed(format!("`{text}` has no host number {index}")))?;
    Ok(Value::from(host.to_string()))
}

#[cfg(test)]
mod tests {
    use crate::functions::testing::{call, fails};

    #[track_caller]
    fn host(network: &str, index: i64, expected: &str) {
        assert_eq!(call("cidrHost", &[network.into(), index.into()]), format!("\"{expected}\""));
    }

    #[track_caller]
    fn subnet(network: &str, prefix: i64, index: i64, expected: &str) {
        assert_eq!(call("cidrSubnet", &[network.into(), prefix.into(), index.into()]), format!("\"{expected}\""));
    }

    #[test]
    fn a_range_is_split_into_its_parts() {
        assert_eq!(
            call("parseCidr", &["10.144.3.9/20".into()]),
            r#"{"network":"10.144.0.0","netmask":"255.255.240.0","broadcast":"10.144.15.255","firstUsable":"10.144.0.1","lastUsable":"10.144.15.254","cidr":20}"#
        );
        assert_eq!(
            call("parseCidr", &["FDAD:3236:5555:0:0:0:0:0/48".into()]),
            r#"{"network":"fdad:3236:5555::","netmask":"ffff:ffff:ffff::","firstUsable":"fdad:3236:5555::","lastUsable":"fdad:3236:5555:ffff:ffff:ffff:ffff:ffff","cidr":48}"#
        );
        assert_eq!(
            call("parseCidr", &["0.0.0.0/0".into()]),
            r#"{"network":"0.0.0.0","netmask":"0.0.0.0","broadcast":"255.255.255.255","firstUsable":"0.0.0.1","lastUsable":"255.255.255.254","cidr":0}"#
        );
    }

    #[test]
    fn an_address_without_a_prefix_stands_for_the_range_of_its_class() {
        subnet("10.0.0.0", 16, 1, "10.1.0.0/16");
        subnet("172.16.0.0", 24, 0, "172.16.0.0/24");
        subnet("192.168.1.0", 24, 0, "192.168.1.0/24");
        subnet("fd00::1", 64, 0, "fd00::/64");
        let expected = "`239.0.0.1` is not an address range in CIDR notation, such as `10.0.0.0/24`";
        assert_eq!(fails("cidrSubnet", &["239.0.0.1".into(), 24.into(), 0.into()]), expected);
    }

    #[test]
    fn hosts_are_counted_over_the_whole_range() {
        host("10.144.3.0/24", 0, "10.144.3.1");
        host("10.0.0.0/8", 65_536, "10.1.0.1");
        host("10.0.0.0/31", 1, "10.0.0.1");
        host("10.0.0.7/32", 0, "10.0.0.7");
        host("fdad:3236:5555:3000::/52", 0, "fdad:3236:5555:3000::1");
        host("::/0", i64::MAX, "::8000:0:0:0");
        assert_eq!(fails("cidrHost", &["10.0.0.0/30".into(), 2.into()]), "`10.0.0.0/30` has no host number 2");
        assert_eq!(fails("cidrHost", &["10.0.0.0/30".into(), (-1).into()]), "`10.0.0.0/30` has no host number -1");
    }

    #[test]
    fn subnets_are_counted_from_the_start_of_the_range() {
        subnet("10.144.0.0/20", 24, 3, "10.144.3.0/24");
        subnet("10.144.0.0/20", 20, 1, "10.144.16.0/20");
        subnet("fdad:3236:5555::/48", 52, 4, "fdad:3236:5555:4000::/52");
        subnet("::/0", 0, 0, "::/0");
        subnet("::/0", 128, 1, "::1/128");
        assert_eq!(
            fails("cidrSubnet", &["10.0.0.0/20".into(), 16.into(), 0.into()]),
            "the new prefix of `10.0.0.0/20` must be from 20 to 32, found 16"
        );
        assert_eq!(
            fails("cidrSubnet", &["255.255.255.0/24".into(), 24.into(), 1.into()]),
            "`255.255.255.0/24` has no subnet number 1 with prefix 24"
        );
        assert_eq!(
            fails("cidrSubnet", &["::/0".into(), 0.into(), 1.into()]),
            "`::/0` has no subnet number 1 with prefix 0"
        );
    }

    #[test]
    fn other_strings_are_not_ranges() {
        for text in [
            "",
            "10.0.0",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0/8",
            "1000.144.0.0/20",
            "fdad:nnnn::/48",
            "::/129",
            "::/+1",
        ] {
            assert_eq!(
                fails("parseCidr", &[text.into()]),
                format!("`{text}` is not an address range in CIDR notation, such as `10.0.0.0/24`")
            );
        }
    }
}
