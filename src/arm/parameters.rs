//! Parameter files.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/parameter-files>.

use crate::arm::eval::{Given, World};
use crate::arm::expand::Request;
use crate::diagnostic::{Code, Diagnostic};
use crate::text::nearest_name;
use crate::value::{Member, Object, Str, Value};

/// The values that somebody gives the parameters of a root template.
#[derive(Debug)]
pub(super) struct GivenParameters<'a> {
    entries: Option<&'a Object>,
    overrides: &'a [(Str, Value)],
}

/// Reads the parameter file of a request. Entries that are neither a value nor a reference are reported and left out.
pub(super) fn given<'a>(request: &Request<'a>, world: &World<'_>) -> GivenParameters<'a> {
    let entries = request.parameters.and_then(|(_, file)| file.get("parameters")).and_then(Value::as_object);
    for member in entries.into_iter().flatten() {
        let is_entry = member.value.get("value").is_some() || member.value.get("reference").is_some();
        if let Some(span) = member.span().filter(|_| !is_entry) {
            let message = format!("parameter `{}` has neither a `value` nor a `reference`", member.key);
            let help = format!("write `\"{}\": {{ \"value\": … }}`", member.key);
            world.report(Diagnostic::new(Code::ParameterFormat, span, message).with_help(help));
        }
    }
    GivenParameters { entries, overrides: request.overrides }
}

impl GivenParameters<'_> {
    /// The value of a parameter. Text in parameter files stands for itself, also where it looks like an expression.
    pub(super) fn get(&self, name: &str) -> Option<Given> {
        let set = self.overrides.iter().rev().find(|(found, _)| found.eq_ignore_ascii_case(name));
        if let Some((_, value)) = set {
            return Some(Given::Value(value.clone()));
        }
        let entry = self.entries?.get(name)?;
        match (entry.get("value"), entry.get("reference")) {
            (Some(value), _) => Some(Given::Value(value.clone())),
            (None, Some(reference)) => Some(Given::KeyVault(reference.clone())),
            (None, None) => None,
        }
    }

    /// `deployment().properties.parameters`
    pub(super) fn as_arguments(&self) -> Value {
        let entries = self.entries.into_iter().flatten().map(Member::clone);
        Value::object(entries.collect())
    }

    /// Reports values for parameters that the template does not have.
    pub(super) fn report_undeclared(&self, declared: &Value, world: &World<'_>) {
        for member in self.entries.into_iter().flatten() {
            if declared.get(&member.key).is_some() {
                continue;
            }
            let Some(span) = member.key_span else { continue };
            let message = format!("the template declares no parameter `{}`", member.key);
            let names = declared.as_object().into_iter().flatten().map(|it| &*it.key);
            let diagnostic = Diagnostic::new(Code::ParameterUndefined, span, message);
            world.report(match nearest_name(&member.key, names) {
                Some(near) => diagnostic.with_help(format!("did you mean `{near}`?")),
                None => diagnostic,
            });
        }
    }
}
