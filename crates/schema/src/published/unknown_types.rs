//! Types that Azure does not have, of resources and in expressions such as `resourceId('Microsoft.Web/site', …)`.

use foldhash::HashSet;

use crate::checks::SCHEMA_RESOURCE_TYPE;
use crate::diagnostic::Severity;
use crate::model::{Document, Issue};
use crate::published::near::NearestNames;
use crate::published::pack::Pack;
use crate::text::only_near;

/// Providers that are not in the types, because they were retired or belong to Azure Stack Hub, sorted, in lower case.
const RETIRED: &[&str] = &[
    "microsoft.backup",
    "microsoft.biztalkservices",
    "microsoft.blockchain",
    "microsoft.classiccompute",
    "microsoft.classicstorage",
    "microsoft.contentmoderator",
    "microsoft.datacatalog",
    "microsoft.gallery",
    "microsoft.genomics",
    "microsoft.graph",
    "microsoft.iotspaces",
    "microsoft.machinelearning",
    "microsoft.machinelearningcompute",
    "microsoft.machinelearningexperimentation",
    "microsoft.machinelearningmodelmanagement",
    "microsoft.managedlab",
    "microsoft.media",
    "microsoft.scheduler",
    "microsoft.servicefabricmesh",
    "microsoft.siterecovery",
    "microsoft.storsimple",
    "microsoft.subscription",
    "microsoft.subscriptions",
    "microsoft.timeseriesinsights",
    "microsoft.visualstudio",
    "microsoft.windowsiot",
    "microsoft.workloadbuilder",
];

/// Types that providers list, and that no description has, sorted, in lower case. Source: the resource providers that
/// Azure/PSRule.Rules.Azure lists, July 2026.
const UNDESCRIBED: &[&str] = &[
    "microsoft.hybridcontainerservice/storagespaces",
    "microsoft.servicebus/namespaces/messagingplan",
    "microsoft.sql/servers/backuplongtermretentionvaults",
    "microsoft.sql/servers/databases/maintenancewindows",
    "microsoft.sql/servers/sqlvulnerabilityassessments/baselines",
    "microsoft.sql/servers/sqlvulnerabilityassessments/baselines/rules",
    "microsoft.synapse/workspaces/sqlpools/maintenancewindows",
    "microsoft.synapse/workspaces/sqlpools/metadatasync",
    "microsoft.web/sites/basicpublishingcredentialspolicies/ftp",
    "microsoft.web/sites/basicpublishingcredentialspolicies/scm",
];

/// Maximum number of unknown types in the expressions of one document that are reported.
const MAX_REPORTED: usize = 100;

/// A type that Azure does not have.
pub(super) struct UnknownType {
    pub(super) message: String,
    /// The type that is most likely meant.
    pub(super) meant: Option<&'static str>,
    /// The severity, if it is not that of the check.
    pub(super) severity: Option<Severity>,
}

/// Returns `true` for the name of a provider of Microsoft.
pub(super) fn is_of_microsoft(provider: &str) -> bool {
    provider.get(..10).is_some_and(|start| start.eq_ignore_ascii_case("Microsoft."))
}

/// Returns `true` for a provider of Azure Stack Hub for operators, such as `Microsoft.Compute.Admin`.
fn is_of_stack_hub(provider: &str) -> bool {
    provider.to_ascii_lowercase().ends_with(".admin")
}

/// Returns the issues of types in expressions. Types that a resource has are reported there.
pub(super) fn check_mentions(document: &Document, pack: &'static Pack, near: &NearestNames) -> Vec<Issue> {
    let own: HashSet<String> =
        document.resources.iter().chain(&document.existing).map(|resource| resource.type_name.to_lowercase()).collect();
    let mut issues = Vec::new();
    for mentioned in &document.mentioned {
        let name = mentioned.name.to_lowercase();
        if own.contains(&name) || name.contains("/providers/") {
            continue;
        }
        let Some(problem) = mentioned_problem(pack, &mentioned.name, &name, near) else { continue };
        let message = format!("{} in `{}()`", problem.message, mentioned.function);
        let issue = Issue::new(SCHEMA_RESOURCE_TYPE, mentioned.path.as_str(), mentioned.span, message);
        issues.push(Issue { severity: problem.severity, ..issue });
        if issues.len() == MAX_REPORTED {
            break;
        }
    }
    issues
}

