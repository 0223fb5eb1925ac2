//! Removes unused definitions from compiled templates: `import * as types` puts all exports of a file into each
//! template that imports it, so that a few kB of Bicep become templates of many MB.

use foldhash::{HashMap, HashSet};

use crate::value::{Data, Member, Object, Value};

/// Templates with fewer imported definitions are left as they are.
const FEW: usize = 32;

/// The member of `metadata` by which the compiler marks what comes from another file.
const IMPORTED: &str = "__bicep_imported_from!";

/// Prefix with which expressions call the functions of a template.
const CALL: &str = "__bicep.";

/// Prefix of references from types to definitions.
const REFERENCE: &str = "#/definitions/";

/// Returns a template without the imported types and functions that nothing in it uses.
pub(super) fn pruned(template: &Value) -> Value {
    let Some(object) = template.as_object() else { return template.clone() };
    let definitions = object.get_exact("definitions").and_then(Value::as_object);
    let functions = object.get_exact("functions").and_then(functions);
    let imported: HashMap<Used<'_>, &Value> = members(definitions)
        .filter(|own| is_imported(&own.value))
        .map(|own| (Used::Type(&own.key), &own.value))
        .chain(
            members(functions).filter(|own| is_imported(&own.value)).map(|own| (Used::Function(&own.key), &own.value)),
        )
        .collect();
    if imported.len() < FEW {
        return template.clone();
    }
    let is_section = |member: &&Member| !matches!(&*member.key, "definitions" | "functions");
    let own = members(definitions).chain(members(functions)).filter(|own| !is_imported(&own.value));
    let mut waiting: Vec<&Value> = object.iter().filter(is_section).chain(own).map(|member| &member.value).collect();
    let mut used: HashSet<Used<'_>> = HashSet::default();
    while let Some(value) = waiting.pop() {
        each_use(value, &mut |one| {
            if let Some(definition) = imported.get(&one).filter(|_| used.insert(one)) {
                waiting.push(definition);
            }
        });
    }
    let keeps = |name: Used<'_>| !imported.contains_key(&name) || used.contains(&name);
    let section = |member: &Member| {
        let value = match &*member.key {
            "definitions" => only(&member.value, |own| keeps(Used::Type(&own.key))),
            "functions" => {
                let namespaces = member.value.as_array().unwrap_or_default().iter();
                let kept = namespaces.map(|namespace| match namespace.get("members") {
                    Some(all) => with_members(namespace, only(all, |own| keeps(Used::Function(&own.key)))),
                    None => namespace.clone(),
                });
                Value { span: member.value.span, ..Value::array(kept.collect()) }
            }
            _ => member.value.clone(),
        };
        Member { value, ..member.clone() }
    };
    Value { span: template.span, ..Value::object(object.iter().map(section).collect()) }
}

/// Returns a template with nothing but its resources.
pub(super) fn only_resources(template: &Value) -> Value {
    only(template, |member| &*member.key == "resources")
}

/// Something that a template declares, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Used<'v> {
    Type(&'v str),
    Function(&'v str),
}

/// Returns the functions of the only namespace that the compiler makes.
fn functions(section: &Value) -> Option<&Object> {
    match section.as_array()? {
        [namespace] => namespace.get("members")?.as_object(),
        _ => None,
    }
}

fn members(object: Option<&Object>) -> impl Iterator<Item = &Member> {
    object.into_iter().flatten()
}

fn is_imported(declared: &Value) -> bool {
    declared.get("metadata").is_some_and(|metadata| metadata.get(IMPORTED).is_some())
}

/// Returns an object with some of its members.
fn only(value: &Value, keeps: impl Fn(&Member) -> bool) -> Value {
    let Some(object) = value.as_object() else { return value.clone() };
    Value { span: value.span, ..Value::object(object.iter().filter(|member| keeps(member)).cloned().collect()) }
}

/// Returns a namespace with other members.
fn with_members(namespace: &Value, members: Value) -> Value {
    let Some(object) = namespace.as_object() else { return namespace.clone() };
    let replaced = |member: &Member| match &*member.key {
        "members" => Member { value: members.clone(), ..member.clone() },
        _ => member.clone(),
    };
    Value { span: namespace.span, ..Value::object(object.iter().map(replaced).collect()) }
}

/// Tells each type and function that a value uses, perhaps more than once.
fn each_use<'v>(value: &'v Value, tell: &mut dyn FnMut(Used<'v>)) {
    match &value.data {
        Data::Array(items) => items.iter().for_each(|item| each_use(item, tell)),
        Data::Object(object) => object.iter().for_each(|member| each_use(&member.value, tell)),
        Data::String(text) => {
            if let Some(name) = text.strip_prefix(REFERENCE) {
                tell(Used::Type(name));
            }
            for (_, after) in text.match_indices(CALL).map(|(at, call)| text.split_at(at + call.len())) {
                let is_name = |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
                let end = after.find(|character| !is_name(character)).unwrap_or(after.len());
                tell(Used::Function(after.get(..end).unwrap_or_default()));
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax;
    use crate::text::Sources;

    #[test]
    fn imported_types_and_functions_that_nothing_uses_are_left_out() {
        let mark = r#""metadata": {"__bicep_imported_from!": {"sourceTemplate": "t.bicep"}}"#;
        let types: Vec<String> = (0..40)
            .map(|at| format!(r##""t{at}": {{"type": "object", "properties": {{"p": {{"$ref": "#/definitions/t{}"}}}}, {mark}}}"##, at + 1))
            .collect();
        let function = |name: &str, result: &str| {
            format!(r#""{name}": {{"parameters": [], "output": {{"type": "string", "value": "{result}"}}, {mark}}}"#)
        };
        let calls = [function("f", "[__bicep._1.g()]"), function("_1.g", "x"), function("h", "[__bicep.f()]")];
        let text = format!(
            r##"{{"definitions": {{{}, "own": {{"$ref": "#/definitions/t36"}}}},
            "functions": [{{"namespace": "__bicep", "members": {{{}}}}}],
            "parameters": {{"p": {{"$ref": "#/definitions/t38", "defaultValue": "[concat(__bicep.f(), 'x')]"}}}}}}"##,
            types.join(", "),
            calls.join(", ")
        );
        let sources = Sources::new();
        let file = sources.add("main.json", text);
        let template = syntax::json::parse(file, sources.get(file).text(), 64).value.unwrap();
        let pruned = pruned(&template);
        let keys = |value: &Value| value.as_object().unwrap().iter().map(|own| own.key.to_string()).collect::<Vec<_>>();
        assert_eq!(keys(pruned.get("definitions").unwrap()), ["t36", "t37", "t38", "t39", "own"]);
        let functions = pruned.get("functions").unwrap().as_array().unwrap();
        assert_eq!(keys(functions[0].get("members").unwrap()), ["f", "_1.g"]);
        assert_eq!(keys(&pruned), ["definitions", "functions", "parameters"]);
    }
}
