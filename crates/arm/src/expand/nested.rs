//! Nested deployments: the names that their expressions see, and the scope that they deploy to.
//!
//! Reference:
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/linked-templates#expression-evaluation-scope-in-nested-templates>.

use std::rc::Rc;

use crate::eval::{Evaluator, Given, TemplateLevel};
use crate::expand::registry::{Instance, Node};
use crate::expand::{Expander, Submission};
use crate::model::join_key;
use crate::scope::DeploymentScope;
use crate::value::{Kind, Unknown, Value};

impl Expander<'_> {
    /// Expands the template of a nested deployment, if it is available.
    pub(super) fn enter(&self, instance: &Rc<Instance>, outer: &Rc<Node>) {
        let evaluator = self.evaluator_of(instance);
        let level = self.world.deeper();
        if let Err(fault) = level {
            return evaluator.report(&fault, instance.declaration.span);
        }
        let Some(nested) = self.template_of(instance, outer, &evaluator) else { return };
        let template = &nested.template;
        let target = self.target_of(instance, outer, &evaluator, template);
        let path = join_key(&join_key(&instance.path, "properties"), "template");
        let inner = nested.is_linked || is_inner(instance, &evaluator, template);
        let level = if inner {
            let arguments = self.arguments(instance, outer, &evaluator);
            self.check_arguments(instance, template, &arguments);
            let submission = Submission {
                template,
                target: &target,
                name: &instance.name_text,
                uri: &nested.uri,
                location: self.location_of(instance),
                arguments: arguments.clone(),
                configs: evaluated_property(instance, &evaluator, "extensionConfigs"),
            };
            let given = |name: &str| match arguments.as_unknown() {
                Some(_) => Some(Given::Value(arguments.clone())),
                None => argument(arguments.get(name)?),
            };
            Rc::new(TemplateLevel { is_guarded: evaluator.is_guarded, ..self.level(&submission, given) })
        } else {
            Rc::clone(&outer.level)
        };
        let node = self.registry.add_node(|index| Node {
            level,
            target,
            name: instance.name_text.clone(),
            template: template.clone(),
            path,
            instance: Some(instance.index),
            parent: Some(outer.index),
            is_guarded: evaluator.is_guarded,
            frames: if inner { None } else { instance.frames.clone() },
            ..Node::empty(index, nested.file)
        });
        instance.nested.set(Some(node.index));
        self.declare_all(&node);
        self.process_all(&node);
    }
}

impl Expander<'_> {
    /// Returns the scope that a nested deployment deploys to. If nothing is known of it, the schema of the template
    /// determines its kind.
    fn target_of(
        &self,
        instance: &Instance,
        outer: &Node,
        evaluator: &Evaluator<'_>,
        template: &Value,
    ) -> DeploymentScope {
        let scope = instance.declaration.get("scope").map(|scope| evaluator.expand(scope, &instance.frames));
        let schema = template.get("$schema").and_then(Value::as_str);
        if let Some(schema) = schema.filter(|_| scope.is_some_and(|scope| is_open(&scope))) {
            return DeploymentScope::of_schema(schema, self.world.context);
        }
        DeploymentScope::of_id(&instance.scope).unwrap_or_else(|| outer.target.clone())
    }

    /// Returns the location of a nested deployment, which is declared unless it targets a resource group.
    fn location_of(&self, instance: &Instance) -> Value {
        let body = instance.body.borrow();
        let declared = body.as_ref().and_then(|body| body.get("location").cloned());
        declared.unwrap_or_else(|| self.world.context.deployment_location())
    }
}

/// Returns `true` if `value` is an unknown without a known approximation of its text.
fn is_open(value: &Value) -> bool {
    value.as_unknown().is_some_and(|unknown| unknown.approximation.as_str().is_none_or(str::is_empty))
}

/// Returns `true` if the template has inner scope: its expressions see its own parameters and variables. Inner scope is
/// the default for templates of language version 2.
fn is_inner(instance: &Instance, evaluator: &Evaluator<'_>, template: &Value) -> bool {
    let options =
        instance.declaration.get("properties").and_then(|properties| properties.get("expressionEvaluationOptions"));
    let scope = options.and_then(|options| options.get("scope"));
    let scope = scope.map(|scope| evaluator.expand(scope, &instance.frames));
    let version = template.get("languageVersion").and_then(Value::as_str).unwrap_or_default();
    match scope.as_ref().and_then(Value::as_str) {
        Some(scope) => scope.eq_ignore_ascii_case("inner"),
        None => version.starts_with('2'),
    }
}

/// Returns a property of the deployment, evaluated in the template that declares it. `null` if it is not declared.
pub(super) fn evaluated_property(instance: &Instance, evaluator: &Evaluator<'_>, name: &str) -> Value {
    let body = instance.body.borrow();
    let expanded = body.as_ref().and_then(|body| body.get("properties")?.get(name).cloned());
    let declared = instance.declaration.get("properties").and_then(|properties| properties.get(name));
    match (expanded, declared) {
        (Some(expanded), _) => expanded,
        (None, Some(declared)) => evaluator.expand(declared, &instance.frames),
        (None, None) => Value::NULL,
    }
}

/// Returns the argument in an entry of `parameters`, `{value}` or `{reference}`. An unknown entry is an unknown
/// argument.
fn argument(entry: &Value) -> Option<Given> {
    if let Some(unknown) = entry.as_unknown() {
        // `if(unknown, createObject('value', a), createObject('value', b))`: what is passed is `a` or `b`.
        let passed = |entry: &Value| entry.get("value").cloned().unwrap_or(Value::NULL);
        let value = Unknown::like(Kind::Any, unknown.why.clone(), passed(&unknown.approximation));
        let value = Value::unknown(value.one_of(unknown.choices.iter().map(passed)));
        let traits = value.traits | entry.traits;
        return Some(Given::Value(Value { traits, span: entry.span, via: entry.via.clone(), ..value }));
    }
    if let Some(reference) = entry.get("reference") {
        return Some(Given::KeyVault(reference.clone()));
    }
    // A value that an expression computes as `null` has been dropped from the body of the deployment.
    let null = || entry.as_object().map(|_| Value { span: entry.span, ..Value::NULL });
    entry.get("value").cloned().or_else(null).map(Given::Value)
}
