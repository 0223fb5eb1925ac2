//! Hunks of a file in a pull request, which determine the lines that can have comments.
//!
//! GitHub rejects a whole review if one comment is on a line that the diff does not show. A patch contains untrusted
//! text and can be cut anywhere, so the counts in hunk headers are compared with the lines that follow.

use crate::published::Lines;

/// Maximum number of lines of a comment. A longer one would hide the code.
const LONGEST: u32 = 20;

/// Hunks of one file.
#[derive(Clone, Debug, Default)]
pub(super) struct Hunks(Vec<Hunk>);

/// Adjacent lines of the head.
#[derive(Clone, Debug)]
struct Hunk {
    /// Number of the first line.
    first: u32,
    /// For each line, `true` if the pull request adds it.
    is_added: Vec<bool>,
}

/// Number of remaining lines of a hunk on each side.
struct RemainingLines {
    before: u32,
    after: u32,
}

impl Hunks {
    /// Parses the property `patch` of a file. Ignores everything after the first line that is not part of a patch.
    pub(super) fn parse(patch: &str) -> Self {
        let mut hunks: Vec<Hunk> = Vec::new();
        let mut left = RemainingLines { before: 0, after: 0 };
        for line in patch.strip_suffix('\n').unwrap_or(patch).split('\n') {
            if left.before == 0 && left.after == 0 {
                // `\ No newline at end of file` belongs to neither side.
                if line.starts_with('\\') || line.is_empty() {
                    continue;
                }
                let Some((first, counts)) = header(line) else { break };
                hunks.push(Hunk { first, is_added: Vec::new() });
                left = counts;
            } else if let Some(hunk) = hunks.last_mut()
                && !left.take(line, &mut hunk.is_added)
            {
                break;
            }
        }
        Self(hunks)
    }

    /// Returns the lines to comment on: at most 20 lines of one hunk, around the first line that the pull request
    /// adds. `None` if it adds none of them.
    pub(super) fn anchor(&self, lines: Lines) -> Option<Lines> {
        self.0.iter().find_map(|hunk| {
            let added = hunk.first_added(lines)?;
            let (first, last) = hunk.shared(lines)?;
            if last - first < LONGEST {
                return Some(Lines { start: first, end: last });
            }
            let start = first.max(added.saturating_sub(LONGEST / 2));
            Some(Lines { start, end: last.min(start + (LONGEST - 1)) })
        })
    }

    /// True if a comment can be on exactly these lines, one of which the pull request adds.
    pub(super) fn covers(&self, lines: Lines) -> bool {
        self.anchor(lines) == Some(lines)
    }
}

impl Hunk {
    /// Returns the first and the last of `lines` in the hunk.
    fn shared(&self, lines: Lines) -> Option<(u32, u32)> {
        let length = u32::try_from(self.is_added.len()).ok().filter(|&length| length > 0)?;
        let last = self.first.checked_add(length - 1)?;
        let (first, last) = (lines.start.max(self.first), lines.end.min(last));
        (first <= last).then_some((first, last))
    }

    /// Returns the first of `lines` that the pull request adds.
    fn first_added(&self, lines: Lines) -> Option<u32> {
        let (first, last) = self.shared(lines)?;
        (first..=last).find(|line| self.is_added.get((line - self.first) as usize) == Some(&true))
    }
}

impl RemainingLines {
    /// Counts a line. Returns `false` if it is not part of the hunk.
    fn take(&mut self, line: &str, is_added: &mut Vec<bool>) -> bool {
        let (before, after) = match line.as_bytes().first() {
            // Some tools trim the space of an empty line.
            Some(b' ') | None => (1, 1),
            Some(b'+') => (0, 1),
            Some(b'-') => (1, 0),
            Some(b'\\') => return true,
            Some(_) => return false,
        };
        let (Some(left_before), Some(left_after)) = (self.before.checked_sub(before), self.after.checked_sub(after))
        else {
            return false;
        };
        if after == 1 {
            is_added.push(before == 0);
        }
        *self = Self { before: left_before, after: left_after };
        true
    }
}

/// Parses `@@ -1,2 +3,4 @@`. Returns the first line of the head, and the counts.
fn header(line: &str) -> Option<(u32, RemainingLines)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (before, after) = ranges.split_once(" +")?;
    let ((_, before), (first, after)) = (range(before)?, range(after)?);
    Some((first, RemainingLines { before, after }))
}

