//! Which rules `rules list` lists.

use crate::cli::args::{Controls, Filter};
use crate::diagnostic::{RuleInfo, service_of};

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
