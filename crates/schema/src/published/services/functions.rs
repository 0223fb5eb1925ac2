//! Predicates that need code: `pass network`, `pass inside @properties.addressPrefix`.

use std::net::IpAddr;

use crate::outcomes::Outcomes;
use crate::published::services::predicate::{Argument, Scope};

/// A predicate that needs code.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    name: &'static str,
    /// Expected value, for messages. `{}` stands for the argument.
    pub(super) words: &'static str,
    /// Answer for a text and these arguments: `true` to accept it. `None` if one of them cannot be read.
    answer: fn(&str, &[String]) -> Option<bool>,
}

/// All functions, sorted by name.
const FUNCTIONS: &[Function] = &[
    Function { name: "above", words: "a number above {}", answer: is_above },
    Function { name: "address", words: "an IP address", answer: |text, _| Some(text.parse::<IpAddr>().is_ok()) },
    Function {
        name: "assignable",
        words: "an address that Azure does not reserve: not one of the first four or the last of {}",
        answer: is_assignable,
    },
    Function { name: "below", words: "a number below {}", answer: is_below },
    Function {
        name: "duration",
        words: "a duration in ISO 8601, such as `PT5M`",
        answer: |text, _| Some(is_duration(text)),
    },
    Function {
        name: "filter-pattern",
        words: "a filter of JSON with a pair of braces around it, and brackets that match",
        answer: |text, _| Some(has_matching_brackets(text)),
    },
    Function { name: "guid", words: "a GUID", answer: |text, _| Some(is_guid(text)) },
    Function { name: "inside", words: "an address or a network inside {}", answer: is_inside },
    Function { name: "last-segment-of", words: "the last segment of {}", answer: is_last_segment },
    Function {
        name: "network",
        words: "a network, such as `10.0.0.0/16`, that begins with its first address",
        answer: |text, _| Some(Network::parse(text).is_some_and(Network::is_first)),
    },
    Function { name: "not-after", words: "an address that is not after {}", answer: is_not_after },
    Function { name: "not-first-of", words: "an address after the first one of {}", answer: is_after_first },
    Function { name: "outside", words: "a network that does not overlap {}", answer: is_outside },
    Function { name: "overlapping", words: "a network that overlaps {}", answer: overlaps },
    Function {
        name: "password",
        words: "characters of three of four kinds: lower-case letters, upper-case letters, digits, and others",
        answer: |text, _| is_password(text),
    },
    Function { name: "prefix-at-most", words: "a network of `/{}` or larger", answer: has_prefix_at_most },
    Function { name: "prefix-at-least", words: "a network of `/{}` or smaller", answer: has_prefix_at_least },
    Function { name: "public", words: "a public address or network", answer: is_public },
    Function {
        name: "subnet",
        words: "a network of IPv4, or a network of IPv6 with 64 bits",
        answer: |text, _| Network::parse(text).map(|network| network.bits == 32 || network.prefix == 64),
    },
    Function { name: "usable", words: "addresses that are not reserved", answer: is_usable },
];

impl Function {
    /// Returns the function with this name.
    pub(super) fn named(name: &str) -> Option<Self> {
        FUNCTIONS.iter().find(|function| function.name == name).copied()
    }

    /// Returns `TRUE` if the function accepts a text.
    pub(super) fn holds(self, text: &str, argument: &Argument, scope: &dyn Scope) -> Outcomes {
        let arguments = match argument {
            Argument::Text(text) => vec![(*text).to_owned()],
            Argument::Path(path) => match scope.texts(path) {
                Some(texts) => texts,
                None => return Outcomes::UNKNOWN,
            },
        };
        (self.answer)(text, &arguments).into()
    }

    /// Returns the expected value, for messages.
    pub(super) fn expectation(self, argument: &Argument) -> String {
        let argument = match argument {
            Argument::Text(text) => (*text).to_owned(),
            Argument::Path(path) => path.words(),
        };
        self.words.replace("{}", &argument)
    }
}

/// Ranges that no network of a customer may have. Reference:
/// <https://learn.microsoft.com/azure/virtual-network/virtual-networks-faq>.
const RESERVED: &[&str] = &["224.0.0.0/4", "255.255.255.255/32", "127.0.0.0/8", "169.254.0.0/16", "168.63.129.16/32"];