/// Parses `3,4`, or `3` for one line.
fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        Some((start, count)) => Some((start.parse().ok()?, count.parse().ok()?)),
        None => Some((text.parse().ok()?, 1)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PATCH: &str =
        "@@ -1,4 +1,5 @@ resource\n a\n-b\n+B\n+C\n d\n e\n@@ -40,2 +41,3 @@\n x\n+y\n z\n\\ No newline at end of file";

    #[track_caller]
    fn check(patch: &str, lines: (u32, u32), expected: Option<(u32, u32)>) {
        let anchor = Hunks::parse(patch).anchor(Lines { start: lines.0, end: lines.1 });
        assert_eq!(anchor.map(|anchor| (anchor.start, anchor.end)), expected);
    }

    #[test]
    fn a_comment_touches_a_line_that_was_added() {
        check(PATCH, (2, 2), Some((2, 2)));
        check(PATCH, (1, 1), None);
        check(PATCH, (4, 5), None);
        check(PATCH, (3, 4), Some((3, 4)));
        check(PATCH, (6, 40), None);
    }

    #[test]
    fn a_range_is_cut_to_its_first_hunk() {
        check(PATCH, (1, 100), Some((1, 5)));
        check(PATCH, (4, 100), Some((41, 43)));
        check(PATCH, (0, u32::MAX), Some((1, 5)));
    }

    #[test]
    fn a_long_range_is_cut_around_the_added_line() {
        let patch = format!("@@ -1,99 +1,100 @@\n{}+new\n{}", " a\n".repeat(49), " a\n".repeat(50));
        check(&patch, (1, 100), Some((40, 59)));
        check(&patch, (45, 100), Some((45, 64)));
        check(&patch, (1, 52), Some((40, 52)));
        check(&patch, (1, 50), Some((40, 50)));
        check(&patch, (31, 50), Some((31, 50)));
    }

    #[test]
    fn what_looks_like_a_header_in_a_line_is_a_line() {
        check("@@ -0,0 +1,2 @@\n+@@ -1 +9 @@\n+x", (1, 9), Some((1, 2)));
        check("@@ -1,2 +1,1 @@\n-@@ -1 +9 @@\n x\n@@ -9 +8 @@\n-a\n+b", (1, 9), Some((8, 8)));
    }

    #[test]
    fn a_patch_counts_as_far_as_it_goes() {
        check("@@ -1,9 +1,9 @@\n a\n+b", (1, 9), Some((1, 2)));
        check("@@ -1,9 +1,9 @@\n a\n+b\n@@ -30 +30 @@\n+c", (30, 30), None);
        check("@@ -1 +1 @@\n-a\n+b\ngarbage\n@@ -9 +9 @@\n+c", (9, 9), None);
    }

    #[test]
    fn what_is_no_patch_has_no_lines() {
        for patch in ["", "x", "@@", "@@ -1 +99999999999 @@\n+a", "@@ -1,-1 +1,-1 @@\n+a", "@@ -1 +4294967295,2 @@\n+a"]
        {
            check(patch, (1, 9), None);
        }
        check("@@ -0,0 +4294967295,2 @@\n+a\n+b", (1, u32::MAX), None);
    }

    #[test]
    fn only_a_whole_range_is_covered() {
        let hunks = Hunks::parse(PATCH);
        assert!(hunks.covers(Lines { start: 2, end: 4 }));
        assert!(!hunks.covers(Lines { start: 2, end: 6 }));
        assert!(!hunks.covers(Lines { start: 1, end: 1 }));
    }

    proptest! {
        #[test]
        fn any_text_is_read(
            patch in r"(@@ -[0-9]{1,3},[0-9] \+[0-9]{1,3},[0-9] @@|[ +\\-][a@]{0,3}|\PC{0,5}|\n){0,30}",
            start in 0_u32..20,
            length in 0_u32..40,
        ) {
            let hunks = Hunks::parse(&patch);
            let lines = Lines { start, end: start + length };
            if let Some(anchor) = hunks.anchor(lines) {
                prop_assert!(lines.start <= anchor.start && anchor.start <= anchor.end && anchor.end <= lines.end);
                prop_assert!(anchor.end - anchor.start < LONGEST);
                prop_assert!(hunks.covers(anchor));
            }
        }
    }
}
