//! Which lines of a file a change touches, and where a line of one version is in another.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::engine::changes::list::entries;

/// One place where two versions differ: so many lines in place of so many others. Lines count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hunk {
    /// First line in the old version; without any, the line before.
    pub old_start: u32,
    /// How many lines there were.
    pub old_count: u32,
    /// First line in the new version; without any, the line before.
    pub new_start: u32,
    /// How many lines there are.
    pub new_count: u32,
}

impl Hunk {
    /// `@@ -12,0 +13,2 @@`, where a count of 1 is left out.
    fn read(line: &str) -> Option<Self> {
        let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let pair = |text: &str| -> Option<(u32, u32)> {
            let (start, count) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse().ok()?, count.parse().ok()?))
        };
        let ((old_start, old_count), (new_start, new_count)) = (pair(old)?, pair(new)?);
        Some(Self { old_start, old_count, new_start, new_count })
    }

    /// Whether the lines `lines` of the new version are among those that were written, or at most `context` away. Where
    /// lines were only taken away, the line before and the one behind are next to it.
    fn touches(self, lines: &RangeInclusive<u32>, context: u32) -> bool {
        let (first, last) = match self.new_count {
            0 if context == 0 => return false,
            0 => (self.new_start.saturating_add(1), self.new_start),
            count => (self.new_start, self.new_start.saturating_add(count - 1)),
        };
        *lines.end() >= first.saturating_sub(context) && *lines.start() <= last.saturating_add(context)
    }
}

/// What a change did to the lines of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lines {
    /// All of them are new, or git sees no lines in the file.
    All,
    /// They differ here, in the order of lines. A file that was only moved differs nowhere.
    Hunks(Vec<Hunk>),
}

impl Lines {
    /// Whether one of the lines was written by the change, or is at most `context` lines away from what the change
    /// did.
    pub fn touch(&self, lines: &RangeInclusive<u32>, context: u32) -> bool {
        match self {
            Self::All => true,
            Self::Hunks(hunks) => hunks.iter().any(|it| it.touches(lines, context)),
        }
    }

    /// Where a line of the new version was in the old one. `None` for a line that was not there.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "publishing maps the lines of a merge to those of its head with it")
    )]
    pub fn old_line(&self, line: u32) -> Option<u32> {
        let Self::Hunks(hunks) = self else { return None };
        let mut shift = 0_i64;
        for hunk in hunks {
            // Without lines of its own, a hunk stands behind its line.
            let first = hunk.new_start + u32::from(hunk.new_count == 0);
            if line < first {
                break;
            }
            if line - first < hunk.new_count {
                return None;
            }
            shift = shift + i64::from(hunk.old_count) - i64::from(hunk.new_count);
        }
        u32::try_from(i64::from(line) + shift).ok()
    }
}

/// Reads `git diff --patch-with-raw -z --unified=0`: the lines of each file, by its path below `root`. Patches stand in
/// the order of the list before them, so their names, which git quotes, need not be read.
pub(super) fn read(bytes: &[u8], root: &Path) -> BTreeMap<PathBuf, Lines> {
    let (entries, patches) = entries(bytes);
    let text = String::from_utf8_lossy(patches);
    let mut lines: Vec<Lines> = Vec::new();
    for line in text.trim_start_matches('\0').split('\n') {
        if line.starts_with("diff --git ") {
            lines.push(Lines::Hunks(Vec::new()));
        } else if let Some(last) = lines.last_mut() {
            match (last, Hunk::read(line)) {
                (Lines::Hunks(hunks), Some(hunk)) => hunks.push(hunk),
                (last, None) if line.starts_with("Binary files ") => *last = Lines::All,
                _ => {}
            }
        }
    }
    // A file in the middle of a merge has no patch.
    let listed = entries.into_iter().filter(|it| it.status != b'U').map(|it| root.join(it.path));
    let listed: Vec<PathBuf> = listed.collect();
    if listed.len() != lines.len() {
        return listed.into_iter().map(|it| (it, Lines::All)).collect();
    }
    listed.into_iter().zip(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunks(heads: &[&str]) -> Lines {
        Lines::Hunks(heads.iter().map(|it| Hunk::read(it).unwrap()).collect())
    }

    #[track_caller]
    fn check_touch(head: &str, context: u32, expected: &[u32]) {
        let lines = hunks(&[head]);
        let found: Vec<u32> = (1..=12).filter(|&it| lines.touch(&(it..=it), context)).collect();
        assert_eq!(found, expected, "{head}");
    }

    #[test]
    fn lines_that_were_written_are_touched() {
        check_touch("@@ -3 +3 @@ head @@", 0, &[3]);
        check_touch("@@ -3,0 +4,2 @@", 0, &[4, 5]);
        check_touch("@@ -3,0 +4,2 @@", 1, &[3, 4, 5, 6]);
        check_touch("@@ -3,2 +2,0 @@", 0, &[]);
        check_touch("@@ -3,2 +2,0 @@", 1, &[2, 3]);
        assert!(hunks(&["@@ -3 +3 @@"]).touch(&(1..=4), 0));
    }

    #[track_caller]
    fn check_old(heads: &[&str], pairs: &[(u32, Option<u32>)]) {
        let lines = hunks(heads);
        for &(line, expected) in pairs {
            assert_eq!(lines.old_line(line), expected, "{line}");
        }
    }

    #[test]
    fn lines_are_found_again_in_the_old_version() {
        // Two lines more above: line 17 of the merge was line 15 of the head.
        check_old(&["@@ -2,0 +3,2 @@"], &[(2, Some(2)), (3, None), (4, None), (5, Some(3)), (17, Some(15))]);
        check_old(&["@@ -3,2 +2,0 @@"], &[(2, Some(2)), (3, Some(5))]);
        check_old(&["@@ -1 +1,2 @@", "@@ -9 +10 @@"], &[(1, None), (3, Some(2)), (10, None), (11, Some(10))]);
        check_old(&[], &[(7, Some(7))]);
        assert_eq!(Lines::All.old_line(1), None);
    }

    #[test]
    fn patches_belong_to_the_files_in_the_order_of_the_list() {
        let text = ":1 1 a b M\0a\0:1 1 a b R9\0x\0\"b\n\0:1 1 a b M\0c\0\0diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-@@ -5 +5 @@\n+diff --git a\ndiff --git x\ndiff --git c\nBinary files a/c and b/c differ\n";
        let found = read(text.as_bytes(), Path::new(""));
        let expected = [("a", hunks(&["@@ -1 +1 @@"])), ("\"b\n", hunks(&[])), ("c", Lines::All)];
        assert_eq!(found, expected.map(|(path, lines)| (PathBuf::from(path), lines)).into());
    }

    #[test]
    fn what_does_not_fit_together_is_all_changed() {
        let found = read(b":1 1 a b M\0a\0:1 1 a b U\0b\0", Path::new("/r"));
        assert_eq!(found, [(PathBuf::from("/r/a"), Lines::All)].into());
    }
}
