//! Truncation of strings.

/// Returns `text`, or if it is longer than `length` bytes, the characters that fit, followed by an ellipsis.
///
/// # Examples
///
/// ```
/// use formwork_model::text::cut;
///
/// assert_eq!(cut("größe", 5), "grö…");
/// assert_eq!(cut("short", 5), "short");
/// ```
pub fn cut(text: &str, length: usize) -> String {
    if text.len() <= length {
        return text.to_owned();
    }
    let kept = text.char_indices().take_while(|(at, character)| at + character.len_utf8() <= length);
    kept.map(|(_, character)| character).chain(['…']).collect()
}

/// Truncates two texts like [`cut`]. If they would look equal, or only their common beginning would remain, most of
/// this beginning is replaced by an ellipsis.
pub fn cut_apart(one: &str, other: &str, length: usize) -> [String; 2] {
    /// Maximum length of the common beginning that is kept, so that readers see where the texts differ.
    const MAX_SHARED: usize = 30;
    let shared: usize = one.chars().zip(other.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let is_long = one.len().max(other.len()) > length;
    if !is_long || shared <= MAX_SHARED {
        return [one, other].map(|text| cut(text, length));
    }
    let before = one.get(..shared).unwrap_or_default();
    let kept: String = before.chars().rev().take(MAX_SHARED).collect();
    let kept: String = kept.chars().rev().collect();
    [one, other].map(|text| cut(&format!("…{kept}{}", text.get(shared..).unwrap_or_default()), length))
}

/// Returns `text` in at most `count` characters. If it is longer, the last is an ellipsis.
pub fn cut_to_width(text: &str, count: usize) -> String {
    match text.chars().nth(count) {
        None => text.to_owned(),
        Some(_) => text.chars().take(count.saturating_sub(1)).chain(['…']).take(count).collect(),
    }
}

/// Truncates like [`cut`], without copying a short text.
pub fn cut_long(text: String, length: usize) -> String {
    if text.len() <= length { text } else { cut(&text, length) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters() {
        assert_eq!(cut("größe", 7), "größe");
        assert_eq!(cut("größe", 3), "gr…");
        assert_eq!(cut("größe", 0), "…");
    }

    #[test]
    fn a_text_is_cut_to_a_number_of_characters() {
        assert_eq!(cut_to_width("éé", 2), "éé");
        assert_eq!(cut_to_width("ééé", 2), "é…");
        assert_eq!(cut_to_width("ééé", 1), "…");
        assert_eq!(cut_to_width("ééé", 0), "");
    }

    #[test]
    fn what_differs_at_the_end_of_long_texts_is_left() {
        assert_eq!(cut_apart("abc", "abd", 3), ["abc", "abd"]);
        assert_eq!(cut_apart("abcdef", "xbc", 3), ["abc…", "xbc"]);
        let path = "/a/path/that/has/more/than/forty/characters/";
        let cut = cut_apart(&format!("{path}ö"), &format!("{path}ä"), 40);
        assert_eq!(cut, ["…as/more/than/forty/characters/ö", "…as/more/than/forty/characters/ä"]);
    }
}
