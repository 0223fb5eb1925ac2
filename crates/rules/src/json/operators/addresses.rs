//! `anyAddress` and `addressSpan`: sizes of address ranges.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::Ipv4Net;

use crate::json::operators::bounds::Bounds;
use crate::json::operators::{Answer, Extension, Fault, Operand, Refusal, may_be};
use crate::outcomes::Outcomes;
use crate::value::{Data, Ends, Kind, Str, Value};

/// Words for all addresses.
const EVERYTHING: [&str; 3] = ["*", "any", "internet"];

/// Longest prefix that counts as any address, for IPv4 and IPv6.
const MAX_PREFIX: [u8; 2] = [8, 16];

/// Smallest range of IPv4 addresses that does not count as any address.
const MAX_RANGE: u32 = 1 << 24;

/// Ranges that are not public: private, loopback, multicast and reserved.
const NOT_PUBLIC: [Ipv4Net; 3] = [
    Ipv4Net::new_assert(Ipv4Addr::new(10, 0, 0, 0), 8),
    Ipv4Net::new_assert(Ipv4Addr::new(127, 0, 0, 0), 8),
    Ipv4Net::new_assert(Ipv4Addr::new(224, 0, 0, 0), 3),
];

pub(super) fn read_any(given: &Value) -> Result<Operand, Refusal> {
    let is_wanted = given.as_bool().ok_or(Refusal::Expected("`true` or `false`"))?;
    Ok(Operand::Extension(Box::new(Any { is_wanted })))
}

/// Operand: whether an address range should cover all addresses, or a large part of them.
#[derive(Debug)]
struct Any {
    is_wanted: bool,
}

impl Extension for Any {
    fn test(&self, value: &Value) -> Answer {
        let found = any_of(value);
        found.negated_if(!self.is_wanted).into()
    }

    fn missing(&self) -> bool {
        !self.is_wanted
    }

    fn fault(&self, _: Option<&Value>, negated: bool) -> Fault {
        if self.is_wanted == negated {
            Fault::Which("stands for the whole internet, or a large part of it".to_owned())
        } else {
            Fault::Expected("a range of the whole internet, or a large part of it".to_owned())
        }
    }
}

fn any_of(value: &Value) -> Outcomes {
    match &value.data {
        Data::String(text) => text.split(',').any(|part| is_any(part.trim())).into(),
        Data::Array(items) => {
            let each = items.iter().map(any_of);
            Outcomes::any(each)
        }
        Data::Unknown(unknown) => match unknown.known_choices() {
            [] => {
                let is_possible = may_be(unknown.kind, Kind::String) || may_be(unknown.kind, Kind::Array);
                let is_excluded = unknown.ends.as_deref().is_some_and(is_small);
                if is_possible && !is_excluded { Outcomes::UNKNOWN } else { Outcomes::FALSE }
            }
            choices => Outcomes::union_of(choices.iter().map(any_of)),
        },
        _ => Outcomes::FALSE,
    }
}

/// True if a range is small whatever its unknown middle is, as in `…/32`.
fn is_small(ends: &Ends) -> bool {
    let prefix = ends.end.rsplit_once('/').and_then(|(_, length)| length.parse::<u32>().ok());
    let [v4, v6] = MAX_PREFIX;
    let is_v4 = ends.start.contains('.') || ends.end.contains('.');
    prefix.is_some_and(|length| length > u32::from(if is_v4 { v4 } else { v6 }))
}

