//! Strings of bounded length.

/// `text`, or as many characters of it as fit into `length` bytes, with an ellipsis.
pub(crate) fn cut(text: &str, length: usize) -> String {
    if text.len() <= length {
        return text.to_owned();
    }
    let fits = |(at, character): &(usize, char)| at + character.len_utf8() <= length;
    text.char_indices().take_while(fits).map(|(_, character)| character).chain(['…']).collect()
}

/// Like [`cut`], without a copy of a short text.
pub(crate) fn cut_long(text: String, length: usize) -> String {
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
}