/// Returns the problem of a type in an expression. `lower` is the type in lower case.
fn mentioned_problem(pack: &'static Pack, name: &str, lower: &str, near: &NearestNames) -> Option<UnknownType> {
    let (provider, _) = name.split_once('/')?;
    if !is_of_microsoft(provider) || UNDESCRIBED.contains(&lower) || is_of_stack_hub(provider) {
        return None;
    }
    let Some(block) = pack.provider(provider) else { return unknown_provider(pack, name, near) };
    if block.find(name).is_some() {
        return None;
    }
    let types = block.types.iter().map(|kind| block.text(kind.name));
    let same_depth = types.filter(|known| known.matches('/').count() == name.matches('/').count());
    if let Some(meant) = only_near(name, same_depth) {
        let message = format!("Azure has no resource type `{name}`, did you mean `{meant}`?");
        return Some(UnknownType { message, meant: Some(meant), severity: None });
    }
    // The list lacks some children that no longer exist.
    let top = name.match_indices('/').nth(1).and_then(|(end, _)| name.get(..end)).unwrap_or(name);
    let message = || format!("Azure has no resource type `{top}`");
    block.find(top).is_none().then(|| UnknownType { message: message(), meant: None, severity: Some(Severity::Medium) })
}

/// Returns the problem of a type whose provider is not known. `None` if it may be one of another publisher.
pub(super) fn unknown_provider(pack: &'static Pack, name: &str, near: &NearestNames) -> Option<UnknownType> {
    let (provider, rest) = name.split_once('/')?;
    let lower = provider.to_lowercase();
    if !is_of_microsoft(provider) || RETIRED.contains(&lower.as_str()) || is_of_stack_hub(provider) {
        return None;
    }
    let meant = near.nearest(provider, || pack.names()).and_then(|near| with_provider(pack, near, rest));
    if let Some(meant) = meant.or_else(|| near.once(name, || provider_of(pack, &lower, rest))) {
        let message = format!("Azure has no resource type `{name}`, did you mean `{meant}`?");
        Some(UnknownType { message, meant: Some(meant), severity: None })
    } else {
        let message = format!("Azure has no resource provider `{provider}`");
        Some(UnknownType { message, meant: None, severity: Some(Severity::Medium) })
    }
}

/// Returns the full name of a type of a provider.
fn with_provider(pack: &'static Pack, provider: &str, rest: &str) -> Option<&'static str> {
    let block = pack.provider(provider)?;
    let found = block.find(&format!("{provider}/{rest}"))?;
    Some(block.text(found.name))
}

/// Returns the type `rest` of the only provider that has it, or of the only one whose name is a part of `provider` or the
/// other way round: `Microsoft.Sql/servers` for `Microsoft.SQLServer/servers`.
fn provider_of(pack: &'static Pack, provider: &str, rest: &str) -> Option<&'static str> {
    let having: Vec<(&str, &'static str)> = pack
        .names()
        .filter(|name| is_of_microsoft(name))
        .filter_map(|name| Some((name, with_provider(pack, name, rest)?)))
        .collect();
    if let [(_, only)] = having.as_slice() {
        return Some(only);
    }
    let own = provider.strip_prefix("microsoft.")?;
    let is_alike =
        |name: &str| name.strip_prefix("microsoft.").is_some_and(|name| own.contains(name) || name.contains(own));
    let mut alike = having.iter().filter(|(name, _)| is_alike(name));
    let (_, first) = alike.next()?;
    alike.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::published::catalog::azure;

    #[test]
    fn types_in_expressions_exist() {
        let pack = azure().unwrap();
        let near = NearestNames::default();
        let found = |name: &str| {
            mentioned_problem(pack, name, &name.to_lowercase(), &near)
                .map(|problem| (problem.message, problem.severity))
        };
        for name in [
            "Microsoft.Storage/storageAccounts",
            "microsoft.web/SITES/slots",
            "Contoso.Lab/things",
            "Microsoft.MachineLearning/webServices",
            "Microsoft.Compute.Admin/locations",
            "Microsoft.Sql/servers/databases/maintenanceWindows",
            "Microsoft.Web/sites/somethingThatWasRetired",
        ] {
            assert_eq!(found(name), None, "{name}");
        }
        for (name, meant) in [
            ("Microsoft.SQLServer/servers", "Microsoft.Sql/servers"),
            ("Microsoft.Storag/storageAccounts", "Microsoft.Storage/storageAccounts"),
            ("Microsoft.ContainerApp/containerApps", "Microsoft.App/containerApps"),
            ("Microsoft.Web/site", "Microsoft.Web/sites"),
        ] {
            let expected = format!("Azure has no resource type `{name}`, did you mean `{meant}`?");
            assert_eq!(found(name), Some((expected, None)), "{name}");
        }
        let none = "Azure has no resource provider `Microsoft.Nonsense`".to_owned();
        assert_eq!(found("Microsoft.Nonsense/things"), Some((none, Some(Severity::Medium))));
        let none = "Azure has no resource type `Microsoft.Web/applications`".to_owned();
        assert_eq!(found("Microsoft.Web/applications"), Some((none, Some(Severity::Medium))));
        assert!(RETIRED.is_sorted() && UNDESCRIBED.is_sorted());
    }
}
