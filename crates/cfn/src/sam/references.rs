//! References to generated resources: `!Ref Function.Alias`, `!GetAtt Api.Stage`, and resources with a new name.
//!
//! Reference:
//! <https://docs.aws.amazon.com/serverless-application-model/latest/developerguide/sam-resource-return-values.html>.

use foldhash::HashMap;

use crate::sam::build::items;
use crate::value::{Member, Str, Value};

/// Replacements of the names in references.
#[derive(Debug, Default)]
pub(super) struct References {
    /// The generated resource of `Resource.Property`.
    properties: HashMap<String, Str>,
    /// The new names of resources.
    names: HashMap<Str, Str>,
    /// The resources to which `DependsOn` of another one refers.
    groups: HashMap<Str, Vec<Str>>,
}

impl References {
    pub(super) fn add(&mut self, resource: &str, property: &str, id: &Str) {
        self.properties.insert(format!("{resource}.{property}"), id.clone());
    }

    pub(super) fn rename(&mut self, old: &Str, new: &Str) {
        self.names.insert(old.clone(), new.clone());
    }

    /// Replaces a resource by several, to which only `DependsOn` may refer.
    pub(super) fn replace(&mut self, old: &Str, new: Vec<Str>) {
        self.groups.insert(old.clone(), new);
    }

    /// Returns the value with its references, and `DependsOn`, replaced.
    pub(super) fn applied(&self, value: &Value) -> Value {
        let is_empty = self.properties.is_empty() && self.names.is_empty() && self.groups.is_empty();
        if is_empty { value.clone() } else { self.part(value).unwrap_or_else(|| value.clone()) }
    }

    /// Returns the changed value; `None` if nothing changes.
    fn part(&self, value: &Value) -> Option<Value> {
        if let Some(items) = value.as_array() {
            let parts: Vec<Option<Value>> = items.iter().map(|item| self.part(item)).collect();
            if parts.iter().all(Option::is_none) {
                return None;
            }
            let items = items.iter().zip(parts).map(|(item, part)| part.unwrap_or_else(|| item.clone())).collect();
            return Some(Value { span: value.span, ..Value::array(items) });
        }
        let object = value.as_object()?;
        let is_call = object.len() == 1;
        let mut is_changed = false;
        let mut members = Vec::with_capacity(object.len());
        for member in object {
            let new = match &*member.key {
                "Ref" if is_call => self.name(&member.value),
                "Fn::GetAtt" if is_call => self.attribute(&member.value),
                "Fn::Sub" if is_call => self.sub(&member.value),
                "DependsOn" => self.depends_on(&member.value),
                _ => self.part(&member.value),
            };
            is_changed |= new.is_some();
            members.push(Member { value: new.unwrap_or_else(|| member.value.clone()), ..member.clone() });
        }
        is_changed.then(|| Value { span: value.span, ..Value::object(members) })
    }

    /// Returns the replacement of a name in `Ref`.
    fn replacement(&self, name: &str) -> Option<&Str> {
        self.properties.get(name).or_else(|| self.names.get(name))
    }

    fn name(&self, value: &Value) -> Option<Value> {
        let Some(name) = value.as_str() else { return self.part(value) };
        Some(Value { span: value.span, ..Value::from(self.replacement(name)?.clone()) })
    }

    fn depends_on(&self, value: &Value) -> Option<Value> {
        let written = items(value);
        let replaced = |item: &Value| -> Option<Vec<Value>> {
            let group = self.groups.get(item.as_str()?);
            let of_group = |group: &Vec<Str>| {
                group.iter().map(|name| Value { span: item.span, ..Value::from(name.clone()) }).collect()
            };
            group.map(of_group).or_else(|| Some(vec![self.name(item)?]))
        };
        let parts: Vec<Option<Vec<Value>>> = written.iter().map(replaced).collect();
        if parts.iter().all(Option::is_none) {
            return None;
        }
        let items = written.iter().zip(parts).flat_map(|(item, part)| part.unwrap_or_else(|| vec![item.clone()]));
        Some(Value { span: value.span, ..Value::array(items.collect()) })
    }

    fn attribute(&self, value: &Value) -> Option<Value> {
        let text = match (value.as_str(), value.as_array()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(parts)) => parts.iter().map(Value::as_str).collect::<Option<Vec<&str>>>()?.join("."),
            _ => return None,
        };
        let path = self.path(&text)?;
        let (id, attribute) = path.split_once('.')?;
        let parts = [id, attribute].map(|part| Value { span: value.span, ..Value::from(part) });
        Some(Value { span: value.span, ..Value::array(parts.into()) })
    }

    /// Returns `Resource.Property.Rest` with the generated resource instead of the first two, or the new name of the
    /// first.
    fn path(&self, text: &str) -> Option<String> {
        let (resource, rest) = text.split_once('.')?;
        let (property, after) = rest.split_once('.').map_or((rest, ""), |(property, after)| (property, after));
        if let Some(id) = self.properties.get(&format!("{resource}.{property}")) {
            return Some(if after.is_empty() { id.to_string() } else { format!("{id}.{after}") });
        }
        Some(format!("{}.{rest}", self.names.get(resource)?))
    }

    /// Returns `Fn::Sub`: a string, or a list of a string and variables.
    fn sub(&self, value: &Value) -> Option<Value> {
        if let Some(text) = value.as_str() {
            return Some(Value { span: value.span, ..Value::from(self.template(text)?) });
        }
        let [first, rest @ ..] = value.as_array()? else { return None };
        let new = first.as_str().and_then(|text| self.template(text));
        let new = new.map_or_else(|| first.clone(), |text| Value { span: first.span, ..Value::from(text) });
        let rest = rest.iter().map(|item| self.part(item).unwrap_or_else(|| item.clone()));
        Some(Value { span: value.span, ..Value::array(std::iter::once(new).chain(rest).collect()) })
    }

    /// Returns a text with the names in `${…}` replaced; `None` if nothing changes.
    fn template(&self, text: &str) -> Option<String> {
        let mut result = String::with_capacity(text.len());
        let mut is_changed = false;
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            result.push_str(before);
            result.push_str("${");
            rest = after;
            let Some((name, after)) = after.split_once('}') else { continue };
            let known = self.replacement(name).map(ToString::to_string).or_else(|| self.path(name));
            is_changed |= known.is_some();
            result.push_str(known.as_deref().unwrap_or(name));
            result.push('}');
            rest = after;
        }
        result.push_str(rest);
        is_changed.then_some(result)
    }
}
