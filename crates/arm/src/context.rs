//! Environment of a deployment, as expressions see it. Nothing is read from the machine, so runs are reproducible;
//! settings describe the environment that a deployment targets.

use crate::cloud;
use crate::model::Assumptions;
use crate::value::{Data, Ends, Kind, Member, Traits, Unknown, Value};

/// The placeholder for every ID that the settings do not set.
pub(super) const PLACEHOLDER_ID: &str = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/// Placeholders for names that the settings do not set. `PSRule` uses the same ones, so that both tools compute the
/// same values; messages show [`ELLIPSIS`] instead.
const RESOURCE_GROUP: &str = "ps-rule-test-rg";
const DEPLOYMENT: &str = "ps-rule-test-deployment";
const MANAGEMENT_GROUP: &str = "psrule-test";

/// Returns `true` if `segment` of an ID is a placeholder for a subscription, a group or a deployment that the settings
/// do not name.
pub fn is_assumed(segment: &str) -> bool {
    [PLACEHOLDER_ID, RESOURCE_GROUP, DEPLOYMENT, MANAGEMENT_GROUP].contains(&segment)
}

/// Text that messages show for a name that is not set.
const ELLIPSIS: &str = "…";

/// The results of `subscription()`, `resourceGroup()` and similar functions, and values for parameters that are not set.
#[derive(Clone, Debug)]
pub struct Context {
    /// The value of `subscription()`, unless a deployment names another one.
    pub subscription: Value,
    /// The value of `resourceGroup()`, unless a deployment names another one. Its location and tags are unknown unless
    /// the settings set them.
    pub resource_group: Value,
    /// True if the settings name the resource group, so that its properties do not apply to other groups.
    pub has_named_group: bool,
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
    /// Names of properties that must not hold a literal secret.
    pub sensitive_properties: Vec<String>,
    /// Names of parameters that hold no secret, although they sound like it.
    pub nonsensitive_parameters: Vec<String>,
}

/// The default of `AZURE_DEPLOYMENT_SENSITIVE_PROPERTY_NAMES`.
const SENSITIVE_PROPERTIES: &[&str] = &["adminUsername", "administratorLogin", "administratorLoginPassword"];

impl Default for Context {
    fn default() -> Self {
        Self::new(&Assumptions::default())
    }
}

impl Context {
    /// Creates the context of a run with these assumptions. Settings that are not set have defaults.
    pub fn new(assumptions: &Assumptions) -> Self {
        let given = |option: &Option<Value>| option.clone().unwrap_or(Value::NULL);
        let tenant = tenant(&given(&assumptions.tenant));
        let tenant_id = member(&tenant, "tenantId");
        let subscription = subscription(&given(&assumptions.subscription), &tenant_id);
        let given_group = given(&assumptions.resource_group);
        let resource_group = resource_group(&given_group, &member(&subscription, "id"));
        let management_group = management_group(&given(&assumptions.management_group), &tenant_id);
        let deployer = Value::object(vec![
            Member::new("objectId", placeholder(PLACEHOLDER_ID)),
            Member::new("tenantId", tenant_id),
            Member::new("userPrincipalName", placeholder("psrule-test@contoso.com")),
        ]);
        let deployer = overlay(deployer, &given(&assumptions.deployer));
        let sensitive_by_default = || SENSITIVE_PROPERTIES.iter().map(|&name| name.to_owned()).collect();
        Self {
            subscription,
            resource_group,
            has_named_group: given_group.as_str().is_some() || given_group.get("name").is_some(),
            tenant,
            management_group,
            deployer,
            environment: cloud::environment(assumptions.cloud.as_deref().unwrap_or(cloud::PUBLIC)),
            deployment_name: assumptions.deployment_name.as_deref().unwrap_or(DEPLOYMENT).to_owned(),
            parameter_defaults: given(&assumptions.parameter_defaults),
            sensitive_properties: assumptions.sensitive_properties.clone().unwrap_or_else(sensitive_by_default),
            nonsensitive_parameters: assumptions.nonsensitive_parameters.clone().unwrap_or_default(),
        }
    }

