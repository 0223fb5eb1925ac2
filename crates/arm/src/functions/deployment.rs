//! Functions that return parts of the deployment itself.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-deployment>.

use crate::diagnostic::Code;
use crate::eval::{Evaluator, Frames, arguments, find_loop};
use crate::fault::Fault;
use crate::functions::{Args, Function, between, exactly, scoped};
use crate::types::mark_deployment;
use crate::value::{Data, Kind, Unknown, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    scoped("copyIndex", between(0, 2), Kind::Int, copy_index),
    scoped("deployer", exactly(0), Kind::Object, deployer),
    scoped("deployment", exactly(0), Kind::Object, deployment).with_property(property_of_deployment),
    scoped("environment", exactly(0), Kind::Object, environment),
    scoped("extensions", exactly(1), Kind::Object, extensions),
    scoped("externalInputs", exactly(1), Kind::Any, external_inputs),
    scoped("fail", exactly(1), Kind::Any, fail),
    scoped("parameters", exactly(1), Kind::Any, parameters),
    scoped("variables", exactly(1), Kind::Any, variables),
];

/// `parameters(name)`: a parameter of the template or, inside a user-defined function, one of its arguments.
fn parameters(evaluator: &Evaluator<'_>, args: Args<'_>, frames: &Frames) -> Result<Value, Fault> {
    let (name,): (&str,) = args.get()?;
    let Some(arguments) = arguments(frames) else { return evaluator.parameter(name) };
    let argument = arguments.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
    argument
        .map(|(_, value)| value.clone())
        .ok_or_else(|| Fault::new(Code::ExpressionUndefined, format!("the function has no parameter `{name}`")))
}

/// `variables(name)`: a variable of the template.
fn variables(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (name,): (&str,) = args.get()?;
    evaluator.variable(name)
}

/// `copyIndex([loop], [offset])`: the current iteration of a loop, from 0. Without a name it means the innermost resource
/// loop, or the innermost loop of any kind if there is none.
fn copy_index(_: &Evaluator<'_>, args: Args<'_>, frames: &Frames) -> Result<Value, Fault> {
    // One argument is a name if it is a string, and an offset otherwise.
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
    index.map(Value::from).ok_or_else(|| Fault::failed("the index of the loop does not fit in 64 bits"))
}

/// `deployment()`: the name and the properties of the current deployment.
fn deployment(evaluator: &Evaluator<'_>, _: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let level = &evaluator.level;
    Ok(level.shown_deployment.get_or_init(|| mark_deployment(evaluator, &level.deployment)).clone())
}

/// Returns a property of `deployment()` in which there are no secrets to mark. Most templates only ask for its `name`.
fn property_of_deployment(evaluator: &Evaluator<'_>, name: &str) -> Option<Value> {
    evaluator.level.deployment.get(name).filter(|_| !name.eq_ignore_ascii_case("properties")).cloned()
}

/// `deployer()`: the identity that runs the deployment, as configured.
fn deployer(evaluator: &Evaluator<'_>, _: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    Ok(evaluator.world.context.deployer.clone())
}

/// `fail(message)`: stops the deployment with a message of the author's.
fn fail(_: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (message,): (&str,) = args.get()?;
    Err(Fault::failed(format!("the template stops its deployment: {message}")))
}

/// `environment()`: the endpoints of the configured cloud.
fn environment(evaluator: &Evaluator<'_>, _: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    Ok(evaluator.world.context.environment.clone())
}

/// `extensions(alias)`: an extension of the template and its configuration.
fn extensions(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (alias,): (&str,) = args.get()?;
    evaluator.extension(alias)
}

/// `externalInputs(key)`: a value that a tool supplies to a parameter file at deployment, usually a string but possibly
/// any JSON. It is known only if the file already holds it in its `externalInputs`.
///
/// Reference: <https://learn.microsoft.com/azure/azure-resource-manager/bicep/bicep-functions-parameters-file>.
fn external_inputs(evaluator: &Evaluator<'_>, args: Args<'_>, _: &Frames) -> Result<Value, Fault> {
    let (key,): (&str,) = args.get()?;
    if let Some(why) = key.strip_prefix("bicep:").filter(|_| evaluator.world.has_unknowns) {
        return Ok(Value::unknown(Unknown::new(Kind::Any, why.to_owned())));
    }
    let file = &evaluator.level.parameter_file;
    let part = |name: &str| file.get(name).and_then(Value::as_object);
    let (definitions, inputs) = (part("externalInputDefinitions"), part("externalInputs"));
    if definitions.is_none() && inputs.is_none() {
        return Err(Fault::failed("only a parameter file with external inputs can use `externalInputs`"));
    }
    if let Some(value) = inputs.and_then(|inputs| inputs.get(key)).and_then(|input| input.get("value")) {
        return Ok(value.clone());
    }
    let Some(definition) = definitions.and_then(|definitions| definitions.get(key)) else {
        let names = definitions.into_iter().flatten().map(|definition| &*definition.key);
        let hint = evaluator.world.suggestions.did_you_mean(key, names);
        return Err(Fault::new(Code::ExpressionUndefined, format!("there is no external input `{key}`{hint}")));
    };
    let kind = definition.get("kind").and_then(Value::as_str).unwrap_or("any");
    let why = format!("external input `{key}` of kind `{kind}` is supplied at deployment");
    Ok(Value::unknown(Unknown::new(Kind::Any, why)))
}
