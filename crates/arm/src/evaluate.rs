//! Evaluates a single expression in a given environment, for `formwork eval`.

use std::rc::Rc;

use crate::context::Context;
use crate::diagnostic::{Code, Diagnostic};
use crate::eval::{
    Binding, Definitions, Evaluator, Extensions, Frame, Frames, Given, Loop, Resources, TemplateLevel, UserFunctions,
    World,
};
use crate::expr::{self, ExprKind, TextKind, text_kind};
use crate::fault::Fault;
use crate::model::{Budget, Limits};
use crate::scope::DeploymentScope;
use crate::text::Span;
use crate::value::{Member, Str, Traits, Unknown, Value};

/// Evaluates `text`, which is written at `span`.
///
/// `surrounding` is an object with any of the members `parameters` and `variables` (raw values by name, which may hold
/// expressions), `config` (see [`Context::from_config`]), `deployment` (`name`, `scope`, `template`, `parameters`),
/// `copy` (loops, innermost last: `name`, `index`, `resource`), `functions` and `extensions` (as in a template),
/// `externalInputs` and `externalInputDefinitions` (as in a parameter file), and `resources` (by ID or symbolic name).
///
/// # Errors
///
/// Returns all diagnostics if there are any.
pub fn evaluate(text: &str, span: Span, surrounding: &Value, limits: &Limits) -> Result<Value, Vec<Diagnostic>> {
    let part = |name: &str| surrounding.get(name).cloned().unwrap_or(Value::NULL);
    let context = Context::from_config(&part("config"));
    let resources = GivenResources(part("resources"));
    let budget = Budget::new(limits);
    let world = World::new(&context, &budget, &resources);
    let level = Rc::new(level(surrounding, &context));
    let evaluator = Evaluator::new(&world, level, 0);
    if let Some(message) = unfinished(text) {
        return Err(vec![Diagnostic::new(Code::ExpressionSyntax, span, message)]);
    }
    let text = Str::from(text);
    let value = Value::from(text.clone()).at(span).with_traits(Traits::DYNAMIC);
    let frames = loops(&part("copy"));
    let result = match text_kind(&text) {
        TextKind::Expression => evaluator.eval_text(&value, &text, &frames),
        TextKind::Escaped | TextKind::Literal => Ok(evaluator.expand(&value, &frames)),
    };
    if let Err(fault) = &result {
        evaluator.report(fault, Some(span));
    }
    drop(evaluator);
    let (_, diagnostics) = world.into_problems();
    match result {
        Ok(value) if diagnostics.is_empty() => Ok(value),
        _ => Err(diagnostics),
    }
}

/// Returns the reason why `text` is not an expression although it is meant to be one. A template would read it as a
/// string, which is never intended by a caller that evaluates it.
fn unfinished(text: &str) -> Option<&'static str> {
    if text_kind(text) != TextKind::Literal {
        return None;
    }
    let trimmed = text.trim();
    if text_kind(trimmed) == TextKind::Expression {
        return Some("there is white space before `[` or after `]`");
    }
    if let Some(rest) = trimmed.strip_prefix('[') {
        let (name, _) = rest.split_once('(')?;
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b' ');
        return name.bytes().all(is_name).then_some("the expression does not end with `]`");
    }
    let is_literal = matches!(expr::parse(&format!("[{trimmed}]")).ok()?.kind, ExprKind::Literal(_));
    (!is_literal).then_some("an expression is in brackets, as in `[add(1, 2)]`")
}

