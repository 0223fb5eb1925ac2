//! The functions that make strings.

use base64::prelude::{BASE64_STANDARD, Engine as _};

use crate::evaluator::Evaluator;
use crate::functions::{Call, CallError, Outcome, Pieces, expected, reference, text_of, unknown_like};
use crate::value::{Kind, Object, Traits, Unknown, Value};

/// Evaluates `Fn::Sub`: replaces each `${Name}` by a variable of the call, a parameter, a resource or an attribute of a
/// resource. `${!Name}` becomes `${Name}`.
pub(super) fn sub(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let (template, variables) = match (call.argument.as_array(), &call.argument) {
        (Some([template, variables]), _) => {
            let variables = variables.as_object().ok_or_else(|| call.fault(expected::SUB))?;
            (template, Some(variables))
        }
        (Some([template]), _) => (template, None),
        (Some(_), _) => return Err(call.fault(expected::SUB)),
        (None, template) => (*template, None),
    };
    let evaluated = evaluator.value(template, call.at).ok_or_else(|| call.fault(expected::SUB))?;
    if evaluated.as_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::String, &evaluated)));
    }
    let text = text_of(&evaluated).ok_or_else(|| call.fault(expected::SUB))?;
    let is_secret = evaluated.traits.has(Traits::SECRET);
    if is_secret && text.contains("${") {
        // The names in it are secrets, too.
        return Ok(Some(reference::secretly_named()));
    }
    let mut pieces = Pieces::default();
    let mut rest: &str = &text;
    while let Some((before, found)) = rest.split_once("${") {
        pieces.literal(before);
        let Some((name, after)) = found.split_once('}') else {
            // There is no `}` after any later `${` either.
            pieces.literal("${");
            rest = found;
            break;
        };
        rest = after;
        match name.strip_prefix('!') {
            Some(literal) => pieces.literal(&format!("${{{literal}}}")),
            None => substitute(evaluator, &call, name.trim(), variables, &mut pieces)?,
        }
        if pieces.text.len() > evaluator.stack.world.limits.text_bytes {
            break;
        }
    }
    pieces.literal(rest);
    // The template itself may come from a secret parameter.
    Ok(Some(pieces.finish(evaluator).with_traits(if is_secret { Traits::SECRET } else { Traits::NONE })))
}

/// Returns the names of parameters, resources, and attributes in a text that `Fn::Sub` takes.
pub(crate) fn sub_names(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let (_, found) = rest.split_once("${")?;
            let (name, after) = found.split_once('}')?;
            rest = after;
            if !name.starts_with('!') {
                return Some(name.trim());
            }
        }
    })
}

/// Adds the value of `${name}`.
fn substitute(
    evaluator: &Evaluator<'_, '_>,
    call: &Call<'_>,
    name: &str,
    variables: Option<&Object>,
    pieces: &mut Pieces,
) -> Result<(), CallError> {
    let own = variables.and_then(|variables| variables.get_exact(name));
    let value = match (own, name.split_once('.')) {
        (Some(own), _) => evaluator.value(own, call.at),
        (None, Some((resource, attribute))) if call.at.loops.get(name).is_none() => {
            Some(reference::attribute(evaluator, resource, attribute, call.argument.span))
        }
        (None, _) => reference::named(evaluator, name, call.argument.span, call.at),
    };
    match value {
        Some(value) if !pieces.push(&value) => {
            Err(call
                .fault(&format!("cannot insert `{name}`, which is of kind `{}`, into a string", value.kind().as_str())))
        }
        _ => Ok(()),
    }
}

/// Evaluates `Fn::Join`: strings with a delimiter between them.
pub(super) fn join(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let delimiter = call.part(evaluator, 0, expected::JOIN)?;
    let list = call.part(evaluator, 1, expected::JOIN)?;
    if list.as_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::String, &list)));
    }
    let items = list.as_array().ok_or_else(|| call.fault(expected::JOIN))?;
    let mut pieces = Pieces::default();
    for (index, item) in items.iter().enumerate() {
        if index > 0 && !pieces.push(&delimiter) {
            return Err(call.fault(expected::JOIN));
        }
        if !pieces.push(item) {
            return Err(call.fault(&format!("takes strings, but item {index} is of kind `{}`", item.kind().as_str())));
        }
        if pieces.text.len() > evaluator.stack.world.limits.text_bytes {
            break;
        }
    }
    if let Some(via) = list.via.clone().filter(|_| pieces.chains.is_empty()) {
        pieces.chains.push(via);
    }
    Ok(Some(pieces.finish(evaluator).with_traits(if list.traits.has(Traits::SECRET) {
        Traits::SECRET
    } else {
        Traits::NONE
    })))
}

/// Evaluates `Fn::Base64` of the UTF-8 bytes.
pub(super) fn base64(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let value = evaluator.value(call.argument, call.at).ok_or_else(|| call.fault(expected::BASE64))?;
    if let Some(unknown) = value.as_unknown() {
        // Two texts that differ in what is known of them are not the same, and neither are their encodings.
        let known = value.approximate();
        let Some(text) = text_of(&known) else { return Ok(Some(unknown_like(Kind::String, &value))) };
        let encoded = Value::from(BASE64_STANDARD.encode(text.as_bytes())).with_traits(known.traits);
        let like = Unknown::like(Kind::String, unknown.why.clone(), encoded);
        return Ok(Some(Value::unknown(like).through(value.via.clone())));
    }
    let text = text_of(&value).ok_or_else(|| call.fault(expected::BASE64))?;
    let mut pieces = Pieces::default();
    pieces.push(&Value { data: Value::from(BASE64_STANDARD.encode(text.as_bytes())).data, ..value.clone() });
    Ok(Some(pieces.finish(evaluator)))
}

/// Evaluates `Fn::ToJsonString`: a value as compact JSON.
pub(super) fn to_json_string(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let value = evaluator.value(call.argument, call.at).unwrap_or(Value::NULL);
    if value.traits.has(Traits::UNKNOWN) {
        return Ok(Some(unknown_like(Kind::String, &value)));
    }
    let mut pieces = Pieces::default();
    let weight = value.size().weight as usize;
    if evaluator.stack.world.spend(weight.saturating_mul(64), call.argument.span) {
        pieces.push(&Value { traits: value.traits, ..Value::from(value.to_json()) });
    }
    Ok(Some(pieces.finish(evaluator)))
}
