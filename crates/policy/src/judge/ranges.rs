//! `ipRangeContains`: tests whether a range of addresses is in another.

use std::net::IpAddr;

use formwork_arm::Fault;

use crate::value::Value;

/// First and last address of a range, and the bits of an address.
type Range = (u128, u128, u32);

/// Evaluates `ipRangeContains(range, target)`: addresses, CIDR ranges, or `start-end`, of one family.
pub(super) fn range_contains(arguments: &[Value]) -> Result<Value, Fault> {
    let range = |at: usize| {
        let text = arguments.get(at).and_then(Value::as_str);
        let text =
            text.ok_or_else(|| Fault::arguments(format!("argument {} of `ipRangeContains` must be a string", at + 1)))?;
        range(text)
            .ok_or_else(|| Fault::failed(format!("argument {} of `ipRangeContains` is no range of addresses", at + 1)))
    };
    let (range, target) = (range(0)?, range(1)?);
    if range.2 != target.2 {
        return Err(Fault::failed("the ranges of `ipRangeContains` are of different families"));
    }
    Ok(Value::from(range.0 <= target.0 && target.1 <= range.1))
}

fn range(text: &str) -> Option<Range> {
    if let Some((start, end)) = text.split_once('-') {
        let ((start, bits), (end, other)) = (address(start)?, address(end)?);
        return (bits == other && start <= end).then_some((start, end, bits));
    }
    let Some((base, prefix)) = text.split_once('/') else {
        let (address, bits) = address(text)?;
        return Some((address, address, bits));
    };
    let (base, bits) = address(base)?;
    let free = bits.checked_sub(prefix.parse().ok()?)?;
    let mask = 1u128.checked_shl(free).map_or(u128::MAX, |size| size - 1);
    Some((base & !mask, base | mask, bits))
}

fn address(text: &str) -> Option<(u128, u32)> {
    match text.trim().parse().ok()? {
        IpAddr::V4(address) => Some((u128::from(u32::from(address)), 32)),
        IpAddr::V6(address) => Some((u128::from(address), 128)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_contain_ranges_of_their_family() {
        for (range, target, expected) in [
            ("10.0.0.0/8", "10.1.2.3", Some(true)),
            ("10.0.0.0/8", "10.0.0.0/7", Some(false)),
            ("10.0.0.1-10.0.0.9", "10.0.0.9", Some(true)),
            ("10.0.0.1-10.0.0.9", "10.0.0.8/30", Some(false)),
            ("0.0.0.0/0", "255.255.255.255", Some(true)),
            ("::/0", "fe80::1", Some(true)),
            ("fe80::/10", "10.0.0.1", None),
            ("", "10.0.0.1", None),
            ("10.0.0.0/33", "10.0.0.1", None),
        ] {
            let result = range_contains(&[Value::from(range), Value::from(target)]);
            assert_eq!(result.ok().and_then(|value| value.as_bool()), expected, "{range} {target}");
        }
    }
}
