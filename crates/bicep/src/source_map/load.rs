//! Maps the contents of loaded files to the calls that load them. The compiler turns the result of
//! `loadTextContent()` and similar functions into a variable such as `$fxv#0`, and the call into a reference to it.

use foldhash::HashMap;

use crate::source_map::pointer::PathStep;
use crate::source_map::property::FileLocation;
use crate::source_map::unit::Unit;
use crate::text::Span;
use crate::value::{Data, Value};

/// Prefix of these variables' names.
const PREFIX: &str = "$fxv#";

/// Uses of loaded files in a template.
#[derive(Debug, Default)]
pub(super) struct Loads {
    /// First uses, by the name of the variable.
    uses: HashMap<Box<str>, Use>,
}

/// The first use of a loaded file.
#[derive(Debug)]
struct Use {
    /// Path of the expression in the template.
    steps: Vec<String>,
    /// Number of other loaded files before it in the expression.
    before: usize,
}

impl Loads {
    pub(super) fn new(template: &Value) -> Self {
        let mut loads = Self::default();
        let variables = template.get("variables").and_then(Value::as_object);
        if variables.is_some_and(|object| object.iter().any(|member| member.key.starts_with(PREFIX))) {
            loads.collect(template, &mut Vec::new());
        }
        loads
    }

    /// Records the uses in the expressions of `value`, which is at `steps`.
    fn collect(&mut self, value: &Value, steps: &mut Vec<String>) {
        match &value.data {
            Data::String(text) if text.starts_with('[') => {
                for (before, (at, _)) in text.match_indices(PREFIX).enumerate() {
                    let name = text.get(at..).unwrap_or_default().split('\'').next().unwrap_or_default();
                    self.uses.entry(name.into()).or_insert_with(|| Use { steps: steps.clone(), before });
                }
            }
            Data::Array(items) => {
                for (at, item) in items.iter().enumerate() {
                    steps.push(at.to_string());
                    self.collect(item, steps);
                    steps.pop();
                }
            }
            Data::Object(members) => {
                // The template of a module has its own variables.
                let is_module = matches!(
                    steps.as_slice(),
                    [section, _, member] if section == "resources" && member == "properties"
                );
                for member in members.iter() {
                    if member.key.starts_with(PREFIX) || (is_module && &*member.key == "template") {
                        continue;
                    }
                    steps.push(member.key.to_string());
                    self.collect(&member.value, steps);
                    steps.pop();
                }
            }
            _ => {}
        }
    }

    /// Returns the call for a variable, or the whole expression if the call is ambiguous. `None` if the variable is
    /// not used.
    pub(super) fn find(&self, unit: &Unit, name: &str) -> Option<FileLocation> {
        let first = self.uses.get(name)?;
        let steps: Vec<PathStep<'_>> = first.steps.iter().map(|step| PathStep::from(step.as_str())).collect();
        let found = unit.find(&steps, None);
        let text = unit.tree.slice(found.value);
        let mut calls = text.match_indices("load").filter(|(at, _)| text.get(*at..).is_some_and(is_load_call));
        let call = calls.nth(first.before);
        let start = call.and_then(|(at, _)| u32::try_from(at).ok()).map(|at| found.value.start + at);
        Some(start.map_or(found, |start| FileLocation::exact(Span { start, ..found.value })))
    }
}

/// True for a word longer than `load` before a parenthesis, such as `loadTextContent(`.
fn is_load_call(text: &str) -> bool {
    let after = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric());
    text.len() - after.len() > "load".len() && after.trim_start().starts_with('(')
}
