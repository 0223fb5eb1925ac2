//! Errors in published types. Misfits that they cause are not reported.

use crate::checks::{
    SCHEMA_LENGTH, SCHEMA_MISSING_PROPERTY, SCHEMA_PATTERN, SCHEMA_READ_ONLY, SCHEMA_RESOURCE_TYPE, SCHEMA_TYPE,
    SCHEMA_UNKNOWN_PROPERTY, SCHEMA_VALUE,
};
use crate::diagnostic::Check;
use crate::published::misfit::MisfitStep;
use crate::value::Object;

/// An error in a published type.
struct Exception {
    /// Resource type in lower case; a `*` at the end matches any rest.
    type_name: &'static str,
    /// Last version with the error; empty for all.
    until: &'static str,
    /// Checks that the error concerns; empty for all.
    checks: &'static [Check],
    /// Last member of the path, perhaps with its value; empty for all.
    member: &'static str,
}

macro_rules! exceptions {
    ($($type_name:literal $until:literal [$($check:ident)*] $member:literal;)*) => {
        &[$(Exception { type_name: $type_name, until: $until, checks: &[$($check),*], member: $member },)*]
    };
}

/// Errors found by checking the Azure Verified Modules and the quickstarts, whose templates are deployed in tests.
const EXCEPTIONS: &[Exception] = exceptions! {
    // Only the branch for Markdown is published.
    "microsoft.portal/dashboards" "" [] "metadata";
    // Up to 160 characters, as the page on naming rules says.
    "microsoft.portal/dashboards" "" [SCHEMA_PATTERN SCHEMA_LENGTH] "name";
    // Accepted in `properties` too.
    "microsoft.operationalinsights/workspaces/savedsearches" "" [SCHEMA_UNKNOWN_PROPERTY] "etag";
    "microsoft.operationalinsights/workspaces/savedsearches" "" [SCHEMA_READ_ONLY] "etag";
    // The name of another type, which the service takes for this one, too.
    "microsoft.web/sites/config" "" [SCHEMA_VALUE] "name=virtualNetwork";
    "microsoft.web/sites/slots/config" "" [SCHEMA_VALUE] "name=virtualNetwork";
    // Deploys a package like `MSDeploy`: https://learn.microsoft.com/azure/azure-functions/functions-infrastructure-as-code.
    "microsoft.web/sites/extensions" "" [SCHEMA_VALUE] "name=ZipDeploy";
    "microsoft.web/sites/slots/extensions" "" [SCHEMA_VALUE] "name=ZipDeploy";
    // Older versions take it, too.
    "microsoft.machinelearningservices/workspaces/computes" "" [SCHEMA_VALUE] "computeType=SynapseSpark";
    // Not published.
    "microsoft.web/sites/*" "" [SCHEMA_UNKNOWN_PROPERTY] "addOnPackages";
    // Longer names are deployed: https://github.com/Azure/azure-openai-landing-zone.
    "microsoft.machinelearningservices/workspaces/connections" "" [SCHEMA_PATTERN SCHEMA_LENGTH] "name";
    // The portal exported these for years, and the service ignores them.
    "microsoft.web/serverfarms" "" [SCHEMA_UNKNOWN_PROPERTY] "name";
    "microsoft.web/serverfarms" "" [SCHEMA_UNKNOWN_PROPERTY] "workerSize";
    "microsoft.web/serverfarms" "" [SCHEMA_UNKNOWN_PROPERTY] "workerSizeId";
    "microsoft.web/serverfarms" "" [SCHEMA_UNKNOWN_PROPERTY] "numberOfWorkers";
    "microsoft.web/sites" "" [SCHEMA_UNKNOWN_PROPERTY] "name";
    "microsoft.web/connections" "" [SCHEMA_UNKNOWN_PROPERTY] "parameterValueType";
    // The parameters of a connector have the types that it says.
    "microsoft.web/connections" "" [SCHEMA_TYPE] "";
    "microsoft.web/connections" "" [SCHEMA_UNKNOWN_PROPERTY] "alternativeParameterValues";
    "microsoft.web/connections" "" [SCHEMA_UNKNOWN_PROPERTY] "parameterValueSet";
    "microsoft.app/containerapps" "" [SCHEMA_UNKNOWN_PROPERTY] "dotnet";
    "microsoft.datafactory/factories" "" [SCHEMA_UNKNOWN_PROPERTY] "globalConfigurations";
    // Only the type of the account has them.
    "microsoft.cognitiveservices/accounts/projects/capabilityhosts" "" [SCHEMA_UNKNOWN_PROPERTY] "capabilityHostKind";
    "microsoft.cognitiveservices/accounts/projects/capabilityhosts" "" [SCHEMA_UNKNOWN_PROPERTY] "tags";
    // Longer names are in use.
    "microsoft.cognitiveservices/accounts/projects/connections" "" [SCHEMA_PATTERN] "name";
    // Has a default, though the type demands it.
    "microsoft.insights/components" "" [SCHEMA_MISSING_PROPERTY] "kind";
    "microsoft.insights/components" "" [SCHEMA_MISSING_PROPERTY] "Application_Type";
    "microsoft.consumption/budgets" "" [SCHEMA_MISSING_PROPERTY] "contactEmails";
    // The quickstart of this version has none; later ones have it.
    "microsoft.kusto/clusters/databases" "2019-09-07" [SCHEMA_MISSING_PROPERTY] "kind";
    "microsoft.insights/metricalerts" "" [SCHEMA_MISSING_PROPERTY] "criterionType";
    // Not demanded, as later versions say.
    "microsoft.documentdb/*" "2020-06-01-preview" [SCHEMA_MISSING_PROPERTY] "options";
    // A gateway is referred to by its ID.
    "microsoft.network/connections" "" [SCHEMA_MISSING_PROPERTY] "properties";
    // Can be written.
    "microsoft.network/azurefirewalls" "" [SCHEMA_READ_ONLY] "privateIPAddress";
    "microsoft.dataprotection/backupvaults/backuppolicies" "" [SCHEMA_READ_ONLY] "id";
    // Another body than the service reads.
    "microsoft.insights/diagnosticsettings" "2017-99" [] "";
    "microsoft.machinelearningservices/workspaces/datasets" "2020-05-01-preview" [] "";
    "microsoft.machinelearningservices/workspaces/datastores" "2020-05-01-preview" [] "";
    "microsoft.machinelearningservices/workspaces/services" "2020-05-01-preview" [] "";
    "microsoft.datafactory/*" "2017-09-01-preview" [] "";
    // Any child and any property, as the provider has them.
    "microsoft.customproviders/*" "" [SCHEMA_UNKNOWN_PROPERTY SCHEMA_RESOURCE_TYPE] "";
    // Flattened by mistake.
    "microsoft.web/*" "2015-08-01" [SCHEMA_MISSING_PROPERTY SCHEMA_UNKNOWN_PROPERTY] "";
    "microsoft.web/hostingenvironments*" "2020-06-01" [SCHEMA_MISSING_PROPERTY SCHEMA_UNKNOWN_PROPERTY] "";
};

