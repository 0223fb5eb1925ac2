//! Declarations that a Bicep file imports from an ARM template: copied, under other names.

use std::rc::Rc;

use crate::arm::pointer;
use crate::compiler::members::generated;
use crate::compiler::types::set;
use crate::text::Span;
use crate::value::{Data, Member, Value};

/// Namespace of the functions that Bicep declares.
const NAMESPACE: &str = "__bicep";

/// Kind of an exported declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ExportKind {
    Type,
    Variable,
    Function,
}

/// Returns the names that a template exports.
pub(super) fn names(template: &Value) -> Vec<String> {
    let definitions = template.get("definitions").and_then(Value::as_object);
    let types = definitions.into_iter().flat_map(|object| object.iter());
    let types = types.filter(|member| is_exported(&member.value)).map(|member| member.key.to_string());
    let functions = functions(template).filter(|(_, member)| is_exported(&member.value));
    let functions = functions.map(|(namespace, member)| name_of(namespace, &member.key));
    let variables = template.get("metadata").and_then(|metadata| metadata.get("__bicep_exported_variables!"));
    let variables = variables.and_then(Value::as_array).unwrap_or_default().iter();
    let variables = variables.filter_map(|entry| Some(entry.get("name")?.as_str()?.to_owned()));
    types.chain(functions).chain(variables).collect()
}

fn is_exported(value: &Value) -> bool {
    value.get("metadata").and_then(|metadata| metadata.get("__bicep_export!")?.as_bool()) == Some(true)
}

fn functions(template: &Value) -> impl Iterator<Item = (&str, &Member)> {
    let namespaces = template.get("functions").and_then(Value::as_array).unwrap_or_default().iter();
    namespaces.flat_map(|namespace| {
        let name = namespace.get("namespace").and_then(Value::as_str).unwrap_or_default();
        let members = namespace.get("members").and_then(Value::as_object);
        members.into_iter().flat_map(|members| members.iter()).map(move |member| (name, member))
    })
}

fn name_of(namespace: &str, name: &str) -> String {
    if namespace == NAMESPACE { name.to_owned() } else { format!("{namespace}.{name}") }
}

/// Finds a declaration by its name.
pub(super) fn declaration<'v>(template: &'v Value, name: &str) -> Option<(ExportKind, &'v Value)> {
    if let Some(schema) = template.get("definitions").and_then(|definitions| definitions.as_object()?.get_exact(name)) {
        return Some((ExportKind::Type, schema));
    }
    if let Some((_, member)) = functions(template).find(|(namespace, member)| name_of(namespace, &member.key) == name) {
        return Some((ExportKind::Function, &member.value));
    }
    let variables = template.get("variables")?;
    if let Some(value) = variables.as_object()?.get_exact(name) {
        return Some((ExportKind::Variable, value));
    }
    let copies = variables.get("copy")?.as_array()?;
    let copy = copies.iter().find(|copy| copy.get("name").and_then(Value::as_str) == Some(name))?;
    Some((ExportKind::Variable, copy))
}

/// Returns the loop of a variable under the name `name`, if `value` is an entry of `copy` in a template.
pub(super) fn copy(value: &Value, name: &str) -> Option<Value> {
    let object = value.as_object().filter(|object| object.len() == 3)?;
    let (count, input) = (object.get_exact("count")?, object.get_exact("input")?);
    object.get_exact("name")?.as_str()?;
    let count = match (&count.data, count.as_str()) {
        (_, Some(text)) => text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text).to_owned(),
        _ => count.to_json(),
    };
    Some(Value::object(vec![
        Member::new("name", Value::from(name)),
        Member::new("count", Value::from(format!("[length(range(0, {count}))]"))),
        Member::new("input", input.clone()),
    ]))
}

/// Returns the names of the other declarations that a declaration uses.
pub(super) fn uses(template: &Value, name: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Some((_, value)) = declaration(template, name) {
        renamed(value, &mut |own| {
            found.push(own.to_owned());
            None
        });
    }
    found.retain(|own| own != name);
    found
}

