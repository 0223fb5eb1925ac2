//! Checks the arguments of a nested deployment against the parameters of its template.

use crate::diagnostic::{Code, Diagnostic};
use crate::expand::Expander;
use crate::expand::registry::Instance;
use crate::text::Span;
use crate::types::Types;
use crate::value::{Object, Value};

impl Expander<'_> {
    /// Reports required parameters that a nested deployment does not set, and arguments that its template does not
    /// declare.
    pub(super) fn check_arguments(&self, instance: &Instance, template: &Value, arguments: &Value) {
        let empty = Value::object(Vec::new());
        let given = if arguments.is_null() { &empty } else { arguments };
        // Some entries of unknown arguments may be missing here.
        let Some(given) = given.as_object() else { return };
        let declared = template.get("parameters").and_then(Value::as_object);
        let types = self.world.types(template);
        let missing = declared.into_iter().flatten().filter(|parameter| {
            let is_given = given.member(&parameter.key).is_some();
            let configured = self.world.context.parameter_defaults.get(&parameter.key).is_some();
            !is_given && !configured && is_required(&parameter.value, &types)
        });
        for parameter in missing {
            let message = format!(
                "deployment `{}` does not set parameter `{}`, which has no default value",
                self.world.masked(&instance.name_text),
                parameter.key
            );
            let Some(span) = place(instance) else { continue };
            let diagnostic = Diagnostic::new(Code::ParameterRequired, span, message);
            self.world.report(match parameter.key_span {
                Some(span) => diagnostic.with_label(span, "declared here"),
                None => diagnostic,
            });
        }
        self.report_undeclared(instance, given, declared);
    }

    fn report_undeclared(&self, instance: &Instance, given: &Object, declared: Option<&Object>) {
        let names = || declared.into_iter().flatten().map(|parameter| &*parameter.key);
        for entry in given {
            if declared.is_some_and(|declared| declared.member(&entry.key).is_some()) {
                continue;
            }
            let Some(span) = entry.key_span.or(entry.value.span).or_else(|| place(instance)) else { continue };
            let hint = self.world.suggestions.did_you_mean(&entry.key, names());
            let message = format!("the template of the deployment declares no parameter `{}`{hint}", entry.key);
            self.world.report(Diagnostic::new(Code::ParameterUndefined, span, message));
        }
    }
}

fn is_required(declaration: &Value, types: &Types) -> bool {
    declaration.get("defaultValue").is_none() && types.declared_type(declaration).nullable != Some(true)
}

/// Returns the span where a deployment sets its parameters, or else the span of its first character.
fn place(instance: &Instance) -> Option<Span> {
    let properties = instance.declaration.get("properties").and_then(Value::as_object);
    let of_member = |name: &str| properties?.member(name)?.key_span;
    of_member("parameters").or_else(|| of_member("parametersLink")).or_else(|| {
        let span = instance.declaration.span?;
        Some(Span::new(span.file, span.start, span.end.min(span.start + 1)))
    })
}
