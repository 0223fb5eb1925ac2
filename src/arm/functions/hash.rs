//! Functions that derive names from texts, as Resource Manager does.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string#uniquestring>.
//! The algorithms are not documented; the results asserted by the tests of Azure/bicep pin them.

use uuid::Uuid;

use crate::arm::fault::Fault;
use crate::arm::functions::bounded::BoundedText;
use crate::arm::functions::{Args, Function, at_least, exactly, pure};
use crate::value::{Kind, Value};

/// The namespace of the name-based UUIDs that `guid` gives.
const GUID_NAMESPACE: Uuid = Uuid::from_u128(0x11fb_06fb_712d_4ddd_98c7_e71b_bd58_8830);
/// What `newGuid` gives. A run must be repeatable, so it is the same each time.
const NEW_GUID: &str = "6f3c8d52-9b1e-4a70-8d24-51e0c7a9b3f6";
/// The digits of `uniqueString`: Base32 in lower case.
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// How many digits it gives: 64 bits by five.
const UNIQUE_LEN: usize = 13;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("guid", at_least(1), Kind::String, guid),
    pure("newGuid", exactly(0), Kind::String, new_guid),
    pure("uniqueString", at_least(1), Kind::String, unique_string),
];

/// `guid(text, ...)`. A UUID of version 5.
fn guid(args: Args<'_>) -> Result<Value, Fault> {
    let name = joined(args)?;
    Ok(Value::from(Uuid::new_v5(&GUID_NAMESPACE, name.as_bytes()).to_string()))
}

/// `newGuid()`. Random in Azure; here always the same.
fn new_guid(_: Args<'_>) -> Result<Value, Fault> {
    Ok(Value::from(NEW_GUID))
}

/// `uniqueString(text, ...)`. 13 characters.
fn unique_string(args: Args<'_>) -> Result<Value, Fault> {
    Ok(Value::from(unique_text(&joined(args)?)))
}

/// The result of `uniqueString` for one text.
pub(in crate::arm) fn unique_text(text: &str) -> String {
    let mut hash = murmur64(text.as_bytes());
    let mut out = String::with_capacity(UNIQUE_LEN);
    for _ in 0..UNIQUE_LEN {
        out.push(char::from(BASE32[(hash >> 59) as usize]));
        hash <<= 5;
    }
    out
}

/// Both hash their arguments with dashes between them.
fn joined(args: Args<'_>) -> Result<String, Fault> {
    let mut name = BoundedText::of(args);
    for index in 0..args.len() {
        if index > 0 {
            name.push('-')?;
        }
        name.push_str(args.at(index)?)?;
    }
    Ok(name.into_string())
}

/// What one half of the hash does to its half of a block.
#[derive(Clone, Copy)]
struct Lane {
    before: u32,
    rotation: u32,
    after: u32,
}

const LOW: Lane = Lane { before: 0x239b_961b, rotation: 15, after: 0xab0e_9789 };
const HIGH: Lane = Lane { before: 0xab0e_9789, rotation: 17, after: 0x239b_961b };

impl Lane {
    fn scramble(self, block: u32) -> u32 {
        block.wrapping_mul(self.before).rotate_left(self.rotation).wrapping_mul(self.after)
    }
}

/// A variant of `MurmurHash3` with 64 bits, seed 0.
fn murmur64(data: &[u8]) -> u64 {
    let (mut low, mut high) = (0u32, 0u32);
    let (blocks, tail) = data.as_chunks::<8>();
    for &block in blocks {
        let (first, second) = halves(block);
        low ^= LOW.scramble(first);
        low = low.rotate_left(19).wrapping_add(high).wrapping_mul(5).wrapping_add(0x561c_cd1b);
        high ^= HIGH.scramble(second);
        high = high.rotate_left(13).wrapping_add(low).wrapping_mul(5).wrapping_add(0x0bca_a747);
    }
    let mut rest = [0; 8];
    rest[..tail.len()].copy_from_slice(tail);
    let (first, second) = halves(rest);
    // Zeros leave a lane as it is, so a short tail needs no case of its own.
    low ^= LOW.scramble(first);
    high ^= HIGH.scramble(second);

    #[expect(clippy::cast_possible_truncation, reason = "the hash takes the length modulo 2^32")]
    let len = data.len() as u32;
    low = (low ^ len).wrapping_add(high ^ len);
    high = (high ^ len).wrapping_add(low);
    low = avalanche(low);
    high = avalanche(high);
    low = low.wrapping_add(high);
    high = high.wrapping_add(low);
    u64::from(high) << 32 | u64::from(low)
}

/// The little-endian numbers in the halves of a block.
fn halves(block: [u8; 8]) -> (u32, u32) {
    let half = |from: usize| block[from..from + 4].iter().rev().fold(0, |bits, &byte| bits << 8 | u32::from(byte));
    (half(0), half(4))
}

fn avalanche(mut hash: u32) -> u32 {
    hash = (hash ^ (hash >> 16)).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ (hash >> 13)).wrapping_mul(0xc2b2_ae35);
    hash ^ (hash >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Limits;

    #[track_caller]
    fn check(call: fn(Args<'_>) -> Result<Value, Fault>, texts: &[&str], expected: &str) {
        let values: Vec<Value> = texts.iter().map(|&it| Value::from(it)).collect();
        let result = call(Args::new("uniqueString", &values, &Limits::default()));
        assert_eq!(result.ok().as_ref().and_then(Value::as_str), Some(expected));
    }

    /// From the tests of Azure/bicep and public ports; together they have tails of 0, 3, 4, 5, 6 and 7 bytes.
    #[test]
    fn unique_strings_are_those_of_azure() {
        for (texts, expected) in [
            (&["snap", "crackle", "pop"][..], "byghxckddilkc"),
            (&["asd", "asdf", "asdf"], "iizpqit7ih3cc"),
            (&["/subscriptions/00000000-0000-0000-0000-000000000000/resourceGroups/myRg"], "js26ofeqkqeve"),
            (&["test"], "rbgf3xv4ufgzg"),
            (&["abc"], "cgtzqvhu4i23s"),
            (&["hello", "world"], "a7wkljktk6wne"),
            (&["foo", "bar", "baz"], "xzi4ioaxtmth4"),
            (&["foo-bar-baz"], "xzi4ioaxtmth4"),
        ] {
            check(unique_string, texts, expected);
        }
    }

    #[test]
    fn guids_are_those_of_azure() {
        check(guid, &["asdf"], "228d27cc-6fdb-5934-b7ac-1efccebade04");
        check(guid, &["foo", "bar", "baz"], "2ed86837-7c7c-5eaa-9864-dd077fd19b0d");
    }
}
