//! Functions that describe the scope of the deployment.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-scope>.

use crate::arm::eval::{Evaluator, Frames};
use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Function, exactly, scoped};
use crate::arm::scope::DeploymentScope;
use crate::diagnostic::Code;
use crate::value::{Kind, Member, Value};

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
        DeploymentScope::ManagementGroup(name) => Ok(renamed(configured, name, &evaluator.level.scope.id())),
        _ if evaluator.level.is_scope_assumed => Ok(configured.clone()),
        other => Err(unavailable(args.function(), other)),
    }
}

/// `resourceGroup()`: the resource group that is deployed to. Fails at other scopes, as in Azure.
fn resource_group(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    match &evaluator.level.scope {
        scope @ DeploymentScope::ResourceGroup { name, .. } => {
            Ok(renamed(&evaluator.world.context.resource_group, name, &scope.id()))
        }
        other => Err(unavailable(args.function(), other)),
    }
}

/// `subscription()`: the subscription that is deployed to. Fails at other scopes, as in Azure.
fn subscription(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let configured = &evaluator.world.context.subscription;
    let own = evaluator.level.scope.subscription();
    let id = own.map(|subscription| format!("/subscriptions/{subscription}"));
    Ok(match (own, id) {
        (Some(subscription), Some(id)) => with_members(configured, &[("id", &id), ("subscriptionId", subscription)]),
        _ if evaluator.level.is_scope_assumed => configured.clone(),
        _ => return Err(unavailable(args.function(), &evaluator.level.scope)),
    })
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

fn renamed(value: &Value, name: &str, id: &str) -> Value {
    with_members(value, &[("id", id), ("name", name)])
}

/// The object with the strings of some members replaced. Shared, not copied, if they already have these values.
fn with_members(value: &Value, texts: &[(&str, &str)]) -> Value {
    let is_set = |&(key, text): &(&str, &str)| value.get(key).and_then(Value::as_str) == Some(text);
    if texts.iter().all(is_set) {
        return value.clone();
    }
    let replaced = |member: &Member| {
        let text = texts.iter().find(|(key, _)| member.key.eq_ignore_ascii_case(key));
        text.map_or_else(|| member.clone(), |&(_, text)| Member { value: Value::from(text), ..member.clone() })
    };
    Value::object(value.as_object().into_iter().flatten().map(replaced).collect())
}
