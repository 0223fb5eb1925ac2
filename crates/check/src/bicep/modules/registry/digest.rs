//! Digests, such as `sha256:` and 64 hexadecimal digits.

use std::fmt::Write;

use sha2::{Digest, Sha256, Sha512};

use crate::text::cut;

/// The greatest length of a digest in a message, in bytes.
const MAX_SHOWN: usize = 100;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the digest of the bytes by the algorithm of another digest.
fn digest_like(other: &str, bytes: &[u8]) -> Option<String> {
    match other.split_once(':')?.0 {
        "sha256" => Some(format!("sha256:{}", hex(&Sha256::digest(bytes)))),
        "sha512" => Some(format!("sha512:{}", hex(&Sha512::digest(bytes)))),
        _ => None,
    }
}

/// Refuses a digest whose algorithm cannot be checked, and what is not a digest at all. The error is a message.
pub(super) fn refuse_unknown(digest: &str) -> Result<(), String> {
    let length = digest_like(digest, &[]).map(|other| other.len());
    let is_one =
        length == Some(digest.len()) && digest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b':');
    if is_one { Ok(()) } else { Err(format!("`{}` is not a digest", cut(digest, MAX_SHOWN))) }
}

/// Compares bytes with the digest that they were named by. `what` they are is for the message, which the error is.
pub(super) fn compare(what: &str, digest: &str, bytes: &[u8]) -> Result<(), String> {
    refuse_unknown(digest)?;
    if digest_like(digest, bytes).is_some_and(|own| own.eq_ignore_ascii_case(digest)) {
        return Ok(());
    }
    Err(format!("the {what} does not have the digest `{}`", cut(digest, MAX_SHOWN)))
}