/// Returns the template level that `surrounding` describes.
fn level(surrounding: &Value, context: &Context) -> TemplateLevel {
    let part = |name: &str| surrounding.get(name).cloned().unwrap_or(Value::NULL);
    let deployment = part("deployment");
    let text = |name: &str| deployment.get(name).and_then(Value::as_str);
    let scope = DeploymentScope::of_schema(&format!("{}DeploymentTemplate.json", scope_prefix(text("scope"))), context);
    let name = Str::from(text("name").unwrap_or(&context.deployment_name));
    let template = deployment.get("template").cloned().unwrap_or_else(|| Value::object(Vec::new()));
    let arguments = deployment.get("parameters").cloned().unwrap_or_else(|| Value::object(Vec::new()));
    // A raw value becomes the default of a parameter, since defaults may contain expressions and supplied values may not.
    let declaration = |member: &Member| {
        let declaration = Value::object(vec![Member::new("defaultValue", member.value.clone())]);
        Member { value: declaration, ..member.clone() }
    };
    let declared = part("parameters").as_object().into_iter().flatten().map(declaration).collect();
    TemplateLevel {
        parameters: Definitions::parameters(&Value::object(declared), |_| None::<Given>),
        variables: Definitions::variables(&part("variables")),
        functions: UserFunctions::new(part("functions")),
        deployment: super::expand::deployment_object(
            &template,
            &scope,
            Value::from(name),
            super::artifacts::ROOT_URI,
            context.deployment_location(),
            arguments,
        ),
        extensions: Extensions::new(surrounding, Value::NULL),
        parameter_file: surrounding.clone(),
        is_scope_assumed: text("scope").is_none(),
        ..TemplateLevel::bare(scope)
    }
}

/// Returns the prefix of the schema's name for a scope, which is empty for resource groups.
fn scope_prefix(scope: Option<&str>) -> &str {
    match scope {
        Some(scope) if !scope.eq_ignore_ascii_case("resourceGroup") => scope,
        _ => "",
    }
}

/// Returns the bindings of the loops around the expression, outermost first.
fn loops(copy: &Value) -> Frames {
    copy.as_array().unwrap_or_default().iter().fold(None, |frames, entry| {
        let binding = Loop {
            name: entry.get("name").and_then(Value::as_shared_str).cloned(),
            index: entry.get("index").and_then(Value::as_int).unwrap_or_default(),
            makes_resources: entry.get("resource").and_then(Value::as_bool).unwrap_or_default(),
        };
        Frame::push(&frames, Binding::Loop(binding))
    })
}

/// Resources that are given with their state, by ID or symbolic name.
#[derive(Debug)]
struct GivenResources(Value);

impl Resources for GivenResources {
    fn reference(&self, _: &Evaluator<'_>, target: &str, full: bool) -> Option<Result<Value, Fault>> {
        let resource = self.0.get(target)?;
        let state = if full { Some(resource) } else { resource.get("properties") };
        let why = || format!("only Azure knows the whole state of `{target}`");
        let known = state.cloned().unwrap_or_else(|| Value::object(Vec::new()));
        Some(Ok(Value::unknown(Unknown::open(why(), known))))
    }

    fn lacks(&self, _: &Evaluator<'_>, _: &str) -> bool {
        false
    }

    fn references(&self, _: &Evaluator<'_>, symbol: &str, _: bool) -> Option<Result<Value, Fault>> {
        self.0.get(symbol).filter(|value| value.as_array().is_some()).map(|value| Ok(value.clone()))
    }

    /// Returns the assumed resource group with its location, because there is no deployment.
    fn group(&self, evaluator: &Evaluator<'_>, _: &str) -> Option<Value> {
        let assumed = &evaluator.world.context.resource_group;
        let part = |name: &str| assumed.get(name).cloned().unwrap_or(Value::NULL);
        let location = part("location").approximate();
        Some(Value::object(vec![Member::new("location", location), Member::new("tags", part("tags"))]))
    }

    fn info(&self, _: &Evaluator<'_>, symbol: &str) -> Option<Value> {
        let resource = self.0.get(symbol)?.as_object()?;
        let own = ["id", "name", "type", "apiVersion"].iter().filter_map(|key| resource.member(key).cloned());
        Some(Value::object(own.collect()))
    }
}
