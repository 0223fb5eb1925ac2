//! Which rules `rules list` lists.

use crate::cli::args::{Controls, Filter};
use crate::diagnostic::RuleInfo;

/// Whether a rule satisfies all filters that are given.
pub(super) fn lists(filter: &Filter, info: &RuleInfo) -> bool {
    let details = &info.details;
    let is_of_service = |service: &String| {
        let own = service_of(&info.id);
        own.is_some_and(|(cloud, own)| [cloud, &own].iter().any(|word| word.eq_ignore_ascii_case(service)))
    };
    let is_about = |wanted: &String| info.resource_types.iter().any(|one| one.eq_ignore_ascii_case(wanted));
    let meets = |wanted: &Controls| {
        details.controls.iter().any(|control| match wanted {
            Controls::One(one) => one.framework == control.framework && one.name.eq_ignore_ascii_case(&control.name),
            Controls::All(framework) => *framework == control.framework,
        })
    };
    filter.service.as_ref().is_none_or(is_of_service)
        && filter.type_name.as_ref().is_none_or(is_about)
        && filter.severity.is_none_or(|severity| severity == info.severity)
        && filter.pillar.is_none_or(|pillar| details.pillar == Some(pillar))
        && filter.category.is_none_or(|category| details.category == Some(category))
        && filter.control.as_ref().is_none_or(meets)
        && filter.tag.as_ref().is_none_or(|tag| details.tags.iter().any(|one| one.eq_ignore_ascii_case(tag)))
}

/// The cloud and the service that the ID of an embedded rule names: `azure` and `storage` for `AZ-STORAGE-001`.
pub(super) fn service_of(id: &str) -> Option<(&'static str, String)> {
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
}
