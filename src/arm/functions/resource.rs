//! Functions that speak of resources: their ids, and what only a deployment knows of them.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-resource>.

use crate::arm::eval::{Evaluator, Frames};
use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Function, at_least, between, exactly, scoped};
use crate::arm::scope::{DeploymentScope, resource_id};
use crate::diagnostic::Code;
use crate::value::{Kind, Member, Object, Traits, Unknown, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    scoped("extensionResourceId", at_least(3), Kind::String, extension_resource_id),
    scoped("listOutputsWithSecureValues", between(2, 3), Kind::Object, outputs_with_secure_values),
    scoped("managementGroupResourceId", at_least(2), Kind::String, management_group_resource_id),
    scoped("providers", between(1, 2), Kind::Object, providers),
    scoped("reference", between(1, 3), Kind::Object, reference),
    scoped("references", between(1, 2), Kind::Array, references),
    scoped("resourceId", at_least(2), Kind::String, resource_id_),
    scoped("resourceInfo", exactly(1), Kind::Object, resource_info),
    scoped("roleDefinitions", exactly(1), Kind::Object, role_definitions),
    scoped("subscriptionResourceId", at_least(2), Kind::String, subscription_resource_id),
    scoped("target", between(0, 1), Kind::Object, target),
    scoped("tenantResourceId", at_least(2), Kind::String, tenant_resource_id),
];

/// `list*(resource, apiVersion, [body])`: whatever a resource provider offers under a name that begins with `list`.
pub(super) static LIST: Function = scoped("list*", between(2, 3), Kind::Any, list);

/// `resourceId([subscription], [resourceGroup], type, name, …)` in the scope of the deployment.
fn resource_id_(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (leading, type_name, names) = split(args, 2)?;
    let scope = match (leading.as_slice(), &evaluator.level.scope) {
        ([], scope) => scope.clone(),
        (
            [group],
            DeploymentScope::ResourceGroup { subscription, .. } | DeploymentScope::Subscription(subscription),
        ) => DeploymentScope::ResourceGroup { subscription: subscription.clone(), name: (*group).to_owned() },
        ([subscription, group], _) => {
            DeploymentScope::ResourceGroup { subscription: (*subscription).to_owned(), name: (*group).to_owned() }
        }
        ([_], other) => {
            let message =
                format!("a deployment to a {} has no subscription to find the resource group in", other.kind());
            return Err(Fault::failed(message));
        }
        _ => {
            return Err(Fault::arguments(
                "`resourceId` takes at most a subscription and a resource group before the type",
            ));
        }
    };
    Ok(Value::from(resource_id(&scope_prefix(&scope, type_name), type_name, &names)))
}

/// `subscriptionResourceId([subscription], type, name, …)`
fn subscription_resource_id(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (leading, type_name, names) = split(args, 1)?;
    let configured = evaluator.world.context.subscription.get("subscriptionId").and_then(Value::as_str);
    let own = evaluator.level.scope.subscription().or(configured).unwrap_or_default();
    let subscription = leading.first().copied().unwrap_or(own);
    Ok(Value::from(resource_id(&format!("/subscriptions/{subscription}"), type_name, &names)))
}

/// `tenantResourceId(type, name, …)`
fn tenant_resource_id(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (_, type_name, names) = split(args, 0)?;
    Ok(Value::from(resource_id("", type_name, &names)))
}

/// `managementGroupResourceId([managementGroup], type, name, …)`
fn management_group_resource_id(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (leading, type_name, names) = split(args, 1)?;
    let configured = evaluator.world.context.management_group.get("name").and_then(Value::as_str);
    let own = match &evaluator.level.scope {
        DeploymentScope::ManagementGroup(name) => name.as_str(),
        _ => configured.unwrap_or_default(),
    };
    let scope = DeploymentScope::ManagementGroup(leading.first().copied().unwrap_or(own).to_owned());
    Ok(Value::from(resource_id(&scope.prefix(), type_name, &names)))
}

/// `extensionResourceId(baseResourceId, type, name, …)`
fn extension_resource_id(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let texts = texts(args)?;
    let [base, type_name, names @ ..] = texts.as_slice() else {
        return Err(Fault::arguments("`extensionResourceId` takes an id, a type and names"));
    };
    check_segments(type_name, names)?;
    Ok(Value::from(resource_id(base.trim_end_matches('/'), type_name, &names.join("/"))))
}

fn texts(args: Args<'_>) -> Result<Vec<&str>, Fault> {
    (0..args.len()).map(|index| args.at(index)).collect()
}

/// What stands before the type (at most `max_leading` texts), the type (the first argument with a slash), and the names
/// joined by slashes.
fn split(args: Args<'_>, max_leading: usize) -> Result<(Vec<&str>, &str, String), Fault> {
    let mut texts = texts(args)?;
    let found = texts.iter().take(max_leading + 1).position(|text| text.contains('/'));
    let Some(at) = found else {
        let message = format!("`{}` finds no type among its arguments: a type has a `/`", args.function());
        return Err(Fault::arguments(message));
    };
    let names = texts.split_off(at + 1);
    // Resource Manager accepts a type with a slash at its end, and templates in the wild have it.
    let type_name = texts.remove(at).trim_end_matches('/');
    check_segments(type_name, &names)?;
    Ok((texts, type_name, names.join("/")))
}

