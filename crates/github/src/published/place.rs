//! Where places of a report are in a pull request.

use crate::report::model::{Head, Place, ReplacedLines};

/// Lines, both of them included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Lines {
    /// The first, from 1.
    pub(crate) start: u32,
    /// The last line, which may be the same as the first.
    pub(crate) end: u32,
}

/// Which lines of a report are lines of the head of a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// None: it is of an older head.
    Stale,
    /// Those that say so: it is of another commit, as of a merge.
    Mapped,
    /// All: it is of the head.
    Head,
}

/// What has lines in a pull request.
pub(crate) trait InPullRequest {
    /// The name of the file in the report.
    fn file(&self) -> &str;
    /// The lines of the report.
    fn lines(&self) -> Lines;
    /// Where these are in the head, if that is elsewhere.
    fn head(&self) -> Option<&Head>;

    /// Path and lines in the head of the pull request, where they are known.
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

/// Whether a name is the path of a file in a repository. Any other would lead a link to anywhere.
fn is_path(name: &str) -> bool {
    name.split('/').all(|part| !part.is_empty() && part != "." && part != ".." && !part.contains('\\'))
}
