//! Builds values and resources: intrinsic functions, ARNs, tags, and a resource that is being generated.

use crate::text::Span;
use crate::value::{Data, Kind, Member, Object, Str, Unknown, Value};

/// The members of an object that is being built, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Fields(Vec<Member>);

impl Fields {
    /// Returns the members of an object; none for any other value.
    pub(super) fn from_value(value: &Value) -> Self {
        Self(value.as_object().into_iter().flatten().cloned().collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().rev().find(|member| *member.key == *name).map(|member| &member.value)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Member> {
        self.0.iter()
    }

    /// Sets a member. One that is there keeps its place and the span of its key.
    pub(super) fn set(&mut self, name: impl Into<Str>, value: Value) {
        self.put(Member::new(name, value));
    }

    /// Sets a member if there is a value.
    pub(super) fn set_some(&mut self, name: &str, value: Option<Value>) {
        if let Some(value) = value {
            self.set(name, value);
        }
    }

    /// Sets a member like [`Fields::set`], with the span of the key.
    pub(super) fn put(&mut self, member: Member) {
        match self.0.iter_mut().rev().find(|known| known.key == member.key) {
            Some(known) => known.value = member.value,
            None => self.0.push(member),
        }
    }

    pub(super) fn remove(&mut self, name: &str) -> Option<Value> {
        let at = self.0.iter().position(|member| *member.key == *name)?;
        Some(self.0.remove(at).value)
    }

    pub(super) fn into_value(self) -> Value {
        Value::object(self.0)
    }
}

/// Returns an object with these members.
pub(super) fn object<const N: usize>(members: [(&str, Value); N]) -> Value {
    Value::object(members.into_iter().map(|(key, value)| Member::new(key, value)).collect())
}

/// Returns a list of strings.
pub(super) fn strings<const N: usize>(items: [&str; N]) -> Value {
    Value::array(items.into_iter().map(Value::from).collect())
}

/// Returns an object without members.
pub(super) fn empty() -> Value {
    Value::object(Vec::new())
}

pub(super) fn reference(id: &str) -> Value {
    object([("Ref", Value::from(id))])
}

pub(super) fn get_att(id: &str, attribute: &str) -> Value {
    object([("Fn::GetAtt", strings([id, attribute]))])
}

pub(super) fn sub(text: impl Into<Str>) -> Value {
    object([("Fn::Sub", Value::from(text.into()))])
}

/// Returns `Fn::Sub` with its own variables.
pub(super) fn sub_with<const N: usize>(text: impl Into<Str>, variables: [(&str, Value); N]) -> Value {
    object([("Fn::Sub", Value::array(vec![Value::from(text.into()), object(variables)]))])
}

/// Returns `Fn::If`. Without the last value, it is `AWS::NoValue`.
pub(super) fn conditional(condition: &str, then: Value, otherwise: Option<Value>) -> Value {
    let otherwise = otherwise.unwrap_or_else(|| reference("AWS::NoValue"));
    object([("Fn::If", Value::array(vec![Value::from(condition), then, otherwise]))])
}

/// Tags as a list of keys and values, from an object.
pub(super) fn tag_list(tags: Option<&Value>) -> Vec<Value> {
    let tag = |member: &Member| {
        let value = if member.value.is_null() { Value::from("") } else { member.value.clone() };
        let span = member.value.span;
        Value {
            span,
            ..object([("Key", Value { span: member.key_span, ..Value::from(member.key.clone()) }), ("Value", value)])
        }
    };
    tags.and_then(Value::as_object).into_iter().flatten().map(tag).collect()
}

/// Returns a policy document that lets a service assume a role.
pub(super) fn trust(service: &str) -> Value {
    let statement = object([
        ("Action", strings(["sts:AssumeRole"])),
        ("Effect", Value::from("Allow")),
        ("Principal", object([("Service", strings([service]))])),
    ]);
    object([("Version", Value::from("2012-10-17")), ("Statement", Value::array(vec![statement]))])
}

/// Returns a statement that allows an action, or a list of them, on a resource.
pub(super) fn allow(action: Value, resource: Value) -> Value {
    object([("Action", action), ("Effect", Value::from("Allow")), ("Resource", resource)])
}

/// Returns an inline policy of a role.
pub(super) fn policy(name: impl Into<Str>, statements: Vec<Value>) -> Value {
    let document = object([("Statement", Value::array(statements))]);
    object([("PolicyName", Value::from(name.into())), ("PolicyDocument", document)])
}

/// Resource or event in the template that a generated resource comes from, and the attributes taken from there.
#[derive(Clone, Debug)]
pub(super) struct Origin {
    /// The path of the resource in the template.
    pub(super) path: Str,
    /// The name of the resource or of the event.
    pub(super) key_span: Option<Span>,
    /// Span of the body of the resource or event.
    pub(super) span: Option<Span>,
    /// The attributes that all generated resources take: condition, policies for deletion, metadata.
    pub(super) attributes: Fields,
}

impl Origin {
    /// Returns the condition that generated resources have.
    pub(super) fn condition(&self) -> Option<&Str> {
        self.attributes.get("Condition")?.as_shared_str()
    }

    /// Narrows the origin to one of its events.
    pub(super) fn within(&self, event: &Member) -> Self {
        let span = event.value.span.or(self.span);
        Self { key_span: event.key_span.or(self.key_span), span, ..self.clone() }
    }
}

/// A resource that is being generated.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub(super) id: Str,
    pub(super) kind: &'static str,
    pub(super) origin: Origin,
    /// The members beside `Type` and `Properties`.
    pub(super) attributes: Fields,
    pub(super) properties: Fields,
    /// The source text of its properties, if they are those of the original resource.
    pub(super) properties_span: Option<Span>,
}

impl Draft {
    /// Returns a resource with the attributes of its origin.
    pub(super) fn new(id: impl Into<Str>, kind: &'static str, origin: &Origin) -> Self {
        Self {
            id: id.into(),
            kind,
            attributes: origin.attributes.clone(),
            origin: origin.clone(),
            properties: Fields::default(),
            properties_span: None,
        }
    }

