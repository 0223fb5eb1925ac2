//! Aliases of distributions and records of zones, which are domains.

use crate::diagnostic::Check;
use crate::published::facts::{Remark, member, text};
use crate::published::misfit::Step;
use crate::value::Value;

/// The greatest length of a label.
const MAX_LABEL: usize = 63;

/// An alias of a distribution is a domain, perhaps with `*` as its first label. Reference:
/// <https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/CNAMEs.html>.
pub(super) fn alias(value: &Value) -> Vec<Remark<'_>> {
    let Some(name) = text(value).filter(|name| !name.is_empty() && !is_domain(name)) else { return Vec::new() };
    let message = format!("the alias is `{name}`; expected a domain in lower case, such as `www.example.com`");
    vec![Remark::new(Check::SchemaFormat, &[], message)]
}

fn is_domain(name: &str) -> bool {
    let labels: Vec<&str> = name.strip_prefix("*.").unwrap_or(name).split('.').collect();
    let is_byte = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_';
    let is_label = |label: &&str| -> bool {
        (1..=MAX_LABEL).contains(&label.len())
            && label.bytes().all(is_byte)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    labels.len() > 1 && labels.iter().all(is_label) && labels.last().is_some_and(|last| last.len() > 1)
}

/// A record lies in its zone.
pub(super) fn record(record: &Value) -> Vec<Remark<'_>> {
    let [name, zone] = ["Name", "HostedZoneName"].map(|name| member(record, name).and_then(text));
    let (Some(name), Some(zone)) = (name, zone) else { return Vec::new() };
    if !zone.ends_with('.') {
        let message = format!("`HostedZoneName` is `{zone}`; expected a dot at its end");
        return vec![Remark::new(Check::SchemaFormat, &[Step::Member("HostedZoneName")], message)];
    }
    let [inner, outer] = [name, zone].map(|name| name.trim_end_matches('.').to_ascii_lowercase());
    if inner == outer || inner.strip_suffix(&outer).is_some_and(|rest| rest.ends_with('.')) {
        return Vec::new();
    }
    let message = format!("`Name` is `{name}`; expected a name in `{zone}`, the `HostedZoneName`");
    vec![Remark::new(Check::SchemaCombination, &[Step::Member("Name")], message)]
}

#[cfg(test)]
mod tests {
    use super::is_domain;

    #[test]
    fn an_alias_is_a_domain() {
        for right in ["example.com", "*.example.com", "a-b.example.co", "xn--80a.example.com"] {
            assert!(is_domain(right), "{right}");
        }
        for wrong in ["email.*.example.com", "WWW.EXAMPLE.COM", "-example.com", "example.c", "www.example.com ", "com"]
        {
            assert!(!is_domain(wrong), "{wrong}");
        }
    }
}
