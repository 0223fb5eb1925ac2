//! Properties and items of values.

use std::sync::Arc;

use crate::arm::fault::Fault;
use crate::arm::functions::article;
use crate::value::{Data, Kind, Str, Traits, Unknown, Value, Via};

/// `base.name`
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

/// `base[index]`
pub(in crate::arm) fn index(base: &Value, index: &Value) -> Result<Value, Fault> {
    match (&base.data, &index.data) {
        (_, Data::String(name)) if !matches!(base.data, Data::Array(_)) => property(base, name),
        (Data::Array(array), Data::Int(at)) => {
            let item = usize::try_from(*at).ok().and_then(|at| array.get(at));
            item.map(|item| inside(base, item))
                .ok_or_else(|| Fault::failed(format!("index {at} is outside an array of {} items", array.len())))
        }
        (Data::Unknown(unknown), Data::Int(at)) => {
            let at = usize::try_from(*at).ok();
            Ok(inside_unknown(base, unknown, |known| known.as_array()?.get(at?)))
        }
        (_, Data::Unknown(unknown)) => {
            let why = Unknown::new(Kind::Any, unknown.why.clone());
            Ok(Value::unknown(why).with_traits(base.traits.without(Traits::DYNAMIC)))
        }
        _ => {
            let (base, index) = (article(base.kind()), article(index.kind()));
            Err(Fault::failed(format!("{index} is no index of {base}")))
        }
    }
}

/// `value` as a part of `base`: what led to the base leads to it.
fn inside(base: &Value, value: &Value) -> Value {
    let Some(via) = &base.via else { return value.clone() };
    value.clone().through(Some(narrow(via, value)))
}

/// The last step to a base, narrowed to a part of it.
fn narrow(via: &Arc<Via>, part: &Value) -> Arc<Via> {
    match (&part.via, part.span) {
        (None, None) => Arc::clone(via),
        (None, span) => Via::new(via.step.clone(), span, via.behind.iter().cloned()),
        (Some(own), span) => Via::new(via.step.clone(), span.or(via.span), [Arc::clone(own)]),
    }
}

/// A part of something unknown: known where the base is open and says so, else unknown for the same reason.
fn inside_unknown<'a>(base: &Value, unknown: &'a Unknown, part: impl Fn(&'a Value) -> Option<&'a Value>) -> Value {
    let known = part(&unknown.approximation);
    let value = match known {
        Some(known) if unknown.open => match known.data {
            Data::Object(_) | Data::Array(_) => Value {
                span: known.span,
                via: known.via.clone(),
                ..Value::unknown(Unknown::open(unknown.why.clone(), known.clone()))
            },
            _ => return inside(base, known),
        },
        Some(known) => {
            let choices: Option<Vec<Value>> = unknown.choices.iter().map(|it| part(it).cloned()).collect();
            let like = Unknown::like(Kind::Any, unknown.why.clone(), known.clone());
            Value::unknown(like.one_of(choices.unwrap_or_default()))
        }
        None => Value::unknown(Unknown::new(Kind::Any, unknown.why.clone())),
    };
    // What an open base leaves out is no secret because something that it says is one.
    let said = unknown.open && unknown.approximation.traits.has(Traits::SECRET);
    let secret = known.is_none() && base.traits.has(Traits::SECRET) && !said;
    let value = if secret { value.with_traits(Traits::SECRET) } else { value };
    match &base.via {
        Some(via) => {
            let narrowed = narrow(via, &value);
            value.through(Some(narrowed))
        }
        None => value,
    }
}

fn missing<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.take(6).map(|it| format!("`{it}`")).collect();
    match names.len() {
        0 => format!("there is no property `{name}`: the object is empty"),
        6.. => format!("there is no property `{name}`"),
        _ => format!("there is no property `{name}`, only {}", names.join(", ")),
    }
}

/// The unknown that stands for whatever a function would make of `cause`.
pub(super) fn because_of(cause: &Unknown, kind: Kind, approximation: Option<Value>) -> Unknown {
    match approximation {
        Some(value) => Unknown::like(kind, cause.why.clone(), value),
        None => Unknown::new(kind, Str::clone(&cause.why)),
    }
}
