//! Order of strings for `less` and `greater`: `StringComparer.InvariantCultureIgnoreCase` of .NET.
//!
//! It is an order of words, in which `-` and `'` count only if nothing else differs. Where versions of .NET differ,
//! there is no result.

use std::cmp::Ordering;

/// Compares two strings. Returns `None` if the order is not certain.
pub(super) fn compare(a: &str, b: &str) -> Option<Ordering> {
    let with = keys(a, |_| true)?.cmp_to(&keys(b, |_| true)?)?;
    let is_kept = |character: char| !matches!(character, '-' | '\'');
    let without = keys(a, is_kept)?.cmp_to(&keys(b, is_kept)?)?;
    match (with, without) {
        (with, without) if with == without => Some(with),
        // Only the characters differ that count last.
        _ => None,
    }
}

/// Class of a character, and its position in the class.
type Key = (u8, u32);

struct Keys(Vec<Key>);

/// Returns the keys of the characters of a string, or `None` if one is not ASCII.
fn keys(text: &str, is_kept: impl Fn(char) -> bool) -> Option<Keys> {
    let key = |character: char| match character {
        'a'..='z' | 'A'..='Z' => Some((2, u32::from(character.to_ascii_lowercase()))),
        '0'..='9' => Some((1, u32::from(character))),
        '\u{20}'..='\u{7e}' => Some((0, u32::from(character))),
        _ => None,
    };
    text.chars().filter(|character| is_kept(*character)).map(key).collect::<Option<Vec<Key>>>().map(Keys)
}

impl Keys {
    fn cmp_to(&self, other: &Self) -> Option<Ordering> {
        for (a, b) in self.0.iter().zip(&other.0) {
            match (a, b) {
                _ if a == b => {}
                // The order of punctuation is not the same everywhere.
                ((0, _), (0, _)) => return None,
                _ => return Some(a.cmp(b)),
            }
        }
        Some(self.0.len().cmp(&other.0.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_in_the_order_of_words() {
        for (a, b, expected) in [
            ("a", "B", Some(Ordering::Less)),
            ("B", "c", Some(Ordering::Less)),
            ("TLS1_0", "tls1_2", Some(Ordering::Less)),
            ("2023-05-01", "2023-11-01", Some(Ordering::Less)),
            ("1.2", "1.10", Some(Ordering::Greater)),
            ("a_b", "a1b", Some(Ordering::Less)),
            ("co-op", "coop", None),
            ("a-z", "ab", None),
            ("a.b", "a_b", None),
            ("ä", "b", None),
            ("same", "SAME", Some(Ordering::Equal)),
        ] {
            assert_eq!(compare(a, b), expected, "{a} and {b}");
        }
    }
}
