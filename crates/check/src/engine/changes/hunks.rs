//! Lines of a file that a change touches.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use crate::engine::changes::list::{ListedFile, entries};
use crate::text::{Hunk, LineMap};

/// Reads `@@ -12,0 +13,2 @@`, where a count of 1 is omitted.
fn hunk(line: &str) -> Option<Hunk> {
    let (old, rest) = line.strip_prefix("@@ -")?.split_once(" +")?;
    let (new, _) = rest.split_once(" @@")?;
    let pair = |text: &str| -> Option<(u32, u32)> {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let ((old_start, old_count), (new_start, new_count)) = (pair(old)?, pair(new)?);
    Some(Hunk { old_start, old_count, new_start, new_count })
}

/// Returns `true` if one of `lines` in the new version was written by a hunk, or is at most `context` lines away from
/// one. If a hunk only removed lines, the lines before and after the gap are one line away.
fn touches(hunk: Hunk, lines: &RangeInclusive<u32>, context: u32) -> bool {
    let (first, last) = match hunk.new_count {
        0 if context == 0 => return false,
        0 => (hunk.new_start.saturating_add(1), hunk.new_start),
        count => (hunk.new_start, hunk.new_start.saturating_add(count - 1)),
    };
    *lines.end() >= first.saturating_sub(context) && *lines.start() <= last.saturating_add(context)
}

/// Returns `true` if a hunk reduced the number of lines within `lines`. Lines that were removed before the first one or
/// after the last one were not within.
fn thins(hunk: Hunk, lines: &RangeInclusive<u32>) -> bool {
    let is_within = match hunk.new_count {
        0 => (*lines.start()..*lines.end()).contains(&hunk.new_start),
        _ => touches(hunk, lines, 0),
    };
    is_within && hunk.old_count > hunk.new_count
}

/// Returns the hunks that may concern `lines` or one of the `context` lines around them. Others are not looked at,
/// because thousands of findings ask about thousands of hunks.
fn near(map: &LineMap, lines: &RangeInclusive<u32>, context: u32) -> impl Iterator<Item = Hunk> {
    // The line before a gap and the one after it are where lines were removed.
    let margin = context.saturating_add(1);
    let (first, last) = (lines.start().saturating_sub(margin), lines.end().saturating_add(margin));
    let before = map.hunks().partition_point(|hunk| hunk.new_start.saturating_add(hunk.new_count) < first);
    map.hunks().iter().skip(before).take_while(move |hunk| hunk.new_start <= last).copied()
}

/// Changed lines of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lines {
    /// All of them are new, or the file is binary.
    All,
    /// These hunks changed. There are none for a file that was only moved.
    Hunks(LineMap),
}

impl Lines {
    /// Returns `true` if one of the lines was written by the change, or is at most `context` lines away from a line
    /// that was written or removed.
    pub fn touch(&self, lines: &RangeInclusive<u32>, context: u32) -> bool {
        match self {
            Self::All => true,
            Self::Hunks(map) => near(map, lines, context).any(|hunk| touches(hunk, lines, context)),
        }
    }

    /// Returns `true` if the change reduced the number of lines between the first and the last of these. It may also
    /// have written a line: with the last property of an object, the comma before it is removed too.
    pub fn thin(&self, lines: &RangeInclusive<u32>) -> bool {
        match self {
            Self::All => true,
            Self::Hunks(map) => near(map, lines, 0).any(|hunk| thins(hunk, lines)),
        }
    }

    /// Returns `true` if any line was written or removed.
    pub fn any(&self) -> bool {
        match self {
            Self::All => true,
            Self::Hunks(map) => !map.hunks().is_empty(),
        }
    }
}

