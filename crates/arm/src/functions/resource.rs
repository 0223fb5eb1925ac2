//! Functions about resources: building resource IDs, and reading state that mostly only a deployment knows.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-resource>.

use std::sync::Arc;

use crate::diagnostic::Code;
use crate::eval::{Evaluator, Frames};
use crate::fault::Fault;
use crate::functions::{Args, Function, at_least, between, ends, exactly, scoped};
use crate::scope::{DeploymentScope, is_resource_group, resource_id};
use crate::value::{Kind, Member, Object, SecretSource, Traits, Unknown, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    scoped("extensionResourceId", at_least(3), Kind::String, extension_resource_id).with_ends(ends::of_id),
    scoped("listOutputsWithSecureValues", between(2, 3), Kind::Object, outputs_with_secure_values),
    scoped("managementGroupResourceId", at_least(2), Kind::String, management_group_resource_id).with_ends(ends::of_id),
    scoped("providers", between(1, 2), Kind::Object, providers),
    scoped("reference", between(1, 3), Kind::Object, reference),
    scoped("references", between(1, 2), Kind::Array, references),
    scoped("resourceId", at_least(2), Kind::String, resource_id_).with_ends(ends::of_id),
    scoped("resourceInfo", exactly(1), Kind::Object, resource_info),
    scoped("roleDefinitions", exactly(1), Kind::Object, role_definitions),
    scoped("subscriptionResourceId", at_least(2), Kind::String, subscription_resource_id).with_ends(ends::of_id),
    scoped("target", between(0, 1), Kind::Object, target),
    scoped("tenantResourceId", at_least(2), Kind::String, tenant_resource_id).with_ends(ends::of_id),
];

/// `list*(resource, apiVersion, [body])`: any operation of a resource provider whose name begins with `list`.
pub(super) static LIST: Function = list_function("list*");

/// The best-known of these operations, which messages name.
pub(super) static KNOWN_LISTS: &[Function] = &[
    list_function("list"),
    list_function("listAccountSas"),
    list_function("listAdminKeys"),
    list_function("listApiKeys"),
    list_function("listAuthKeys"),
    list_function("listCallbackUrl"),
    list_function("listClusterAdminCredential"),
    list_function("listClusterUserCredential"),
    list_function("listConnectionInfo"),
    list_function("listConnectionStrings"),
    list_function("listCredential"),
    list_function("listCredentials"),
    list_function("listKeys"),
    list_function("listKeyValue"),
    list_function("listPublishingCredentials"),
    list_function("listQueryKeys"),
    list_function("listSecrets"),
    list_function("listServiceSas"),
    list_function("listSyncFunctionTriggerStatus"),
];

const fn list_function(name: &'static str) -> Function {
    scoped(name, between(2, 3), Kind::Any, list)
}

/// `resourceId([subscription], [resourceGroup], type, name, …)`: a resource ID in the scope of the deployment.
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
                format!("a deployment to a {} has no subscription to look for the resource group in", other.words());
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

/// `subscriptionResourceId([subscription], type, name, …)`: a resource ID at subscription scope.
fn subscription_resource_id(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (leading, type_name, names) = split(args, 1)?;
    let configured = evaluator.world.context.subscription.get("subscriptionId").and_then(Value::as_str);
    let own = evaluator.level.scope.subscription().or(configured).unwrap_or_default();
    let subscription = leading.first().copied().unwrap_or(own);
    Ok(Value::from(resource_id(&format!("/subscriptions/{subscription}"), type_name, &names)))
}

/// `tenantResourceId(type, name, …)`: a resource ID at tenant scope.
fn tenant_resource_id(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (_, type_name, names) = split(args, 0)?;
    Ok(Value::from(resource_id("", type_name, &names)))
}

/// `managementGroupResourceId([managementGroup], type, name, …)`: a resource ID at management group scope.
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

