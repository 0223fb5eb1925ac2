//! Hash in the metadata of a template, which tells whether the template was changed after compilation.

use crate::arm;
use crate::value::{Member, Value};

const GENERATOR: &str = "_generator";
const HASH: &str = "templateHash";

/// Adds the hashes of a template and its modules. Modules come first, because their hashes count towards the
/// template's.
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
        return Value::array(items.iter().map(hash_module).collect());
    }
    let members = resources.as_object().into_iter().flatten();
    Value::object(members.map(|member| Member { value: hash_module(&member.value), ..member.clone() }).collect())
}

/// Adds the hash to the template of a module.
fn hash_module(resource: &Value) -> Value {
    changed(resource, "properties", &|properties| changed(properties, "template", &with_hashes))
}

/// Replaces the value of one member of an object. Returns other values unchanged.
fn changed(value: &Value, name: &str, change: &dyn Fn(&Value) -> Value) -> Value {
    if value.get(name).is_none() {
        return value.clone();
    }
    let members = value.as_object().into_iter().flatten().map(|member| {
        if &*member.key == name { Member { value: change(&member.value), ..member.clone() } } else { member.clone() }
    });
    Value::object(members.collect())
}