/// Ranges of private networks (RFC 1918).
const PRIVATE: &[&str] = &["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"];

/// A range of addresses.
#[derive(Clone, Copy)]
struct Network {
    address: u128,
    /// Bits of an address: 32 or 128.
    bits: u32,
    prefix: u32,
}

impl Network {
    /// Reads a network, or one address.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (address, prefix) = match text.split_once('/') {
            Some((address, prefix)) if prefix.bytes().all(|byte| byte.is_ascii_digit()) => {
                (address, Some(prefix.parse().ok()?))
            }
            Some(_) => return None,
            None => (text, None),
        };
        let (address, bits) = match address.parse().ok()? {
            IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
            IpAddr::V6(address) => (u128::from(address), 128),
        };
        let prefix = prefix.unwrap_or(bits);
        (prefix <= bits).then_some(Self { address, bits, prefix })
    }

    /// Returns the part of the address that all addresses of the network share.
    fn start(self, prefix: u32) -> u128 {
        self.address.checked_shr(self.bits - prefix).unwrap_or(0)
    }

    /// True if no bit after the prefix is set.
    fn is_first(self) -> bool {
        let start = self.start(self.prefix).checked_shl(self.bits - self.prefix).unwrap_or(0);
        start == self.address
    }

    /// True if all addresses of the other are in it.
    fn contains(self, other: Self) -> bool {
        self.bits == other.bits && self.prefix <= other.prefix && self.start(self.prefix) == other.start(self.prefix)
    }

    /// Returns `true` if Azure keeps an address of the network for itself.
    fn reserves(self, other: Self) -> bool {
        let first = self.start(self.prefix).checked_shl(self.bits - self.prefix).unwrap_or(0);
        let size = 1_u128.checked_shl(self.bits - self.prefix).unwrap_or(0);
        let at = other.address.wrapping_sub(first);
        at < 4 || self.bits == 32 && at == size.wrapping_sub(1)
    }

    fn overlaps(self, other: Self) -> bool {
        self.contains(other) || other.contains(self)
    }
}

/// Returns the networks in texts, of which one may list several with commas. `None` if one cannot be read.
fn networks(texts: &[String]) -> Option<Vec<Network>> {
    let all: Option<Vec<Network>> = texts.iter().flat_map(|text| text.split(',')).map(Network::parse).collect();
    all.filter(|all| !all.is_empty())
}

fn is_inside(text: &str, arguments: &[String]) -> Option<bool> {
    let (own, around) = (Network::parse(text)?, networks(arguments)?);
    Some(around.iter().any(|around| around.contains(own)))
}

fn is_outside(text: &str, arguments: &[String]) -> Option<bool> {
    let (own, others) = (Network::parse(text)?, networks(arguments)?);
    Some(!others.iter().any(|other| other.overlaps(own)))
}

fn overlaps(text: &str, arguments: &[String]) -> Option<bool> {
    is_outside(text, arguments).map(|is_outside| !is_outside)
}

/// Returns `true` if an address inside one of the networks is free for a resource. `None` if it is in none of them.
fn is_assignable(text: &str, arguments: &[String]) -> Option<bool> {
    let (own, around) = (Network::parse(text)?, networks(arguments)?);
    let around = around.into_iter().find(|around| around.contains(own) && around.prefix < own.prefix)?;
    Some(!around.reserves(own))
}

fn is_public(text: &str, _: &[String]) -> Option<bool> {
    let own = Network::parse(text)?;
    Some(!PRIVATE.iter().filter_map(|range| Network::parse(range)).any(|range| range.contains(own)))
}

fn is_not_after(text: &str, arguments: &[String]) -> Option<bool> {
    let [last] = arguments else { return None };
    let (first, last) = (Network::parse(text)?, Network::parse(last)?);
    (first.bits == last.bits).then_some(first.address <= last.address)
}

fn is_above(text: &str, arguments: &[String]) -> Option<bool> {
    let number: f64 = text.trim().parse().ok()?;
    let others = arguments.iter().map(|other| other.trim().parse().ok()).collect::<Option<Vec<f64>>>()?;
    (!others.is_empty()).then(|| others.iter().all(|other| number > *other))
}

