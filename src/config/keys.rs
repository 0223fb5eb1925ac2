//! The keys of a `configuration:` block, by the names that `PSRule` for Azure gave them.

use crate::config::table::Weakens;
use crate::value::Kind;

/// A key, the kind of its value, and in which direction a change of it weakens a check.
pub(super) struct Key {
    pub name: &'static str,
    pub kind: Kind,
    pub weakens: Weakens,
}

const fn key(name: &'static str, kind: Kind, weakens: Weakens) -> Key {
    Key { name, kind, weakens }
}

/// All keys, sorted. What is known of the environment decides conditions and values, in no direction.
pub(super) const KEYS: &[Key] = &[
    key("AZURE_BICEP_CHECK_TOOL", Kind::Bool, Weakens::NotBeing("true")),
    key("AZURE_BICEP_FILE_EXPANSION", Kind::Bool, Weakens::Being("false")),
    key("AZURE_BICEP_FILE_EXPANSION_TIMEOUT", Kind::Int, Weakens::Any),
    key("AZURE_BICEP_MINIMUM_VERSION", Kind::String, Weakens::Any),
    key("AZURE_BICEP_PARAMS_FILE_EXPANSION", Kind::Bool, Weakens::Being("false")),
    key("AZURE_DEPLOYER", Kind::Object, Weakens::Any),
    key("AZURE_DEPLOYMENT", Kind::Object, Weakens::Any),
    key("AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES", Kind::Array, Weakens::Added),
    key("AZURE_DEPLOYMENT_SENSITIVE_PROPERTY_NAMES", Kind::Array, Weakens::Removed),
    key("AZURE_ENVIRONMENT", Kind::String, Weakens::Any),
    key("AZURE_MANAGEMENT_GROUP", Kind::Object, Weakens::Any),
    key("AZURE_PARAMETER_DEFAULTS", Kind::Object, Weakens::Any),
    key("AZURE_PARAMETER_FILE_EXPANSION", Kind::Bool, Weakens::Any),
    key("AZURE_PARAMETER_FILE_METADATA_LINK", Kind::Bool, Weakens::Any),
    key("AZURE_RESOURCE_ALLOWED_LOCATIONS", Kind::Array, Weakens::Any),
    key("AZURE_RESOURCE_GROUP", Kind::Object, Weakens::Any),
    key("AZURE_SUBSCRIPTION", Kind::Object, Weakens::Any),
    key("AZURE_TENANT", Kind::Object, Weakens::Any),
    key("AZURE_TERRAFORM_PLAN_EXPANSION", Kind::Bool, Weakens::Any),
];

/// The types of JSON schema for a kind. A key without a value is allowed.
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

/// The kind of a key's value.
pub(super) fn kind_of(name: &str) -> Option<Kind> {
    find(name).map(|key| key.kind)
}

/// The key of a name; names ignore case.
pub(super) fn find(name: &str) -> Option<&'static Key> {
    KEYS.iter().find(|key| key.name.eq_ignore_ascii_case(name))
}