/// Members that a type requires of a new resource but not in an update of an existing one: type in lower case, missing
/// member, and the member that marks an update.
const UPDATES: &[(&str, &str, &str)] = &[("microsoft.compute/virtualmachines", "createOption", "encryptionSettings")];

/// True if an object lacks `missing` because it only updates an existing resource. `type_name` is in lower case.
pub(super) fn is_update(type_name: &str, missing: &str, object: &Object) -> bool {
    UPDATES.iter().any(|(kind, name, beside)| {
        *kind == type_name && name.eq_ignore_ascii_case(missing) && object.get(beside).is_some()
    })
}

/// True if a misfit at `steps` of a resource is an error of the published type. `type_name` is in lower case.
pub(super) fn is_excepted(type_name: &str, version: &str, check: Check, steps: &[MisfitStep<'_>], found: &str) -> bool {
    let member =
        steps.iter().rev().find_map(|step| if let MisfitStep::Member(name) = step { Some(*name) } else { None });
    // Services make resources with such names, as `$MetricsCapacityBlob`, which nobody else may.
    if check == SCHEMA_PATTERN && member == Some("name") && found.starts_with('$') {
        return true;
    }
    EXCEPTIONS.iter().any(|exception| {
        let is_type = match exception.type_name.strip_suffix('*') {
            Some(start) => type_name.starts_with(start),
            None => type_name == exception.type_name,
        };
        let is_version = exception.until.is_empty() || version <= exception.until;
        let is_check = exception.checks.is_empty() || exception.checks.contains(&check);
        let (wanted, value) = exception.member.split_once('=').unwrap_or((exception.member, ""));
        let is_member = wanted.is_empty()
            || member.is_some_and(|member| member.eq_ignore_ascii_case(wanted))
                && (value.is_empty() || value.eq_ignore_ascii_case(found))
            || exception.checks.is_empty() && steps.contains(&MisfitStep::Member(exception.member));
        is_type && is_version && is_check && is_member
    })
}

/// Returns `true` if nothing that a published type says about its properties is reliable. What single properties are
/// excepted from does not make it so.
pub(super) fn is_unreliable(type_name: &str, version: &str) -> bool {
    let type_name = type_name.to_ascii_lowercase();
    [SCHEMA_UNKNOWN_PROPERTY, SCHEMA_TYPE].iter().any(|check| {
        EXCEPTIONS.iter().any(|exception| {
            let is_type = match exception.type_name.strip_suffix('*') {
                Some(start) => type_name.starts_with(start),
                None => type_name == exception.type_name,
            };
            let is_check = exception.checks.is_empty() || exception.checks.contains(check);
            is_type
                && is_check
                && exception.member.is_empty()
                && (exception.until.is_empty() || version <= exception.until)
        })
    })
}
