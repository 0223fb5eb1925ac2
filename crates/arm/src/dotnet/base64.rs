//! Base64 as `System.Convert` has it: standard alphabet, padding required, white space ignored.
//!
//! Reference: <https://learn.microsoft.com/dotnet/api/system.convert.frombase64string>.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{GeneralPurpose, GeneralPurposeConfig};

/// Ignores the surplus bits of the last character, as .NET does.
const DOTNET: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true));

/// Returns the bytes that a string encodes, or `None` if it is not Base64.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let characters: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).collect();
    DOTNET.decode(characters).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_decoded() {
        for (plain, text) in [("", ""), ("a", "YQ=="), ("ab", "YWI="), ("abc", "YWJj"), ("a\u{20ac}?~", "YeKCrD9+")] {
            assert_eq!(decode(text).as_deref(), Some(plain.as_bytes()));
        }
    }

    #[test]
    fn white_space_and_loose_bits_are_ignored() {
        assert_eq!(decode(" Y Q\n= = ").as_deref(), Some(&b"a"[..]));
        assert_eq!(decode("YR==").as_deref(), Some(&b"a"[..]));
    }

    #[test]
    fn anything_else_is_refused() {
        for text in ["Y", "YQ", "YWI", "Y===", "====", "YQ==YQ==", "YW-j", "YWJj@", "Ä"] {
            assert_eq!(decode(text), None, "{text}");
        }
    }
}
