//! Pieces of a ruleset with their positions. They replace tokens: the meaning of a word depends on its position in the
//! line, so there is no lexer.

use crate::text::{FileId, Span};

/// Characters that separate tokens: `WSP` of the grammar.
pub(crate) const BLANKS: [char; 2] = [' ', '\t'];

/// A part of a ruleset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) text: &'a str,
    /// Offset of its first byte in the ruleset.
    pub(crate) start: usize,
}

impl<'a> Piece<'a> {
    /// Returns a whole ruleset as one piece.
    pub(crate) fn whole(text: &'a str) -> Self {
        Self { text, start: 0 }
    }

    /// Splits the piece into lines, with their numbers from 1. A line ends at a line feed, or at a carriage return with
    /// a line feed.
    pub(crate) fn lines(self) -> impl Iterator<Item = (u32, Self)> {
        let mut start = self.start;
        let lines = self.text.split_inclusive('\n').map(move |text| {
            let line = Self { text, start };
            start += text.len();
            line.without_ending()
        });
        (1..).zip(lines)
    }

    fn without_ending(self) -> Self {
        let text = self.text.strip_suffix('\n').unwrap_or(self.text);
        Self { text: text.strip_suffix('\r').unwrap_or(text), ..self }
    }

    /// Removes white space of Unicode at both ends.
    pub(crate) fn trim(self) -> Self {
        let text = self.text.trim_start();
        Self { text: text.trim_end(), start: self.start + (self.text.len() - text.len()) }
    }

    /// Splits the piece at byte `at`. If that is inside a character or after the end, the second part is empty.
    pub(crate) fn split_at(self, at: usize) -> (Self, Self) {
        let (before, after) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        (Self { text: before, start: self.start }, Self { text: after, start: self.start + before.len() })
    }

    /// Takes the next run of characters that are not blanks, which is empty at the end.
    pub(crate) fn next_word(&mut self) -> Self {
        let blanks = self.text.len() - self.text.trim_start_matches(BLANKS).len();
        let (_, rest) = self.split_at(blanks);
        let end = rest.text.find(BLANKS).unwrap_or(rest.text.len());
        let (word, rest) = rest.split_at(end);
        *self = rest;
        word
    }

    /// Returns the first run of characters that are not blanks.
    pub(crate) fn first_word(mut self) -> Self {
        self.next_word()
    }

    /// Returns the span in `file`.
    pub(crate) fn span(self, file: FileId) -> Span {
        let [start, end] = [self.start, self.start + self.text.len()].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        Span::new(file, start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_lose_their_endings() {
        let lines: Vec<_> = Piece::whole("a\r\n\nb").lines().map(|(at, line)| (at, line.text, line.start)).collect();
        assert_eq!(lines, [(1, "a", 0), (2, "", 3), (3, "b", 4)]);
    }

    #[test]
    fn words_are_separated_by_blanks_and_tabs() {
        let mut rest = Piece::whole(" a\t\tb ");
        let words: Vec<_> =
            std::iter::repeat_with(|| rest.next_word()).take(3).map(|word| (word.text, word.start)).collect();
        assert_eq!(words, [("a", 1), ("b", 4), ("", 6)]);
    }

    #[test]
    fn trimming_keeps_the_place() {
        let piece = Piece::whole("\u{a0} x \u{b}").trim();
        assert_eq!((piece.text, piece.start), ("x", 3));
    }
    #[test]
    fn a_span_is_where_the_piece_is() {
        let file = crate::text::Sources::new().add("case.ruleset", "ab cd");
        let mut rest = Piece::whole("ab cd");
        let words = [rest.next_word(), rest.next_word()];
        assert_eq!(words.map(|word| word.span(file)), [Span::new(file, 0, 2), Span::new(file, 3, 5)]);
    }
}
