//! Assumptions of a run about the target environment.

use crate::value::Value;

/// Settings that describe the target of a deployment, before a front end adds its defaults. None are read from the
/// machine, so the same input has the same result everywhere.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    /// Properties of the subscription.
    pub subscription: Option<Value>,
    /// Properties of the resource group, or only its name.
    pub resource_group: Option<Value>,
    /// Properties of the tenant.
    pub tenant: Option<Value>,
    /// Properties of the management group, or only its name.
    pub management_group: Option<Value>,
    /// The deploying user: object ID, tenant ID, principal name.
    pub deployer: Option<Value>,
    /// Name of the deployment.
    pub deployment_name: Option<String>,
    /// Name of the cloud, such as `AzureCloud`.
    pub cloud: Option<String>,
    /// Values, by name, for parameters without a value or a default.
    pub parameter_defaults: Option<Value>,
    /// Names of properties that must not contain a literal secret.
    pub sensitive_properties: Option<Vec<String>>,
    /// Names of parameters that contain no secret, although their names suggest it.
    pub nonsensitive_parameters: Option<Vec<String>>,
}

impl Assumptions {
    /// Reads the `AZURE_*` keys of a `configuration:` map. The names are those of `PSRule`, so its settings work
    /// unchanged. If a key is missing, is `null`, or has a value of the wrong type, the default of the front end is
    /// used.
    pub fn from_config(config: &Value) -> Self {
        let option = |name: &str| config.get(name).filter(|value| !value.is_null()).cloned();
        let deployment = option("AZURE_DEPLOYMENT");
        let deployment_name = deployment.as_ref().and_then(|value| string(value.get("name").unwrap_or(value)));
        Self {
            subscription: option("AZURE_SUBSCRIPTION"),
            resource_group: option("AZURE_RESOURCE_GROUP"),
            tenant: option("AZURE_TENANT"),
            management_group: option("AZURE_MANAGEMENT_GROUP"),
            deployer: option("AZURE_DEPLOYER"),
            deployment_name,
            cloud: option("AZURE_ENVIRONMENT").as_ref().and_then(string),
            parameter_defaults: option("AZURE_PARAMETER_DEFAULTS"),
            sensitive_properties: option("AZURE_DEPLOYMENT_SENSITIVE_PROPERTY_NAMES").as_ref().and_then(strings),
            nonsensitive_parameters: option("AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES").as_ref().and_then(strings),
        }
    }
}

/// Returns a string. `None` if the value is not a string.
fn string(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Returns the strings of an array. `None` if the value is not an array.
fn strings(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}
