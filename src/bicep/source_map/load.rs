//! `loadTextContent()` and its like: what they load becomes a variable `$fxv#0` of the template, and a reference to it
//! stands where the call stood.

use rustc_hash::FxHashMap;

use crate::bicep::reader::Range;
use crate::bicep::source_map::pointer::Step;
use crate::bicep::source_map::property::Found;
use crate::bicep::source_map::unit::Unit;
use crate::value::{Data, Value};

const PREFIX: &str = "$fxv#";

/// Where the variables of loaded files are used.
#[derive(Debug, Default)]
pub(super) struct Loads {
    uses: FxHashMap<Box<str>, Use>,
}

/// The first use of a loaded file.
#[derive(Debug)]
struct Use {
    /// The path of the expression.
    steps: Vec<String>,
    /// How many other loaded files are before it in the expression.
    before: usize,
}

impl Loads {
    pub(super) fn new(template: &Value) -> Self {
        let mut loads = Self::default();
        let variables = template.get("variables").and_then(Value::as_object);
        if variables.is_some_and(|it| it.iter().any(|member| member.key.starts_with(PREFIX))) {
            loads.collect(template, &mut Vec::new());
        }
        loads
    }

    fn collect(&mut self, value: &Value, steps: &mut Vec<String>) {
        match &value.data {
            Data::String(text) if text.starts_with('[') => {
                for (before, (at, _)) in text.match_indices(PREFIX).enumerate() {
                    let name = text[at..].split('\'').next().unwrap_or_default();
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
            // The templates of modules have variables of their own.
            Data::Object(members) => {
                let is_module = steps.len() == 3 && steps[0] == "resources" && steps[2] == "properties";
                let own = |key: &str| !(key.starts_with(PREFIX) || (is_module && key == "template"));
                for member in members.iter().filter(|it| own(&it.key)) {
                    steps.push(member.key.to_string());
                    self.collect(&member.value, steps);
                    steps.pop();
                }
            }
            _ => {}
        }
    }

    /// The call that the variable stands for.
    pub(super) fn find(&self, unit: &Unit, name: &str) -> Option<Found> {
        let first = self.uses.get(name)?;
        let steps: Vec<Step<'_>> = first.steps.iter().map(|it| Step::from(it.as_str())).collect();
        let found = unit.find(&steps, None);
        let calls = unit.file.slice(found.value).match_indices("load");
        let is_call = |text: &str| {
            let word = text.len() - text.trim_start_matches(|it: char| it.is_ascii_alphanumeric()).len();
            word > "load".len() && text[word..].trim_start().starts_with('(')
        };
        let text = unit.file.slice(found.value);
        let call = calls.filter(|(at, _)| is_call(&text[*at..])).nth(first.before);
        let start = call.and_then(|(at, _)| u32::try_from(at).ok()).map(|at| found.value.start + at);
        Some(start.map_or(found, |start| Found::exact(Range::new(start, found.value.end))))
    }
}