    /// Sets a property that is not null.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Option<Value>>) {
        if let Some(value) = value.into().filter(|value| !value.is_null()) {
            self.properties.set(name, value);
        }
    }

    /// Adds a property to the draft. `None` adds nothing.
    #[must_use]
    pub(super) fn with(mut self, name: &str, value: impl Into<Option<Value>>) -> Self {
        self.set(name, value);
        self
    }

    /// Takes properties over as they are.
    pub(super) fn copy(&mut self, from: &Value, names: &[&str]) {
        for name in names {
            let member = from.as_object().and_then(|object| object.member(name)).filter(|member| *member.key == **name);
            if let Some(member) = member.filter(|member| !member.value.is_null()) {
                self.properties.put(member.clone());
            }
        }
    }

    /// Sets a property that is computed from another one, whose source text it gets.
    pub(super) fn derive(&mut self, name: &str, from: &Value, source: &str, value: impl FnOnce(&Value) -> Value) {
        let member = from.as_object().and_then(|object| object.member(source));
        if let Some(member) = member.filter(|member| *member.key == *source && is_set(&member.value)) {
            let value = located(value(&member.value), member.value.span);
            self.properties.put(Member { key: name.into(), key_span: member.key_span, value });
        }
    }

    /// Returns the finished resource. What has no source text of its own gets that of its origin.
    pub(super) fn into_member(self) -> Member {
        let at = self.origin.span.or(self.origin.key_span);
        let properties = located(self.properties.into_value(), at);
        let mut fields = Fields::default();
        fields.set("Type", located(Value::from(self.kind), at));
        for attribute in self.attributes.0 {
            fields.put(Member { value: located(attribute.value, at), ..attribute });
        }
        fields.set("Properties", Value { span: self.properties_span.or(at), ..properties });
        let value = Value { span: at, ..fields.into_value() };
        Member { key: self.id, key_span: self.origin.key_span, value }
    }
}

/// Returns the value with `span` for itself and everything in it that has no source text. Strings and numbers get only
/// its start, so that a report does not show all of a resource for one of them.
pub(super) fn located(value: Value, span: Option<Span>) -> Value {
    if value.span.is_some() {
        return value;
    }
    let Value { data, via, traits, .. } = value;
    let inner = match &data {
        Data::Array(items) => Value::array(items.iter().map(|item| located(item.clone(), span)).collect()),
        Data::Object(members) => {
            let member = |member: &Member| Member { value: located(member.value.clone(), span), ..member.clone() };
            Value::object(members.iter().map(member).collect())
        }
        _ => {
            let start = span.map(|span| Span { end: span.end.min(span.start + 1), ..span });
            return Value { span: start, via, traits, ..Value::new(data) };
        }
    };
    Value { span, via, traits: inner.traits | traits, ..inner }
}

/// Returns `true` if a property counts as given: neither null, false, zero nor empty.
pub(super) fn is_set(value: &Value) -> bool {
    match &value.data {
        Data::Null | Data::Bool(false) | Data::Int(0) => false,
        Data::String(text) => !text.is_empty(),
        Data::Array(items) => !items.is_empty(),
        Data::Object(members) => !members.is_empty(),
        _ => true,
    }
}

/// Returns a property by its exact name, unless it is null.
pub(super) fn get<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object().and_then(|object: &Object| object.get_exact(name)).filter(|value| !value.is_null())
}

/// Returns a property that the transform requires. Without it nothing is known of what is generated.
pub(super) fn required(value: &Value, name: &str) -> Value {
    let missing = || Value::unknown(Unknown::new(Kind::String, format!("the required property `{name}` is missing")));
    get(value, name).cloned().unwrap_or_else(missing)
}

/// Returns a property that counts as given.
pub(super) fn given_property<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    get(value, name).filter(|value| is_set(value))
}

/// Returns the string in a property.
pub(super) fn text<'v>(value: &'v Value, name: &str) -> Option<&'v Str> {
    get(value, name)?.as_shared_str()
}

/// Returns the values at the leaves of a list or a single value.
pub(super) fn items(value: &Value) -> &[Value] {
    value.as_array().unwrap_or(std::slice::from_ref(value))
}
