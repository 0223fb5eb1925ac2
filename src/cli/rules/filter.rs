//! The filters of `rules list`.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::cli::args::{Controls, Filter};
use crate::cli::exit::Error;
use crate::diagnostic::{RuleInfo, service_of};
use crate::text::Suggestions;

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

/// Checks that there are rules about a service.
///
/// # Errors
///
/// Fails if no rule of all is about it, and names a similar service, or all of them.
pub(super) fn check_service(service: &str, all: &[Arc<RuleInfo>]) -> Result<(), Error> {
    if all.iter().any(|info| is_of_service(info, service)) {
        return Ok(());
    }
    let services: BTreeSet<String> =
        all.iter().filter_map(|info| service_of(&info.id)).map(|(_, service)| service).collect();
    let hint = match Suggestions::default().nearest(service, services.iter().map(String::as_str)) {
        Some(near) => format!(", did you mean `{near}`?"),
        None => format!("; there are `{}`", services.into_iter().collect::<Vec<_>>().join("`, `")),
    };
    Err(Error::Usage(format!("no rule is about a service `{service}`{hint}")))
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
