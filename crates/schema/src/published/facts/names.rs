//! Domain names: aliases of distributions and records of hosted zones.

use crate::checks::{SCHEMA_COMBINATION, SCHEMA_FORMAT};
use crate::published::facts::{FactViolation, member, text};
use crate::published::misfit::MisfitStep;
use crate::value::Value;

/// Greatest length of a label, in bytes.
const MAX_LABEL: usize = 63;

/// Reports an alias of a distribution that is not a domain; its first label may be `*`. Reference:
/// <https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/CNAMEs.html>.
pub(super) fn alias(value: &Value) -> Vec<FactViolation<'_>> {
    let Some(name) = text(value).filter(|name| !name.is_empty() && !is_domain(name)) else { return Vec::new() };
    let message = format!("the alias is `{name}`; expected a domain in lower case, such as `www.example.com`");
    vec![FactViolation::new(SCHEMA_FORMAT, &[], message)]
}

fn is_domain(name: &str) -> bool {
    let labels: Vec<&str> = name.strip_prefix("*.").unwrap_or(name).split('.').collect();
    labels.len() > 1
        && labels.iter().all(|label: &&str| -> bool {
            (1..=MAX_LABEL).contains(&label.len())
                && label
                    .bytes()
                    .all(|byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_')
                && !label.starts_with('-')
                && !label.ends_with('-')
        })
        && labels.last().is_some_and(|last| last.len() > 1)
}

/// Reports a record outside of its hosted zone.
pub(super) fn record(record: &Value) -> Vec<FactViolation<'_>> {
    let [name, zone] = ["Name", "HostedZoneName"].map(|name| member(record, name).and_then(text));
    let (Some(name), Some(zone)) = (name, zone) else { return Vec::new() };
    if !zone.ends_with('.') {
        let message = format!("`HostedZoneName` is `{zone}`; expected a dot at its end");
        return vec![FactViolation::new(SCHEMA_FORMAT, &[MisfitStep::Member("HostedZoneName")], message)];
    }
    let [inner, outer] = [name, zone].map(|name| name.trim_end_matches('.').to_ascii_lowercase());
    if inner == outer || inner.strip_suffix(&outer).is_some_and(|rest| rest.ends_with('.')) {
        return Vec::new();
    }
    let message = format!("`Name` is `{name}`; expected a name in `{zone}`, the `HostedZoneName`");
    vec![FactViolation::new(SCHEMA_COMBINATION, &[MisfitStep::Member("Name")], message)]
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