fn is_below(text: &str, arguments: &[String]) -> Option<bool> {
    let number: f64 = text.trim().parse().ok()?;
    let others = arguments.iter().map(|other| other.trim().parse().ok()).collect::<Option<Vec<f64>>>()?;
    (!others.is_empty()).then(|| others.iter().all(|other| number < *other))
}

/// Parts of texts that stand for a password which is written later.
const STAND_INS: &[&str] =
    &["gen-", "change", "replace", "enter", "insert", "your", "xxx", "***", "todo", "placeholder"];

/// Returns `true` if a password has characters of three kinds. `None` for a text that stands for a password.
fn is_password(text: &str) -> Option<bool> {
    let lower = text.to_lowercase();
    if STAND_INS.iter().any(|part| lower.contains(part)) || text.chars().any(char::is_whitespace) {
        return None;
    }
    let kinds: [fn(&char) -> bool; 4] =
        [char::is_ascii_lowercase, char::is_ascii_uppercase, char::is_ascii_digit, |c| !c.is_ascii_alphanumeric()];
    Some(kinds.iter().filter(|is_kind| text.chars().any(|c| is_kind(&c))).count() >= 3)
}

/// Returns `true` if an address is after the first one that a network has for hosts.
fn is_after_first(text: &str, arguments: &[String]) -> Option<bool> {
    let (own, around) = (Network::parse(text)?, networks(arguments)?);
    let around = around.into_iter().find(|around| around.contains(own))?;
    Some(own.address > around.start(around.prefix).checked_shl(around.bits - around.prefix).unwrap_or(0) + 1)
}

/// Returns `true` if a text is what follows the last slash of the other.
fn is_last_segment(text: &str, arguments: &[String]) -> Option<bool> {
    let [path] = arguments else { return None };
    Some(path.rsplit('/').next().unwrap_or(path).eq_ignore_ascii_case(text))
}

fn has_prefix_at_most(text: &str, arguments: &[String]) -> Option<bool> {
    let network = Network::parse(text).filter(|network| network.bits == 32)?;
    Some(network.prefix <= arguments.first()?.parse().ok()?)
}

fn has_prefix_at_least(text: &str, arguments: &[String]) -> Option<bool> {
    let network = Network::parse(text).filter(|network| network.bits == 32)?;
    Some(network.prefix >= arguments.first()?.parse().ok()?)
}

fn is_usable(text: &str, _: &[String]) -> Option<bool> {
    let own = Network::parse(text)?;
    let mut reserved = RESERVED.iter().filter_map(|range| Network::parse(range));
    Some(!reserved.any(|range| range.contains(own)))
}

fn is_guid(text: &str) -> bool {
    let text = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let parts: Vec<&str> = text.split('-').collect();
    let is_hex = |part: &str, length: usize| part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    parts.len() == 5 && parts.iter().zip([8, 4, 4, 4, 12]).all(|(part, length)| is_hex(part, length))
}

/// True for `P1D`, `PT1H30M`: letters in their order, each with a number, and at least one of them.
fn is_duration(text: &str) -> bool {
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = rest.split_once('T').unwrap_or((rest, "-"));
    let is_right = |text: &str, units: &str| {
        let mut units = units.chars();
        let mut number = String::new();
        let read = text.chars().all(|letter| {
            if letter.is_ascii_digit() || letter == '.' {
                number.push(letter);
                return true;
            }
            let is_number = std::mem::take(&mut number).parse::<f64>().is_ok();
            is_number && units.any(|unit| unit == letter)
        });
        read && number.is_empty()
    };
    let has_time = time != "-";
    is_right(date, "YMWD") && (!has_time || is_right(time, "HMS") && !time.is_empty()) && (has_time || !date.is_empty())
}

