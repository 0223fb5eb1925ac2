//! Settings that determine what a stack deploys or deletes, besides its resources and the values of its parameters.

use crate::dynamic;
use crate::evaluator::{At, Evaluator};
use crate::stack::{is_macro, transforms};
use crate::value::{Member, Object, Value};

/// The key of a call of a macro.
const TRANSFORM: &str = "Fn::Transform";

/// The members of a nested stack whose effect is in the resources of its template.
const OF_RESOURCE: [&str; 3] = ["Type", "DependsOn", "Condition"];

/// The properties of a nested stack whose effect is there: its template, which is in the repository, and the arguments.
const PROPERTIES: [&str; 3] = ["TemplateURL", "Location", "Parameters"];

/// Returns the settings of a stack, as [`Deployment::settings`](crate::model::Deployment::settings) has them. A nested
/// stack has the `body` of its resource.
pub(super) fn stack_settings(evaluator: &Evaluator<'_, '_>, body: Option<&Value>, outputs: &Value) -> Value {
    let template = evaluator.stack.template;
    let mut settings: Vec<Member> = body.and_then(Value::as_object).map(of_resource).unwrap_or_default();
    let unknown: Vec<Value> = transforms(template).iter().filter(|transform| is_macro(transform)).cloned().collect();
    put(&mut settings, "Transform", evaluated(evaluator, &Value::array(unknown)));
    let sections = template.as_object().into_iter().flatten();
    for section in sections {
        let value = macros(evaluator, section, 2);
        settings.extend(value.map(|value| Member { value, ..section.clone() }));
    }
    if let Some(hooks) = template.as_object().and_then(|template| template.get_exact("Hooks")) {
        put(&mut settings, "Hooks", evaluated(evaluator, hooks));
    }
    put(&mut settings, "Outputs", exports(evaluator, outputs));
    Value::object(settings)
}

fn of_resource(body: &Object) -> Vec<Member> {
    let mut members = Vec::new();
    for member in body.iter().filter(|member| !OF_RESOURCE.contains(&&*member.key)) {
        let value = match (&*member.key, member.value.as_object()) {
            ("Properties", Some(properties)) => {
                let counts = |member: &&Member| !PROPERTIES.contains(&&*member.key);
                Value::object(properties.iter().filter(counts).cloned().collect())
            }
            _ => member.value.clone(),
        };
        put(&mut members, &member.key, value);
    }
    members
}

/// Returns the macros that replace a member of the template, or a part of it at most `depth` levels below. Those within
/// resources are reasons of unknown values.
fn macros(evaluator: &Evaluator<'_, '_>, member: &Member, depth: usize) -> Option<Value> {
    if *member.key == *TRANSFORM {
        return Some(evaluated(evaluator, &member.value));
    }
    let object = member.value.as_object().filter(|_| depth > 0)?;
    let parts = object.iter().filter_map(|part| {
        let value = macros(evaluator, part, depth - 1)?;
        Some(Member { value, ..part.clone() })
    });
    let parts: Vec<Member> = parts.collect();
    (!parts.is_empty()).then(|| Value::object(parts))
}

/// Returns the names under which other stacks import outputs, and the values that they get.
fn exports(evaluator: &Evaluator<'_, '_>, outputs: &Value) -> Value {
    let declared = evaluator.stack.section("Outputs");
    let export = |output: &Member| {
        let declared = declared?.get_exact(&output.key)?.as_object()?;
        let export = evaluated(evaluator, declared.get_exact("Export")?);
        let value = output.value.get("value").cloned().unwrap_or(Value::NULL);
        let members = vec![Member::new("Export", export), Member::new("Value", value)];
        Some(Member { value: Value::object(members), ..output.clone() })
    };
    Value::object(outputs.as_object().into_iter().flatten().filter_map(export).collect())
}

fn evaluated(evaluator: &Evaluator<'_, '_>, value: &Value) -> Value {
    evaluator.value(value, At::START).map_or(Value::NULL, dynamic::resolved)
}

/// Adds a member, unless there is nothing in it.
fn put(members: &mut Vec<Member>, name: &str, value: Value) {
    let is_empty = value.is_null()
        || value.as_array().is_some_and(<[Value]>::is_empty)
        || value.as_object().is_some_and(Object::is_empty);
    if !is_empty {
        members.push(Member::new(name, value));
    }
}
