//! Case conversion that maps one character to one: no locale, no `ß` to `SS`, no final sigma.
//!
//! Reference: <https://learn.microsoft.com/dotnet/api/system.string.toupperinvariant>.

/// Converts one character like `String.ToUpperInvariant`. The dotless `ı` stays, since it would otherwise become `I`.
pub(crate) fn upper(char: char) -> char {
    if char == 'ı' {
        return char;
    }
    let mut full = char.to_uppercase();
    match (full.next(), full.next()) {
        (Some(single), None) => single,
        // The full upper case has several characters, or none.
        _ => upper_of_iota_subscript(char).unwrap_or(char),
    }
}

/// Converts one character like `String.ToLowerInvariant`. The dotted `İ` stays.
pub(crate) fn lower(char: char) -> char {
    let mut full = char.to_lowercase();
    match (full.next(), full.next()) {
        (Some(single), None) => single,
        _ => char,
    }
}

/// Maps characters that `StringComparison.OrdinalIgnoreCase` considers equal to the same character.
pub(crate) fn fold(char: char) -> char {
    // The upper case of the long s is `S`, yet the comparison tells the two apart.
    if char == 'ſ' { char } else { upper(char) }
}

/// Returns the upper case of a Greek letter with an iota subscript, which has one character beside the full form of
/// two.
fn upper_of_iota_subscript(char: char) -> Option<char> {
    let offset = match char {
        '\u{1f80}'..='\u{1f87}' | '\u{1f90}'..='\u{1f97}' | '\u{1fa0}'..='\u{1fa7}' => 8,
        '\u{1fb3}' | '\u{1fc3}' | '\u{1ff3}' => 9,
        _ => return None,
    };
    char::from_u32(u32::from(char) + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, uppered: &str, lowered: &str) {
        assert_eq!(text.chars().map(upper).collect::<String>(), uppered);
        assert_eq!(text.chars().map(lower).collect::<String>(), lowered);
    }

    #[test]
    fn one_character_becomes_one_character() {
        check("aÄß", "AÄß", "aäß");
        check("ΣΣς", "ΣΣΣ", "σσς");
        check("ﬁǅ", "ﬁǄ", "ﬁǆ");
        check("ᾳᾀ", "ᾼᾈ", "ᾳᾀ");
        check("𐐨", "𐐀", "𐐨");
    }

    #[test]
    fn turkish_letters_stay() {
        check("ıİ", "ıİ", "ıİ");
    }

    #[test]
    fn a_long_s_is_not_an_s() {
        assert_eq!(upper('ſ'), 'S');
        assert_ne!(fold('ſ'), fold('s'));
        assert_eq!(fold('ÿ'), fold('Ÿ'));
    }
}
