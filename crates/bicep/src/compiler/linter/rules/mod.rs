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
mod parent_property;
mod powershell_version;
mod prefer_interpolation;
mod safe_access;
mod simplify_interpolation;
mod stable_identifiers;
mod symbol_reference;
mod unquoted_names;
mod unused;
mod vm_image;

use crate::compiler::linter::file::{LintFile, LintFinding};
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
    rule("artifacts-parameters", Check::LintArtifacts, WARNING, artifacts::find),
    style("decompiler-cleanup", Check::LintDecompiler, decompiler::find),
    rule("explicit-values-for-loc-params", Check::LintLocationParams, OFF, locations::explicit),
    rule("nested-deployment-template-scoping", Check::LintDeploymentScoping, ERROR, deployments::scoping),
    rule("no-conflicting-metadata", Check::LintMetadata, WARNING, conflicting_metadata::find),
    style("no-deployments-resources", Check::LintDeployments, deployments::resources),
    style("no-explicit-any", Check::LintAny, explicit_any::find),
    rule("no-hardcoded-env-urls", Check::LintEnvUrls, WARNING, env_urls::find),
    rule("no-hardcoded-location", Check::LintLocation, OFF, locations::hardcoded),
    rule("no-hardcoded-outputs", Check::LintOutputs, OFF, choices::hardcoded_outputs),
    rule("no-loc-expr-outside-params", Check::LintLocationExpr, OFF, locations::outside_params),
    rule("no-module-name", Check::LintModuleName, OFF, choices::module_names),
    style("no-unnecessary-dependson", Check::LintDependsOn, depends_on::find),
    rule("no-unused-existing-resources", Check::LintUnusedExisting, WARNING, unused::existing_resources),
    rule("no-unused-imports", Check::LintUnusedImports, WARNING, unused::imports),
    rule("no-unused-params", Check::UnusedParameter, WARNING, unused::params),
    rule("no-unused-types", Check::LintUnusedTypes, WARNING, unused::types),
    rule("no-unused-vars", Check::UnusedVariable, WARNING, unused::variables),
    style("prefer-interpolation", Check::LintInterpolation, prefer_interpolation::find),
    style("prefer-unquoted-property-names", Check::LintQuotes, unquoted_names::find),
    rule("protect-commandtoexecute-secrets", Check::LintCommandSecrets, WARNING, command_secrets::find),
    style("simplify-interpolation", Check::LintPlainInterpolation, simplify_interpolation::find),
    style("simplify-json-null", Check::LintJsonNull, json_null::find),
    rule("use-description-outputs", Check::LintOutputDescription, OFF, descriptions::outputs),
    rule("use-description-params", Check::LintParamDescription, OFF, descriptions::params),
    rule("use-description-type-properties", Check::LintPropertyDescription, OFF, descriptions::type_properties),
    rule("use-description-types", Check::LintTypeDescription, OFF, descriptions::types),
    rule("use-description-vars", Check::LintVariableDescription, OFF, descriptions::variables),
    rule("use-parent-property", Check::LintParent, WARNING, parent_property::find),
    // The rule AZ-DEPLOYMENT-005 reports these scripts in templates of all languages.
    rule("use-recent-az-powershell-version", Check::LintPowerShell, OFF, powershell_version::find),
    rule("use-resource-symbol-reference", Check::LintSymbol, WARNING, symbol_reference::find),
    style("use-safe-access", Check::LintSafeAccess, safe_access::find),
    rule("use-stable-resource-identifiers", Check::LintStableNames, WARNING, stable_identifiers::find),
    rule("use-stable-vm-image", Check::LintImage, WARNING, vm_image::find),
    rule("use-user-defined-types", Check::LintTypes, OFF, choices::loose_types),
];
