//! Finds the parts of a value whose type is secure.

use std::rc::Rc;
use std::sync::Arc;

use crate::eval::Evaluator;
use crate::model::{Hidden, add_secrets};
use crate::text::Span;
use crate::types::resolve::{Type, Types};
use crate::types::schema::{Rest, Schema};
use crate::value::{Data, Member, SecretSource, Traits, Value};

/// Marks every part of the value that has a secure type as a secret. If a limit is reached, the rest is marked as a
/// whole.
pub(crate) fn mark_secrets(evaluator: &Evaluator<'_>, types: &Types, declared: &Type, value: Value) -> Value {
    SecretWalk { evaluator, types, treat: Value::into_secret }.begin(declared, value)
}

/// Adds the spans of all secrets that a template and the templates nested in it contain, whether they are used or not:
/// the values in the declarations of secure parameters and outputs.
pub(crate) fn secret_literals(evaluator: &Evaluator<'_>, template: &Value, spans: &mut Vec<Span>) {
    if evaluator.world.is_plain(template) {
        return;
    }
    let before = spans.len();
    own_literals(evaluator, template, spans);
    nested_templates(template, &mut |nested| secret_literals(evaluator, nested, spans));
    if spans.len() == before {
        evaluator.world.set_plain(template);
    }
}

/// Adds the spans of the template's [`secret_literals`], without those of nested templates.
fn own_literals(evaluator: &Evaluator<'_>, template: &Value, spans: &mut Vec<Span>) {
    // A template that is never deployed may be wrong, which is nothing to report.
    let types = evaluator.world.known_types(template).unwrap_or_else(|| Rc::new(Types::new(template, true)));
    let mut add = |declaration: &Value, value: &Value| {
        add_secrets(&mark_secrets(evaluator, &types, &types.declared_type(declaration), value.clone()), spans);
    };
    let section = |name: &str| template.get(name).and_then(Value::as_object).into_iter().flatten();
    for declaration in section("parameters").map(|member| &member.value) {
        // An expression without a literal, such as `[newGuid()]`, tells nothing.
        let tells = |default: &&Value| {
            !default.traits.has(Traits::DYNAMIC) || default.as_str().is_none_or(|text| text.contains('\''))
        };
        if let Some(default) = declaration.get("defaultValue").filter(tells) {
            add(declaration, default);
        }
        let allowed = declaration.get("allowedValues").and_then(Value::as_array).unwrap_or_default();
        for value in allowed {
            add(declaration, value);
        }
    }
    for declaration in section("outputs").map(|member| &member.value) {
        // An expression says where the secret is, and the secret is not in it.
        if let Some(value) = declaration.get("value").filter(|value| !value.traits.has(Traits::DYNAMIC)) {
            add(declaration, value);
        }
    }
}

/// Visits the templates of the deployments among the resources of a template.
fn nested_templates(template: &Value, visit: &mut dyn FnMut(&Value)) {
    let Some(resources) = template.get("resources") else { return };
    let items = resources.as_array().into_iter().flatten();
    let members = resources.as_object().into_iter().flatten().map(|member| &member.value);
    for resource in items.chain(members) {
        if let Some(nested) = resource.get("properties").and_then(|properties| properties.get("template")) {
            visit(nested);
        }
        nested_templates(resource, visit);
    }
}

/// Returns the object of `deployment()`, with the defaults and arguments of secure parameters marked as secrets.
pub(crate) fn mark_deployment(evaluator: &Evaluator<'_>, deployment: &Value) -> Value {
    let Some(template) = deployment.get("properties").and_then(|properties| properties.get("template")) else {
        return deployment.clone();
    };
    let mut spans = Vec::new();
    secret_literals(evaluator, template, &mut spans);
    let hidden = Hidden::new(spans, None);
    let types = Types::new(template, true);
    let argument = |name: &str, entry: &Value| {
        let declarations = template.get("parameters").and_then(Value::as_object);
        let Some(declared) = declarations.and_then(|declarations| declarations.member(name)) else {
            return entry.clone();
        };
        with_member(entry, "value", |value| {
            let marked = mark_secrets(evaluator, &types, &types.declared_type(&declared.value), value.clone());
            marked.with_secret_source(Some(&Arc::new(SecretSource::of_parameter(
                name,
                declared.key_span.or(declared.value.span),
            ))))
        })
    };
    with_member(deployment, "properties", |properties| {
        let properties = with_member(properties, "template", |template| hidden.marked(template));
        with_member(&properties, "parameters", |arguments| {
            let Some(object) = arguments.as_object() else { return arguments.clone() };
            let marked = |member: &Member| Member { value: argument(&member.key, &member.value), ..member.clone() };
            Value { span: arguments.span, ..Value::object(object.iter().map(marked).collect()) }
        })
    })
}