/// True if a text means all addresses, or a large public part of them.
fn is_any(text: &str) -> bool {
    if EVERYTHING.iter().any(|word| word.eq_ignore_ascii_case(text)) {
        return true;
    }
    if let Some((first, last)) = text.split_once('-') {
        let count = span(first.trim(), last.trim());
        return count.is_some_and(|count| count > i64::from(MAX_RANGE));
    }
    let (address, length) = text.split_once('/').map_or((text, None), |(address, length)| (address, Some(length)));
    let length = length.map(str::parse::<u8>);
    match (address.parse(), length) {
        (Ok(address), None) => matches!(address, IpAddr::V4(Ipv4Addr::UNSPECIFIED) | IpAddr::V6(Ipv6Addr::UNSPECIFIED)),
        (Ok(IpAddr::V4(address)), Some(Ok(length))) => Ipv4Net::new(address, length)
            .is_ok_and(|range| length <= MAX_PREFIX[0] && !NOT_PUBLIC.iter().any(|known| known.contains(&range))),
        (Ok(IpAddr::V6(address)), Some(Ok(length))) => {
            // Unique local addresses, and all that is only reached from near by.
            let [first, ..] = address.octets();
            length <= MAX_PREFIX[1] && !(length >= 7 && first >= 0xfc)
        }
        _ => false,
    }
}

/// Returns the number of IPv4 addresses from one to another, both included. `None` if they are not addresses, or in the
/// wrong order.
fn span(first: &str, last: &str) -> Option<i64> {
    let [first, last] = [first, last].map(|text| Some(i64::from(text.parse::<Ipv4Addr>().ok()?.to_bits())));
    Some(last? - first? + 1).filter(|count| *count > 0)
}

pub(super) fn read_span(given: &Value) -> Result<Operand, Refusal> {
    const EXPECTED: Refusal = Refusal::Expected(
        "an object like `{\"from\": \"startIpAddress\", \"to\": \"endIpAddress\", \"greater\": 256}`",
    );
    let object = given.as_object().ok_or(EXPECTED)?;
    let name = |key: &str| object.get(key).and_then(Value::as_shared_str).filter(|name| !name.is_empty()).cloned();
    let (from, to) = name("from").zip(name("to")).ok_or(EXPECTED)?;
    let bounds = Bounds::read(object, &["from", "to"])?;
    Ok(Operand::Extension(Box::new(Span { from, to, bounds })))
}

/// Operand: the number of addresses between two members of an object.
#[derive(Debug)]
struct Span {
    from: Str,
    to: Str,
    bounds: Bounds,
}

impl Span {
    fn count(&self, value: &Value) -> Option<i64> {
        let [from, to] = [&self.from, &self.to].map(|name| value.get(name).and_then(Value::as_str).map(str::trim));
        span(from?, to?)
    }
}

impl Extension for Span {
    fn test(&self, value: &Value) -> Answer {
        let is_unknown = |value: &Value| value.as_unknown().is_some();
        let ends = || [&self.from, &self.to].into_iter().filter_map(|name| value.get(name));
        match self.count(value) {
            Some(count) => self.bounds.decide(count, Some(count)).into(),
            None if is_unknown(value) || ends().any(is_unknown) => Outcomes::UNKNOWN.into(),
            None => false.into(),
        }
    }

