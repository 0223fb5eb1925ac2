//! User-defined functions of a template.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/user-defined-functions>.

use crate::diagnostic::Code;
use crate::eval::Evaluator;
use crate::eval::frame::{Binding, Frame, Frames};
use crate::expr::{Expr, TextKind, text_kind};
use crate::fault::Fault;
use crate::functions::exactly;
use crate::value::{Step, Str, Value, Via};

/// The `functions` of a template: an array of `{namespace, members}`.
#[derive(Clone, Debug)]
pub struct UserFunctions(Value);

impl UserFunctions {
    /// Wraps the `functions` member of a template, or null.
    pub fn new(functions: Value) -> Self {
        Self(functions)
    }

    /// Returns the declaration of a function. Namespaces and names are case-insensitive.
    fn find(&self, namespace: &str, name: &str) -> Option<&Value> {
        let namespaces = self.0.as_array()?.iter();
        let has_name = |space: &&Value| {
            space.get("namespace").and_then(Value::as_str).is_some_and(|found| found.eq_ignore_ascii_case(namespace))
        };
        namespaces.filter(has_name).find_map(|space| space.get("members")?.get(name))
    }
}

impl Evaluator<'_> {
    /// Calls a user-defined function with unevaluated arguments.
    pub(super) fn call_user(
        &self,
        namespace: &Str,
        name: &Str,
        arguments: &[Expr],
        frames: &Frames,
    ) -> Result<Value, Fault> {
        self.world.step(1)?;
        let full = format!("{namespace}.{name}");
        let Some(function) = self.level.functions.find(namespace, name) else {
            return Err(Fault::new(Code::ExpressionUnknownFunction, format!("there is no function `{full}`")));
        };
        let declared = function.get("parameters").and_then(Value::as_array).unwrap_or_default();
        if declared.len() != arguments.len() {
            let expected = exactly(declared.len()).describe();
            return Err(Fault::arity(format!("`{full}` takes {expected}, found {}", arguments.len())));
        }
        let mut values = Vec::with_capacity(arguments.len());
        for (declaration, argument) in declared.iter().zip(arguments) {
            let name = declaration.get("name").and_then(Value::as_shared_str);
            values.push((name.cloned().unwrap_or_else(|| Str::from("")), self.eval(argument, frames)?));
        }
        let output = function.get("output").and_then(|output| output.get("value"));
        let Some(output) = output else {
            return Err(Fault::new(Code::TemplateShape, format!("function `{full}` has no output value")));
        };
        // The body sees nothing but the arguments.
        let frames = Frame::push(&None, Binding::Arguments(values));
        let result = match output.as_shared_str() {
            Some(text) if text_kind(text) == TextKind::Expression => self.eval_text(output, text, &frames)?,
            _ => self.expand(output, &frames),
        };
        let via = Via::new(Step::Function(Str::from(full)), output.span, result.via.clone());
        Ok(result.through(Some(via)))
    }
}