    /// Returns the location of a deployment that does not target a resource group: the location of the resource group
    /// in the settings.
    pub(super) fn deployment_location(&self) -> Value {
        let location = self.resource_group.get("location").cloned().unwrap_or(Value::NULL);
        match location.as_unknown() {
            Some(unknown) => {
                let why =
                    "the location of the deployment is chosen when it starts, unless `AZURE_RESOURCE_GROUP` sets it";
                let like = Unknown::like(Kind::String, why, unknown.approximation.clone());
                let traits = Traits::ASSUMED | Traits::PLACEHOLDER;
                Value::unknown(Unknown { ends: unknown.ends.clone(), ..like }).with_traits(traits)
            }
            None => location,
        }
    }

    /// Returns `text` for a message: without the placeholders for names and IDs that the settings do not set.
    pub(super) fn shown(&self, text: &str) -> String {
        let mut shown = text.to_owned();
        for name in self.placeholders() {
            if shown.contains(name) {
                shown = shown.replace(name, ELLIPSIS);
            }
        }
        shown
    }

    /// Returns the traits of a name or an ID: [`Traits::PLACEHOLDER`] if a part of it is a placeholder for a name that
    /// the settings do not set.
    pub(super) fn traits_of(&self, text: &str) -> Traits {
        if self.placeholders().any(|name| text.contains(name)) { Traits::PLACEHOLDER } else { Traits::NONE }
    }

    /// Returns the certain parts of a string with placeholders. `None` if it has none.
    pub(super) fn ends_of(&self, text: &str) -> Option<Ends> {
        let first = self.placeholders().filter_map(|name| text.find(name)).min()?;
        let last = self.placeholders().filter_map(|name| Some(text.rfind(name)? + name.len())).max()?;
        let is_filled = !text.get(first..last)?.contains(char::is_whitespace);
        Some(Ends {
            start: text.get(..first)?.to_owned(),
            end: text.get(last..)?.to_owned(),
            is_filled,
            ..Ends::default()
        })
    }

    /// Returns `true` if `id` is the ID of the scope that a template is deployed to, or of an enclosing scope.
    pub(super) fn is_own(&self, id: &str) -> bool {
        let scopes = [&self.resource_group, &self.subscription, &self.management_group, &self.tenant];
        id == "/" || scopes.iter().any(|scope| scope.get("id").and_then(Value::as_str) == Some(id))
    }

    /// Returns the placeholders for names and IDs that the settings do not set.
    fn placeholders(&self) -> impl Iterator<Item = &'static str> {
        let is = |value: &Value, default: &str| value.get("name").and_then(Value::as_str) == Some(default);
        let assumed = [
            (PLACEHOLDER_ID, true),
            (RESOURCE_GROUP, is(&self.resource_group, RESOURCE_GROUP)),
            (DEPLOYMENT, self.deployment_name == DEPLOYMENT),
            (MANAGEMENT_GROUP, is(&self.management_group, MANAGEMENT_GROUP)),
        ];
        assumed.into_iter().filter(|(_, is_assumed)| *is_assumed).map(|(name, _)| name)
    }

    /// Returns the context that a `configuration:` map describes: see [`Assumptions::from_config`].
    pub fn from_config(config: &Value) -> Self {
        Self::new(&Assumptions::from_config(config))
    }
}

fn subscription(option: &Value, tenant_id: &Value) -> Value {
    let defaults = Value::object(vec![
        Member::new("subscriptionId", placeholder(PLACEHOLDER_ID)),
        Member::new("tenantId", tenant_id.clone()),
        Member::new("displayName", placeholder("PSRule Test Subscription")),
        Member::new("state", placeholder("NotDefined")),
    ]);
    let value = overlay(defaults, option);
    let id = beneath("/subscriptions", &member(&value, "subscriptionId"));
    with_first(value, "id", id)
}