    fn fault(&self, value: Option<&Value>, negated: bool) -> Fault {
        match value.and_then(|value| self.count(value)) {
            Some(count) if negated => Fault::Which(format!("spans {count} addresses")),
            Some(count) => Fault::Which(format!("spans {count} addresses, expected {}", self.bounds)),
            None => Fault::Expected(format!("a range of {} addresses", self.bounds)),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::json::operators::tests::{check, check_fault_of, check_unknown, test};
    use crate::outcomes::Outcomes;
    use crate::value::{Ends, Kind, Unknown, Value};

    #[test]
    fn any_address_has_many_spellings() {
        let any = [
            "\"*\"",
            "\"Any\"",
            "\"INTERNET\"",
            "\"0.0.0.0/0\"",
            "\"::/0\"",
            "\"0.0.0.0\"",
            "\"::\"",
            "\"0.0.0.0/1\"",
            "\"128.0.0.0/1\"",
            "\"8.0.0.0/8\"",
            "\"2000::/3\"",
            "\"0.0.0.0-255.255.255.255\"",
            "\"10.0.0.1,*\"",
            "[\"10.0.0.1\", \"*\"]",
            "\"8.0.0.0/7\"",
            "\"2001::/16\"",
            "\"1.0.0.0-2.0.0.0\"",
        ];
        let others = [
            "\"10.0.0.0/8\"",
            "\"8.8.0.0/16\"",
            "\"VirtualNetwork\"",
            "\"\"",
            "",
            "null",
            "\"127.0.0.0/8\"",
            "\"1.2.3.4\"",
            "\"fc00::/7\"",
            "\"fe80::/10\"",
            "\"2001:db8::/32\"",
            "\"1.0.0.0-1.0.0.255\"",
            "[]",
            "5",
            "\"240.0.0.0/4\"",
            "\"0.0.0.0/33x\"",
            "\"9.9.9.9/9\"",
            "\"1.0.0.0-1.255.255.255\"",
        ];
        check("anyAddress", "true", &any, &others);
        check("anyAddress", "false", &others, &any);
    }

    #[test]
    fn a_known_prefix_tells_that_a_range_is_small() {
        check_unknown("anyAddress", "true", Kind::String, Outcomes::UNKNOWN);
        check_unknown("anyAddress", "false", Kind::Any, Outcomes::UNKNOWN);
        check_unknown("anyAddress", "true", Kind::Bool, Outcomes::FALSE);
        for (start, end, expected) in [
            ("", "/32", Outcomes::FALSE),
            ("", "/0", Outcomes::UNKNOWN),
            ("", "/12", Outcomes::UNKNOWN),
            ("10.", "/12", Outcomes::FALSE),
            ("10.", "/8", Outcomes::UNKNOWN),
            ("10.", "/9", Outcomes::FALSE),
            ("", "/16", Outcomes::UNKNOWN),
            ("", "/17", Outcomes::FALSE),
        ] {
            let ends = Ends { start: start.to_owned(), end: end.to_owned(), is_filled: true, ..Ends::default() };
            let value = Value::unknown(Unknown::new(Kind::String, "it is so").between(ends));
            assert_eq!(test("anyAddress", "true").answer(Some(&value)).outcomes, expected, "{start}…{end}");
        }
    }

    #[test]
    fn a_span_counts_the_addresses_with_both_ends() {
        let operand = r#"{"from": "a", "to": "b", "greater": 256}"#;
        let range = |first: &str, last: &str| format!(r#"{{"a": "{first}", "B": "{last}"}}"#);
        let wide = range("10.0.0.0", "10.0.1.0");
        let (exact, reversed) = (range("10.0.0.0", "10.0.0.255"), range("10.0.1.0", "10.0.0.0"));
        check("addressSpan", operand, &[&wide], &[&exact, &reversed, &range("x", "y"), "{}", "", "5"]);
        check_unknown("addressSpan", operand, Kind::Object, Outcomes::UNKNOWN);
        check_fault_of("addressSpan", operand, &wide, true, "spans 257 addresses");
        check_fault_of("addressSpan", operand, &exact, false, "spans 256 addresses, expected more than 256");
        let (one, swapped) = (range("10.0.0.0", "10.0.0.0"), range("10.0.0.1", "10.0.0.0"));
        check("addressSpan", r#"{"from": "a", "to": "b", "less": 9}"#, &[&one], &[&swapped]);
        check("addressSpan", r#"{"from": "a", "to": "b", "equals": 1}"#, &[&one], &[&exact, &reversed]);
    }

    #[test]
    fn messages_say_what_a_range_is_or_should_be() {
        let is_wide = "which stands for the whole internet, or a large part of it";
        check_fault_of("anyAddress", "false", "\"*\"", false, is_wide);
        check_fault_of("anyAddress", "true", "\"*\"", true, is_wide);
        let should_be = "expected a range of the whole internet, or a large part of it";
        check_fault_of("anyAddress", "true", "\"10.0.0.1\"", false, should_be);
        check_fault_of("anyAddress", "false", "\"10.0.0.1\"", true, should_be);
    }
}
