//! Functions for IPv4 and IPv6 address ranges in CIDR notation.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-cidr>.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::fault::Fault;
use crate::functions::{Args, Function, exactly, pure};
use crate::value::{Kind, Member, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    pure("cidrHost", exactly(2), Kind::String, cidr_host),
    pure("cidrSubnet", exactly(3), Kind::String, cidr_subnet),
    pure("parseCidr", exactly(1), Kind::Object, parse_cidr),
];

/// A range of addresses that share their first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    version: Version,
    /// The first address. An IPv4 address is in the lower 32 bits.
    first: u128,
    /// How many leading bits the addresses share.
    prefix: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Version {
    V4,
    V6,
}

impl Version {
    /// The length of an address in bits.
    fn bits(self) -> u32 {
        match self {
            Self::V4 => 32,
            Self::V6 => 128,
        }
    }

    /// The address with all bits set.
    fn highest(self) -> u128 {
        u128::MAX >> (128 - self.bits())
    }

    /// Formats an address, for IPv6 as RFC 5952 requires.
    fn text(self, address: u128) -> String {
        match self {
            Self::V4 => Ipv4Addr::from_bits(u32::try_from(address).unwrap_or(u32::MAX)).to_string(),
            Self::V6 => Ipv6Addr::from_bits(address).to_string(),
        }
    }
}

impl Network {
    /// Parses `10.0.0.0/8` or `fd00::/8`. Bits after the prefix are cleared.
    fn parse(text: &str) -> Result<Self, Fault> {
        let invalid =
            || Fault::failed(format!("`{text}` is not an address range in CIDR notation, such as `10.0.0.0/24`"));
        let (address, prefix) = text.split_once('/').ok_or_else(invalid)?;
        let (version, address) = match address.parse().map_err(|_| invalid())? {
            IpAddr::V4(address) => (Version::V4, u128::from(address.to_bits())),
            IpAddr::V6(address) => (Version::V6, address.to_bits()),
        };
        // `parse` alone would accept a plus sign.
        let is_number = prefix.bytes().all(|byte| byte.is_ascii_digit());
        let prefix = prefix.parse().ok().filter(|_| is_number).ok_or_else(invalid)?;
        Self::new(version, address, prefix).ok_or_else(invalid)
    }

    /// The range with this prefix length that contains `address`. `None` if the prefix is longer than an address.
    fn new(version: Version, address: u128, prefix: u32) -> Option<Self> {
        let network = Self { version, first: 0, prefix };
        (prefix <= version.bits()).then(|| Self { first: address & network.mask(), ..network })
    }

    /// The bits that all addresses share.
    fn mask(self) -> u128 {
        !self.host_mask() & self.version.highest()
    }

    /// The bits in which the addresses differ.
    fn host_mask(self) -> u128 {
        // A shift by all 128 bits, for a range of one address, is `None`.
        u128::MAX.checked_shr(128 - (self.version.bits() - self.prefix)).unwrap_or(0)
    }

    fn last(self) -> u128 {
        self.first | self.host_mask()
    }

    /// The first and the last address that a host can have. In ranges of one or two addresses all are usable; otherwise
    /// the first is the network's own, and the last of an IPv4 range is its broadcast address.
    fn hosts(self) -> (u128, u128) {
        match (self.version, self.version.bits() - self.prefix) {
            (_, 0 | 1) => (self.first, self.last()),
            (Version::V4, _) => (self.first + 1, self.last() - 1),
            (Version::V6, _) => (self.first + 1, self.last()),
        }
    }
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.version.text(self.first), self.prefix)
    }
}

/// `parseCidr(network)`: the parts of a range. Only IPv4 has a broadcast address. Unlike for `cidrHost`, the first usable
/// address of an IPv6 range is that of the network itself, as the documentation shows.
fn parse_cidr(args: Args<'_>) -> Result<Value, Fault> {
    let (text,): (&str,) = args.get()?;
    let network = Network::parse(text)?;
    let address = |address: u128| Value::from(network.version.text(address));
    let (first_host, last_host) = network.hosts();
    let first_usable = if network.version == Version::V6 { network.first } else { first_host };
    let mut members =
        vec![Member::new("network", address(network.first)), Member::new("netmask", address(network.mask()))];
    if network.version == Version::V4 {
        members.push(Member::new("broadcast", address(network.last())));
    }
    members.push(Member::new("firstUsable", address(first_usable)));
    members.push(Member::new("lastUsable", address(last_host)));
    members.push(Member::new("cidr", Value::from(i64::from(network.prefix))));
    Ok(Value::object(members))
}

/// `cidrSubnet(network, newCIDR, subnetIndex)`: the subnet with a longer prefix, counted from the start of the network.
/// The subnet may lie after the end of the network.
fn cidr_subnet(args: Args<'_>) -> Result<Value, Fault> {
    let (text, prefix, index): (&str, i64, i64) = args.get()?;
    let network = Network::parse(text)?;
    let bits = network.version.bits();
    let is_allowed = |new_prefix: &u32| (network.prefix..=bits).contains(new_prefix);
    let new_prefix = u32::try_from(prefix).ok().filter(is_allowed).ok_or_else(|| {
        Fault::failed(format!("the new prefix of `{text}` must be from {} to {bits}, found {prefix}", network.prefix))
    })?;
    let subnet = u128::try_from(index).ok().and_then(|index| {
        let size = 1_u128.checked_shl(bits - new_prefix);
        // The size of `::/0` does not fit into 128 bits, but its only subnet of the same size is itself.
        let offset = if index == 0 { 0 } else { size?.checked_mul(index)? };
        let first = network.first.checked_add(offset).filter(|&first| first <= network.version.highest())?;
        Network::new(network.version, first, new_prefix)
    });
    let subnet = subnet
        .ok_or_else(|| Fault::failed(format!("`{text}` has no subnet number {index} with prefix {new_prefix}")))?;
    Ok(Value::from(subnet.to_string()))
}

/// `cidrHost(network, hostIndex)`: the address of a host in a range, counted from 0.
fn cidr_host(args: Args<'_>) -> Result<Value, Fault> {
    let (text, index): (&str, i64) = args.get()?;
    let network = Network::parse(text)?;
    let (first, last) = network.hosts();
    let address = u128::try_from(index).ok().and_then(|index| first.checked_add(index));
    let address = address.filter(|&address| address <= last);
    let address = address.ok_or_else(|| Fault::failed(format!("`{text}` has no host number {index}")))?;
    Ok(Value::from(network.version.text(address)))
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
            "10.0.0.0",
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
