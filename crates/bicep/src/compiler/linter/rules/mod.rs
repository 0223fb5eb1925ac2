//! Rules of the linter, one file for each subject. [`RULES`] lists them all.
//!
//! Names, default levels, and semantics are those of Bicep's linter,
//! <https://github.com/Azure/bicep/tree/main/src/Bicep.Core/Analyzers/Linter/Rules>.

mod artifacts;
mod choices;
mod command_secrets;
mod conflicting_metadata;
mod decompiler;
mod depends_on;
mod deployments;
mod descriptions;
mod env_urls;
mod explicit_any;
mod json_null;
mod locations;
mod max_asserts;
mod output_secrets;
mod parent_property;
mod powershell_version;
mod prefer_interpolation;
mod recognized_types;
mod resource_ids;
mod safe_access;
mod secure_params;
mod simplify_interpolation;
mod stable_identifiers;
mod symbol_reference;
mod unquoted_names;
mod unused;
mod vm_image;

use crate::arm::UNUSED_VARIABLE;
use crate::compiler::linter::file::{LintFile, LintFinding};
use crate::diagnostic::common_checks::UNUSED_PARAMETER;
use crate::diagnostic::{Check, Level};

/// A rule of the linter.
pub(super) struct Rule {
    /// Name in Bicep.
    pub name: &'static str,
    /// Check that its findings belong to.
    pub check: Check,
    /// Default level. A rule with `None` runs only if the configuration sets a level.
    pub level: Option<Level>,
    /// True if the rule is only about style. Its findings need the profile `all`, or a configuration that names the
    /// rule's level.
    pub is_style: bool,
    pub find: fn(&LintFile<'_>) -> Vec<LintFinding>,
}

const ERROR: Option<Level> = Some(Level::Error);
const WARNING: Option<Level> = Some(Level::Warning);
const OFF: Option<Level> = None;

const fn rule(
    name: &'static str,
    check: Check,
    level: Option<Level>,
    find: fn(&LintFile<'_>) -> Vec<LintFinding>,
) -> Rule {
    Rule { name, check, level, is_style: false, find }
}

/// Returns a style rule with the level of a warning.
const fn style(name: &'static str, check: Check, find: fn(&LintFile<'_>) -> Vec<LintFinding>) -> Rule {
    Rule { name, check, level: WARNING, is_style: true, find }
}

/// All rules, sorted by name.
pub(super) const RULES: &[Rule] = &[
    rule("artifacts-parameters", artifacts::ARTIFACTS_PARAMETERS, WARNING, artifacts::find),
    style("decompiler-cleanup", decompiler::DECOMPILER_CLEANUP, decompiler::find),
    rule("explicit-values-for-loc-params", locations::EXPLICIT_VALUES_FOR_LOC_PARAMS, OFF, locations::explicit),
    rule("max-asserts", max_asserts::MAX_ASSERTS, ERROR, max_asserts::find),
    rule(
        "nested-deployment-template-scoping",
        deployments::NESTED_DEPLOYMENT_TEMPLATE_SCOPING,
        ERROR,
        deployments::scoping,
    ),
    rule("no-conflicting-metadata", conflicting_metadata::NO_CONFLICTING_METADATA, WARNING, conflicting_metadata::find),
    style("no-deployments-resources", deployments::NO_DEPLOYMENTS_RESOURCES, deployments::resources),
    style("no-explicit-any", explicit_any::NO_EXPLICIT_ANY, explicit_any::find),
    rule("no-hardcoded-env-urls", env_urls::NO_HARDCODED_ENV_URLS, WARNING, env_urls::find),
    rule("no-hardcoded-location", locations::NO_HARDCODED_LOCATION, OFF, locations::hardcoded),
    rule("no-hardcoded-outputs", choices::NO_HARDCODED_OUTPUTS, OFF, choices::hardcoded_outputs),
    rule("no-loc-expr-outside-params", locations::NO_LOC_EXPR_OUTSIDE_PARAMS, OFF, locations::outside_params),
    rule("no-module-name", choices::NO_MODULE_NAME, OFF, choices::module_names),
    style("no-unnecessary-dependson", depends_on::NO_UNNECESSARY_DEPENDSON, depends_on::find),
    rule("no-unused-existing-resources", unused::NO_UNUSED_EXISTING_RESOURCES, WARNING, unused::existing_resources),
    rule("no-unused-imports", unused::NO_UNUSED_IMPORTS, WARNING, unused::imports),
    rule("no-unused-params", UNUSED_PARAMETER, WARNING, unused::params),
    rule("no-unused-types", unused::NO_UNUSED_TYPES, WARNING, unused::types),
    rule("no-unused-vars", UNUSED_VARIABLE, WARNING, unused::variables),
    rule(
        "outputs-should-not-contain-secrets",
        output_secrets::OUTPUTS_SHOULD_NOT_CONTAIN_SECRETS,
        WARNING,
        output_secrets::find,
    ),
    style("prefer-interpolation", prefer_interpolation::PREFER_INTERPOLATION, prefer_interpolation::find),
    style("prefer-unquoted-property-names", unquoted_names::PREFER_UNQUOTED_PROPERTY_NAMES, unquoted_names::find),
    rule(
        "protect-commandtoexecute-secrets",
        command_secrets::PROTECT_COMMANDTOEXECUTE_SECRETS,
        WARNING,
        command_secrets::find,
    ),
    rule("secure-parameter-default", secure_params::SECURE_PARAMETER_DEFAULT, WARNING, secure_params::defaults),
    rule("secure-secrets-in-params", secure_params::SECURE_SECRETS_IN_PARAMS, WARNING, secure_params::copies),
    style("simplify-interpolation", simplify_interpolation::SIMPLIFY_INTERPOLATION, simplify_interpolation::find),
    style("simplify-json-null", json_null::SIMPLIFY_JSON_NULL, json_null::find),
    rule("use-description-outputs", descriptions::USE_DESCRIPTION_OUTPUTS, OFF, descriptions::outputs),
    rule("use-description-params", descriptions::USE_DESCRIPTION_PARAMS, OFF, descriptions::params),
    rule(
        "use-description-type-properties",
        descriptions::USE_DESCRIPTION_TYPE_PROPERTIES,
        OFF,
        descriptions::type_properties,
    ),
    rule("use-description-types", descriptions::USE_DESCRIPTION_TYPES, OFF, descriptions::types),
    rule("use-description-vars", descriptions::USE_DESCRIPTION_VARS, OFF, descriptions::variables),
    rule("use-parent-property", parent_property::USE_PARENT_PROPERTY, WARNING, parent_property::find),
    // The rule AZ-DEPLOYMENT-005 reports these scripts in templates of all languages.
    rule(
        "use-recent-az-powershell-version",
        powershell_version::USE_RECENT_AZ_POWERSHELL_VERSION,
        OFF,
        powershell_version::find,
    ),
    rule(
        "use-recognized-resource-type",
        recognized_types::USE_RECOGNIZED_RESOURCE_TYPE,
        WARNING,
        recognized_types::find,
    ),
    rule("use-resource-id-functions", resource_ids::USE_RESOURCE_ID_FUNCTIONS, OFF, resource_ids::find),
    rule(
        "use-resource-symbol-reference",
        symbol_reference::USE_RESOURCE_SYMBOL_REFERENCE,
        WARNING,
        symbol_reference::find,
    ),
    style("use-safe-access", safe_access::USE_SAFE_ACCESS, safe_access::find),
    rule(
        "use-stable-resource-identifiers",
        stable_identifiers::USE_STABLE_RESOURCE_IDENTIFIERS,
        WARNING,
        stable_identifiers::find,
    ),
    rule("use-stable-vm-image", vm_image::USE_STABLE_VM_IMAGE, WARNING, vm_image::find),
    rule("use-user-defined-types", choices::USE_USER_DEFINED_TYPES, OFF, choices::loose_types),
];
