//! The change that a run checks, from the event of its workflow.

use std::sync::Arc;

use foldhash::HashMap;

use crate::text::{FileId, LineMap, Sources, Span};

/// What an event says about a run, and how the files of the run differ from the head of the pull request.
#[derive(Clone, Debug, Default)]
pub struct EventChange {
    /// The name of the event.
    pub event: String,
    /// The number of the pull request, where there is one.
    pub pull_request: Option<u64>,
    /// The commit that the run was compared with.
    pub base: Option<String>,
    /// The head of the pull request.
    pub head: Option<String>,
    /// The commit that was checked out.
    pub commit: String,
    /// The files of the run in the head, where they may have other names or lines there. One that is not listed is in
    /// the head as it is in the run, as far as that is known.
    pub files: HashMap<FileId, HeadFile>,
}

/// A file in the head of a pull request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HeadFile {
    /// Its path from the root of the repository.
    pub name: Arc<str>,
    /// From the lines of the run to those of the head; `None` for a file that the head does not have.
    pub lines: Option<LineMap>,
}

/// Where a place of a run is in the head of a pull request. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InHead {
    /// Its lines are in this file.
    At {
        /// Name of the file in the head.
        file: Arc<str>,
        /// First line in the head.
        first: u32,
        /// Last line in the head.
        last: u32,
    },
    /// Its first line came with the base, and is not there.
    Below {
        /// Name of the file in the head.
        file: Arc<str>,
        /// The nearest line above that is there.
        line: u32,
    },
    /// The whole file came with the base.
    Nowhere {
        /// Name of the file in the run.
        file: Arc<str>,
    },
}

impl EventChange {
    /// Where a place is in the head. `None` where it is the same as in the run.
    pub fn in_head(&self, span: Span, sources: &Sources) -> Option<InHead> {
        let HeadFile { name, lines } = self.files.get(&span.file)?;
        let file = Arc::clone(name);
        let Some(lines) = lines else { return Some(InHead::Nowhere { file }) };
        if span == Span::whole_file(span.file) {
            return Some(InHead::At { file, first: 1, last: 1 });
        }
        let (start, end) = sources.range(span);
        Some(match lines.old_line(start.line) {
            None => InHead::Below { file, line: lines.old_line_above(start.line) },
            Some(first) => InHead::At { file, first, last: lines.old_line_above(end.line).max(first) },
        })
    }
}

/// Whether a string is a complete commit ID, in SHA-1 or SHA-256.
pub fn is_commit_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Hunk;

    #[test]
    fn a_place_is_found_in_the_head_or_above() {
        let sources = Sources::new();
        let file = sources.add("b.json", "1\n2\n3\n4\n5\n");
        let gone = sources.add("gone.json", "1\n");
        let other = sources.add("other.json", "1\n");
        // Line 3 came with the base.
        let hunk = Hunk { old_start: 2, old_count: 0, new_start: 3, new_count: 1 };
        let name: Arc<str> = Arc::from("a.json");
        let there = HeadFile { name: Arc::clone(&name), lines: Some(LineMap::new(vec![hunk])) };
        let absent = HeadFile { name: Arc::from("gone.json"), lines: None };
        let change =
            EventChange { files: [(file, there), (gone, absent)].into_iter().collect(), ..EventChange::default() };
        let check = |first: u32, last: u32, expected: InHead| {
            let span = Span::new(file, (first - 1) * 2, (last - 1) * 2 + 1);
            assert_eq!(change.in_head(span, &sources), Some(expected), "{first} to {last}");
        };
        let at = |first, last| InHead::At { file: Arc::clone(&name), first, last };
        check(1, 1, at(1, 1));
        check(4, 5, at(3, 4));
        check(2, 3, at(2, 2));
        check(2, 4, at(2, 3));
        check(3, 4, InHead::Below { file: Arc::clone(&name), line: 2 });
        assert_eq!(change.in_head(Span::whole_file(file), &sources), Some(at(1, 1)));
        assert_eq!(
            change.in_head(Span::whole_file(gone), &sources),
            Some(InHead::Nowhere { file: Arc::from("gone.json") })
        );
        assert_eq!(change.in_head(Span::new(other, 0, 1), &sources), None);
    }
}