/// `extensionResourceId(baseResourceId, type, name, …)`: the resource ID of an extension resource.
fn extension_resource_id(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let texts = texts(args)?;
    let [base, type_name, names @ ..] = texts.as_slice() else {
        return Err(Fault::arguments("`extensionResourceId` takes a resource ID, a type and names"));
    };
    let type_name = without_slash(type_name);
    check_segments(type_name, names)?;
    Ok(Value::from(resource_id(base.trim_end_matches('/'), type_name, &names.join("/"))))
}

fn texts(args: Args<'_>) -> Result<Vec<&str>, Fault> {
    (0..args.len()).map(|index| args.at(index)).collect()
}

/// Splits the arguments into the ones before the type (at most `max_leading` strings), the type (the first argument
/// with a slash), and the names joined by slashes.
fn split(args: Args<'_>, max_leading: usize) -> Result<(Vec<&str>, &str, String), Fault> {
    let mut texts = texts(args)?;
    // Names of subscriptions, resource groups and management groups cannot contain a slash.
    let found = texts.iter().take(max_leading + 1).position(|text| text.contains('/'));
    let Some(at) = found else {
        let message =
            format!("`{}` found no resource type among its arguments; a resource type contains a `/`", args.function());
        return Err(Fault::arguments(message));
    };
    let names = texts.split_off(at + 1);
    let type_name = without_slash(texts.remove(at));
    check_segments(type_name, &names)?;
    Ok((texts, type_name, names.join("/")))
}

/// Removes a trailing slash from a type, which Resource Manager accepts and public templates contain.
fn without_slash(type_name: &str) -> &str {
    type_name.trim_end_matches('/')
}

/// Checks that there is one name for each segment of the type after its namespace.
fn check_segments(type_name: &str, names: &[&str]) -> Result<(), Fault> {
    let expected = type_name.split('/').count().saturating_sub(1);
    if expected == 0 {
        return Err(Fault::arguments(format!("`{type_name}` is not a resource type; a resource type contains a `/`")));
    }
    if names.len() == expected {
        return Ok(());
    }
    let (noun, found) = (if expected == 1 { "name" } else { "names" }, names.len());
    Err(Fault::arguments(format!("type `{type_name}` takes {expected} {noun}, found {found}")))
}

/// Returns the part of a resource ID before `/providers/`. Resource groups belong to the subscription, whatever the
/// scope.
fn scope_prefix(scope: &DeploymentScope, type_name: &str) -> String {
    match (scope.subscription(), is_resource_group(type_name)) {
        (Some(subscription), true) => format!("/subscriptions/{subscription}"),
        _ => scope.prefix(),
    }
}

/// `reference(resource, [apiVersion], ['Full'])`: the state of a resource. For a resource in this deployment, the
/// declared properties are known; only a deployment can know the others.
fn reference(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (target, version, view): (&str, Option<&str>, Option<&str>) = args.get()?;
    let full = match view {
        None => false,
        Some(view) if view.eq_ignore_ascii_case("full") => true,
        Some(view) => return Err(args.invalid(2, "`Full`", view)),
    };
    if let Some(result) = evaluator.world.resources.reference(evaluator, target, full) {
        return result;
    }
    // A resource outside the template needs an API version.
    if version.is_none() && evaluator.world.resources.lacks(evaluator, target) {
        return Err(undeclared(target));
    }
    let shown = evaluator.world.context.shown(args.shown(0, target));
    let why = format!("`{shown}` is not in this deployment, so its state is known only in Azure");
    Ok(Value::unknown(Unknown::new(Kind::Object, why)))
}

fn undeclared(target: &str) -> Fault {
    let hint = if target.contains('/') { "; for one that exists already, pass an API version" } else { "" };
    Fault::new(Code::ExpressionUndefined, format!("the template declares no resource `{target}`{hint}"))
}

