//! The functions on lists.

use std::borrow::Cow;

use ipnet::IpNet;

use crate::diagnostic::Code;
use crate::evaluator::{Evaluator, limit_reached};
use crate::functions::{Call, Outcome, expected, quoted, text_of, unknown_like};
use crate::value::{Data, Kind, Unknown, Value};

/// Evaluates `Fn::Select`: an item of a list.
pub(super) fn select(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let index = call.part(evaluator, 0, expected::SELECT)?;
    let list = call.part(evaluator, 1, expected::SELECT)?;
    if index.as_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::Any, &index)));
    }
    if list.as_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::Any, &list)));
    }
    let at: Option<usize> = text_of(&index).and_then(|text| text.trim().parse().ok());
    let (Some(at), Some(items)) = (at, list.as_array()) else {
        return Err(call.fault(expected::SELECT));
    };
    match items.get(at) {
        Some(item) if item.via.is_none() => Ok(Some(item.clone().through(list.via.clone()))),
        Some(item) => Ok(Some(item.clone())),
        None => {
            let message = format!("selects item {} of a list of {}", quoted(&index).trim(), items.len());
            let fault = call.fault(&message);
            Err(super::CallError { code: Code::ExpressionFailed, ..fault })
        }
    }
}

/// Evaluates `Fn::Split`: the parts of a string between delimiters.
pub(super) fn split(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let delimiter = call.part(evaluator, 0, expected::SPLIT)?;
    let source = call.part(evaluator, 1, expected::SPLIT)?;
    if source.as_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::Array, &source)));
    }
    let (Some(delimiter), Some(text)) = (text_of(&delimiter), text_of(&source)) else {
        return Err(call.fault(expected::SPLIT));
    };
    if delimiter.is_empty() {
        return Err(call.fault("takes a delimiter that is not empty"));
    }
    let most = evaluator.stack.world.limits.value_weight as usize;
    let items: Vec<Value> =
        text.split(&*delimiter).take(most).map(|item| Value::from(item).with_traits(source.traits)).collect();
    if !evaluator.stack.world.spend(items.len().saturating_mul(64), call.argument.span) {
        return Ok(Some(limit_reached(call.argument.span)));
    }
    Ok(Some(Value::array(items).through(source.via)))
}

/// Evaluates `Fn::Length`: the number of items in a list.
pub(super) fn length(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let list = evaluator.value(call.argument, call.at).unwrap_or(Value::NULL);
    match &list.data {
        Data::Unknown(_) => Ok(Some(unknown_like(Kind::Int, &list))),
        Data::Array(items) => Ok(Some(Value::from(i64::try_from(items.len()).unwrap_or(i64::MAX)).through(list.via))),
        _ => Err(call.fault(expected::LENGTH)),
    }
}

/// Evaluates `Fn::GetAZs`. The result is unknown, since the zones of a region depend on the account.
pub(super) fn get_azs(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    // Only to report problems in the name of the region.
    evaluator.value(call.argument, call.at);
    let unknown = Unknown::new(Kind::Array, "only a deployment knows the availability zones of an account");
    Ok(Some(Value::unknown(unknown)))
}

/// Evaluates `Fn::Cidr`: the first blocks of a size in a block of addresses.
pub(super) fn cidr(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let parts = call.parts(expected::CIDR)?.len();
    let [block, count] = [call.part(evaluator, 0, expected::CIDR)?, call.part(evaluator, 1, expected::CIDR)?];
    let bits = if parts > 2 { Some(call.part(evaluator, 2, expected::CIDR)?) } else { None };
    if let Some(unknown) =
        [Some(&block), Some(&count), bits.as_ref()].into_iter().flatten().find(|part| part.as_unknown().is_some())
    {
        return Ok(Some(unknown_like(Kind::Array, unknown)));
    }
    let number = |value: &Value| text_of(value).and_then(|text| text.trim().parse::<u32>().ok());
    let text = text_of(&block).ok_or_else(|| call.fault(expected::CIDR))?;
    let size = bits.as_ref().map_or(Some(8), number);
    let (Some(number), Some(size)) = (number(&count), size) else {
        return Err(call.fault(expected::CIDR));
    };
    let Some(blocks) = blocks(&text, number, size) else {
        let bits = bits.as_ref().map_or(Cow::Borrowed("8"), quoted);
        let message = format!("cannot fit {} blocks of {bits} bits into `{}`", quoted(&count), quoted(&block));
        return Err(super::CallError { code: Code::ExpressionFailed, ..call.fault(&message) });
    };
    let item = |item: String| Value::from(item).with_traits(block.traits);
    Ok(Some(Value::array(blocks.into_iter().map(item).collect()).through(block.via.clone())))
}

/// Returns the first `count` blocks with `bits` bits for hosts. `None` if they do not fit, or are more than 256, which
/// is the most that CloudFormation returns.
fn blocks(block: &str, count: u32, bits: u32) -> Option<Vec<String>> {
    let (address, prefix) = block.split_once('/')?;
    let network = IpNet::new(address.trim().parse().ok()?, prefix.trim().parse().ok()?).ok()?;
    let bits = u8::try_from(bits).ok().filter(|bits| *bits > 0)?;
    let count = usize::try_from(count).ok().filter(|count| (1..=256).contains(count))?;
    let subnets = network.subnets(network.max_prefix_len().checked_sub(bits)?).ok()?;
    let blocks: Vec<String> = subnets.take(count).map(|subnet| subnet.to_string()).collect();
    (blocks.len() == count).then_some(blocks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_each_other_and_must_fit() {
        let expected = ["10.0.0.0/27", "10.0.0.32/27"].map(str::to_owned).to_vec();
        assert_eq!(blocks("10.0.0.9/24", 2, 5), Some(expected));
        assert_eq!(blocks("10.0.0.0/24", 9, 5), None);
        assert_eq!(blocks("10.0.0.0/33", 1, 1), None);
        let expected = ["2001:db8:1:1a00::/64", "2001:db8:1:1a01::/64"].map(str::to_owned).to_vec();
        assert_eq!(blocks("2001:db8:1:1a00::/56", 2, 64), Some(expected));
        assert_eq!(blocks("2001:db8::/64", 2, 64), None);
        assert_eq!(blocks("::/0", 1, 128), Some(vec!["::/0".to_owned()]));
        assert_eq!(blocks("::/129", 1, 1), None);
        assert_eq!(blocks("0.0.0.0/0", 1, 32), Some(vec!["0.0.0.0/0".to_owned()]));
    }
}
