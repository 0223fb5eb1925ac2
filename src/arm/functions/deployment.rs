//! Functions that speak of the deployment itself.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-deployment>.

use std::sync::LazyLock;

use crate::arm::eval::{Evaluator, Frames, arguments, find_loop};
use crate::arm::fault::Fault;
use crate::arm::functions::{Args, Function, between, exactly, scoped};
use crate::diagnostic::Code;
use crate::value::{Data, Kind, Member, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    scoped("copyIndex", between(0, 2), Kind::Int, copy_index),
    scoped("deployer", exactly(0), Kind::Object, deployer),
    scoped("deployment", exactly(0), Kind::Object, deployment),
    scoped("environment", exactly(0), Kind::Object, environment),
    scoped("fail", exactly(1), Kind::Any, fail),
    scoped("parameters", exactly(1), Kind::Any, parameters),
    scoped("variables", exactly(1), Kind::Any, variables),
];

/// `parameters(name)`: a parameter of the template; inside a user-defined function one of its arguments.
fn parameters(evaluator: &Evaluator<'_>, args: Args<'_>, frames: &Frames) -> Result<Value, Fault> {
    let (name,): (&str,) = args.get()?;
    let Some(arguments) = arguments(frames) else { return evaluator.parameter(name) };
    let argument = arguments.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
    argument
        .map(|(_, value)| value.clone())
        .ok_or_else(|| Fault::new(Code::ExpressionUndefined, format!("the function has no parameter `{name}`")))
}

/// `variables(name)`
fn variables(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (name,): (&str,) = args.get()?;
    evaluator.variable(name)
}

/// `copyIndex([loop], [offset])`: the iteration of a loop, from 0. Without a name the innermost loop of resources is
/// meant, or the innermost loop where there is none.
fn copy_index(_: &Evaluator<'_>, args: Args<'_>, frames: &Frames) -> Result<Value, Fault> {
    let named = args.values().first().is_some_and(|value| matches!(value.data, Data::String(_)));
    let (name, offset): (Option<&str>, Option<i64>) = match (named, args.len()) {
        (true, _) => args.get::<(Option<&str>, Option<i64>)>()?,
        (false, 2) => return Err(args.mismatch(0, "the name of a loop")),
        (false, _) => (None, args.at(0)?),
    };
    let Some(found) = find_loop(frames, name) else {
        let message = match name {
            Some(name) => format!("there is no loop `{name}` around this expression"),
            None => "there is no loop around this expression".to_owned(),
        };
        return Err(Fault::new(Code::ExpressionUndefined, message));
    };
    let index = found.index.checked_add(offset.unwrap_or_default());
    index.map(Value::from).ok_or_else(|| Fault::failed("the index of the loop does not fit into 64 bits"))
}

/// `deployment()`: name, and properties of the deployment.
fn deployment(evaluator: &Evaluator<'_>, _: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    Ok(evaluator.level.deployment.clone())
}

/// `deployer()`: who deploys.
fn deployer(evaluator: &Evaluator<'_>, _: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    Ok(evaluator.world.context.deployer.clone())
}

/// `fail(message)`: stops the deployment.
fn fail(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (message,): (&str,) = args.get()?;
    Err(Fault::failed(format!("the template stops its deployment: {message}")))
}

/// `environment()`: the endpoints of the cloud.
fn environment(_: &Evaluator<'_>, _: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    static PUBLIC_CLOUD: LazyLock<Value> = LazyLock::new(public_cloud);
    Ok(PUBLIC_CLOUD.clone())
}

/// As documented for the public cloud.
fn public_cloud() -> Value {
    let object = |members: &[(&str, &str)]| {
        members.iter().map(|&(key, value)| Member::new(key, Value::from(value))).collect::<Vec<_>>()
    };
    let audiences = ["https://management.core.windows.net/", "https://management.azure.com/"];
    let mut authentication = object(&[("loginEndpoint", "https://login.microsoftonline.com/")]);
    authentication.push(Member::new("audiences", Value::array(audiences.map(Value::from).to_vec())));
    authentication.extend(object(&[("tenant", "common"), ("identityProvider", "AAD")]));
    let suffixes = object(&[
        ("acrLoginServer", ".azurecr.io"),
        ("azureDatalakeAnalyticsCatalogAndJob", "azuredatalakeanalytics.net"),
        ("azureDatalakeStoreFileSystem", "azuredatalakestore.net"),
        ("azureFrontDoorEndpointSuffix", "azurefd.net"),
        ("keyvaultDns", ".vault.azure.net"),
        ("sqlServerHostname", ".database.windows.net"),
        ("storage", "core.windows.net"),
    ]);
    let mut cloud = object(&[
        ("name", "AzureCloud"),
        ("gallery", "https://gallery.azure.com/"),
        ("graph", "https://graph.windows.net/"),
        ("portal", "https://portal.azure.com"),
        ("graphAudience", "https://graph.windows.net/"),
        ("activeDirectoryDataLake", "https://datalake.azure.net/"),
        ("batch", "https://batch.core.windows.net/"),
        ("media", "https://rest.media.azure.net"),
        ("sqlManagement", "https://management.core.windows.net:8443/"),
        (
            "vmImageAliasDoc",
            "https://raw.githubusercontent.com/Azure/azure-rest-api-specs/master/arm-compute/quickstart-templates/aliases.json",
        ),
        ("resourceManager", "https://management.azure.com/"),
    ]);
    cloud.push(Member::new("authentication", Value::object(authentication)));
    cloud.push(Member::new("suffixes", Value::object(suffixes)));
    Value::object(cloud)
}
