//! Places in files, in the units of people and protocols.

use std::fmt;
use std::sync::Arc;

use crate::model::{File, Head};
use crate::text::escape::file_name;

/// A position in a file. All numbers count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Point {
    pub line: u32,
    /// Column in UTF-16 code units, which SARIF, GitHub and editors count.
    pub column: u32,
    /// Column in bytes of UTF-8.
    pub byte_column: u32,
}

/// A range of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: Arc<File>,
    /// Position of its first character.
    pub start: Point,
    /// Position after its last character.
    pub end: Point,
    /// Position in the head of the pull request, if it differs.
    pub head: Option<Box<Head>>,
}

impl Point {
    /// The start of a file.
    pub const START: Self = Self { line: 1, column: 1, byte_column: 1 };
}

impl Place {
    /// True if it means the file as a whole.
    pub fn is_whole_file(&self) -> bool {
        (self.start, self.end) == (Point::START, Point::START)
    }

    pub fn is_on_one_line(&self) -> bool {
        self.start.line == self.end.line
    }

    /// Returns the sort key of places in several files.
    pub fn key(&self) -> (&str, Point, Point) {
        (self.file.name(), self.start, self.end)
    }
}

/// Formats the place as `file:line:column`, safe for a terminal. A whole file is only a name.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&file_name(self.file.name()))?;
        if self.is_whole_file() {
            return Ok(());
        }
        write!(f, ":{}:{}", self.start.line, self.start.column)
    }
}

#[cfg(test)]
mod tests {
    use crate::model::Resolver;
    use crate::text::{Sources, Span};

    #[test]
    fn a_place_counts_from_one_and_ends_one_past_its_text() {
        let sources = Sources::new();
        let file = sources.add("a\x1b.json", "{\r\n  \"é\": 1\n}");
        let mut resolver = Resolver::new(&sources);
        let place = resolver.place(Span::new(file, 5, 9));
        assert_eq!(place.to_string(), "a\\u{1b}.json:2:3");
        assert_eq!((place.end.line, place.end.column, place.end.byte_column), (2, 6, 7));
        assert_eq!(resolver.place(Span::whole_file(file)).to_string(), "a\\u{1b}.json");
    }
}
