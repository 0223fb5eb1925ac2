//! Finds the secrets of a document that reports must not show, besides its values.

use crate::eval::Evaluator;
use crate::expand::Expander;
use crate::model::{Document, Hidden, add_literals, add_secrets};
use crate::text::Span;
use crate::types::secret_literals;
use crate::value::Value;

impl Expander<'_> {
    /// Returns the literals that are secret, and the secret parts of names.
    pub(super) fn hidden(&self, document: &Document, given: Option<&Value>) -> Hidden {
        let mut spans = Vec::new();
        for deployment in &document.deployments {
            add_literals(&deployment.parameters, &mut spans);
            add_literals(&deployment.outputs, &mut spans);
        }
        for node in self.registry.nodes() {
            // The template of the enclosing deployment contains all others of its file.
            let is_outermost = node.parent.is_none_or(|parent| self.registry.node(parent).file != node.file);
            if is_outermost {
                secret_literals(&self.evaluator(&node), &node.template, &mut spans);
            }
            if node.parent.is_none() {
                given_literals(&self.evaluator(&node), &node.template, given, &mut spans);
            }
        }
        Hidden::new(spans, self.world.secret_names())
    }
}

/// Adds the literals of a parameter file for secure parameters. The secret of an entry without a `value` is elsewhere
/// in it.
fn given_literals(evaluator: &Evaluator<'_>, template: &Value, given: Option<&Value>, spans: &mut Vec<Span>) {
    let entries = given.and_then(|file| file.get("parameters"));
    let declared = template.get("parameters").and_then(Value::as_object).into_iter().flatten();
    for parameter in declared {
        let entry = entries.and_then(|entries| entries.get(&parameter.key));
        if let Some(entry) = entry.filter(|entry| entry.get("reference").is_none())
            && evaluator.level.types.declared_type(&parameter.value).is_secure
        {
            add_secrets(&entry.clone().into_secret(), spans);
        }
    }
}
