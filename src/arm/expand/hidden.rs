//! Finds what reports must not show of a document besides its values.

use crate::arm::expand::Expander;
use crate::arm::types::secret_literals;
use crate::model::{Document, Hidden, add_literals};

impl Expander<'_> {
    /// The literals that are secret, and the secret parts of names.
    pub(super) fn hidden(&self, document: &Document) -> Hidden {
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
        }
        Hidden::new(spans, self.world.secret_names())
    }
}
