//! Gradual deployments with `CodeDeploy`, which `DeploymentPreference` of functions asks for.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/automating-updates-to-serverless-apps.html>.

use crate::sam::build::{
    Draft, Fields, Origin, get, get_att, given_property, object, reference, strings, sub_with, tag_list, trust,
};
use crate::sam::intrinsics::{call, choice, is_no_value};
use crate::sam::{Sam, Source};
use crate::value::{Member, Str, Value};

/// The logical ID of the `CodeDeploy` application.
const APPLICATION: &str = "ServerlessDeploymentApplication";

/// The logical ID of the role of `CodeDeploy`.
const ROLE: &str = "CodeDeployServiceRole";

/// The condition of both, if all deployments have one.
const CONDITION: &str = "ServerlessCodeDeployCondition";

/// Configurations of `CodeDeploy` that are known by the end of their name.
const PREDEFINED: [&str; 9] = [
    "AllAtOnce",
    "Canary10Percent10Minutes",
    "Canary10Percent15Minutes",
    "Canary10Percent30Minutes",
    "Canary10Percent5Minutes",
    "Linear10PercentEvery10Minutes",
    "Linear10PercentEvery1Minute",
    "Linear10PercentEvery2Minutes",
    "Linear10PercentEvery3Minutes",
];

/// State that the deployments of a template share.
#[derive(Debug, Default)]
pub(super) struct Deployments {
    groups: Vec<Draft>,
    origin: Option<Origin>,
    is_role_needed: bool,
    is_unconditional: bool,
    conditions: Vec<Str>,
    tags: Fields,
}

/// Returns `true` if a value means `true`: a Boolean, or a string in any case.
fn is_true(value: &Value) -> bool {
    value.as_bool() == Some(true) || value.as_str().is_some_and(|text| text.eq_ignore_ascii_case("true"))
}

impl Sam<'_, '_> {
    /// Adds the deployment group of a function, and the update policy of its alias.
    pub(super) fn deployment_preference(&mut self, source: &Source, alias: &mut Draft) {
        let Some(preference) = source.given_property("DeploymentPreference") else { return };
        let enabled = get(preference, "Enabled").map(|enabled| self.resolved(enabled));
        if enabled.is_some_and(|enabled| {
            enabled.as_bool() == Some(false) || matches!(enabled.as_str(), Some("false" | "False"))
        }) {
            return;
        }
        let origin = Origin { attributes: Fields::default(), ..source.origin.clone() };
        let mut group =
            Draft::new(format!("{}DeploymentGroup", source.id), "AWS::CodeDeploy::DeploymentGroup", &origin)
                .with("ApplicationName", reference(APPLICATION))
                .with("AutoRollbackConfiguration", rollback())
                .with("DeploymentStyle", style())
                .with("ServiceRoleArn", get_att(ROLE, "Arn"));
        group.attributes.set_some("Metadata", source.origin.attributes.get("Metadata").cloned());
        let kind = get(preference, "Type").map(|kind| configuration(&self.resolved(kind), false));
        group.set("DeploymentConfigName", kind);
        group.set("AlarmConfiguration", given_property(preference, "Alarms").and_then(alarms));
        group.set("ServiceRoleArn", given_property(preference, "Role").cloned());
        group.copy(preference, &["TriggerConfigurations"]);
        let is_propagated = source.given_property("PropagateTags").is_some() && source.given_property("Tags").is_some();
        if is_propagated {
            group.set("Tags", Value::array(tag_list(source.get("Tags"))));
        }
        let passes = get(preference, "PassthroughCondition").is_some_and(|passes| is_true(&self.resolved(passes)));
        let condition = source.origin.condition().filter(|_| passes).cloned();
        if let Some(condition) = &condition {
            group.attributes.set("Condition", Value::from(condition.clone()));
        }
        let update = update_policy(preference, &group.id);
        alias.attributes.set("UpdatePolicy", update);
        let shared = &mut self.deployments;
        shared.origin.get_or_insert(origin);
        shared.is_role_needed |= given_property(preference, "Role").is_none();
        match condition {
            Some(condition) if shared.conditions.contains(&condition) => {}
            Some(condition) => shared.conditions.push(condition),
            None => shared.is_unconditional = true,
        }
        if is_propagated {
            source
                .get("Tags")
                .and_then(Value::as_object)
                .into_iter()
                .flatten()
                .for_each(|tag| shared.tags.put(tag.clone()));
        }
        shared.groups.push(group);
    }

