//! What expressions learn about the world around a deployment. Nothing of it is read from the machine: runs are
//! reproducible, and the user can bring it closer to his own environment.

use crate::arm::cloud;
use crate::value::{Data, Kind, Member, Value};

/// The placeholder of every id that nobody configured.
pub(super) const PLACEHOLDER_ID: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/// The objects behind `subscription()`, `resourceGroup()` and their kin, and the values for parameters that nobody gives.
#[derive(Clone, Debug)]
pub struct Context {
    /// The value of `subscription()`, unless a deployment names another one.
    pub subscription: Value,
    /// The value of `resourceGroup()`, unless a deployment names another one.
    pub resource_group: Value,
    /// The value of `tenant()`.
    pub tenant: Value,
    /// The value of `managementGroup()`, unless a deployment names another one.
    pub management_group: Value,
    /// The value of `deployer()`.
    pub deployer: Value,
    /// The value of `environment()`.
    pub environment: Value,
    /// The name of the deployment, which is `deployment().name`.
    pub deployment_name: String,
    /// Values for parameters that have neither a value nor a default: an object by name.
    pub parameter_defaults: Value,
    /// Names of properties whose values are not to stand in a template.
    pub sensitive_properties: Vec<String>,
    /// Names of parameters that are no secrets, whatever they sound like.
    pub nonsensitive_parameters: Vec<String>,
}

/// What `AZURE_DEPLOYMENT_SENSITIVE_PROPERTY_NAMES` is by default.
const SENSITIVE_PROPERTIES: &[&str] = &["adminUsername", "administratorLogin", "administratorLoginPassword"];

impl Default for Context {
    fn default() -> Self {
        Self::from_config(&Value::object(Vec::new()))
    }
}

impl Context {
    /// The context that a `configuration:` map describes: the members `AZURE_SUBSCRIPTION`, `AZURE_RESOURCE_GROUP`,
    /// `AZURE_TENANT`, `AZURE_MANAGEMENT_GROUP`, `AZURE_DEPLOYMENT`, `AZURE_DEPLOYER`, `AZURE_PARAMETER_DEFAULTS`, and
    /// the name of a cloud in `AZURE_ENVIRONMENT`. What one leaves out keeps its default.
    pub fn from_config(config: &Value) -> Self {
        let option = |name: &str| config.get(name).cloned().unwrap_or(Value::NULL);
        let tenant = tenant(&option("AZURE_TENANT"));
        let tenant_id = text(&tenant, "tenantId");
        let subscription = subscription(&option("AZURE_SUBSCRIPTION"), &tenant_id);
        let resource_group = resource_group(&option("AZURE_RESOURCE_GROUP"), &text(&subscription, "id"));
        let management_group = management_group(&option("AZURE_MANAGEMENT_GROUP"), &tenant_id);
        let deployer = overlay(
            object(&[
                ("objectId", PLACEHOLDER_ID),
                ("tenantId", &tenant_id),
                ("userPrincipalName", "psrule-test@contoso.com"),
            ]),
            &option("AZURE_DEPLOYER"),
        );
        let deployment = option("AZURE_DEPLOYMENT");
        let name = deployment.get("name").or(Some(&deployment)).and_then(Value::as_str);
        Self {
            subscription,
            resource_group,
            tenant,
            management_group,
            deployer,
            environment: cloud::environment(option("AZURE_ENVIRONMENT").as_str().unwrap_or(cloud::PUBLIC)),
            deployment_name: name.unwrap_or("ps-rule-test-deployment").to_owned(),
            parameter_defaults: option("AZURE_PARAMETER_DEFAULTS"),
            sensitive_properties: texts(&option("AZURE_DEPLOYMENT_SENSITIVE_PROPERTY_NAMES"))
                .unwrap_or_else(|| SENSITIVE_PROPERTIES.iter().map(|&it| it.to_owned()).collect()),
            nonsensitive_parameters: texts(&option("AZURE_DEPLOYMENT_NONSENSITIVE_PARAMETER_NAMES"))
                .unwrap_or_default(),
        }
    }
}

