//! Base64 as `System.Convert` has it: standard alphabet, padding required, white space ignored.
//!
//! Reference: <https://learn.microsoft.com/dotnet/api/system.convert.frombase64string>.

/// The bytes of a text, or `None` for what is no Base64. Bits behind the last byte may be anything.
pub(in crate::arm) fn decode(text: &str) -> Option<Vec<u8>> {
    let signs: Vec<u8> = text.bytes().filter(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).collect();
    let padding = signs.iter().rev().take_while(|&&it| it == b'=').count();
    if !signs.len().is_multiple_of(4) || padding > 2 {
        return None;
    }
    let mut out = Vec::with_capacity(signs.len() / 4 * 3);
    let (data, _) = signs.split_at(signs.len() - padding);
    for chunk in data.chunks(4) {
        let mut group = 0;
        for at in 0..4 {
            let sextet = chunk.get(at).map_or(Some(0), |&sign| value(sign))?;
            group = group << 6 | sextet;
        }
        out.extend(group.to_be_bytes().into_iter().take(chunk.len()).skip(1));
    }
    Some(out)
}

fn value(sign: u8) -> Option<u32> {
    let (base, first) = match sign {
        b'A'..=b'Z' => (0, b'A'),
        b'a'..=b'z' => (26, b'a'),
        b'0'..=b'9' => (52, b'0'),
        b'+' => return Some(62),
        b'/' => return Some(63),
        _ => return None,
    };
    Some(base + u32::from(sign - first))
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
