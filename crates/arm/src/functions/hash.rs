//! Functions that derive names from strings with the hashes that Resource Manager uses.
//!
//! Reference: <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-string#uniquestring>.
//! The algorithms are not documented; results that the tests of Azure/bicep assert pin them.

use uuid::Uuid;

use crate::fault::Fault;
use crate::functions::bounded::BoundedText;
use crate::functions::{Args, Function, at_least, ends, exactly, pure};
use crate::value::{Kind, Traits, Value};

/// The namespace of the name-based UUIDs that `guid` returns.
const GUID_NAMESPACE: Uuid = Uuid::from_u128(0x11fb_06fb_712d_4ddd_98c7_e71b_bd58_8830);
/// The result of `newGuid`. Constant, so that runs are reproducible.
pub(crate) const NEW_GUID: &str = "6f3c8d52-9b1e-4a70-8d24-51e0c7a9b3f6";
/// The digits of `uniqueString`: Base32 in lower case.
const BASE32: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The length of the result of `uniqueString`: 64 bits, five per digit.
const UNIQUE_LEN: usize = 13;

pub(super) const FUNCTIONS: &[Function] = &[
    pure("guid", at_least(1), Kind::String, guid).with_ends(ends::of_guid),
    pure("newGuid", exactly(0), Kind::String, new_guid),
    pure("uniqueString", at_least(1), Kind::String, unique_string).with_ends(ends::of_unique_string),
];

/// `guid(baseString, …)`: a UUID of version 5.
fn guid(args: Args<'_>) -> Result<Value, Fault> {
    let name = joined(args)?;
    Ok(Value::from(Uuid::new_v5(&GUID_NAMESPACE, name.as_bytes()).to_string()))
}

/// `newGuid()`: random in Azure, here always [`NEW_GUID`].
fn new_guid(_: Args<'_>) -> Result<Value, Fault> {
    Ok(Value::from(NEW_GUID).with_traits(Traits::PLACEHOLDER))
}

/// `uniqueString(baseString, …)`: a hash of 13 characters.
fn unique_string(args: Args<'_>) -> Result<Value, Fault> {
    Ok(Value::from(unique_text(&joined(args)?)))
}

/// Returns the result of `uniqueString` for one string.
pub(crate) fn unique_text(text: &str) -> String {
    let mut hash = murmur64(text.as_bytes());
    let mut out = String::with_capacity(UNIQUE_LEN);
    // The last digit gets the remaining four bits and a zero.
    for _ in 0..UNIQUE_LEN {
        out.push(leading_digit(hash));
        hash <<= 5;
    }
    out
}

/// Returns the digit for the five highest bits.
#[expect(clippy::indexing_slicing, reason = "five bits are below the 32 digits")]
fn leading_digit(hash: u64) -> char {
    char::from(BASE32[(hash >> 59) as usize])
}

/// Joins the arguments by dashes, for both hash functions.
fn joined(args: Args<'_>) -> Result<String, Fault> {
    let mut name = BoundedText::for_call(args);
    for index in 0..args.len() {
        if index > 0 {
            name.push('-')?;
        }
        name.push_str(args.at(index)?)?;
    }
    Ok(name.into_string())
}

/// Constants that scramble one 32-bit half of a block into the hash.
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

/// Computes a variant of `MurmurHash3` with 64 bits, seed 0.
pub(crate) fn murmur64(data: &[u8]) -> u64 {
    let (mut low, mut high) = (0u32, 0u32);
    let (blocks, tail) = data.as_chunks::<8>();
    for &block in blocks {
        let (first, second) = halves(block);
        low ^= LOW.scramble(first);
        low = low.rotate_left(19).wrapping_add(high).wrapping_mul(5).wrapping_add(0x561c_cd1b);
        high ^= HIGH.scramble(second);
        high = high.rotate_left(13).wrapping_add(low).wrapping_mul(5).wrapping_add(0x0bca_a747);
    }
    let mut last = [0; 8];
    for (padded, &byte) in last.iter_mut().zip(tail) {
        *padded = byte;
    }
    let (first, second) = halves(last);
    // Zeros do not change a lane, so a short tail needs no special case.
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

/// Returns the little-endian numbers in the halves of a block.
#[expect(clippy::cast_possible_truncation, reason = "each half has 32 bits")]
fn halves(block: [u8; 8]) -> (u32, u32) {
    let bits = u64::from_le_bytes(block);
    (bits as u32, (bits >> 32) as u32)
}

/// Applies the finalizer of `MurmurHash3`: every input bit affects every output bit.
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
        let values: Vec<Value> = texts.iter().map(|&text| Value::from(text)).collect();
        let result = call(Args::new("uniqueString", &values, &Limits::default()));
        assert_eq!(result.ok().as_ref().and_then(Value::as_str), Some(expected));
    }

    /// Source: the tests of Azure/bicep and public ports; together they have tails of 0, 3, 4, 5, 6 and 7 bytes.
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