fn check_segments(type_name: &str, names: &[&str]) -> Result<(), Fault> {
    let wanted = type_name.split('/').count().saturating_sub(1);
    if names.len() == wanted && wanted > 0 {
        return Ok(());
    }
    let found = names.len();
    Err(Fault::arguments(format!("type `{type_name}` has {wanted} segments behind its namespace, found {found} names")))
}

fn scope_prefix(scope: &DeploymentScope, type_name: &str) -> String {
    match (scope.subscription(), type_name.eq_ignore_ascii_case("Microsoft.Resources/resourceGroups")) {
        (Some(subscription), true) => format!("/subscriptions/{subscription}"),
        _ => scope.prefix(),
    }
}

/// `reference(resource, [apiVersion], ['Full'])`: the state of a resource. Of one in this deployment what its template
/// says is known; everything else only a deployment can know.
fn reference(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (target, _, view): (&str, Option<&str>, Option<&str>) = args.get()?;
    let full = view.is_some_and(|view| view.eq_ignore_ascii_case("full"));
    if let Some(result) = evaluator.world.resources.reference(evaluator, target, full) {
        return result;
    }
    let why = format!("`{target}` is not in this deployment, so its state is known only in Azure");
    Ok(Value::unknown(Unknown::new(Kind::Object, why)))
}

/// `references(loop, ['Full'])`: the states of all resources of a loop, by its symbolic name.
fn references(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (symbol, view): (&str, Option<&str>) = args.get()?;
    let full = match view {
        None => false,
        Some(view) if view.eq_ignore_ascii_case("properties") => false,
        Some(view) if view.eq_ignore_ascii_case("full") => true,
        Some(_) => return Err(args.mismatch(1, "`Full` or `Properties`")),
    };
    if let Some(result) = evaluator.world.resources.references(evaluator, symbol, full) {
        return result;
    }
    let why = format!("the loop `{symbol}` is not in this deployment");
    Ok(Value::unknown(Unknown::new(Kind::Array, why)))
}

/// `resourceInfo(symbol)`: id, name, type and API version of a resource, without its state.
fn resource_info(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (symbol,): (&str,) = args.get()?;
    let info = evaluator.world.resources.info(evaluator, symbol);
    info.ok_or_else(|| Fault::new(Code::ExpressionUndefined, format!("there is no resource `{symbol}`")))
}

/// `target(['full'])`: the state that the resource around the expression has before it is deployed, if it exists.
fn target(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (view,): (Option<&str>,) = args.get()?;
    if view.is_some_and(|view| !view.eq_ignore_ascii_case("full")) {
        return Err(args.mismatch(0, "`full`"));
    }
    let why = "only Azure knows whether the resource exists already, and how";
    Ok(Value::unknown(Unknown::new(Kind::Object, why)))
}

/// `listOutputsWithSecureValues(deployment, apiVersion)`: the outputs of a deployment by name, without their types.
fn outputs_with_secure_values(evaluator: &Evaluator<'_>, args: Args<'_>, frames: &Frames) -> Result<Value, Fault> {
    let (target, _): (&str, &str) = args.get()?;
    let Some(state) = evaluator.world.resources.reference(evaluator, target, false) else {
        return list(evaluator, args, frames);
    };
    let state = state?;
    let outputs = members(&state).and_then(|it| it.get("outputs")).and_then(members);
    let Some(outputs) = outputs else { return list(evaluator, args, frames) };
    let value = |it: &Member| Member { value: it.value.get("value").cloned().unwrap_or(Value::NULL), ..it.clone() };
    Ok(Value::object(outputs.iter().map(value).collect()).through(state.via.clone()))
}

/// The members of an object, as far as they are certain.
fn members(value: &Value) -> Option<&Object> {
    match value.as_unknown() {
        Some(unknown) if unknown.open => unknown.approximation.as_object(),
        _ => value.as_object(),
    }
}

/// Keys and other secrets, which only Azure knows.
fn list(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (target, _): (&str, &str) = args.get()?;
    let why = format!("only Azure knows what `list` functions give, here for `{target}`");
    let unknown = Unknown::like(Kind::Any, why, Value::object(Vec::new()).with_traits(Traits::SECRET));
    Ok(Value::unknown(unknown).with_traits(Traits::SECRET))
}

/// `providers(namespace, [type])`: deprecated; what it gives changes with Azure.
fn providers(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (namespace, type_name): (&str, Option<&str>) = args.get()?;
    let name = type_name.map_or_else(|| namespace.to_owned(), |type_name| format!("{namespace}/{type_name}"));
    let why = format!("only Azure knows the versions and locations of `{name}`");
    Ok(Value::unknown(Unknown::new(Kind::Object, why)))
}

/// `roleDefinitions(name)`: the id of a role by its display name. Which GUID that is only Azure can look up, so every role
/// has a placeholder.
fn role_definitions(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (_,): (&str,) = args.get()?;
    let guid = "00000000-0000-0000-0000-000000000000";
    let prefix = match &evaluator.level.scope {
        DeploymentScope::ResourceGroup { subscription, .. } => format!("/subscriptions/{subscription}"),
        scope => scope.prefix(),
    };
    let id = resource_id(&prefix, "Microsoft.Authorization/roleDefinitions", guid);
    let members = vec![Member::new("id", Value::from(id)), Member::new("roleDefinitionId", Value::from(guid))];
    Ok(Value::object(members))
}