/// `references(loop, ['Full'])`: the states of all resources that a loop with this symbolic name creates.
fn references(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (symbol, view): (&str, Option<&str>) = args.get()?;
    let full = match view {
        None => false,
        Some(view) if view.eq_ignore_ascii_case("properties") => false,
        Some(view) if view.eq_ignore_ascii_case("full") => true,
        Some(view) => return Err(args.invalid(1, "`Full` or `Properties`", view)),
    };
    if let Some(result) = evaluator.world.resources.references(evaluator, symbol, full) {
        return result;
    }
    if evaluator.world.resources.lacks(evaluator, symbol) {
        return Err(undeclared(symbol));
    }
    let why = format!("the loop `{}` is not in this deployment", args.shown(0, symbol));
    Ok(Value::unknown(Unknown::new(Kind::Array, why)))
}

/// `resourceInfo(symbol)`: the ID, name, type and API version of a resource, without its state.
fn resource_info(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (symbol,): (&str,) = args.get()?;
    let info = evaluator.world.resources.info(evaluator, symbol);
    info.ok_or_else(|| Fault::new(Code::ExpressionUndefined, format!("there is no resource `{symbol}`")))
}

/// `target(['full'])`: the state that the resource which contains the expression has before the deployment, if any.
fn target(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (view,): (Option<&str>,) = args.get()?;
    if let Some(view) = view.filter(|view| !view.eq_ignore_ascii_case("full")) {
        return Err(args.invalid(0, "`full`", view));
    }
    let why = "only Azure knows whether the resource already exists, and its state";
    Ok(Value::unknown(Unknown::new(Kind::Object, why)))
}

/// `listOutputsWithSecureValues(deployment, apiVersion)`: the values of a deployment's outputs by name.
fn outputs_with_secure_values(evaluator: &Evaluator<'_>, args: Args<'_>, frames: &Frames) -> Result<Value, Fault> {
    let (target, _): (&str, &str) = args.get()?;
    let Some(state) = evaluator.world.resources.reference(evaluator, target, false) else {
        return list(evaluator, args, frames);
    };
    let state = state?;
    let outputs = members(&state).and_then(|state| state.get("outputs")).and_then(members);
    let Some(outputs) = outputs else { return list(evaluator, args, frames) };
    let without_type = |output: &Member| {
        let value = output.value.get("value").cloned().unwrap_or(Value::NULL);
        Member { value, ..output.clone() }
    };
    Ok(Value::object(outputs.iter().map(without_type).collect()).through(state.via.clone()))
}

/// Returns the certain members of an object, including those of an open unknown's approximation.
fn members(value: &Value) -> Option<&Object> {
    match value.as_unknown() {
        Some(unknown) if unknown.open => unknown.approximation.as_object(),
        _ => value.as_object(),
    }
}

/// Returns the result of every `list*` function: a secret that only Azure knows.
fn list(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (target, _): (&str, &str) = args.get()?;
    let name = target.rsplit('/').next().unwrap_or(target);
    let why = format!("only Azure knows what the `list` functions return for `{}`", args.shown(0, target));
    let function = args.function();
    let source = SecretSource {
        what: match args.shown(0, name) {
            "" => format!("the result of `{function}()`"),
            name => format!("the result of `{function}()` of `{name}`"),
        },
        owner: target.to_ascii_lowercase(),
        ..SecretSource::default()
    };
    let unknown = Unknown::like(Kind::Any, why, Value::object(Vec::new()).with_traits(Traits::SECRET));
    Ok(Value::unknown(unknown).with_traits(Traits::SECRET).with_secret_source(Some(&Arc::new(source))))
}

/// `providers(namespace, [type])`: deprecated; the result changes with Azure.
fn providers(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (namespace, type_name): (&str, Option<&str>) = args.get()?;
    let name = type_name.map_or_else(|| namespace.to_owned(), |type_name| format!("{namespace}/{type_name}"));
    let why = format!("only Azure knows the versions and locations of `{name}`");
    Ok(Value::unknown(Unknown::new(Kind::Object, why)))
}

/// `roleDefinitions(name)`: the ID of a role, by its display name. Only Azure can look up its GUID, so every role gets a
/// placeholder.
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
