//! Functions that describe the scope of the deployment.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-scope>.

use crate::context::{group_location, group_tags};
use crate::diagnostic::Code;
use crate::eval::{Evaluator, Frames};
use crate::fault::Fault;
use crate::functions::{Args, Function, exactly, scoped};
use crate::scope::{DeploymentScope, normal_location};
use crate::value::{Kind, Member, Unknown, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    scoped("managementGroup", exactly(0), Kind::Object, management_group),
    scoped("resourceGroup", exactly(0), Kind::Object, resource_group),
    scoped("subscription", exactly(0), Kind::Object, subscription),
    scoped("tenant", exactly(0), Kind::Object, tenant),
];

/// `managementGroup()`: the management group that is deployed to. Fails at other scopes, as in Azure.
fn management_group(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let configured = &evaluator.world.context.management_group;
    match &evaluator.level.scope {
        DeploymentScope::ManagementGroup(name) => Ok(renamed(evaluator, configured, name, &evaluator.level.scope.id())),
        _ if evaluator.level.is_scope_assumed => Ok(configured.clone()),
        other => Err(unavailable(args.function(), other)),
    }
}

/// `resourceGroup()`: the resource group that is deployed to. Fails at other scopes, as in Azure. Its location and tags
/// are those that the deployment declares if it creates the group, or else those of the settings.
fn resource_group(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let scope = &evaluator.level.scope;
    let DeploymentScope::ResourceGroup { name, .. } = scope else {
        return Err(unavailable(args.function(), scope));
    };
    let (context, id) = (evaluator.world.context, scope.id());
    let configured = &context.resource_group;
    let group = renamed(evaluator, configured, name, &id);
    if let Some(declared) = evaluator.world.resources.group(evaluator, &id) {
        return Ok(with_members(&group, &[("location", location(&declared)), ("tags", tags(&declared))]));
    }
    let is_configured =
        configured.get("name").and_then(Value::as_str).is_some_and(|own| own.eq_ignore_ascii_case(name));
    let is_other = context.has_named_group && !is_configured;
    Ok(if is_other {
        with_members(&group, &[("location", elsewhere(configured)), ("tags", group_tags())])
    } else {
        group
    })
}

/// Returns the location of a resource group with this declaration, in Azure's form.
fn location(declared: &Value) -> Value {
    let normal = |value: &Value| match value.as_str() {
        Some(text) => Value { data: Value::from(normal_location(text)).data, ..value.clone() },
        None => value.clone(),
    };
    match (declared.get("location"), declared.as_unknown()) {
        (Some(location), _) => normal(location),
        (None, Some(unknown)) => {
            let known = unknown.approximation.get("location").map_or(Value::from(""), normal);
            Value::unknown(Unknown::like(Kind::String, unknown.why.clone(), known))
        }
        (None, None) => group_location(Value::from("")),
    }
}

/// Returns the tags of a resource group with this declaration. A policy may add others.
fn tags(declared: &Value) -> Value {
    let why = "only Azure knows all tags of the resource group";
    match declared.get("tags") {
        Some(tags) if tags.as_object().is_some() => {
            Value { span: tags.span, via: tags.via.clone(), ..Value::unknown(Unknown::open(why, tags.clone())) }
        }
        Some(tags) if tags.as_unknown().is_some() => tags.clone(),
        _ => Value::unknown(Unknown::new(Kind::Object, why)),
    }
}

/// Returns the unknown location of another resource group, with the configured location as its approximation.
fn elsewhere(configured: &Value) -> Value {
    group_location(configured.get("location").map_or(Value::from(""), Value::approximate))
}

/// `subscription()`: the subscription that is deployed to. Fails in a management group or the tenant, as in Azure.
fn subscription(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let configured = &evaluator.world.context.subscription;
    match evaluator.level.scope.subscription() {
        Some(own) => {
            let id = format!("/subscriptions/{own}");
            let told = |text: &str| Value::from(text).with_traits(evaluator.world.context.traits_of(text));
            Ok(with_members(configured, &[("id", told(&id)), ("subscriptionId", told(own))]))
        }
        None => Err(unavailable(args.function(), &evaluator.level.scope)),
    }
}

/// `tenant()`: the configured tenant.
fn tenant(evaluator: &Evaluator<'_>, _: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    Ok(evaluator.world.context.tenant.clone())
}

fn unavailable(function: &str, scope: &DeploymentScope) -> Fault {
    Fault::new(
        Code::ExpressionPlacement,
        format!("`{function}()` is not available in a deployment to a {}", scope.words()),
    )
}

fn renamed(evaluator: &Evaluator<'_>, value: &Value, name: &str, id: &str) -> Value {
    let told = |text: &str| Value::from(text).with_traits(evaluator.world.context.traits_of(text));
    with_members(value, &[("id", told(id)), ("name", told(name))])
}

/// Returns the object with the values of some members replaced. Shared, not copied, if they already have these values.
fn with_members(value: &Value, members: &[(&str, Value)]) -> Value {
    let is_set = |(key, new): &(&str, Value)| value.get(key).is_some_and(|old| old.same(new));
    if members.iter().all(is_set) {
        return value.clone();
    }
    let replaced = |member: &Member| {
        let new = members.iter().find(|(key, _)| member.key.eq_ignore_ascii_case(key));
        new.map_or_else(|| member.clone(), |(_, value)| Member { value: value.clone(), ..member.clone() })
    };
    Value::object(value.as_object().into_iter().flatten().map(replaced).collect())
}
