//! Pieces of a ruleset that know where they stand: what a lexer gives, for a language whose tokens hang on their place
//! in a line.

use crate::text::{FileId, Span};

/// What separates tokens: `WSP` of the grammar.
pub(super) const BLANKS: [char; 2] = [' ', '\t'];

/// A part of the text of a ruleset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'a> {
    /// What it says.
    pub(super) text: &'a str,
    /// Offset of its first byte in the ruleset.
    start: usize,
}

impl<'a> Piece<'a> {
    /// A whole ruleset.
    pub(super) fn whole(text: &'a str) -> Self {
        Self { text, start: 0 }
    }

    /// Its lines with their numbers, from 1. A line ends at a line feed; a carriage return before it belongs to the end.
    pub(super) fn lines(self) -> impl Iterator<Item = (u32, Self)> {
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

    /// Without white space of any kind at both ends.
    pub(super) fn trim(self) -> Self {
        let behind = self.text.trim_start();
        Self { text: behind.trim_end(), start: self.start + (self.text.len() - behind.len()) }
    }

    /// What stands before byte `at`, and what stands from there on.
    pub(super) fn split_at(self, at: usize) -> (Self, Self) {
        let (before, behind) = self.text.split_at(at);
        (Self { text: before, start: self.start }, Self { text: behind, start: self.start + at })
    }

    /// Takes the next run of characters that are no blanks, which is empty at the end.
    pub(super) fn next_word(&mut self) -> Self {
        let blanks = self.text.len() - self.text.trim_start_matches(BLANKS).len();
        let (_, rest) = self.split_at(blanks);
        let end = rest.text.find(BLANKS).unwrap_or(rest.text.len());
        let (word, rest) = rest.split_at(end);
        *self = rest;
        word
    }

    /// The first run of characters that are no blanks.
    pub(super) fn first_word(mut self) -> Self {
        self.next_word()
    }

    /// Its place in `file`.
    pub(super) fn span(self, file: FileId) -> Span {
        let offset = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span::new(file, offset(self.start), offset(self.start + self.text.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_numbered_and_lose_their_endings() {
        let lines: Vec<_> = Piece::whole("a\r\n\nb").lines().map(|(at, it)| (at, it.text, it.start)).collect();
        assert_eq!(lines, [(1, "a", 0), (2, "", 3), (3, "b", 4)]);
    }

    #[test]
    fn words_are_separated_by_blanks_and_tabs() {
        let mut rest = Piece::whole(" a\t\tb ");
        let words: Vec<_> = std::iter::repeat_with(|| rest.next_word()).take(3).map(|it| (it.text, it.start)).collect();
        assert_eq!(words, [("a", 1), ("b", 4), ("", 6)]);
    }

    #[test]
    fn trimming_keeps_the_place() {
        let piece = Piece::whole("\u{a0} x \u{b}").trim();
        assert_eq!((piece.text, piece.start), ("x", 3));
    }
}
