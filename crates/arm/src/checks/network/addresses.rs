//! The addresses and service tags of security rules.

use std::str::FromStr as _;
use std::sync::LazyLock;

use ipnet::IpNet;

use crate::checks::network::{NETWORK_RANGE, NetworkPart, one_or_many, written};
use crate::diagnostic::Severity;
use crate::eval::World;
use crate::model::{Issue, join_key};
use crate::text::{Span, only_near};
use crate::value::Value;

/// Service tags, sorted. Microsoft adds some every year.
static TAGS: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("service_tags.txt").lines().filter(|line| !line.starts_with('#')).collect());

/// Reports the addresses of security rules that Azure refuses, and rules without addresses.
pub(super) fn check_addresses(rules: &[NetworkPart<'_>], world: &World<'_>) {
    for rule in rules {
        for (side, groups) in [
            ("sourceAddressPrefix", "sourceApplicationSecurityGroups"),
            ("destinationAddressPrefix", "destinationApplicationSecurityGroups"),
        ] {
            let list = format!("{side}es");
            for (path, value) in one_or_many(rule.properties, &rule.path, side) {
                let Some((text, span)) = written(value) else { continue };
                let is_listed = path.ends_with(']');
                let Some((message, severity)) = problem(text, is_listed, &list) else { continue };
                let issue = Issue::new(NETWORK_RANGE, path, span, message).with_value(value);
                world.issue(Issue { severity, ..issue });
            }
            check_missing(rule, [side, &list, groups], world);
        }
        check_missing(rule, ["destinationPortRange", "destinationPortRanges", ""], world);
        check_missing(rule, ["sourcePortRange", "sourcePortRanges", ""], world);
    }
}

/// Reports a rule that has none of three properties of which it needs one. What has no access or no direction is a part
/// of a rule, such as what a module adds to.
fn check_missing(rule: &NetworkPart<'_>, names: [&str; 3], world: &World<'_>) {
    let is_missing = |name: &&str| rule.properties.get(name).is_none();
    let is_rule = rule.properties.as_object().is_some() && !["access", "direction"].iter().any(is_missing);
    let Some(span) = header(rule.properties).filter(|_| is_rule && names.iter().all(is_missing)) else { return };
    let [first, list, _] = names;
    let message = format!("the security rule has no `{first}`; add it, or `{list}`");
    world.issue(Issue::new(NETWORK_RANGE, join_key(&rule.path, first), span, message));
}

/// Returns the span of the opening bracket of an object.
fn header(value: &Value) -> Option<Span> {
    value.span.map(|span| Span::new(span.file, span.start, span.end.min(span.start + 1)))
}

/// Returns the problem of an address prefix, and its severity if it is not that of the check.
fn problem(text: &str, is_listed: bool, list: &str) -> Option<(String, Option<Severity>)> {
    let text = text.trim();
    if text == "*" || is_tag(text) {
        let message =
            || format!("`{text}` cannot be an item of `{list}`; write it alone, in the property without `es`");
        return is_listed.then(|| (message(), None));
    }
    if let Ok(range) = IpNet::from_str(text) {
        let message =
            || format!("`{text}` does not begin with the first address of its range; write `{}`", range.trunc());
        return (range.trunc() != range).then(|| (message(), Some(Severity::Medium)));
    }
    if text.parse::<std::net::IpAddr>().is_ok() || is_range(text) {
        return None;
    }
    if text.contains(',') && !is_listed {
        return Some((format!("`{text}` is a list; write its items in `{list}`"), None));
    }
    if is_address_like(text) || text.eq_ignore_ascii_case("any") {
        let message = format!("`{text}` is not a range of addresses such as `10.0.0.0/16`, a service tag, or `*`");
        return Some((message, None));
    }
    // Many write `AzureStorage` for `Storage`, or `KeyVault` for `AzureKeyVault`.
    let own = text.split('.').next().unwrap_or(text);
    let other = own.strip_prefix("Azure").map_or_else(|| format!("Azure{own}"), ToOwned::to_owned);
    let meant = TAGS.iter().find(|known| known.eq_ignore_ascii_case(&other));
    let hint = match meant {
        Some(meant) => format!(", did you mean `{meant}`?"),
        None => {
            only_near(own, TAGS.iter().copied()).map_or_else(String::new, |near| format!(", did you mean `{near}`?"))
        }
    };
    let severity = if hint.is_empty() { Some(Severity::Low) } else { None };
    Some((format!("there is no service tag `{text}`{hint}"), severity))
}

/// Returns `true` for a service tag, also that of a region: `Storage.WestEurope`.
fn is_tag(text: &str) -> bool {
    let is_known = |name: &str| TAGS.iter().any(|known| known.eq_ignore_ascii_case(name));
    is_known(text) || text.split_once('.').is_some_and(|(name, _)| is_known(name))
}

/// Returns `true` for two addresses with a hyphen between them.
fn is_range(text: &str) -> bool {
    let is_address = |text: &str| text.trim().parse::<std::net::IpAddr>().is_ok();
    text.split_once('-').is_some_and(|(first, last)| is_address(first) && is_address(last))
}

/// Returns `true` for digits with dots, and for what has a slash or a colon: no service tag is like it.
fn is_address_like(text: &str) -> bool {
    text.contains(['/', ':']) || text.contains('.') && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_ranges_or_tags() {
        let found = |text: &str, is_listed| problem(text, is_listed, "l").map(|(message, _)| message);
        for text in ["*", "10.0.0.0/8", "10.0.0.4", "fd00::/8", "Internet", "VIRTUALNETWORK", "Storage.WestEurope"] {
            assert_eq!(found(text, false), None, "{text}");
        }
        for (text, expected) in [
            ("10.0.0.0/33", "`10.0.0.0/33` is not a range of addresses such as `10.0.0.0/16`, a service tag, or `*`"),
            ("any", "`any` is not a range of addresses such as `10.0.0.0/16`, a service tag, or `*`"),
            ("10.0.0.5/24", "`10.0.0.5/24` does not begin with the first address of its range; write `10.0.0.0/24`"),
            ("10.0.0.0/8,10.1.0.0/16", "`10.0.0.0/8,10.1.0.0/16` is a list; write its items in `l`"),
            ("VirtualNetworks", "there is no service tag `VirtualNetworks`, did you mean `VirtualNetwork`?"),
            ("AzureStorage", "there is no service tag `AzureStorage`, did you mean `Storage`?"),
            ("Interwebs", "there is no service tag `Interwebs`"),
        ] {
            assert_eq!(found(text, false).as_deref(), Some(expected), "{text}");
        }
        let alone = "`Internet` cannot be an item of `l`; write it alone, in the property without `es`";
        assert_eq!(found("Internet", true).as_deref(), Some(alone));
        assert!(TAGS.is_sorted() && TAGS.len() > 80);
    }
}
