//! Decodes the bytes of files to text.

/// The reason why bytes cannot be decoded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Undecodable {
    /// The bytes contain an invalid UTF-8 sequence.
    #[error("not valid UTF-8: byte {offset} of the file is not part of a character")]
    Utf8 {
        /// The number of valid bytes before the sequence.
        offset: usize,
    },
    /// A text with the byte order mark of UTF-16 contains half a surrogate pair or half a code unit.
    #[error("not valid UTF-16, although it starts with its byte order mark")]
    Utf16,
}

/// Decodes UTF-8 (without its byte order mark), or UTF-16 if there is its byte order mark.
pub fn decode(bytes: Vec<u8>) -> Result<String, Undecodable> {
    match bytes.as_slice() {
        [0xEF, 0xBB, 0xBF, rest @ ..] => {
            let text = std::str::from_utf8(rest);
            text.map(str::to_owned).map_err(|error| Undecodable::Utf8 { offset: error.valid_up_to() + 3 })
        }
        [0xFF, 0xFE, rest @ ..] => decode_utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => decode_utf16(rest, u16::from_be_bytes),
        _ => String::from_utf8(bytes).map_err(|error| Undecodable::Utf8 { offset: error.utf8_error().valid_up_to() }),
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Result<String, Undecodable> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    if !rest.is_empty() {
        return Err(Undecodable::Utf16);
    }
    let units = pairs.iter().map(|&pair| unit(pair));
    char::decode_utf16(units).collect::<Result<_, _>>().map_err(|_| Undecodable::Utf16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn byte_order_marks_choose_the_encoding_and_are_dropped() {
        assert_eq!(decode(b"\xEF\xBB\xBF{}".to_vec()).as_deref(), Ok("{}"));
        assert_eq!(decode(b"\xFF\xFE{\0}\0".to_vec()).as_deref(), Ok("{}"));
        assert_eq!(decode(b"\xFE\xFF\0{\0}".to_vec()).as_deref(), Ok("{}"));
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error() {
        assert_eq!(decode(b"ab\xFF".to_vec()), Err(Undecodable::Utf8 { offset: 2 }));
        assert_eq!(decode(b"\xFF\xFE{".to_vec()), Err(Undecodable::Utf16));
        assert_eq!(decode(b"\xFF\xFE\x00\xD8".to_vec()), Err(Undecodable::Utf16));
    }
}