/// Reads `git diff --patch-with-raw -z --unified=0`: the lines of each file, by its path below `root`. Patches follow
/// in the order of the list, so the quoted names in them need not be parsed.
pub(super) fn read(bytes: &[u8], root: &Path) -> BTreeMap<PathBuf, Lines> {
    let (entries, patches) = entries(bytes);
    let text = String::from_utf8_lossy(patches);
    // `None` for a binary file.
    let mut lines: Vec<Option<Vec<Hunk>>> = Vec::new();
    for line in text.trim_start_matches('\0').split('\n') {
        if line.starts_with("diff --git ") {
            lines.push(Some(Vec::new()));
        } else if let Some(last) = lines.last_mut() {
            match (last.as_mut(), hunk(line)) {
                (Some(hunks), Some(hunk)) => hunks.push(hunk),
                (_, None) if line.starts_with("Binary files ") => *last = None,
                _ => {}
            }
        }
    }
    // A file in the middle of a merge has no patch, and one that became a link, or was one, has two: without it and with it.
    let count = |entry: &ListedFile| match entry.status {
        b'U' => 0,
        b'T' => 2,
        _ => 1,
    };
    let listed = entries.into_iter().flat_map(|entry| std::iter::repeat_n(root.join(&entry.path), count(&entry)));
    let listed: Vec<PathBuf> = listed.collect();
    if listed.len() != lines.len() {
        return listed.into_iter().map(|path| (path, Lines::All)).collect();
    }
    let lines = lines.into_iter().map(|hunks| hunks.map_or(Lines::All, |hunks| Lines::Hunks(LineMap::new(hunks))));
    listed.into_iter().zip(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunks(heads: &[&str]) -> Lines {
        Lines::Hunks(LineMap::new(heads.iter().map(|head| hunk(head).unwrap()).collect()))
    }

    #[test]
    fn only_hunks_nearby_are_looked_at_and_all_of_them() {
        let heads = ["-1,2 +0,0", "-5 +3,2", "-6,0 +6", "-9,3 +8,0", "-14 +11", "-15,0 +13,4", "-20,2 +21"];
        let heads: Vec<Hunk> = heads.iter().map(|head| hunk(&format!("@@ {head} @@")).unwrap()).collect();
        let lines = Lines::Hunks(LineMap::new(heads.clone()));
        let ranges = (1..26).flat_map(|first| (first..26).map(move |last| first..=last));
        for range in ranges {
            for context in [0, 1, 3] {
                let expected = heads.iter().any(|&hunk| touches(hunk, &range, context));
                assert_eq!(lines.touch(&range, context), expected, "{range:?} {context}");
            }
            assert_eq!(lines.thin(&range), heads.iter().any(|&hunk| thins(hunk, &range)), "{range:?}");
        }
    }

    #[track_caller]
    fn check_touch(head: &str, context: u32, expected: &[u32]) {
        let lines = hunks(&[head]);
        let found: Vec<u32> = (1..=12).filter(|&found| lines.touch(&(found..=found), context)).collect();
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
        assert!(!hunks(&["@@ -3,2 +2,0 @@"]).touch(&(1..=4), 0), "nothing was written between them");
    }

    #[track_caller]
    fn check_thin(head: &str, expected: &[(u32, u32)]) {
        let lines = hunks(&[head]);
        let all = (1..=5).flat_map(|first| (first..=5).map(move |last| (first, last)));
        let found: Vec<(u32, u32)> = all.filter(|&(first, last)| lines.thin(&(first..=last))).collect();
        assert_eq!(found, expected, "{head}");
    }

    #[test]
    fn only_a_text_around_lines_that_are_gone_is_thinner() {
        check_thin("@@ -4 +3,0 @@", &[(1, 4), (1, 5), (2, 4), (2, 5), (3, 4), (3, 5)]);
        check_thin("@@ -1,2 +0,0 @@", &[]);
        check_thin("@@ -2,2 +2 @@", &[(1, 2), (1, 3), (1, 4), (1, 5), (2, 2), (2, 3), (2, 4), (2, 5)]);
        check_thin("@@ -3 +3 @@", &[]);
        check_thin("@@ -3,0 +4 @@", &[]);
        check_thin("@@ -3 +3,2 @@", &[]);
    }

    #[test]
    fn patches_belong_to_the_files_in_the_order_of_the_list() {
        let text = ":1 1 a b M\0a\0:1 1 a b R9\0x\0\"b\n\0:1 1 a b T\0t\0:1 1 a b M\0c\0\0diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-@@ -5 +5 @@\n+diff --git a\ndiff --git x\ndiff --git t\n@@ -1,2 +0,0 @@\ndiff --git t\n@@ -0,0 +1 @@\ndiff --git c\nBinary files a/c and b/c differ\n";
        let found = read(text.as_bytes(), Path::new(""));
        let expected = [
            ("a", hunks(&["@@ -1 +1 @@"])),
            ("\"b\n", hunks(&[])),
            ("t", hunks(&["@@ -0,0 +1 @@"])),
            ("c", Lines::All),
        ];
        assert_eq!(found, expected.map(|(path, lines)| (PathBuf::from(path), lines)).into());
    }

    #[test]
    fn what_does_not_fit_together_is_all_changed() {
        let found = read(b":1 1 a b M\0a\0:1 1 a b U\0b\0", Path::new("/r"));
        assert_eq!(found, [(PathBuf::from("/r/a"), Lines::All)].into());
    }
}
