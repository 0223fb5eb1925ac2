//! Nested deployments: which names their expressions see, and what they deploy to.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/linked-templates#expression-evaluation-scope-in-nested-templates>.

use std::rc::Rc;

use crate::arm::eval::{Evaluator, Given};
use crate::arm::expand::registry::{Instance, Node};
use crate::arm::expand::{Expander, Submission};
use crate::arm::target::Scope;
use crate::model::join_key;
use crate::value::Value;

impl Expander<'_> {
    /// Declares and processes the template of a deployment, as far as it can be had.
    pub(super) fn enter(&self, instance: &Rc<Instance>, outer: &Rc<Node>) {
        let evaluator = self.evaluator(outer);
        let Some(found) = self.template_of(instance, outer, &evaluator) else { return };
        let template = &found.template;
        let target = Scope::of_id(&instance.scope).unwrap_or_else(|| outer.target.clone());
        let path = join_key(&join_key(&instance.path, "properties"), "template");
        let inner = found.is_linked || is_inner(instance, &evaluator, template);
        let level = if inner {
            let arguments = self.arguments(instance, outer, &evaluator);
            let submission = Submission {
                template,
                target: &target,
                name: &instance.name_text,
                uri: &found.uri,
                arguments: arguments.clone(),
                configs: evaluated_property(instance, &evaluator, "extensionConfigs"),
            };
            let given = |name: &str| match arguments.as_unknown() {
                Some(_) => Some(Given::Value(arguments.clone())),
                None => argument(arguments.get(name)?),
            };
            Rc::new(self.level(&submission, given))
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
            frames: if inner { None } else { instance.frames.clone() },
            ..Node::empty(index, found.file)
        });
        instance.nested.set(Some(node.index));
        self.declare_all(&node);
        self.process_all(&node);
    }
}

/// Whether the template is evaluated on its own. Templates of language version 2 always are.
fn is_inner(instance: &Instance, evaluator: &Evaluator<'_>, template: &Value) -> bool {
    let options = instance.declaration.get("properties").and_then(|it| it.get("expressionEvaluationOptions"));
    let scope = options.and_then(|it| it.get("scope")).map(|it| evaluator.expand(it, &instance.frames));
    let version = template.get("languageVersion").and_then(Value::as_str).unwrap_or_default();
    match scope.as_ref().and_then(Value::as_str) {
        Some(scope) => scope.eq_ignore_ascii_case("inner"),
        None => version.starts_with('2'),
    }
}

/// A property of the deployment, evaluated where it is declared.
pub(super) fn evaluated_property(instance: &Instance, evaluator: &Evaluator<'_>, name: &str) -> Value {
    let body = instance.body.borrow();
    let expanded = body.as_ref().and_then(|body| body.get("properties")?.get(name).cloned());
    let declared = instance.declaration.get("properties").and_then(|it| it.get(name));
    match (expanded, declared) {
        (Some(expanded), _) => expanded,
        (None, Some(declared)) => evaluator.expand(declared, &instance.frames),
        (None, None) => Value::NULL,
    }
}

/// The argument of an entry `{value}` or `{reference}`. An entry that is unknown as a whole gives an unknown.
fn argument(entry: &Value) -> Option<Given> {
    if entry.as_unknown().is_some() {
        return Some(Given::Value(entry.clone()));
    }
    if let Some(reference) = entry.get("reference") {
        return Some(Given::KeyVault(reference.clone()));
    }
    // A value that is computed as null is gone from the body of the deployment.
    let null = || entry.as_object().map(|_| Value { span: entry.span, ..Value::NULL });
    entry.get("value").cloned().or_else(null).map(Given::Value)
}