/// The texts of a list. `None` where there is no list.
fn texts(option: &Value) -> Option<Vec<String>> {
    Some(option.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn subscription(option: &Value, tenant_id: &str) -> Value {
    let defaults = object(&[
        ("subscriptionId", PLACEHOLDER_ID),
        ("tenantId", tenant_id),
        ("displayName", "PSRule Test Subscription"),
        ("state", "NotDefined"),
    ]);
    let value = overlay(defaults, option);
    let id = format!("/subscriptions/{}", text(&value, "subscriptionId"));
    with_first(value, "id", Value::from(id))
}

fn tenant(option: &Value) -> Value {
    let defaults = object(&[("countryCode", "US"), ("displayName", "PSRule"), ("tenantId", PLACEHOLDER_ID)]);
    let value = overlay(defaults, option);
    let id = format!("/tenants/{}", text(&value, "tenantId"));
    with_first(value, "id", Value::from(id))
}

fn resource_group(option: &Value, subscription: &str) -> Value {
    let state = Value::object(vec![Member::new("provisioningState", Value::from("Succeeded"))]);
    let defaults = Value::object(vec![
        Member::new("name", Value::from("ps-rule-test-rg")),
        Member::new("type", Value::from("Microsoft.Resources/resourceGroups")),
        Member::new("location", Value::from("eastus")),
        Member::new("tags", Value::object(Vec::new())),
        Member::new("managedBy", Value::NULL),
        Member::new("properties", state),
    ]);
    // A resource group may be given by its name alone.
    let option = option.as_str().map_or_else(|| option.clone(), |name| object(&[("name", name)]));
    let value = overlay(defaults, &option);
    let id = format!("{subscription}/resourceGroups/{}", text(&value, "name"));
    with_first(value, "id", Value::from(id))
}

fn management_group(option: &Value, tenant_id: &str) -> Value {
    let parent = object(&[
        ("displayName", "Tenant Root Group"),
        ("id", &format!("/providers/Microsoft.Management/managementGroups/{tenant_id}")),
        ("name", tenant_id),
    ]);
    let details = Value::object(vec![
        Member::new("parent", parent),
        Member::new("updatedBy", Value::from("00000000-0000-0000-0000-000000000000")),
        Member::new("updatedTime", Value::from("2020-07-23T21:05:52.661306Z")),
        Member::new("version", Value::from("1")),
    ]);
    let properties = Value::object(vec![
        Member::new("displayName", Value::from("PSRule Test Management Group")),
        Member::new("tenantId", Value::from(tenant_id)),
        Member::new("details", details),
    ]);
    let defaults = Value::object(vec![
        Member::new("name", Value::from("psrule-test")),
        Member::new("type", Value::from("/providers/Microsoft.Management/managementGroups")),
        Member::new("properties", properties),
    ]);
    let option = option.as_str().map_or_else(|| option.clone(), |name| object(&[("name", name)]));
    let value = overlay(defaults, &option);
    let id = format!("/providers/Microsoft.Management/managementGroups/{}", text(&value, "name"));
    with_first(value, "id", Value::from(id))
}

fn object(members: &[(&str, &str)]) -> Value {
    Value::object(members.iter().map(|&(key, value)| Member::new(key, Value::from(value))).collect())
}

/// Overrides members of `base` with those of `over`, recursively for nested objects. A null in `over` overrides nothing.
fn overlay(base: Value, over: &Value) -> Value {
    let (Data::Object(old), Data::Object(new)) = (&base.data, &over.data) else {
        return if over.kind() == Kind::Null || base.as_object().is_some() { base } else { over.clone() };
    };
    let mut members: Vec<Member> = old.iter().cloned().collect();
    for member in new.iter() {
        match members.iter_mut().find(|old| old.key.eq_ignore_ascii_case(&member.key)) {
            Some(old) => old.value = overlay(old.value.clone(), &member.value),
            None => members.push(member.clone()),
        }
    }
    Value::object(members)
}

/// Puts a member before the others, and removes the member that had its key.
fn with_first(value: Value, key: &str, first: Value) -> Value {
    let mut members = vec![Member::new(key, first)];
    let others = value.as_object().into_iter().flatten();
    members.extend(others.filter(|member| !member.key.eq_ignore_ascii_case(key)).cloned());
    Value::object(members)
}

fn text(value: &Value, key: &str) -> String {
    value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_override_keeps_the_other_defaults() {
        let config = Value::object(vec![
            Member::new("azure_subscription", object(&[("subscriptionId", "s")])),
            Member::new("AZURE_RESOURCE_GROUP", Value::from("rg")),
        ]);
        let context = Context::from_config(&config);
        assert_eq!(text(&context.subscription, "displayName"), "PSRule Test Subscription");
        assert_eq!(text(&context.resource_group, "id"), "/subscriptions/s/resourceGroups/rg");
        assert_eq!(text(&context.resource_group, "location"), "eastus");
    }

    #[test]
    fn the_tenant_is_that_of_everything_in_it() {
        let config = Value::object(vec![Member::new("AZURE_TENANT", object(&[("tenantId", "t")]))]);
        let context = Context::from_config(&config);
        for value in [&context.tenant, &context.subscription, &context.deployer] {
            assert_eq!(text(value, "tenantId"), "t");
        }
        assert_eq!(
            context.management_group.get("properties").map(|properties| text(properties, "tenantId")).as_deref(),
            Some("t")
        );
    }
}
