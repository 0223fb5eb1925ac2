//! The keys of a `configuration:` block, by the names that `PSRule` for Azure gave them.

use crate::config::table::Weakens;
use crate::value::Kind;

/// A key of `configuration`.
pub(super) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    /// Effect of the key, as a phrase.
    pub summary: &'static str,
    #[cfg_attr(not(test), expect(dead_code, reason = "a test writes `docs/settings.md` from it"))]
    pub example: &'static str,
    /// Direction in which a change of the key weakens a check.
    pub weakens: Weakens,
}

/// All keys, in the order of the documentation. What is known of the environment decides conditions and values, in no
/// direction.
pub(super) const KEYS: &[Key] = &[
    Key {
        name: "AZURE_RESOURCE_GROUP",
        kind: Kind::Object,
        summary: "properties of `resourceGroup()`",
        example: "{ location: northeurope }",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_SUBSCRIPTION",
        kind: Kind::Object,
        summary: "properties of `subscription()`",
        example: "{ subscriptionId: 11111111-1111-1111-1111-111111111111 }",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_TENANT",
        kind: Kind::Object,
        summary: "properties of `tenant()`",
        example: "{ tenantId: 22222222-2222-2222-2222-222222222222 }",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_MANAGEMENT_GROUP",
        kind: Kind::Object,
        summary: "properties of `managementGroup()`",
        example: "{ name: mg-web }",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_DEPLOYER",
        kind: Kind::Object,
        summary: "properties of `deployer()`",
        example: "{ objectId: 33333333-3333-3333-3333-333333333333 }",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_DEPLOYMENT",
        kind: Kind::Object,
        summary: "the name in `deployment()`",
        example: "{ name: release-12 }",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_ENVIRONMENT",
        kind: Kind::String,
        summary: "the cloud of `environment()`",
        example: "AzureUSGovernment",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_PARAMETER_DEFAULTS",
        kind: Kind::Object,
        summary: "values of parameters that have neither a value nor a default",
        example: "{ size: large }",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_DEPLOYMENT_SENSITIVE_PROPERTY_NAMES",
        kind: Kind::Array,
        summary: "properties that must not contain a literal, instead of the usual ones",
        example: "[joinPhrase]",
        weakens: Weakens::Removed,
    },
    Key {
        name: "AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES",
        kind: Kind::Array,
        summary: "parameters that are not secrets",
        example: "[passwordOfDay]",
        weakens: Weakens::Added,
    },
    Key {
        name: "AZURE_BICEP_FILE_EXPANSION",
        kind: Kind::Bool,
        summary: "whether Bicep files are built",
        example: "false",
        weakens: Weakens::Being("false"),
    },
    Key {
        name: "AZURE_BICEP_PARAMS_FILE_EXPANSION",
        kind: Kind::Bool,
        summary: "whether Bicep parameter files are built",
        example: "false",
        weakens: Weakens::Being("false"),
    },
    Key {
        name: "AZURE_BICEP_FILE_EXPANSION_TIMEOUT",
        kind: Kind::Int,
        summary: "how many seconds the build of a file may take",
        example: "60",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_BICEP_MINIMUM_VERSION",
        kind: Kind::String,
        summary: "the oldest Bicep CLI that is used",
        example: "0.30.0",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_BICEP_CHECK_TOOL",
        kind: Kind::Bool,
        summary: "whether the version of the Bicep CLI is compared with `AZURE_BICEP_MINIMUM_VERSION`",
        example: "true",
        weakens: Weakens::NotBeing("true"),
    },
    Key {
        name: "AZURE_PARAMETER_FILE_EXPANSION",
        kind: Kind::Bool,
        summary: "no effect: formwork always uses parameter files",
        example: "true",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_PARAMETER_FILE_METADATA_LINK",
        kind: Kind::Bool,
        summary: "no effect: formwork always reads the link to the template",
        example: "true",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_RESOURCE_ALLOWED_LOCATIONS",
        kind: Kind::Array,
        summary: "no effect: formwork has no rule that uses it",
        example: "[westeurope]",
        weakens: Weakens::Any,
    },
    Key {
        name: "AZURE_TERRAFORM_PLAN_EXPANSION",
        kind: Kind::Bool,
        summary: "no effect: formwork does not read Terraform",
        example: "false",
        weakens: Weakens::Any,
    },
];

/// Returns the types of JSON schema for a kind. A key without a value is allowed.
pub(super) const fn json_type(kind: Kind) -> [&'static str; 2] {
    let name = match kind {
        Kind::Object => "object",
        Kind::Array => "array",
        Kind::Bool => "boolean",
        Kind::Int => "integer",
        _ => "string",
    };
    [name, "null"]
}

/// Returns the kind of a key's value.
pub(super) fn kind_of(name: &str) -> Option<Kind> {
    find(name).map(|key| key.kind)
}

/// Returns the key of a name; names ignore case.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name.eq_ignore_ascii_case(name))
}
