//! Searches a text for any of some fixed strings in one pass, without a costly preparation: most runs are short.

use std::cmp::Reverse;
use std::ops::Range;

use foldhash::HashMap;

/// Strings to search for, by their first two bytes.
pub(super) struct Beginnings {
    /// One bit for each pair of bytes with which a string begins.
    pairs: Vec<u64>,
    /// The strings with a pair, the longest first.
    by_pair: HashMap<[u8; 2], Vec<&'static str>>,
}

impl Beginnings {
    /// Creates a search for strings of at least two bytes. Shorter ones are not found.
    pub(super) fn new(strings: impl Iterator<Item = &'static str>) -> Self {
        let mut pairs = vec![0; 1 << 10];
        let mut by_pair: HashMap<[u8; 2], Vec<&'static str>> = HashMap::default();
        for string in strings {
            let Some(&pair) = string.as_bytes().first_chunk::<2>() else { continue };
            if let Some(word) = pairs.get_mut(word_of(pair)) {
                *word |= bit_of(pair);
            }
            by_pair.entry(pair).or_default().push(string);
        }
        for strings in by_pair.values_mut() {
            strings.sort_unstable_by_key(|string| (Reverse(string.len()), *string));
        }
        Self { pairs, by_pair }
    }

    /// Returns the range of the first string at or after an offset: of several that begin there, the longest.
    pub(super) fn find_at(&self, text: &[u8], from: usize) -> Option<Range<usize>> {
        let rest = text.get(from..)?;
        let is_known = |pair: &[u8; 2]| self.pairs.get(word_of(*pair)).is_some_and(|word| word & bit_of(*pair) != 0);
        rest.windows(2)
            .filter_map(|pair| pair.first_chunk::<2>())
            .enumerate()
            .filter(|(_, pair)| is_known(pair))
            .find_map(|(at, pair)| {
                let after = rest.get(at..)?;
                let string = self.by_pair.get(pair)?.iter().find(|string| after.starts_with(string.as_bytes()))?;
                Some(from + at..from + at + string.len())
            })
    }
}

fn word_of([first, second]: [u8; 2]) -> usize {
    usize::from(u16::from_be_bytes([first, second]) >> 6)
}

fn bit_of([_, second]: [u8; 2]) -> u64 {
    1 << (second & 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_and_longest_string_is_found() {
        let strings = Beginnings::new(["ab", "abc", "xyz", "ac"].into_iter());
        assert_eq!(strings.find_at(b"__abcd ab", 0), Some(2..5));
        assert_eq!(strings.find_at(b"__abcd ab", 3), Some(7..9));
        assert_eq!(strings.find_at(b"xy ax a", 0), None);
        assert_eq!(strings.find_at(b"xyz", 0), Some(0..3));
        assert_eq!(strings.find_at(b"", 0), None);
        assert_eq!(strings.find_at(b"ab", 3), None);
    }
}