fn tenant(option: &Value) -> Value {
    let defaults = [("countryCode", "US"), ("displayName", "PSRule"), ("tenantId", PLACEHOLDER_ID)];
    let defaults = defaults.map(|(key, value)| Member::new(key, placeholder(value)));
    let value = overlay(Value::object(defaults.into()), option);
    let id = beneath("/tenants", &member(&value, "tenantId"));
    with_first(value, "id", id)
}

fn resource_group(option: &Value, subscription: &Value) -> Value {
    let state = Value::object(vec![Member::new("provisioningState", Value::from("Succeeded"))]);
    let defaults = Value::object(vec![
        Member::new("name", placeholder(RESOURCE_GROUP)),
        Member::new("type", Value::from("Microsoft.Resources/resourceGroups")),
        Member::new("location", group_location(Value::from("eastus"))),
        Member::new("tags", group_tags()),
        Member::new("managedBy", Value::NULL),
        Member::new("properties", state),
    ]);
    // A resource group may be given by its name alone.
    let option = option.as_str().map_or_else(|| option.clone(), |name| object(&[("name", name)]));
    let value = overlay(defaults, &option);
    let groups = format!("{}/resourceGroups", subscription.as_str().unwrap_or_default());
    let id = beneath(&groups, &member(&value, "name"));
    with_first(value, "id", Value { traits: id.traits | subscription.traits, ..id })
}

/// Returns the location of a resource group that neither the settings nor the deployment sets, with an approximation.
pub(super) fn group_location(approximation: Value) -> Value {
    let why = "only Azure knows the location of the resource group, unless `AZURE_RESOURCE_GROUP` sets it";
    let name = Ends { is_filled: true, ..Ends::default() };
    let traits = Traits::ASSUMED | Traits::PLACEHOLDER;
    Value::unknown(Unknown::like(Kind::String, why, approximation).between(name)).with_traits(traits)
}

/// Returns the tags of a resource group that neither the settings nor the deployment sets.
pub(super) fn group_tags() -> Value {
    let why = "only Azure knows the tags of the resource group, unless `AZURE_RESOURCE_GROUP` sets them";
    Value::unknown(Unknown::new(Kind::Object, why)).with_traits(Traits::PLACEHOLDER)
}

fn management_group(option: &Value, tenant_id: &Value) -> Value {
    const GROUPS: &str = "/providers/Microsoft.Management/managementGroups";
    let parent = Value::object(vec![
        Member::new("displayName", placeholder("Tenant Root Group")),
        Member::new("id", beneath(GROUPS, tenant_id)),
        Member::new("name", tenant_id.clone()),
    ]);
    let details = Value::object(vec![
        Member::new("parent", parent),
        Member::new("updatedBy", placeholder("00000000-0000-0000-0000-000000000000")),
        Member::new("updatedTime", placeholder("2020-07-23T21:05:52.661306Z")),
        Member::new("version", placeholder("1")),
    ]);
    let properties = Value::object(vec![
        Member::new("displayName", placeholder("PSRule Test Management Group")),
        Member::new("tenantId", tenant_id.clone()),
        Member::new("details", details),
    ]);
    let defaults = Value::object(vec![
        Member::new("name", placeholder(MANAGEMENT_GROUP)),
        Member::new("type", Value::from("/providers/Microsoft.Management/managementGroups")),
        Member::new("properties", properties),
    ]);
    let option = option.as_str().map_or_else(|| option.clone(), |name| object(&[("name", name)]));
    let value = overlay(defaults, &option);
    let id = beneath(GROUPS, &member(&value, "name"));
    with_first(value, "id", id)
}

fn object(members: &[(&str, &str)]) -> Value {
    Value::object(members.iter().map(|&(key, value)| Member::new(key, Value::from(value))).collect())
}

