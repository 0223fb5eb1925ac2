//! Uses of the values of parameters: in properties that hold secrets, in others that do not, or elsewhere.

use foldhash::HashMap;

use crate::checks::ProcessedTemplate;
use crate::checks::expressions::{each_call, is_inner_template};
use crate::eval::World;
use crate::expr::{Expr, ExprKind, Target, TextKind, text_kind};
use crate::runtime::{Sensitivity, sensitivity};
use crate::text::with_lower_case;
use crate::value::{Data, Member, Traits, Value};

/// Uses of the value of one parameter.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Flow {
    /// A property that holds a secret and has exactly this value, with the type of its resource.
    pub(super) secret: Option<(String, String)>,
    /// True if the value is used in a property that everyone can read.
    pub(super) is_in_plain: bool,
    /// True if the value is used anywhere else.
    is_elsewhere: bool,
}

impl Flow {
    /// Returns `true` if the value is used, and everyone can read it wherever it is used.
    pub(super) fn is_plain(&self) -> bool {
        self.is_in_plain && !self.is_elsewhere && self.secret.is_none()
    }
}

/// Returns the flows of the parameters of a template, by their names in lower case.
pub(super) fn parameter_flows(subject: &ProcessedTemplate<'_>) -> HashMap<String, Flow> {
    let mut finder = FlowFinder { world: subject.world(), flows: HashMap::default() };
    for section in subject.template.as_object().into_iter().flatten() {
        match section.key.to_ascii_lowercase().as_str() {
            "resources" => finder.resources(&section.value, ""),
            _ => finder.elsewhere(&section.value),
        }
    }
    finder.flows
}

struct FlowFinder<'a> {
    world: &'a World<'a>,
    flows: HashMap<String, Flow>,
}

impl FlowFinder<'_> {
    fn resources(&mut self, resources: &Value, parent: &str) {
        let items = resources.as_array().into_iter().flatten();
        let members = resources.as_object().into_iter().flatten().map(|member| &member.value);
        for resource in items.chain(members) {
            let own = resource.get("type").and_then(Value::as_str).unwrap_or_default();
            let is_full = parent.is_empty() || own.contains('.');
            let type_name = if is_full { own.to_owned() } else { format!("{parent}/{own}") };
            for member in resource.as_object().into_iter().flatten() {
                if member.key.eq_ignore_ascii_case("resources") {
                    self.resources(&member.value, &type_name);
                } else {
                    self.value(&member.value, &type_name, &mut member.key.to_string());
                }
            }
        }
    }

    fn value(&mut self, value: &Value, type_name: &str, path: &mut String) {
        // Most of a template is written as it is, and needs no paths.
        if !value.traits.has(Traits::DYNAMIC) {
            return;
        }
        match &value.data {
            Data::Array(items) => items.iter().for_each(|item| self.value(item, type_name, path)),
            Data::Object(object) => {
                let is_dynamic = |member: &&Member| member.value.traits.has(Traits::DYNAMIC);
                let length = path.len();
                for member in object.iter().filter(is_dynamic).filter(|member| !is_inner_template(object, member)) {
                    path.push('.');
                    path.push_str(&member.key);
                    self.value(&member.value, type_name, path);
                    path.truncate(length);
                }
            }
            Data::String(_) => match sensitivity(type_name, path) {
                Some(Sensitivity::Plain) => self.each_name(value, &mut |flow| flow.is_in_plain = true),
                Some(Sensitivity::Secret) => {
                    self.elsewhere(value);
                    if let Some(name) = self.parameter(value) {
                        let place = Some((type_name.to_owned(), path.clone()));
                        self.flows.entry(name).or_default().secret = place;
                    }
                }
                Some(Sensitivity::WriteOnly) | None => self.elsewhere(value),
            },
            _ => {}
        }
    }

    fn elsewhere(&mut self, value: &Value) {
        self.each_name(value, &mut |flow| flow.is_elsewhere = true);
    }

    /// Calls `note` for the flow of each parameter in the expressions of a value.
    fn each_name(&mut self, value: &Value, note: &mut dyn FnMut(&mut Flow)) {
        let flows = &mut self.flows;
        each_call(self.world, value, &|object, member| !is_inner_template(object, member), &mut |call| {
            if let Some(name) = call.name().filter(|_| call.function == "parameters") {
                with_lower_case(name, |lower| match flows.get_mut(lower) {
                    Some(flow) => note(flow),
                    None => note(flows.entry(lower.to_owned()).or_default()),
                });
            }
        });
    }

    /// Returns the name of the parameter whose value the string has: `[parameters('name')]`.
    fn parameter(&self, value: &Value) -> Option<String> {
        let text = value.as_shared_str().filter(|text| text_kind(text) == TextKind::Expression)?;
        let expression = self.world.parse(text).ok()?;
        let Expr { kind: ExprKind::Call(Target::Builtin(function), arguments), .. } = &*expression else { return None };
        match arguments.as_slice() {
            [Expr { kind: ExprKind::Literal(name), .. }] if function.name == "parameters" => {
                name.as_str().map(str::to_ascii_lowercase)
            }
            _ => None,
        }
    }
}
