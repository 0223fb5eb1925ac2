//! Finds the parts of a value whose type is secure.

use crate::arm::eval::{Evaluator, make_secret};
use crate::arm::types::resolve::{Type, Types};
use crate::arm::types::schema::{Rest, Schema};
use crate::value::{Data, Member, Value};

/// The value with every part that has a secure type marked as a secret. If a limit is reached, what remains is marked
/// as a whole.
pub(in crate::arm) fn mark_secrets(evaluator: &Evaluator<'_>, types: &Types, declared: &Type, value: Value) -> Value {
    SecretWalk { evaluator, types, treat: make_secret }.begin(declared, value)
}

/// The value with `null` for every part that has a secure type. This is what everyone who can read the deployment sees.
pub(in crate::arm) fn without_secrets(
    evaluator: &Evaluator<'_>,
    types: &Types,
    declared: &Type,
    value: Value,
) -> Value {
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
        self.mark(&self.types.of(declaration), value.clone())
    }
}

/// The declaration that applies to a property: its own, or else `additionalProperties`.
fn property<'a>(part: &'a Schema, name: &str) -> Option<&'a Value> {
    let declared = part.properties().and_then(|properties| properties.get(name));
    declared.or_else(|| rest(part.additional.as_ref().map(|additional| &additional.what)))
}

/// The declaration that applies to an item: its own in `prefixItems`, or else `items`.
fn item(part: &Schema, index: usize) -> Option<&Value> {
    part.prefix().get(index).or_else(|| rest(part.items.as_ref().map(|items| &items.what)))
}

fn rest(rest: Option<&Rest>) -> Option<&Value> {
    match rest {
        Some(Rest::Declared(declaration)) => Some(declaration),
        Some(Rest::Forbidden) | None => None,
    }
}

/// The declaration that the discriminator selects.
fn selected<'a>(part: &'a Schema, value: &Value) -> Option<&'a Value> {
    let discriminator = &part.discriminator.as_ref()?.what;
    discriminator.mapping.get(value.get(&discriminator.property)?.as_str()?)
}