    /// Adds the application, the role and the groups of all deployments.
    pub(super) fn deployments(&mut self) {
        let Deployments { groups, origin, is_role_needed, is_unconditional, mut conditions, tags } =
            std::mem::take(&mut self.deployments);
        let Some(origin) = origin else { return };
        let mut application = Draft::new(APPLICATION, "AWS::CodeDeploy::Application", &origin)
            .with("ComputePlatform", Value::from("Lambda"));
        let managed = Value::array(vec![self.managed_policy("service-role/AWSCodeDeployRoleForLambda")]);
        let mut role = Draft::new(ROLE, "AWS::IAM::Role", &origin)
            .with("AssumeRolePolicyDocument", trust("codedeploy.amazonaws.com"))
            .with("ManagedPolicyArns", managed);
        conditions.sort();
        let condition = match conditions.as_slice() {
            [] => None,
            _ if is_unconditional => None,
            [only] => Some(only.clone()),
            all => {
                self.any_of(CONDITION, all);
                Some(Str::from(CONDITION))
            }
        };
        for draft in [&mut application, &mut role] {
            if tags.len() > 0 {
                draft.set("Tags", Value::array(tag_list(Some(&tags.clone().into_value()))));
            }
            if let Some(condition) = &condition {
                draft.attributes.set("Condition", Value::from(condition.clone()));
            }
        }
        let slot = self.output.last();
        self.output.add(slot, application);
        if is_role_needed {
            self.output.add(slot, role);
        }
        for group in groups {
            self.output.add(slot, group);
        }
    }

    /// Adds a condition that holds if any of these does. A function takes at most ten, so more are nested.
    pub(super) fn any_of(&mut self, name: &str, conditions: &[Str]) {
        const MOST: usize = 10;
        let reference = |name: &Str| object([("Condition", Value::from(name.clone()))]);
        let mut left: Vec<Str> = conditions.to_vec();
        let mut more = left.len().saturating_sub(2) / (MOST - 1);
        while left.len() > 1 {
            let id = if more > 0 { Str::from(format!("{name}{more}")) } else { Str::from(name) };
            more = more.saturating_sub(1);
            let part: Vec<Value> = left.drain(..left.len().min(MOST)).map(|name| reference(&name)).collect();
            self.output.conditions.set(id.clone(), object([("Fn::Or", Value::array(part))]));
            left.push(id);
        }
    }
}

fn update_policy(preference: &Value, group: &Str) -> Value {
    let mut update = Fields::default();
    update.set("ApplicationName", reference(APPLICATION));
    update.set("DeploymentGroupName", reference(group));
    let hook = |name: &str| get(preference, "Hooks").and_then(|hooks| get(hooks, name)).cloned();
    update.set_some("BeforeAllowTrafficHook", hook("PreTraffic"));
    update.set_some("AfterAllowTrafficHook", hook("PostTraffic"));
    object([("CodeDeployLambdaAliasUpdate", update.into_value())])
}

fn rollback() -> Value {
    let events = strings(["DEPLOYMENT_FAILURE", "DEPLOYMENT_STOP_ON_ALARM", "DEPLOYMENT_STOP_ON_REQUEST"]);
    object([("Enabled", Value::from(true)), ("Events", events)])
}

fn style() -> Value {
    let option = Value::from("WITH_TRAFFIC_CONTROL");
    object([("DeploymentType", Value::from("BLUE_GREEN")), ("DeploymentOption", option)])
}

/// Returns the alarms that stop a deployment: a list of names, or a choice of lists.
fn alarms(written: &Value) -> Option<Value> {
    if let Some((condition, then, otherwise)) = choice(written) {
        let branch = |value: &Value| alarms(value).unwrap_or_else(|| value.clone());
        let parts = vec![Value::from(condition.clone()), branch(then), branch(otherwise)];
        return Some(object([("Fn::If", Value::array(parts))]));
    }
    let names = written.as_array()?;
    if names.first().is_none_or(is_no_value) {
        return Some(object([]));
    }
    let names = names.iter().map(|name| object([("Name", name.clone())])).collect();
    Some(object([("Enabled", Value::from(true)), ("Alarms", Value::array(names))]))
}

/// Returns the name of a configuration of `CodeDeploy`, from the type of a deployment.
fn configuration(kind: &Value, is_text: bool) -> Value {
    if let Some(name) = kind.as_str().filter(|name| PREDEFINED.contains(name)) {
        let full = sub_with("CodeDeployDefault.Lambda${ConfigName}", [("ConfigName", Value::from(name))]);
        let inner = get(&full, "Fn::Sub").filter(|_| is_text).cloned();
        return inner.unwrap_or(full);
    }
    if let Some(items) = kind.as_array() {
        return Value {
            span: kind.span,
            ..Value::array(items.iter().map(|item| configuration(item, false)).collect())
        };
    }
    match call(kind) {
        Some(call) => {
            let value = configuration(&call.value, *call.key == *"Fn::Sub");
            Value { span: kind.span, ..Value::object(vec![Member { value, ..call.clone() }]) }
        }
        None => kind.clone(),
    }
}
