//! A text to which changes are applied.

use std::ops::Range;

use gen_lsp_types::Position;

use crate::text::{self, Encoding, Text};

/// A text with its line starts. A change updates only the lines around it, because one message may have thousands of
/// changes.
#[derive(Debug)]
pub(crate) struct Buffer {
    body: String,
    /// Byte offsets of line starts.
    starts: Vec<usize>,
}

impl Buffer {
    pub(crate) fn from_text(text: &Text) -> Self {
        Self { body: text.text().as_str().to_owned(), starts: text.starts().to_vec() }
    }

    pub(crate) fn body(&self) -> &str {
        &self.body
    }

    pub(crate) fn into_text(self) -> Text {
        Text::new(self.body.into())
    }

    /// Returns the byte offset of a position, like [`Text::offset`].
    pub(crate) fn offset(&self, position: Position, encoding: Encoding) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(content) = text::content(&self.body, &self.starts, line) else { return self.body.len() };
        let text = self.body.get(content.clone()).unwrap_or_default();
        let column = usize::try_from(position.character).unwrap_or(usize::MAX);
        content.start + text::bytes_of(text, column, encoding)
    }

    /// Replaces a range of bytes, which starts and ends at character boundaries.
    pub(crate) fn replace(&mut self, range: Range<usize>, inserted: &str) {
        let Range { start, end } = range;
        self.body.replace_range(start..end, inserted);
        // A line end depends on the next byte as well (`\\r\\n`).
        let first = self.starts.partition_point(|at| *at < start.max(1));
        let last = self.starts.partition_point(|at| *at <= end).max(first);
        for at in self.starts.iter_mut().skip(last) {
            *at = *at - end + start + inserted.len();
        }
        let around = start.saturating_sub(1)..start + inserted.len();
        self.starts.splice(first..last, text::line_starts(&self.body, around));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_known_after_any_change() {
        let parts = ["", "a", "\n", "\r", "\r\n", "\n\r", "é\r\rx"];
        for body in ["", "\r\n", "a\rb\n\r\nc", "\n\n", "é\r"] {
            for (start, end) in (0..=body.len()).flat_map(|end| (0..=end).map(move |start| (start, end))) {
                if !body.is_char_boundary(start) || !body.is_char_boundary(end) {
                    continue;
                }
                for inserted in parts {
                    let mut buffer = Buffer::from_text(&Text::new(body.into()));
                    buffer.replace(start..end, inserted);
                    let starts = buffer.starts.clone();
                    assert_eq!(starts, buffer.into_text().starts(), "{body:?} {start}..{end} {inserted:?}");
                }
            }
        }
    }

    #[test]
    fn positions_are_those_of_the_text() {
        let text = Text::new("é😀x\nab\r\n".into());
        let buffer = Buffer::from_text(&text);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (line, character) in (0..5).flat_map(|line| (0..9).map(move |character| (line, character))) {
                let position = Position::new(line, character);
                assert_eq!(buffer.offset(position, encoding), text.offset(position, encoding), "{position:?}");
            }
        }
    }
}
