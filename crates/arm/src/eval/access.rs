//! Access to properties and items, which keeps their provenance.

use std::sync::Arc;

use crate::fault::Fault;
use crate::functions::article;
use crate::value::{Data, Kind, Str, Traits, Unknown, Value, Via};

/// Evaluates `base.name`. The property of an unknown is unknown too, unless the unknown's approximation is certain.
pub(super) fn property(base: &Value, name: &str) -> Result<Value, Fault> {
    match &base.data {
        Data::Object(object) => match object.get(name) {
            Some(value) => Ok(inside(base, value)),
            None => Err(Fault::failed(missing(name, object.iter().map(|member| &*member.key)))),
        },
        Data::Unknown(unknown) => Ok(inside_unknown(base, unknown, |known| known.get(name))),
        _ => Err(Fault::failed(format!("{} has no property `{name}`", article(base.kind())))),
    }
}

/// Evaluates `base[index]`, where the index is an integer or the name of a property.
pub(crate) fn index(base: &Value, index: &Value) -> Result<Value, Fault> {
    match (&base.data, &index.data) {
        (_, Data::String(name)) if !matches!(base.data, Data::Array(_)) => {
            property(base, name).map_err(|fault| fault.without_secrets(std::slice::from_ref(index)))
        }
        (Data::Array(array), Data::Int(at)) => {
            match usize::try_from(*at).ok().and_then(|at| array.get(at)) {
                Some(item) => Ok(inside(base, item)),
                // The text that it was split from stands for one that only a deployment knows.
                None if base.traits.has(Traits::PLACEHOLDER) => {
                    let why = "only a deployment knows how many items the array has";
                    Ok(Value::unknown(Unknown::new(Kind::Any, why)).with_traits(Traits::PLACEHOLDER))
                }
                None => {
                    Err(Fault::failed(format!("index {at} is out of range for an array of length {}", array.len())))
                }
            }
        }
        (Data::Unknown(unknown), Data::Int(at)) => {
            let at = usize::try_from(*at).ok();
            Ok(inside_unknown(base, unknown, |known| known.as_array()?.get(at?)))
        }
        (_, Data::Unknown(unknown)) => {
            let why = Unknown::new(Kind::Any, unknown.why.clone());
            Ok(Value::unknown(why).with_traits(base.traits.without(Traits::DYNAMIC).without(Traits::ASSUMED)))
        }
        _ => {
            let (base, index) = (article(base.kind()), article(index.kind()));
            Err(Fault::failed(format!("{base} cannot be indexed with {index}")))
        }
    }
}

/// Returns `value` as a part of `base`, with the provenance of the base.
fn inside(base: &Value, value: &Value) -> Value {
    let Some(via) = &base.via else { return value.clone() };
    value.clone().through(Some(narrow(via, value)))
}

/// Returns the last step of the base's provenance, with the span of the part if it has one.
fn narrow(via: &Arc<Via>, part: &Value) -> Arc<Via> {
    let narrowed = match (&part.via, part.span) {
        (None, None) => return Arc::clone(via),
        (None, span) => Via::new(via.step.clone(), span, via.earlier.iter().cloned()),
        (Some(own), span) => Via::new(via.step.clone(), span.or(via.span), [Arc::clone(own)]),
    };
    // A secret in a part comes from where the part comes from, or else from where the whole does.
    let narrowed = if narrowed.secret.is_some() { narrowed } else { narrowed.with_secret(via.secret.as_ref()) };
    if via.is_exposed && !narrowed.is_exposed { narrowed.exposed() } else { narrowed }
}

