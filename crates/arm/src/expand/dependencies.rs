//! Checks the dependencies of resources, and that their names fit their types.

use crate::diagnostic::{Code, Diagnostic};
use crate::expand::Expander;
use crate::expand::registry::{Deployed, Instance, Node};
use crate::text::Span;
use crate::value::Value;

impl Expander<'_> {
    /// Reports problems in the resources of the document that Resource Manager rejects before it deploys anything.
    pub(super) fn check_instances(&self) {
        let nodes = self.registry.nodes();
        for instance in (0..self.registry.instance_count()).map(|index| self.registry.instance(index)) {
            if matches!(instance.presence, Deployed::No) {
                continue;
            }
            self.check_segments(&instance);
            let Some(node) = nodes.get(instance.node) else { continue };
            let body = instance.body.borrow();
            let list = body.as_ref().and_then(|body| body.get("dependsOn")?.as_array());
            for entry in list.into_iter().flatten() {
                self.check_dependency(node, &instance, entry);
            }
        }
    }

    fn check_dependency(&self, node: &Node, instance: &Instance, entry: &Value) {
        let (Some(text), Some(span)) = (entry.as_str(), entry.span.or(instance.declaration.span)) else { return };
        if self.registry.excludes(node, text) && self.registry.find(node, text).is_empty() {
            let message = format!("the template declares no resource `{text}` to depend on");
            let help = "`dependsOn` can name only resources of the same template; remove the entry if the resource exists already";
            self.world.report(Diagnostic::new(Code::TemplateDependency, span, message).with_help(help));
        }
        if self.is_own(node, instance, text) {
            let name = instance.symbol.as_ref().unwrap_or(&instance.name_text);
            let message = format!("`{}` depends on itself", self.world.masked(name));
            self.world.report(Diagnostic::new(Code::TemplateCycle, span, message).with_help("remove the entry"));
        }
    }

    /// Returns `true` if the entry `text` of `dependsOn` refers to `instance` itself.
    fn is_own(&self, node: &Node, instance: &Instance, text: &str) -> bool {
        let is = |name: &str| name.eq_ignore_ascii_case(text);
        if let Some(symbol) = &instance.symbol {
            let element = instance.iteration.map(|index| format!("{symbol}[{index}]"));
            return is(symbol) || element.is_some_and(|element| is(&element)) || is(&instance.id);
        }
        if instance.name.as_unknown().is_some() {
            return false;
        }
        let of_loop = instance.declaration.get("copy").and_then(|copy| copy.get("name")).and_then(Value::as_str);
        // A resource of another type may have the same name, and the iterations of a loop form a longer cycle.
        let is_named = of_loop.is_some_and(is) || is(&instance.name_text);
        is(&instance.id) || (is_named && *self.registry.find(node, text) == [instance.index])
    }

    /// Reports a name that does not have a segment for each type in the type of its resource.
    fn check_segments(&self, instance: &Instance) {
        let (type_name, name) = (&instance.type_name, &instance.name_text);
        let is_known = instance.name.as_str().is_some() && !name.is_empty() && !type_name.is_empty();
        let expected = type_name.split('/').count() - 1;
        let found = name.split('/').count();
        // Resources of extensions have no ID and no rules for names.
        if instance.id.is_empty() || !is_known || expected == found {
            return;
        }
        let Some(span) = name_span(instance) else { return };
        let message = if expected == 0 {
            format!("`{type_name}` is not a resource type: it has no namespace")
        } else {
            let word = |count: usize| if count == 1 { "segment" } else { "segments" };
            // Most types without parents whose names have more segments extend another resource.
            let hint = if expected == 1 { "; an extension resource has a `scope`, not a parent" } else { "" };
            format!(
                "name `{}` has {found} {}, but type `{type_name}` takes a name of {expected} {}{hint}",
                self.world.masked(name),
                word(found),
                word(expected)
            )
        };
        self.world.report(Diagnostic::new(Code::TemplateSegments, span, message));
    }
}

/// Returns the span of the name of a resource, or of its declaration if it has none.
fn name_span(instance: &Instance) -> Option<Span> {
    instance.declaration.get("name").and_then(|name| name.span).or(instance.declaration.span)
}
