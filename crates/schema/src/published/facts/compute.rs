//! Functions, containers, and virtual machines.

use crate::checks::{SCHEMA_COMBINATION, SCHEMA_MISSING_PROPERTY, SCHEMA_RETIRED, SERVICE_LIMIT, SERVICE_VALUE};
use crate::published::facts::{FactViolation, member, shown, text};
use crate::published::misfit::MisfitStep;
use crate::value::Value;

/// Lambda runtimes with which no function can be created any more, and their replacements. Reference, of October 2026:
/// <https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtimes.html>.
const RETIRED: &[(&str, &str)] = &[
    ("dotnetcore1.0", "dotnet10"),
    ("dotnetcore2.0", "dotnet10"),
    ("dotnetcore2.1", "dotnet10"),
    ("dotnetcore3.1", "dotnet10"),
    ("go1.x", "provided.al2023"),
    ("java8", "java25"),
    ("nodejs", "nodejs24.x"),
    ("nodejs10.x", "nodejs24.x"),
    ("nodejs12.x", "nodejs24.x"),
    ("nodejs14.x", "nodejs24.x"),
    ("nodejs4.3", "nodejs24.x"),
    ("nodejs4.3-edge", "nodejs24.x"),
    ("nodejs6.10", "nodejs24.x"),
    ("nodejs8.10", "nodejs24.x"),
    ("provided", "provided.al2023"),
    ("python2.7", "python3.14"),
    ("python3.6", "python3.14"),
    ("python3.7", "python3.14"),
    ("ruby2.5", "ruby4.0"),
    ("ruby2.7", "ruby4.0"),
];

/// Runtimes of Java, Python, and .NET without `SnapStart`. Reference:
/// <https://docs.aws.amazon.com/lambda/latest/dg/snapstart.html>.
const WITHOUT_SNAPSHOT: [&str; 7] =
    ["dotnet6", "java8", "java8.al2", "python3.10", "python3.11", "python3.8", "python3.9"];

/// Reports a runtime with which no function can be created. The rule `AWS-LAMBDA-001` covers runtimes that are no
/// longer patched.
pub(super) fn runtime(value: &Value) -> Vec<FactViolation<'_>> {
    let retired = text(value).and_then(|name| RETIRED.iter().find(|(known, _)| *known == name));
    retired
        .map(|(name, next): &(&str, &str)| {
            let message = format!("AWS lets nobody create a function with the runtime `{name}`; use `{next}`");
            FactViolation::new(SCHEMA_RETIRED, &[], message)
        })
        .into_iter()
        .collect()
}

/// Reports `SnapStart` with a runtime that does not support it.
pub(super) fn snap_start(function: &Value) -> Vec<FactViolation<'_>> {
    let apply = member(function, "SnapStart").and_then(|start| member(start, "ApplyOn")).and_then(text);
    let runtime = member(function, "Runtime").and_then(text);
    let (Some("PublishedVersions"), Some(runtime)) = (apply, runtime) else { return Vec::new() };
    let is_managed = ["dotnet", "java", "python"].iter().any(|family| runtime.starts_with(family));
    if is_managed && !runtime.starts_with("dotnetcore") && !WITHOUT_SNAPSHOT.contains(&runtime) {
        return Vec::new();
    }
    let steps = [MisfitStep::Member("SnapStart"), MisfitStep::Member("ApplyOn")];
    let message = format!("functions with the runtime `{runtime}` cannot start from a snapshot");
    vec![FactViolation::new(SCHEMA_COMBINATION, &steps, message)]
}

/// Environment variables that Lambda sets itself. Reference:
/// <https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html>.
const RESERVED: [&str; 18] = [
    "AWS_ACCESS_KEY",
    "AWS_ACCESS_KEY_ID",
    "AWS_DEFAULT_REGION",
    "AWS_EXECUTION_ENV",
    "AWS_LAMBDA_FUNCTION_MEMORY_SIZE",
    "AWS_LAMBDA_FUNCTION_NAME",
    "AWS_LAMBDA_FUNCTION_VERSION",
    "AWS_LAMBDA_INITIALIZATION_TYPE",
    "AWS_LAMBDA_LOG_GROUP_NAME",
    "AWS_LAMBDA_LOG_STREAM_NAME",
    "AWS_LAMBDA_RUNTIME_API",
    "AWS_REGION",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "LAMBDA_RUNTIME_DIR",
    "LAMBDA_TASK_ROOT",
    "_HANDLER",
    "_X_AMZN_TRACE_ID",
];

/// Greatest size of the environment variables of a function, in bytes.
const MAX_ENVIRONMENT: usize = 4096;

/// Reports environment variables that Lambda sets itself, and those that are too long together.
pub(super) fn environment(variables: &Value) -> Vec<FactViolation<'_>> {
    let members = variables.as_object().into_iter().flatten();
    let reserved = members.clone().filter(|variable| RESERVED.contains(&&*variable.key));
    let mut violations: Vec<FactViolation<'_>> = reserved
        .map(|variable| {
            let message = format!("Lambda sets the variable `{}` itself; use another name", variable.key);
            FactViolation::new(SERVICE_VALUE, &[MisfitStep::Member(&variable.key)], message)
        })
        .collect();
    let size: usize = members.map(|variable| variable.key.len() + text(&variable.value).map_or(0, str::len)).sum();
    if size > MAX_ENVIRONMENT {
        let message = format!("the environment variables have {size} bytes; expected at most {MAX_ENVIRONMENT}");
        violations.push(FactViolation::new(SERVICE_LIMIT, &[], message));
    }
    violations
}

/// Reports container ports in the network mode `awsvpc` whose host port differs.
pub(super) fn ports(task: &Value) -> Vec<FactViolation<'_>> {
    if member(task, "NetworkMode").and_then(text) != Some("awsvpc") {
        return Vec::new();
    }
    let containers = member(task, "ContainerDefinitions").and_then(Value::as_array).unwrap_or_default();
    let mut violations = Vec::new();
    for (container, definition) in containers.iter().enumerate() {
        let mappings = member(definition, "PortMappings").and_then(Value::as_array).unwrap_or_default();
        for (mapping, ports) in mappings.iter().enumerate() {
            let [host, inner] = ["HostPort", "ContainerPort"].map(|name| member(ports, name).and_then(shown));
            if let (Some(host), Some(inner)) = (host, inner)
                && host != inner
            {
                let steps = [
                    MisfitStep::Member("ContainerDefinitions"),
                    MisfitStep::Item(container),
                    MisfitStep::Member("PortMappings"),
                    MisfitStep::Item(mapping),
                    MisfitStep::Member("HostPort"),
                ];
                let message = format!(
                    "`HostPort` is {host} and `ContainerPort` is {inner}; expected the same when `NetworkMode` is `awsvpc`"
                );
                violations.push(FactViolation::new(SCHEMA_COMBINATION, &steps, message));
            }
        }
    }
    violations
}

/// Reports a virtual machine without an image and without a launch template, which could have one.
pub(super) fn image(machine: &Value) -> Vec<FactViolation<'_>> {
    let Some(object) = machine.as_object() else { return Vec::new() };
    if ["ImageId", "LaunchTemplate"].iter().any(|name| object.get_exact(name).is_some_and(|value| !value.is_null())) {
        return Vec::new();
    }
    let message = "`AWS::EC2::Instance` lacks `ImageId`, which is required without `LaunchTemplate`".to_owned();
    vec![FactViolation::new(SCHEMA_MISSING_PROPERTY, &[MisfitStep::Member("ImageId")], message)]
}
