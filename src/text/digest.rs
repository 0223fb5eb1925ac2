//! Short identifiers for lists of strings.

use sha2::{Digest, Sha256};

/// 16 hexadecimal digits that identify a list of strings. The boundaries between the strings count.
pub(crate) fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update(text.as_bytes());
        hash.update([0]);
    }
    let head = hash.finalize().iter().take(8).fold(0_u64, |all, &byte| (all << 8) | u64::from(byte));
    format!("{head:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_texts_are_told_apart() {
        assert_eq!(digest(&[]), "e3b0c44298fc1c14");
        assert_eq!(digest(&["a", "b"]).len(), 16);
        assert_eq!(digest(&["a", "b"]), digest(&["a", "b"]));
        assert_ne!(digest(&["a", "b"]), digest(&["ab"]));
        assert_ne!(digest(&["a", "b"]), digest(&["a", "b", ""]));
    }
}
