//! What a run assumes of the environment that it checks deployments for.

use crate::value::Value;

/// The settings that describe where a deployment would go, before a front end adds its defaults. None of them are
/// read from the machine, so that the same input gives the same result everywhere.
#[derive(Clone, Debug, Default)]
pub struct Assumptions {
    /// Properties of the subscription.
    pub subscription: Option<Value>,
    /// Properties of the resource group, or its name alone.
    pub resource_group: Option<Value>,
    /// Properties of the tenant.
    pub tenant: Option<Value>,
    /// Properties of the management group, or its name alone.
    pub management_group: Option<Value>,
    /// Who deploys: object ID, tenant ID, principal name.
    pub deployer: Option<Value>,
    /// Name of the deployment.
    pub deployment_name: Option<String>,
    /// Name of the cloud, such as `AzureCloud`.
    pub cloud: Option<String>,
    /// Values, by name, for parameters that have neither a value nor a default.
    pub parameter_defaults: Option<Value>,
    /// Names of properties that must not hold a literal secret.
    pub sensitive_properties: Option<Vec<String>>,
    /// Names of parameters that hold no secret, although they sound like it.
    pub nonsensitive_parameters: Option<Vec<String>>,
}

impl Assumptions {
    /// Reads the `AZURE_*` keys of a `configuration:` map. The names are those of `PSRule`, so that its settings work
    /// unchanged. A key that is missing or `null`, or whose value has the wrong type, leaves the default of the front end.
    pub fn from_config(config: &Value) -> Self {
        let option = |name: &str| config.get(name).filter(|value| !value.is_null()).cloned();
        let string = |value: &Value| value.as_str().map(str::to_owned);
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

/// The strings of an array. `None` for a value that is not an array.
fn strings(value: &Value) -> Option<Vec<String>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}
