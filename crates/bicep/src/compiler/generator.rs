//! The hash in the metadata of a template, by which its readers see whether it has been changed since it was compiled.

use crate::arm;
use crate::value::{Member, Value};

const GENERATOR: &str = "_generator";
const HASH: &str = "templateHash";

/// A compiled template with the hashes of itself and of its modules. The hash of a template counts those of its modules,
/// so they are found first.
pub fn with_hashes(template: &Value) -> Value {
    let template = changed(template, "resources", &each_resource);
    let generator = template.get("metadata").and_then(|metadata| metadata.get(GENERATOR));
    if generator.is_none_or(|generator| generator.get(HASH).is_some()) {
        return template;
    }
    let hash = Value::from(arm::template_hash(&template).to_string());
    changed(&template, "metadata", &|metadata| {
        changed(metadata, GENERATOR, &|generator| {
            let members = generator.as_object().into_iter().flatten().cloned();
            Value::object(members.chain([Member::new(HASH, hash.clone())]).collect())
        })
    })
}

fn each_resource(resources: &Value) -> Value {
    if let Some(items) = resources.as_array() {
        return Value::array(items.iter().map(of_module).collect());
    }
    let members = resources.as_object().into_iter().flatten();
    Value::object(members.map(|member| Member { value: of_module(&member.value), ..member.clone() }).collect())
}

/// A resource with the hash of its template, if it is a module.
fn of_module(resource: &Value) -> Value {
    changed(resource, "properties", &|properties| changed(properties, "template", &with_hashes))
}

/// An object with another value of one of its members. Another value stays as it is.
fn changed(value: &Value, name: &str, change: &dyn Fn(&Value) -> Value) -> Value {
    if value.get(name).is_none() {
        return value.clone();
    }
    let members = value.as_object().into_iter().flatten().map(|member| {
        if &*member.key == name { Member { value: change(&member.value), ..member.clone() } } else { member.clone() }
    });
    Value::object(members.collect())
}
