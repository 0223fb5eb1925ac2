//! The filters of `rules list`.

use crate::cli::args::{Controls, Filter};
use crate::diagnostic::{RuleInfo, service_of};

/// Returns whether a rule matches all filters.
pub(super) fn matches_filter(filter: &Filter, info: &RuleInfo) -> bool {
    let details = &info.details;
    filter.service.as_ref().is_none_or(|service| is_of_service(info, service))
        && filter
            .type_name
            .as_ref()
            .is_none_or(|name| info.resource_types.iter().any(|one| one.eq_ignore_ascii_case(name)))
        && filter.severity.is_none_or(|severity| severity == info.severity)
        && filter.pillar.is_none_or(|pillar| details.pillar == Some(pillar))
        && filter.category.is_none_or(|category| details.category == Some(category))
        && filter.control.as_ref().is_none_or(|controls| has_control(info, controls))
        && filter.tag.as_ref().is_none_or(|tag| details.tags.iter().any(|one| one.eq_ignore_ascii_case(tag)))
}

fn is_of_service(info: &RuleInfo, service: &str) -> bool {
    service_of(&info.id).is_some_and(|(cloud, own)| [cloud, &own].iter().any(|word| word.eq_ignore_ascii_case(service)))
}

fn has_control(info: &RuleInfo, wanted: &Controls) -> bool {
    info.details.controls.iter().any(|control| match wanted {
        Controls::One(one) => one.framework == control.framework && one.name.eq_ignore_ascii_case(&control.name),
        Controls::All(framework) => *framework == control.framework,
    })
}