/// Returns a part of an unknown. The part is known if the base is open and its approximation has the part; otherwise it
/// is unknown for the same reason as the base.
fn inside_unknown<'a>(base: &Value, unknown: &'a Unknown, part: impl Fn(&'a Value) -> Option<&'a Value>) -> Value {
    let known = part(&unknown.approximation);
    let value = match known {
        Some(known) if unknown.open => match known.data {
            // What the approximation does not mention may exist in parts of it, too.
            Data::Object(_) | Data::Array(_) => Value {
                span: known.span,
                via: known.via.clone(),
                ..Value::unknown(Unknown::open(unknown.why.clone(), known.clone()))
            },
            _ => return inside(base, known),
        },
        Some(known) => {
            let choices: Option<Vec<Value>> = unknown.choices.iter().map(|choice| part(choice).cloned()).collect();
            let like = Unknown::like(Kind::Any, unknown.why.clone(), known.clone());
            Value::unknown(like.one_of(choices.unwrap_or_default()))
        }
        None => Value::unknown(Unknown::new(Kind::Any, unknown.why.clone())),
    };
    // A choice that does not become the approximation may have a secret in this place.
    let in_choice = unknown.choices.iter().filter_map(&part).any(|choice| choice.traits.has(Traits::SECRET));
    let is_secret = in_choice || (known.is_none() && is_wholly_secret(base));
    let value = if is_secret { value.with_traits(Traits::SECRET) } else { value };
    // The URI of a template is a property of the unknown link that the template comes from.
    let has_path = known.is_some() && base.traits.has(Traits::PATH);
    let value = if has_path { value.with_traits(Traits::PATH) } else { value };
    let depends = known.is_none_or(|known| known.as_unknown().is_some()) && base.traits.has(Traits::PLACEHOLDER);
    let value = if depends { value.with_traits(Traits::PLACEHOLDER) } else { value };
    match &base.via {
        Some(via) => {
            let narrowed = narrow(via, &value);
            value.through(Some(narrowed))
        }
        None => value.with_secret_source(base.secret_via().and_then(|via| via.secret.as_ref())),
    }
}

/// Returns `true` if all of `value` is secret, including its unknown parts. False for a container with a secret, whose
/// parts have their own marks, and for an open unknown that contains a known secret, such as the state of a resource
/// with a password.
pub(super) fn is_wholly_secret(value: &Value) -> bool {
    value.traits.has(Traits::SECRET)
        && match &value.data {
            Data::Array(items) => items.iter().all(|item| !item.traits.has(Traits::SECRET)),
            Data::Object(object) => object.iter().all(|member| !member.value.traits.has(Traits::SECRET)),
            Data::Unknown(unknown) if unknown.open => !unknown.approximation.traits.has(Traits::SECRET),
            Data::Unknown(unknown) => {
                let known = || [&unknown.approximation].into_iter().chain(&unknown.choices);
                // A secret that is in none of them is somewhere in what is not known.
                let is_elsewhere = !known().any(|value| value.traits.has(Traits::SECRET));
                is_elsewhere || !known().any(has_plain_part)
            }
            _ => true,
        }
}

/// Returns `true` if some part of `value` is neither secret nor empty.
fn has_plain_part(value: &Value) -> bool {
    match &value.data {
        Data::Null => false,
        Data::Array(items) => items.iter().any(has_plain_part),
        Data::Object(object) => object.iter().any(|member| has_plain_part(&member.value)),
        Data::String(text) if text.is_empty() => false,
        _ => !value.traits.has(Traits::SECRET),
    }
}

/// Returns the message for a missing property, which lists the others if they are few.
fn missing<'a>(name: &str, others: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = others.take(6).map(|other| format!("`{other}`")).collect();
    match names.len() {
        0 => format!("there is no property `{name}`: the object is empty"),
        6.. => format!("there is no property `{name}`"),
        _ => format!("there is no property `{name}`; the object has {}", names.join(", ")),
    }
}

/// Returns the unknown result of a function that depends on the unknown `cause`.
pub(super) fn because_of(cause: &Unknown, kind: Kind, approximation: Option<Value>) -> Unknown {
    match approximation {
        Some(value) => Unknown::like(kind, cause.why.clone(), value),
        None => Unknown::new(kind, Str::clone(&cause.why)),
    }
}
