//! The keys of a `configuration:` block, by the names that `PSRule` for Azure gave them.

use crate::value::Kind;

/// Each key and the kind of its value.
pub(super) const KEYS: &[(&str, Kind)] = &[
    ("AZURE_BICEP_CHECK_TOOL", Kind::Bool),
    ("AZURE_BICEP_FILE_EXPANSION", Kind::Bool),
    ("AZURE_BICEP_FILE_EXPANSION_TIMEOUT", Kind::Int),
    ("AZURE_BICEP_MINIMUM_VERSION", Kind::String),
    ("AZURE_BICEP_PARAMS_FILE_EXPANSION", Kind::Bool),
    ("AZURE_DEPLOYER", Kind::Object),
    ("AZURE_DEPLOYMENT", Kind::Object),
    ("AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES", Kind::Array),
    ("AZURE_DEPLOYMENT_SENSITIVE_PROPERTY_NAMES", Kind::Array),
    ("AZURE_ENVIRONMENT", Kind::String),
    ("AZURE_MANAGEMENT_GROUP", Kind::Object),
    ("AZURE_PARAMETER_DEFAULTS", Kind::Object),
    ("AZURE_PARAMETER_FILE_EXPANSION", Kind::Bool),
    ("AZURE_PARAMETER_FILE_METADATA_LINK", Kind::Bool),
    ("AZURE_RESOURCE_ALLOWED_LOCATIONS", Kind::Array),
    ("AZURE_RESOURCE_GROUP", Kind::Object),
    ("AZURE_SUBSCRIPTION", Kind::Object),
    ("AZURE_TENANT", Kind::Object),
    ("AZURE_TERRAFORM_PLAN_EXPANSION", Kind::Bool),
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

/// The kind of a key's value; names ignore case.
pub(super) fn kind_of(key: &str) -> Option<Kind> {
    let mut keys = KEYS.iter();
    keys.find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|&(_, kind)| kind)
}