/// Returns the value with the declarations that it uses renamed.
pub(super) fn renamed(value: &Value, rename: &mut dyn FnMut(&str) -> Option<Rc<str>>) -> Value {
    match &value.data {
        Data::String(text) if text.starts_with('[') && !text.starts_with("[[") => Value::from(in_formula(text, rename)),
        Data::Array(items) => Value::array(items.iter().map(|item| renamed(item, rename)).collect()),
        Data::Object(members) => {
            let mut all = Vec::new();
            for member in members.iter() {
                let target = member.value.as_str().filter(|_| &*member.key == "$ref");
                let value = match target.and_then(|target| target.strip_prefix("#/definitions/")) {
                    Some(rest) => {
                        let (name, path) = rest.split_once('/').map_or((rest, None), |(name, path)| (name, Some(path)));
                        let own = pointer::unescaped(name);
                        let new = rename(&own).map_or_else(|| name.to_owned(), |new| pointer::escaped(&new));
                        let path = path.map(|path| format!("/{path}")).unwrap_or_default();
                        Value::from(format!("#/definitions/{new}{path}"))
                    }
                    None => renamed(&member.value, rename),
                };
                let key = if member.key.starts_with('[') && !member.key.starts_with("[[") {
                    in_formula(&member.key, rename).into()
                } else {
                    member.key.clone()
                };
                all.push(Member::new(key, value));
            }
            Value::object(all)
        }
        _ => Value { span: None, ..value.clone() },
    }
}

/// Renames the variables and functions in a formula.
fn in_formula(text: &str, rename: &mut dyn FnMut(&str) -> Option<Rc<str>>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_variable = false;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '\'' => literal_len(rest),
            c if c.is_ascii_alphabetic() || c == '_' => {
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.')).unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at_checked(len).unwrap_or((rest, ""));
        let name = token.trim_matches('\'');
        let new = if first == '\'' && is_variable {
            rename(name).map(|new| format!("'{new}'"))
        } else if after.starts_with('(') && token.contains('.') {
            let own = token.strip_prefix("__bicep.").unwrap_or(token);
            rename(own).map(|new| if new.contains('.') { new.to_string() } else { format!("{NAMESPACE}.{new}") })
        } else {
            None
        };
        out.push_str(new.as_deref().unwrap_or(token));
        is_variable = match first {
            '(' => is_variable,
            _ => token.eq_ignore_ascii_case("variables") || token.eq_ignore_ascii_case("copyIndex"),
        };
        rest = after;
    }
    out
}

/// Returns the length of a string literal, with its quotes.
fn literal_len(text: &str) -> usize {
    let mut at = 1;
    loop {
        let Some(len) = text.get(at..).and_then(|rest| rest.find('\'')) else { return text.len() };
        at += len + 1;
        if !text.get(at..).is_some_and(|rest| rest.starts_with('\'')) {
            return at;
        }
        at += 1;
    }
}

/// Returns the members of a copied schema without the marks of exports and imports.
pub(super) fn unexported(schema: &Value) -> Vec<Member> {
    let mut members: Vec<Member> =
        schema.as_object().map(|object| object.iter().cloned().collect()).unwrap_or_default();
    let metadata = schema.get("metadata").and_then(Value::as_object).map(|metadata| {
        let kept =
            metadata.iter().filter(|member| !["__bicep_export!", "__bicep_imported_from!"].contains(&&*member.key));
        kept.cloned().collect::<Vec<_>>()
    });
    match metadata {
        Some(kept) if kept.is_empty() => members.retain(|member| &*member.key != "metadata"),
        Some(kept) => set(&mut members, Member::new("metadata", Value::object(kept))),
        None => {}
    }
    members
}

/// Sets the span of a value and of everything in it.
pub(super) fn placed(value: &Value, span: Span) -> Value {
    let value = match &value.data {
        Data::Array(items) => Value::array(items.iter().map(|item| placed(item, span)).collect()),
        Data::Object(members) => {
            let members = members.iter().map(|member| generated(&member.key, placed(&member.value, span), span));
            Value::object(members.collect())
        }
        _ => value.clone(),
    };
    value.at(span)
}
