//! `formwork eval`: evaluates one template expression.

use std::io::Write;
use std::path::Path;

use crate::arm;
use crate::cli::Environment;
use crate::cli::args::EvalArguments;
use crate::cli::exit::{Error, Exit};
use crate::cli::settings::Workspace;
use crate::cli::streams;
use crate::engine::Threads;
use crate::files::{display_name, read_named, register};
use crate::path::normalize;
use crate::syntax;
use crate::text::escape::Notation;
use crate::text::{Span, Suggestions};
use crate::value::{Data, JsonStyle, Member, Str, Traits, Value, write_json};

/// Prints the value of one expression.
pub(super) fn run(arguments: &EvalArguments, environment: &Environment) -> Result<Exit, Error> {
    let mut workspace = Workspace::open(arguments.inputs.config.as_deref(), arguments.inputs.color, environment)?;
    let surrounding = surrounding(arguments, &mut workspace)?;
    let text = arguments.expression.as_str();
    let file = workspace.sources.add("expression", text);
    let span = Span::new(file, 0, u32::try_from(text.len()).unwrap_or(u32::MAX));
    let limits = workspace.limits;
    match Threads::start(1)?.install(|| arm::evaluate(text, span, &surrounding, &limits)) {
        Ok(value) => {
            let mut out = streams::out(Notation::Json);
            write_json(&with_unknowns_named(&value), JsonStyle::INDENTED, &mut out)?;
            writeln!(out)?;
            Ok(Exit::Clean)
        }
        Err(problems) => {
            workspace.print(Vec::new(), problems)?;
            Ok(Exit::Findings)
        }
    }
}

/// Returns the values that the expression can refer to: settings, overridden by the file of `--context`, by
/// `--parameters`, and by `--set`.
fn surrounding(arguments: &EvalArguments, workspace: &mut Workspace<'_>) -> Result<Value, Error> {
    let context = match &arguments.context {
        Some(path) => read_object(path, workspace)?,
        None => Value::object(Vec::new()),
    };
    let mut parameters = members(&context, "parameters");
    let mut inputs =
        ["externalInputDefinitions", "externalInputs"].map(|section| (section, members(&context, section)));
    for path in &arguments.inputs.parameters {
        let file = read_object(path, workspace)?;
        for member in members(&file, "parameters") {
            let given = member.value.get("value").map(literal);
            if let Some(value) = given.or_else(|| member.value.get("expression").cloned()) {
                put(&mut parameters, Member { value, ..member.clone() });
            }
        }
        for (name, inputs) in &mut inputs {
            for member in members(&file, name) {
                put(inputs, member);
            }
        }
    }
    let overrides = workspace.overrides(&arguments.inputs)?;
    refuse_unused(&overrides, &parameters, &[&Value::from(arguments.expression.as_str()), &context])?;
    for (name, value) in overrides {
        put(&mut parameters, Member::new(name, literal(&value)));
    }
    let mut config = workspace.settings.configuration.as_ref().map_or_else(Vec::new, own_members);
    for member in members(&context, "config") {
        put(&mut config, member);
    }
    let mut all = own_members(&context);
    put(&mut all, Member::new("parameters", Value::object(parameters)));
    for (name, inputs) in inputs.into_iter().filter(|(_, input)| !input.is_empty()) {
        put(&mut all, Member::new(name, Value::object(inputs)));
    }
    put(&mut all, Member::new("config", Value::object(config)));
    Ok(Value::object(all))
}

/// Rejects `--set` of a parameter that is neither declared nor used, which is usually misspelled.
fn refuse_unused(overrides: &[(Str, Value)], declared: &[Member], expressions: &[&Value]) -> Result<(), Error> {
    // A computed name can be any name.
    let Some(used) = arm::parameters_used(expressions) else { return Ok(()) };
    let names: Vec<&str> = used.iter().map(String::as_str).chain(declared.iter().map(|member| &*member.key)).collect();
    match overrides.iter().find(|(name, _)| !names.iter().any(|known| known.eq_ignore_ascii_case(name))) {
        Some((name, _)) => {
            let hint = Suggestions::default().did_you_mean(name, names.iter().copied());
            Err(Error::Usage(format!("the expression uses no parameter `{name}`{hint}")))
        }
        None => Ok(()),
    }
}

/// Marks a value as not an expression: in a parameter file, a string that looks like an expression is only a string.
fn literal(value: &Value) -> Value {
    Value { traits: value.traits.without(Traits::DYNAMIC), ..value.clone() }
}

fn own_members(value: &Value) -> Vec<Member> {
    value.as_object().into_iter().flatten().cloned().collect()
}

fn members(value: &Value, name: &str) -> Vec<Member> {
    value.get(name).map_or_else(Vec::new, own_members)
}

fn put(members: &mut Vec<Member>, member: Member) {
    members.retain(|earlier| !earlier.key.eq_ignore_ascii_case(&member.key));
    members.push(member);
}

fn read_object(path: &Path, workspace: &mut Workspace<'_>) -> Result<Value, Error> {
    let path = normalize(&workspace.environment.working, path);
    let name = display_name(&workspace.environment.working, &path);
    let file = read_named(&path, workspace.limits.file_bytes)
        .map_err(|problem| problem.into_diagnostic(&name, &workspace.sources))
        .and_then(|bytes| register(&name, bytes, &workspace.sources));
    let parsed = match file {
        Ok(file) => syntax::json::parse(file, workspace.sources.get(file).text(), workspace.limits.nesting),
        Err(problem) => syntax::Parsed { value: None, diagnostics: vec![problem] },
    };
    workspace.print_or_fail(parsed.diagnostics)?;
    let object = parsed.value.filter(|value| value.as_object().is_some());
    object.ok_or_else(|| Error::Usage(format!("`{name}` is not a JSON object")))
}

/// Replaces each unknown by `{"$unknown": "why"}`, because plain JSON has no unknown values.
fn with_unknowns_named(value: &Value) -> Value {
    if !value.traits.has(Traits::UNKNOWN) {
        return value.clone();
    }
    match &value.data {
        Data::Unknown(unknown) if unknown.open => with_unknowns_named(&unknown.approximation),
        Data::Unknown(unknown) => Value::object(vec![Member::new("$unknown", Value::from(unknown.why.clone()))]),
        Data::Array(array) => Value::array(array.iter().map(with_unknowns_named).collect()),
        Data::Object(object) => {
            let members = object.iter();
            let named = members.map(|member| Member { value: with_unknowns_named(&member.value), ..member.clone() });
            Value::object(named.collect())
        }
        _ => value.clone(),
    }
}
