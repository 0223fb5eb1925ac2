//! Origins of distributions, and domains of certificates.

use std::collections::BTreeSet;

use crate::checks::{SERVICE_COMBINATION, SERVICE_VALUE};
use crate::published::facts::{FactViolation, member, text};
use crate::published::misfit::MisfitStep;
use crate::value::Value;

/// Reports behaviors of a distribution that name an origin that it does not have. Reference:
/// <https://docs.aws.amazon.com/cloudfront/latest/APIReference/API_DefaultCacheBehavior.html>.
pub(super) fn origins(config: &Value) -> Vec<FactViolation<'_>> {
    origin_faults(config).unwrap_or_default()
}

/// Returns the violations of [`origins`]. `None` if a name of an origin is not known.
fn origin_faults(config: &Value) -> Option<Vec<FactViolation<'_>>> {
    let mut known: BTreeSet<&str> = BTreeSet::new();
    for origin in member(config, "Origins")?.as_array()? {
        known.insert(text(member(origin, "Id")?)?);
    }
    if let Some(groups) = member(config, "OriginGroups") {
        for group in member(groups, "Items")?.as_array()? {
            known.insert(text(member(group, "Id")?)?);
        }
    }
    let default =
        member(config, "DefaultCacheBehavior").map(|value| (vec![MisfitStep::Member("DefaultCacheBehavior")], value));
    let others = member(config, "CacheBehaviors").and_then(Value::as_array).unwrap_or_default().iter().enumerate();
    let others = others.map(|(at, value)| (vec![MisfitStep::Member("CacheBehaviors"), MisfitStep::Item(at)], value));
    let mut violations = Vec::new();
    for (mut steps, behavior) in default.into_iter().chain(others) {
        let Some(target) = member(behavior, "TargetOriginId").and_then(text) else { continue };
        if !known.contains(target) {
            steps.push(MisfitStep::Member("TargetOriginId"));
            let message = format!("`TargetOriginId` is `{target}`; expected the `Id` of an origin of the distribution");
            violations.push(FactViolation::new(SERVICE_VALUE, &steps, message));
        }
    }
    Some(violations)
}

/// Reports a domain for the validation of a certificate that is not above the domain that it validates. Reference:
/// <https://docs.aws.amazon.com/acm/latest/APIReference/API_DomainValidationOption.html>.
pub(super) fn validation(option: &Value) -> Vec<FactViolation<'_>> {
    let [domain, above] = ["DomainName", "ValidationDomain"].map(|name| member(option, name).and_then(text));
    let (Some(domain), Some(above)) = (domain, above) else { return Vec::new() };
    let is_right = domain.eq_ignore_ascii_case(above)
        || domain.to_lowercase().strip_suffix(&above.to_lowercase()).is_some_and(|rest| rest.ends_with('.'));
    if is_right {
        return Vec::new();
    }
    let message = format!("`ValidationDomain` is `{above}`; expected `{domain}`, or a domain that it is part of");
    vec![FactViolation::new(SERVICE_COMBINATION, &[MisfitStep::Member("ValidationDomain")], message)]
}

#[cfg(test)]
mod tests {
    use super::validation;
    use crate::value::{Member, Value};

    #[test]
    fn a_domain_is_validated_by_one_above() {
        let check = |domain: &str, above: &str| {
            let members = [("DomainName", domain), ("ValidationDomain", above)];
            let option = Value::object(members.map(|(name, text)| Member::new(name, Value::from(text))).into());
            validation(&option).is_empty()
        };
        assert!(check("www.example.com", "example.com") && check("example.com", "EXAMPLE.com"));
        assert!(!check("example.com", "www.example.com") && !check("myexample.com", "example.com"));
    }
}