/// Returns the object with the value of one member changed, if it has the member.
fn with_member(value: &Value, name: &str, change: impl Fn(&Value) -> Value) -> Value {
    let Some(object) = value.as_object() else { return value.clone() };
    let member = |member: &Member| {
        let is_meant = member.key.eq_ignore_ascii_case(name);
        Member { value: if is_meant { change(&member.value) } else { member.value.clone() }, ..member.clone() }
    };
    Value { span: value.span, via: value.via.clone(), ..Value::object(object.iter().map(member).collect()) }
}

/// Replaces every part of the value that has a secure type by `null`. The result is visible to everyone who can read
/// the deployment.
pub(crate) fn without_secrets(evaluator: &Evaluator<'_>, types: &Types, declared: &Type, value: Value) -> Value {
    SecretWalk { evaluator, types, treat: |_| Value::NULL }.begin(declared, value)
}

/// Applies `treat` to the parts of a value whose type is secure.
struct SecretWalk<'a> {
    evaluator: &'a Evaluator<'a>,
    types: &'a Types,
    treat: fn(Value) -> Value,
}

impl SecretWalk<'_> {
    fn begin(&self, declared: &Type, value: Value) -> Value {
        let is_scalar = !matches!(value.data, Data::Array(_) | Data::Object(_));
        if !declared.is_secure && (is_scalar || !self.types.has_inner_secrets) {
            return value;
        }
        self.mark(declared, value)
    }

    fn mark(&self, declared: &Type, value: Value) -> Value {
        let world = self.evaluator.world;
        // Types that select each other would recurse forever.
        let level = world.step(declared.parts.len()).and_then(|()| world.deeper());
        if declared.is_secure || level.is_err() {
            return (self.treat)(value);
        }
        declared.parts.iter().fold(value, |value, part| self.mark_part(part, value))
    }

    fn mark_part(&self, part: &Schema, value: Value) -> Value {
        let marked = match &value.data {
            Data::Object(object) => {
                let mark = |member: &Member| match property(part, &member.key) {
                    Some(declaration) => Member { value: self.declared(declaration, &member.value), ..member.clone() },
                    None => member.clone(),
                };
                Value::object(object.iter().map(mark).collect())
            }
            Data::Array(items) => {
                let mark = |(index, value): (usize, &Value)| match item(part, index) {
                    Some(declaration) => self.declared(declaration, value),
                    None => value.clone(),
                };
                Value::array(items.iter().enumerate().map(mark).collect())
            }
            _ => return value,
        };
        let marked = Value { span: value.span, via: value.via, ..marked };
        match selected(part, &marked) {
            // As in a check, types that select each other would recurse forever.
            Some(declaration) => self.declared(declaration, &marked),
            None => marked,
        }
    }

    fn declared(&self, declaration: &Value, value: &Value) -> Value {
        self.mark(&self.types.declared_type(declaration), value.clone())
    }
}

/// Returns the declaration that applies to a property: its own, or else `additionalProperties`.
fn property<'a>(part: &'a Schema, name: &str) -> Option<&'a Value> {
    let declared = part.properties().and_then(|properties| properties.get(name));
    declared.or_else(|| rest(part.additional.as_ref().map(|additional| &additional.what)))
}

/// Returns the declaration that applies to an item: its own in `prefixItems`, or else `items`.
fn item(part: &Schema, index: usize) -> Option<&Value> {
    part.prefix().get(index).or_else(|| rest(part.items.as_ref().map(|items| &items.what)))
}

fn rest(rest: Option<&Rest>) -> Option<&Value> {
    match rest {
        Some(Rest::Declared(declaration)) => Some(declaration),
        Some(Rest::Forbidden) | None => None,
    }
}

/// Returns the declaration that the discriminator selects.
fn selected<'a>(part: &'a Schema, value: &Value) -> Option<&'a Value> {
    let discriminator = &part.discriminator.as_ref()?.what;
    discriminator.mapping.get(value.get(&discriminator.property)?.as_str()?)
}
