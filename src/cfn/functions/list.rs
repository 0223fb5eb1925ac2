//! Functions on lists.

use crate::cfn::evaluator::{Evaluator, limit_reached};
use crate::cfn::functions::{Call, Outcome, text_of, unknown_like};
use crate::diagnostic::Code;
use crate::value::{Data, Kind, Unknown, Value};

const SELECT_WANTED: &str = "takes a list of an index and a list";
const SPLIT_WANTED: &str = "takes a list of a delimiter and a text";
const LENGTH_WANTED: &str = "takes a list";

/// `Fn::Select`.
pub(super) fn select(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let index = call.part(evaluator, 0, SELECT_WANTED)?;
    let list = call.part(evaluator, 1, SELECT_WANTED)?;
    if index.as_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::Any, &index)));
    }
    if list.as_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::Any, &list)));
    }
    let index: Option<usize> = text_of(&index).and_then(|it| it.trim().parse().ok());
    let (Some(index), Some(items)) = (index, list.as_array()) else {
        return Err(call.fault(SELECT_WANTED));
    };
    match items.get(index) {
        Some(item) if item.via.is_none() => Ok(Some(item.clone().through(list.via.clone()))),
        Some(item) => Ok(Some(item.clone())),
        None => {
            let message = format!("selects item {index} of a list of {}", items.len());
            let fault = call.fault(&message);
            Err(super::Fault { code: Code::ExpressionFailed, ..fault })
        }
    }
}

/// `Fn::Split`.
pub(super) fn split(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let delimiter = call.part(evaluator, 0, SPLIT_WANTED)?;
    let source = call.part(evaluator, 1, SPLIT_WANTED)?;
    if source.as_unknown().is_some() {
        return Ok(Some(unknown_like(Kind::Array, &source)));
    }
    let (Some(delimiter), Some(text)) = (text_of(&delimiter), text_of(&source)) else {
        return Err(call.fault(SPLIT_WANTED));
    };
    if delimiter.is_empty() {
        return Err(call.fault("takes a delimiter that is not empty"));
    }
    let most = evaluator.stack.world.limits.value_weight as usize;
    let items: Vec<Value> =
        text.split(&*delimiter).take(most).map(|it| Value::from(it).with_traits(source.traits)).collect();
    if !evaluator.stack.world.spend(items.len().saturating_mul(64), call.argument.span) {
        return Ok(Some(limit_reached(call.argument.span)));
    }
    Ok(Some(Value::array(items).through(source.via)))
}

/// `Fn::Length`.
pub(super) fn length(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    let list = evaluator.value(call.argument, call.at).unwrap_or(Value::NULL);
    match &list.data {
        Data::Unknown(_) => Ok(Some(unknown_like(Kind::Int, &list))),
        Data::Array(items) => Ok(Some(Value::from(i64::try_from(items.len()).unwrap_or(i64::MAX)).through(list.via))),
        _ => Err(call.fault(LENGTH_WANTED)),
    }
}

/// `Fn::GetAZs`: which zones a region has depends on the account.
pub(super) fn get_azs(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    // For what is wrong with the name of the region.
    evaluator.value(call.argument, call.at);
    let unknown = Unknown::new(Kind::Array, "only a deployment knows the availability zones of an account");
    Ok(Some(Value::unknown(unknown)))
}

/// `Fn::Cidr`: the first blocks of a size in a block of IPv4 addresses. Blocks of IPv6 are unknown.
pub(super) fn cidr(evaluator: &Evaluator<'_, '_>, call: Call<'_>) -> Outcome {
    const WANTED: &str = "takes a list of an address block, a number of blocks and a number of bits";
    let parts = call.parts(WANTED)?.len();
    let [block, count] = [call.part(evaluator, 0, WANTED)?, call.part(evaluator, 1, WANTED)?];
    let bits = if parts > 2 { Some(call.part(evaluator, 2, WANTED)?) } else { None };
    if let Some(unknown) =
        [Some(&block), Some(&count), bits.as_ref()].into_iter().flatten().find(|it| it.as_unknown().is_some())
    {
        return Ok(Some(unknown_like(Kind::Array, unknown)));
    }
    let number = |it: &Value| text_of(it).and_then(|it| it.trim().parse::<u32>().ok());
    let text = text_of(&block).ok_or_else(|| call.fault(WANTED))?;
    let (Some(count), Some(bits)) = (number(&count), bits.as_ref().map_or(Some(8), number)) else {
        return Err(call.fault(WANTED));
    };
    if text.contains(':') {
        return Ok(Some(Value::unknown(Unknown::new(Kind::Array, "blocks of IPv6 addresses are not computed"))));
    }
    match blocks(&text, count, bits) {
        Some(blocks) => {
            let items = blocks.into_iter().map(Value::from).collect();
            Ok(Some(Value::array(items).through(block.via.clone())))
        }
        None => Err(super::Fault {
            code: Code::ExpressionFailed,
            ..call.fault(&format!("finds no {count} blocks of {bits} bits in `{text}`"))
        }),
    }
}

/// `count` blocks with `bits` bits for hosts; CloudFormation gives 256 at most.
fn blocks(block: &str, count: u32, bits: u32) -> Option<Vec<String>> {
    let (address, prefix) = block.split_once('/')?;
    let address: std::net::Ipv4Addr = address.trim().parse().ok()?;
    let prefix: u32 = prefix.trim().parse().ok().filter(|it| *it <= 32)?;
    let is_sensible = (1..=256).contains(&count) && (1..=32 - prefix).contains(&bits);
    let room = 1_u64 << (32 - prefix).saturating_sub(bits);
    if !is_sensible || u64::from(count) > room {
        return None;
    }
    let mask = u32::MAX.checked_shl(32 - prefix).unwrap_or(0);
    let first = u32::from(address) & mask;
    let block = |at: u32| {
        // In range: all blocks are in the one that was given.
        let start = std::net::Ipv4Addr::from(first | at.checked_shl(bits).unwrap_or(0));
        format!("{start}/{}", 32 - bits)
    };
    Some((0..count).map(block).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_each_other_and_must_fit() {
        let wanted = ["10.0.0.0/27", "10.0.0.32/27"].map(str::to_owned).to_vec();
        assert_eq!(blocks("10.0.0.9/24", 2, 5), Some(wanted));
        assert_eq!(blocks("10.0.0.0/24", 9, 5), None);
        assert_eq!(blocks("10.0.0.0/33", 1, 1), None);
        assert_eq!(blocks("0.0.0.0/0", 1, 32), Some(vec!["0.0.0.0/0".to_owned()]));
    }
}
