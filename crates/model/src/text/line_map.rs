//! Maps lines of a text to those of an earlier version.

/// A range of lines that differs between two versions of a text. Lines count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// First line in the old version. If there are none, the line before.
    pub old_start: u32,
    /// Number of lines in the old version.
    pub old_count: u32,
    /// First line in the new version. If there are none, the line before.
    pub new_start: u32,
    /// Number of lines in the new version.
    pub new_count: u32,
}

impl Hunk {
    /// Returns the first line of the new version that is not before the hunk.
    const fn first_new(self) -> u32 {
        if self.new_count == 0 { self.new_start.saturating_add(1) } else { self.new_start }
    }

    /// Returns the first line of the old version that is not before the hunk.
    const fn first_old(self) -> u32 {
        if self.old_count == 0 { self.old_start.saturating_add(1) } else { self.old_start }
    }
}

/// Maps the lines of a text to those of its old version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineMap {
    /// The hunks, sorted by line.
    hunks: Vec<Hunk>,
}

impl LineMap {
    /// Creates the map between versions that differ only in `hunks`, which are sorted by line.
    pub fn new(hunks: Vec<Hunk>) -> Self {
        Self { hunks }
    }

    /// Returns the hunks, sorted by line.
    pub fn hunks(&self) -> &[Hunk] {
        &self.hunks
    }

    /// Returns the old line of a line in the new version. `None` if the line is new.
    pub fn old_line(&self, line: u32) -> Option<u32> {
        let Some(hunk) = self.hunk_above(line) else { return Some(line) };
        let beyond = (line - hunk.first_new()).checked_sub(hunk.new_count)?;
        Some(hunk.first_old().saturating_add(hunk.old_count).saturating_add(beyond))
    }

    /// Returns the old line like [`LineMap::old_line`]. For a new line, returns the last old line above it, or the
    /// first line if there is none.
    pub fn old_line_above(&self, line: u32) -> u32 {
        self.old_line(line)
            .unwrap_or_else(|| self.hunk_above(line).map_or(line, |hunk| hunk.first_old().saturating_sub(1).max(1)))
    }

    /// Returns the last hunk that does not begin below a line.
    fn hunk_above(&self, line: u32) -> Option<Hunk> {
        let count = self.hunks.partition_point(|hunk| hunk.first_new() <= line);
        self.hunks.get(count.checked_sub(1)?).copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(hunks: &[(u32, u32, u32, u32)], pairs: &[(u32, Option<u32>)]) {
        let hunk = |&(old_start, old_count, new_start, new_count)| Hunk { old_start, old_count, new_start, new_count };
        let map = LineMap::new(hunks.iter().map(hunk).collect());
        for &(line, expected) in pairs {
            assert_eq!(map.old_line(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_are_found_again_in_the_old_version() {
        // Two lines more above: line 17 of the merge was line 15 of the head.
        check(&[(2, 0, 3, 2)], &[(2, Some(2)), (3, None), (4, None), (5, Some(3)), (17, Some(15))]);
        check(&[(3, 2, 2, 0)], &[(2, Some(2)), (3, Some(5))]);
        check(&[(1, 1, 1, 2), (9, 1, 10, 1)], &[(1, None), (3, Some(2)), (10, None), (11, Some(10))]);
        check(&[], &[(7, Some(7))]);
    }

    #[test]
    fn above_a_line_that_is_new_is_one_that_is_not() {
        let map = LineMap::new(vec![
            Hunk { old_start: 0, old_count: 0, new_start: 1, new_count: 2 },
            Hunk { old_start: 4, old_count: 2, new_start: 6, new_count: 1 },
        ]);
        for (line, expected) in [(1, 1), (2, 1), (3, 1), (5, 3), (6, 3), (7, 6)] {
            assert_eq!(map.old_line_above(line), expected, "{line}");
        }
    }

    /// Generates edits: whether each line of the old version is kept, and the number of new lines after it.
    fn edits() -> impl Strategy<Value = Vec<(bool, u32)>> {
        proptest::collection::vec((proptest::bool::weighted(0.7), prop_oneof![5 => Just(0_u32), 1 => 1..4_u32]), 0..40)
    }

    proptest! {
        #[test]
        fn a_map_agrees_with_the_edits_that_made_it(edits in edits(), first in 0..3_u32) {
            // For each line of the new version, where it was; and the hunks as a diff without context has them.
            let mut origins: Vec<Option<u32>> = vec![None; first as usize];
            let mut open = Hunk { old_start: 0, old_count: 0, new_start: 0, new_count: first };
            let mut hunks = Vec::new();
            let mut close = |open: Hunk| {
                let (old, new) = (u32::from(open.old_count > 0), u32::from(open.new_count > 0));
                if old + new > 0 {
                    hunks.push(Hunk { old_start: open.old_start + old, new_start: open.new_start + new, ..open });
                }
            };
            for (index, &(stays, more)) in edits.iter().enumerate() {
                let line = u32::try_from(index).unwrap() + 1;
                if stays {
                    close(open);
                    origins.push(Some(line));
                    let new_start = u32::try_from(origins.len()).unwrap();
                    open = Hunk { old_start: line, old_count: 0, new_start, new_count: 0 };
                } else {
                    open.old_count += 1;
                }
                open.new_count += more;
                origins.extend((0..more).map(|_| None));
            }
            close(open);
            let map = LineMap::new(hunks);
            let mut above = 1;
            for (line, &origin) in (1..).zip(&origins) {
                prop_assert_eq!(map.old_line(line), origin);
                above = origin.unwrap_or(above);
                prop_assert!(map.old_line_above(line) >= above);
            }
        }
    }
}