/// Overrides members of `base` by members of `over`, recursively for nested objects. A null in `over` overrides
/// nothing.
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

/// Inserts a member before the others, and removes the earlier member with the same key.
fn with_first(value: Value, key: &str, first: Value) -> Value {
    let mut members = vec![Member::new(key, first)];
    let others = value.as_object().into_iter().flatten();
    members.extend(others.filter(|member| !member.key.eq_ignore_ascii_case(key)).cloned());
    Value::object(members)
}

/// Returns a string that is a placeholder for one that the settings do not set.
fn placeholder(text: &str) -> Value {
    Value::from(text).with_traits(Traits::PLACEHOLDER | Traits::INTACT)
}

/// Returns the ID below `parent` for `name`, which is a placeholder if the name is.
fn beneath(parent: &str, name: &Value) -> Value {
    let id = format!("{parent}/{}", name.as_str().unwrap_or_default());
    Value::from(id).with_traits(name.traits)
}

/// Returns the member `key` of `value`; an empty string if there is none.
fn member(value: &Value, key: &str) -> Value {
    value.get(key).filter(|member| member.as_str().is_some()).cloned().unwrap_or_else(|| Value::from(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(value: &Value, key: &str) -> String {
        value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    #[test]
    fn what_the_settings_do_not_set_is_a_placeholder() {
        let is_placeholder = |value: &Value, key: &str| value.get(key).unwrap().traits.has(Traits::PLACEHOLDER);
        let context = Context::default();
        for (value, key) in [
            (&context.subscription, "id"),
            (&context.subscription, "tenantId"),
            (&context.resource_group, "id"),
            (&context.resource_group, "name"),
            (&context.tenant, "countryCode"),
            (&context.management_group, "name"),
            (&context.deployer, "objectId"),
        ] {
            assert!(is_placeholder(value, key), "{key}");
        }
        let config = Value::object(vec![
            Member::new("AZURE_SUBSCRIPTION", object(&[("subscriptionId", "s")])),
            Member::new("AZURE_TENANT", object(&[("tenantId", "t")])),
            Member::new("AZURE_RESOURCE_GROUP", Value::from("rg")),
        ]);
        let context = Context::from_config(&config);
        for (value, key) in [
            (&context.subscription, "id"),
            (&context.subscription, "tenantId"),
            (&context.resource_group, "id"),
            (&context.resource_group, "name"),
            (&context.resource_group, "type"),
            (&context.deployer, "tenantId"),
        ] {
            assert!(!is_placeholder(value, key), "{key}");
        }
        assert!(is_placeholder(&context.subscription, "displayName"));
    }

    #[test]
    fn an_override_keeps_the_other_defaults() {
        let config = Value::object(vec![
            Member::new("azure_subscription", object(&[("subscriptionId", "s")])),
            Member::new("AZURE_RESOURCE_GROUP", Value::from("rg")),
        ]);
        let context = Context::from_config(&config);
        assert_eq!(text(&context.subscription, "displayName"), "PSRule Test Subscription");
        assert_eq!(text(&context.resource_group, "id"), "/subscriptions/s/resourceGroups/rg");
        assert!(context.resource_group.get("location").unwrap().as_unknown().is_some());
        assert!(context.has_named_group);
    }

    #[test]
    fn messages_do_not_show_names_that_nobody_has_set() {
        let id = "/subscriptions/ffffffff-ffff-ffff-ffff-ffffffffffff/resourceGroups/ps-rule-test-rg/providers/A.B/c/n";
        assert_eq!(Context::default().shown(id), "/subscriptions/…/resourceGroups/…/providers/A.B/c/n");
        let own = Context::from_config(&Value::object(vec![Member::new("AZURE_RESOURCE_GROUP", Value::from("rg"))]));
        assert_eq!(own.shown("/resourceGroups/rg"), "/resourceGroups/rg");
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
