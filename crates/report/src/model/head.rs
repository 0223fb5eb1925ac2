//! Positions in the head of a pull request.

use std::sync::Arc;

use crate::diagnostic::HeadFile;

/// Position of a run's place in the head of a pull request. Lines count from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Head {
    /// The lines are in this file.
    At {
        /// Name of the file in the head.
        file: Arc<str>,
        /// First line in the head.
        line: u32,
        /// Last line in the head.
        end_line: u32,
    },
    /// The first line came with the base, and is not in the head.
    Below {
        /// Name of the file in the head.
        file: Arc<str>,
        /// Nearest line above that is in the head.
        line: u32,
    },
    /// The whole file came with the base.
    Nowhere {
        /// Name of the file in the run.
        file: Arc<str>,
    },
    /// The place is not in the head, and the report does not give the reason.
    Absent,
}

impl Head {
    /// Converts lines of a run's file to lines of the head. `there` is the file in the head. A whole file is converted
    /// by its first lines.
    pub(super) fn new(there: &HeadFile, is_whole_file: bool, (first, last): (u32, u32)) -> Self {
        let file = Arc::clone(&there.name);
        let Some(lines) = &there.lines else { return Self::Nowhere { file } };
        if is_whole_file {
            return Self::At { file, line: 1, end_line: 1 };
        }
        match lines.old_line(first) {
            None => Self::Below { file, line: lines.old_line_above(first) },
            Some(line) => Self::At { file, line, end_line: lines.old_line_above(last).max(line) },
        }
    }

    /// Converts lines that a fix replaces, if the head has all of them in a row.
    pub(super) fn of_all(there: &HeadFile, (first, last): (u32, u32)) -> Self {
        let line_in_head = |line: u32| there.lines.as_ref().and_then(|lines| lines.old_line(line));
        let Some(top) = line_in_head(first) else { return Self::Absent };
        if (first..=last).all(|line: u32| line_in_head(line) == Some(top.saturating_add(line - first))) {
            Self::At { file: Arc::clone(&there.name), line: top, end_line: top.saturating_add(last - first) }
        } else {
            Self::Absent
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Hunk, LineMap};

    #[test]
    fn a_place_is_in_the_head_if_its_first_line_is() {
        // The merge has two lines more, after the second.
        let lines = LineMap::new(vec![Hunk { old_start: 2, old_count: 0, new_start: 3, new_count: 2 }]);
        let name: Arc<str> = Arc::from("infra/old.json");
        let there = HeadFile { name: Arc::clone(&name), lines: Some(lines) };
        let at = |line, end_line| Head::At { file: Arc::clone(&name), line, end_line };
        let check = |first: u32, last: u32, expected: Head| {
            assert_eq!(Head::new(&there, false, (first, last)), expected, "{first} to {last}");
        };
        check(1, 2, at(1, 2));
        check(5, 6, at(3, 4));
        check(2, 3, at(2, 2));
        check(3, 4, Head::Below { file: Arc::clone(&name), line: 2 });
        assert_eq!(Head::new(&there, true, (1, 1)), at(1, 1));
        let gone = HeadFile { name: Arc::from("gone.json"), lines: None };
        assert_eq!(Head::new(&gone, true, (1, 1)), Head::Nowhere { file: Arc::from("gone.json") });
    }
}
