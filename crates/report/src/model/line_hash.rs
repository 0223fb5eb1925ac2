//! Hashes of lines: `primaryLocationLineHash`, by which code scanning recognizes an alert in a later version of its
//! file.
//!
//! The upload action computes it too and warns about every result with another value, so the two must be equal. It is
//! defined by `fingerprints.ts` of github/codeql-action: a rolling hash over the hundred UTF-16 code units from the
//! start of a line on, without blanks.

use std::collections::VecDeque;

use foldhash::HashMap;

/// Code units that a hash covers.
const WINDOW: usize = 100;

/// Base of the polynomial. All arithmetic is modulo 2^64.
const BASE: u64 = 37;

/// Unit after the last code unit.
const END: u16 = u16::MAX;

const TAB: u16 = 0x09;
const LF: u16 = 0x0A;
const CR: u16 = 0x0D;
const SPACE: u16 = 0x20;

/// Returns the hash of each line: `value:n` for the `n`th line of the file with this value.
pub(super) fn hashes(text: &str) -> Vec<String> {
    let mut rolling = Rolling::new();
    let (mut is_line_start, mut was_cr) = (true, false);
    for unit in text.encode_utf16().chain([END]) {
        let is_skipped = unit == SPACE || unit == TAB || (was_cr && unit == LF);
        was_cr = unit == CR;
        if is_skipped {
            continue;
        }
        let unit = if unit == CR { LF } else { unit };
        rolling.push(unit, is_line_start);
        is_line_start = unit == LF;
    }
    for _ in 0..WINDOW {
        rolling.push(0, false);
    }
    rolling.hashes
}

/// A hash over a window that moves along a text.
struct Rolling {
    /// Units of the window, oldest first, each with whether it starts a line.
    units: VecDeque<(u16, bool)>,
    value: u64,
    /// `BASE` to the power of `WINDOW`: the factor of a unit that leaves the window.
    leaving: u64,
    hashes: Vec<String>,
    seen: HashMap<u64, usize>,
}

impl Rolling {
    fn new() -> Self {
        Self {
            units: VecDeque::from([(0, false); WINDOW]),
            value: 0,
            leaving: (0..WINDOW).fold(1, |power: u64, _| power.wrapping_mul(BASE)),
            hashes: Vec::new(),
            seen: HashMap::default(),
        }
    }

    /// Replaces the oldest unit. If that one began a line, the window held exactly the text of the line's hash.
    fn push(&mut self, unit: u16, starts_line: bool) {
        let (oldest, started_line) = self.units.pop_front().unwrap_or_default();
        self.units.push_back((unit, starts_line));
        if started_line {
            let count = self.seen.entry(self.value).or_default();
            *count += 1;
            self.hashes.push(format!("{:x}:{count}", self.value));
        }
        let leaving = self.leaving.wrapping_mul(u64::from(oldest));
        self.value = self.value.wrapping_mul(BASE).wrapping_add(u64::from(unit)).wrapping_sub(leaving);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(hashes(text), expected);
    }

    // The values are those of the tests of github/codeql-action.
    #[test]
    fn hashes_are_those_of_the_upload_action() {
        check("", &["c129715d7a2bc9a3:1"]);
        check(
            " a\nb\n  \t\tc\n d",
            &["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        );
    }

    #[test]
    fn a_line_feed_at_the_end_begins_a_last_line() {
        let hashes = hashes("x = 2\nx = 1\nprint(x)\nx = 3\nprint(x)\nx = 4\nprint(x)\n");
        assert_eq!(hashes.len(), 8);
        assert_eq!(hashes[0], "e54938cc54b302f1:1");
        assert_eq!(hashes[7], "c129715d7a2bc9a3:1");
    }

    #[test]
    fn line_ends_do_not_matter() {
        let text = "a\n b\n\nc\n";
        assert_eq!(hashes(&text.replace('\n', "\r\n")), hashes(text));
        assert_eq!(hashes(&text.replace('\n', "\r")), hashes(text));
    }

    #[test]
    fn equal_lines_are_counted() {
        let line = "x".repeat(WINDOW);
        let hashes = hashes(&format!("{line}\n{line}\n"));
        assert_eq!(hashes[0].strip_suffix(":1"), hashes[1].strip_suffix(":2"));
        assert!(hashes[0].ends_with(":1") && hashes[1].ends_with(":2"), "{hashes:?}");
    }
}
