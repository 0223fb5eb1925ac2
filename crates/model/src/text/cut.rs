//! Strings of bounded length.

/// `text`, or as many characters of it as fit into `length` bytes, with an ellipsis.
pub fn cut(text: &str, length: usize) -> String {
    if text.len() <= length {
        return text.to_owned();
    }
    let fits = |(at, character): &(usize, char)| at + character.len_utf8() <= length;
    text.char_indices().take_while(fits).map(|(_, character)| character).chain(['…']).collect()
}

/// Two texts, cut like [`cut`]. Where they would look the same, or only the beginning that they share would be left, an
/// ellipsis takes the place of most of this beginning.
pub fn cut_apart(one: &str, other: &str, length: usize) -> [String; 2] {
    /// How much of the beginning stays, for a reader to see where the texts differ.
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

/// `text` in at most `count` characters, of which the last is an ellipsis if it was longer.
pub fn cut_to_width(text: &str, count: usize) -> String {
    match text.chars().nth(count) {
        None => text.to_owned(),
        Some(_) => text.chars().take(count.saturating_sub(1)).chain(['…']).take(count).collect(),
    }
}

/// Like [`cut`], without a copy of a short text.
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
