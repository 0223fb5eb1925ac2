//! Pages of the repository that reports link to.

use crate::diagnostic::{BicepCode, RuleInfo};

/// Returns the URL of the repository. `None` for a build whose manifest has no owner, as only a release has one.
pub fn homepage() -> Option<&'static str> {
    let repository = env!("CARGO_PKG_REPOSITORY");
    (!repository.is_empty() && !repository.contains("/OWNER/")).then_some(repository)
}

/// Returns the documentation page of a built-in rule or check for this release.
pub fn rule_page(rule: &RuleInfo) -> Option<String> {
    let repository = homepage()?;
    Some(format!("{repository}/blob/v{}/{}", env!("CARGO_PKG_VERSION"), path_of(&rule.id, rule.check.is_some())?))
}

fn path_of(id: &str, is_check: bool) -> Option<String> {
    let page = match service_of(id) {
        Some((cloud, service)) => format!("{cloud}/{service}"),
        None if BicepCode::read_id(id).is_some() => {
            return Some(format!("docs/bicep-codes.md#{}", id.strip_prefix("bicep/")?.to_ascii_lowercase()));
        }
        None => is_check.then(|| "checks".to_owned())?,
    };
    Some(format!("docs/rules/{page}.md#{}", anchor(id)))
}

/// Returns the cloud and the service in the ID of an embedded rule: `azure` and `storage` for `AZ-STORAGE-001`.
pub fn service_of(id: &str) -> Option<(&'static str, String)> {
    let (cloud, rest) = id.split_once('-')?;
    let (service, number) = rest.rsplit_once('-')?;
    let cloud = match cloud {
        "AZ" => "azure",
        "AWS" => "aws",
        _ => return None,
    };
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| (cloud, service.to_ascii_lowercase()))
}

/// Returns the anchor of the heading of a rule on its page.
pub fn anchor(id: &str) -> String {
    let kept = id.chars().filter(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_'));
    kept.map(|letter| letter.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_an_embedded_rule_names_its_service() {
        assert_eq!(service_of("AZ-STORAGE-001"), Some(("azure", "storage".to_owned())));
        assert_eq!(service_of("AWS-S3-010"), Some(("aws", "s3".to_owned())));
        for id in ["ACME-APP-001", "secret/output", "AZ-001", "AZ-STORAGE-X", "AZ"] {
            assert_eq!(service_of(id), None, "{id}");
        }
    }

    #[test]
    fn rules_and_checks_have_a_page() {
        assert_eq!(path_of("AZ-STORAGE-001", false).as_deref(), Some("docs/rules/azure/storage.md#az-storage-001"));
        assert_eq!(path_of("secret/output", true).as_deref(), Some("docs/rules/checks.md#secretoutput"));
        assert_eq!(path_of("ACME-1", false), None);
    }
}
