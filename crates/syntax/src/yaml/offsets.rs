//! Converts the parser's offsets in characters to bytes.

/// Distance of two marks, in characters. A lookup walks over fewer than this many.
const STEP: usize = 64;

/// Byte offset of every [`STEP`]th character.
#[derive(Debug)]
pub(super) struct Offsets<'a> {
    text: &'a str,
    /// Byte offsets; empty for ASCII, where characters are bytes.
    marks: Vec<usize>,
}

impl<'a> Offsets<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let marks =
            if text.is_ascii() { Vec::new() } else { text.char_indices().step_by(STEP).map(|(at, _)| at).collect() };
        Self { text, marks }
    }

    /// Returns the byte at which a character begins, or the end of the text for a later character.
    pub(super) fn byte(&self, character: usize) -> usize {
        if self.marks.is_empty() {
            return character.min(self.text.len());
        }
        let Some(&mark) = self.marks.get(character / STEP) else {
            return self.text.len();
        };
        let rest = self.text.get(mark..).unwrap_or_default();
        let within = rest.char_indices().nth(character % STEP);
        mark + within.map_or(rest.len(), |(at, _)| at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_of_any_width_are_counted() {
        let text = "aé𝄞\u{301}z".repeat(50);
        let offsets = Offsets::new(&text);
        for (count, (at, _)) in text.char_indices().enumerate() {
            assert_eq!(offsets.byte(count), at);
        }
        assert_eq!(offsets.byte(250), text.len());
        assert_eq!(offsets.byte(usize::MAX), text.len());
    }

    #[test]
    fn characters_of_one_byte_need_no_marks() {
        let offsets = Offsets::new("abc");
        assert_eq!((offsets.byte(2), offsets.byte(3), offsets.byte(9)), (2, 3, 3));
    }
}
