//! Locations of a report in a pull request.

use crate::report::model::{Head, Place, ReplacedLines};

/// A range of lines, inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lines {
    /// First line, from 1.
    pub(crate) start: u32,
    /// Last line, at least the first.
    pub(crate) end: u32,
}

/// Relation of a report's lines to the head of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The report is for an older head, so no line is known.
    Stale,
    /// The report is for another commit, such as a merge. Lines are known if they were mapped.
    Mapped,
    /// The report is for the head, so all lines are the same.
    Head,
}

/// Object with lines in a pull request.
pub(crate) trait InPullRequest {
    /// Returns the name of the file in the report.
    fn file(&self) -> &str;
    /// Returns the lines in the report.
    fn lines(&self) -> Lines;
    /// Returns the location in the head, if it differs.
    fn head(&self) -> Option<&Head>;

    /// Returns the path and lines in the head of the pull request, if they are known.
    fn in_head(&self, basis: Basis) -> Option<(&str, Lines)> {
        let (path, lines) = match (self.head(), basis) {
            (_, Basis::Stale) | (Some(Head::Below { .. } | Head::Nowhere { .. } | Head::Absent), _) => return None,
            (None, Basis::Mapped) => return None,
            (Some(Head::At { file, line, end_line }), _) => (&**file, Lines { start: *line, end: *end_line }),
            (None, Basis::Head) => (self.file(), self.lines()),
        };
        is_path(path).then_some((path, Lines { start: lines.start, end: lines.end.max(lines.start) }))
    }
}

impl InPullRequest for Place {
    fn file(&self) -> &str {
        self.file.name()
    }

    fn lines(&self) -> Lines {
        Lines { start: self.start.line, end: self.end.line.max(self.start.line) }
    }

    fn head(&self) -> Option<&Head> {
        self.head.as_deref()
    }
}

impl InPullRequest for ReplacedLines {
    fn file(&self) -> &str {
        &self.file
    }

    fn lines(&self) -> Lines {
        Lines { start: self.first, end: self.last.max(self.first) }
    }

    fn head(&self) -> Option<&Head> {
        self.head.as_deref()
    }
}

/// True if a name is the path of a file in a repository. Another name could lead a link anywhere.
fn is_path(name: &str) -> bool {
    name.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'))
}