/// Returns `true` if a filter pattern for JSON, which begins with `{`, has its brackets in pairs, and no other braces.
/// Other patterns are terms, in which brackets have no meaning; nor have they in strings and regular expressions.
fn has_matching_brackets(text: &str) -> bool {
    let Some(inner) = text.trim().strip_prefix('{') else { return true };
    let Some(inner) = inner.strip_suffix('}') else { return false };
    let mut open = Vec::new();
    let mut quote = None;
    let mut chars = inner.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (_, '\\') => {
                chars.next();
            }
            (None, '"' | '%') => quote = Some(char),
            (Some(begin), _) if begin == char => quote = None,
            (Some(_), _) => {}
            (None, '(' | '[') => open.push(char),
            (None, ')') if open.pop() != Some('(') => return false,
            (None, ']') if open.pop() != Some('[') => return false,
            (None, '{' | '}') => return false,
            _ => {}
        }
    }
    open.is_empty() && quote.is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, argument: &str, right: &[&str], wrong: &[&str]) {
        let function = Function::named(name).unwrap();
        for (texts, expected) in [(right, true), (wrong, false)] {
            for text in texts {
                assert_eq!((function.answer)(text, &[argument.to_owned()]), Some(expected), "{name} {text}");
            }
        }
    }

    #[test]
    fn functions_tell_right_from_wrong() {
        check("address", "", &["10.0.0.1", "::1"], &["10.0.0", "10.0.0.0/8", "x"]);
        check("duration", "", &["PT5M", "P1D", "P1DT2H3M4S", "PT0.5S"], &["5M", "P", "PT", "PT5", "P5H", "PT1M1H"]);
        check(
            "guid",
            "",
            &["3f2504e0-4f89-11d3-9a0c-0305e82c3301"],
            &["3f2504e0", "3f2504e0-4f89-11d3-9a0c-0305e82c330g"],
        );
        check(
            "inside",
            "10.0.0.0/16,fd00::/8",
            &["10.0.1.0/24", "10.0.0.4", "fd01::/16"],
            &["10.1.0.0/24", "10.0.0.0/8"],
        );
        check(
            "network",
            "",
            &["10.0.0.0/8", "0.0.0.0/0", "2001:db8::/32"],
            &["10.0.0.1/8", "10.0.0.0/33", "x", "10.0.0.0/+8"],
        );
        check("not-first-of", "10.0.0.0/16", &["10.0.0.2", "10.0.0.10"], &["10.0.0.0", "10.0.0.1"]);
        check("outside", "10.0.0.0/16", &["10.1.0.0/16"], &["10.0.1.0/24", "10.0.0.0/8"]);
        check("above", "7", &["8"], &["7", "1"]);
        check("below", "7", &["6"], &["7", "10"]);
        check("not-after", "10.0.0.9", &["10.0.0.9", "10.0.0.1"], &["10.0.1.0"]);
        check("overlapping", "10.0.0.0/16", &["10.0.1.0/24"], &["10.1.0.0/16"]);
        check("assignable", "10.0.0.0/24", &["10.0.0.4", "10.0.0.254"], &["10.0.0.0", "10.0.0.3", "10.0.0.255"]);
        check(
            "public",
            "",
            &["20.1.2.3", "20.0.0.0/8", "10.0.0.0/7"],
            &["10.1.2.3", "172.16.0.0/12", "192.168.1.0/24"],
        );
        check("password", "", &["Abc123", "abc-123"], &["secret", "Secret", "12345678", "abc123"]);
        check("last-segment-of", "a/b", &["b", "B"], &["a", "a/b"]);
        check("subnet", "", &["10.0.0.0/24", "fd00::/64"], &["fd00::/48"]);
        check("prefix-at-most", "26", &["10.0.0.0/26", "10.0.0.0/8"], &["10.0.0.0/27"]);
        check("prefix-at-least", "16", &["10.0.0.0/16"], &["10.0.0.0/8"]);
        check("usable", "", &["10.0.0.0/8"], &["169.254.1.0/24", "168.63.129.16", "224.1.0.0/16"]);
    }

    #[test]
    fn functions_have_names_of_their_own() {
        let names: std::collections::BTreeSet<&str> = FUNCTIONS.iter().map(|function| function.name).collect();
        assert_eq!(names.len(), FUNCTIONS.len());
    }

    #[test]
    fn what_is_no_network_is_neither_inside_nor_outside() {
        assert_eq!(is_inside("x", &["10.0.0.0/8".to_owned()]), None);
        assert_eq!(is_outside("10.0.0.0/8", &["x".to_owned()]), None);
        assert_eq!(is_inside("10.0.0.0/8", &[]), None);
    }
}
