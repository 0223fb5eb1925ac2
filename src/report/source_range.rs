//! Spans as people and protocols name them: files, lines and columns.

use std::fmt;
use std::sync::Arc;

use crate::text::escape::file_name;
use crate::text::{Position, Sources, Span};

/// A span as people and protocols name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceRange {
    /// Name of the file.
    pub(super) file: Arc<str>,
    /// Position of its first character.
    pub(super) start: Position,
    /// Position after its last character.
    pub(super) end: Position,
    /// Whether it is about the file as a whole.
    pub(super) is_whole_file: bool,
}

impl SourceRange {
    pub(super) fn of(sources: &Sources, span: Span) -> Self {
        let source = sources.get(span.file);
        Self {
            file: Arc::clone(source.name()),
            start: source.position(span.start),
            end: source.position(span.end.max(span.start)),
            is_whole_file: span == Span::whole_file(span.file),
        }
    }

    pub(super) fn is_on_one_line(&self) -> bool {
        self.start.line == self.end.line
    }
}

/// `file:line:column`, safe for a terminal; only the name for a whole file.
impl fmt::Display for SourceRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&file_name(&self.file))?;
        if self.is_whole_file {
            return Ok(());
        }
        write!(f, ":{}:{}", self.start.line, self.start.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_counts_from_one_and_ends_one_past_its_text() {
        let sources = Sources::new();
        let file = sources.add("a\x1b.json", "{\r\n  \"é\": 1\n}");
        let place = SourceRange::of(&sources, Span::new(file, 5, 9));
        assert_eq!(place.to_string(), "a\\u{1b}.json:2:3");
        assert_eq!((place.end.line, place.end.column), (2, 6));
        assert_eq!(SourceRange::of(&sources, Span::whole_file(file)).to_string(), "a\\u{1b}.json");
    }
}
