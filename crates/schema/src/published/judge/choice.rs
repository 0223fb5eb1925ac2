//! Choices: strings whose values a type lists. An open choice accepts others, too, which may be newer than the type;
//! only likely misspellings are reported there.

use crate::published::judge::Judge;
use crate::published::misfit::MisfitKind;
use crate::published::tolerance::{Cloud, is_text};
use crate::text::only_near;
use crate::value::Value;

/// Longest value that is compared, in bytes.
const MAX_LENGTH: usize = 64;

/// Shortest word in which any letter may be wrong, in bytes. A shorter word, such as `ZRS`, may be another valid name.
const LONG_WORD: usize = 5;

impl<'a> Judge<'a> {
    pub(super) fn choice(&mut self, value: &'a Value, choices: Vec<&'static str>, open: bool) {
        if !is_text(value) {
            return self.expect(value, false, "a string");
        }
        let Some(text) = value.as_str() else { return };
        if choices.iter().any(|choice| self.cloud.same_choice(choice, text)) {
            return;
        }
        if !open {
            self.misfit(MisfitKind::Value { found: value, choices });
        } else if let Some(meant) = meant(text, &choices).filter(|_| self.cloud == Cloud::Azure) {
            self.misfit(MisfitKind::Misspelled { found: value, meant });
        }
    }
}

/// Returns the only choice that `text` may be a misspelling of. `None` if there are several, or if `text` may be a
/// value that the type does not list.
pub(in crate::published) fn meant(text: &str, choices: &[&'static str]) -> Option<&'static str> {
    if text.len() > MAX_LENGTH {
        return None;
    }
    let mut meant = choices.iter().copied().filter(|choice| is_slip(text, choice));
    let first = meant.next()?;
    meant.next().is_none().then_some(first)
}

/// True if `text` and `choice` differ by a misspelling in one word, or are the same version of TLS (`1.2` and
/// `TLS1_2`).
///
/// A word that may be another value is not a misspelling: `Standard_GZRS` is not one of `Standard_GRS`, nor `StorageV3`
/// of `StorageV2`.
fn is_slip(text: &str, choice: &'static str) -> bool {
    if tls_version(text).is_some_and(|version| tls_version(choice) == Some(version)) {
        return true;
    }
    let (written, known) = (words(text), words(choice));
    if written.len() != known.len() || !text.matches(is_digit).eq(choice.matches(is_digit)) {
        return false;
    }
    let mut different = written.iter().zip(&known).filter(|(one, other)| !one.eq_ignore_ascii_case(other));
    let (Some((one, other)), None) = (different.next(), different.next()) else { return false };
    is_doubled(one, other) || is_swapped(one, other) || is_misspelled(one, other)
}

/// Returns the digits of a TLS version: `12` for `1.2`, `TLS1_2`, and `TLSv1.2`. `None` for anything else.
fn tls_version(text: &str) -> Option<String> {
    let text = text.to_ascii_lowercase();
    let version = text.strip_prefix("tls").unwrap_or(&text);
    let parts: Vec<&str> = version.trim_start_matches(['v', ' ', '_', '-']).split(['.', '_', '-']).collect();
    let [major, minor] = parts.as_slice() else { return None };
    (*major == "1" && minor.len() == 1 && minor.starts_with(is_digit)).then(|| parts.concat())
}

fn is_digit(c: char) -> bool {
    c.is_ascii_digit()
}

fn words(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).collect()
}

/// True if the strings differ only in doubled letters, like `LRSS` and `LRS`.
fn is_doubled(one: &str, other: &str) -> bool {
    let [one, other] = [one, other].map(|text| {
        let mut letters: Vec<char> = text.to_lowercase().chars().collect();
        letters.dedup();
        letters
    });
    one == other
}

/// True if the strings differ only in two swapped neighboring letters, like `TPC` and `TCP`.
fn is_swapped(one: &str, other: &str) -> bool {
    let (one, other) = (one.to_lowercase(), other.to_lowercase());
    let pairs: Vec<(char, char)> = one.chars().zip(other.chars()).filter(|(a, b)| a != b).collect();
    let mut from_first = one.chars().zip(other.chars()).skip_while(|(a, b)| a == b);
    let are_neighbors = from_first.nth(1).is_some_and(|(a, b)| a != b);
    let same_length = one.chars().count() == other.chars().count();
    same_length && matches!(pairs.as_slice(), [(a, b), (c, d)] if a == d && b == c) && are_neighbors
}

/// True if up to two letters of a long word differ, but not its first: `Internal` is not a misspelling of `External`. A
/// choice in capitals is an abbreviation, which is never matched.
fn is_misspelled(one: &str, other: &'static str) -> bool {
    let [first, other_first] = [one, other].map(|text| text.chars().next().map(|c| c.to_ascii_lowercase()));
    let is_long = one.len() >= LONG_WORD && other.len() >= LONG_WORD;
    let is_word = other.chars().any(char::is_lowercase);
    is_long && is_word && first == other_first && only_near(one, [other]).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_from_another_value() {
        let skus = ["Standard_LRS", "Standard_GRS", "Standard_RAGRS", "Standard_ZRS", "Premium_LRS"];
        assert_eq!(meant("Standard_LRSS", &skus), Some("Standard_LRS"));
        assert_eq!(meant("Standrad_LRS", &skus), Some("Standard_LRS"));
        for other in ["Standard_GZRS", "StandardV2_LRS", "Premium_ZRS", "PremiumV2_LRS", "Basic_LRS", "Standard-LRS"] {
            assert_eq!(meant(other, &skus), None, "{other}");
        }
        for (text, choices, expected) in [
            ("TPC", &["Tcp", "Udp", "Icmp"] as &[&'static str], Some("Tcp")),
            ("Allowed", &["Allow", "Deny"], Some("Allow")),
            ("Inbond", &["Inbound", "Outbound"], Some("Inbound")),
            ("FromImg", &["FromImage", "Empty", "Attach"], Some("FromImage")),
            ("External", &["Internal"], None),
            ("StorageV3", &["StorageV2", "Storage"], None),
            ("TLS1_3", &["TLS1_2"], None),
            ("1.2", &["TLS1_0", "TLS1_1", "TLS1_2"], Some("TLS1_2")),
            ("TLS1_2", &["1.0", "1.1", "1.2"], Some("1.2")),
            ("TLSv1.2", &["TLS1_2"], Some("TLS1_2")),
            ("1.3", &["TLS1_2"], None),
            ("2.12", &["2.1"], None),
            ("P1v4", &["P1v3"], None),
            ("Any", &["Tcp"], None),
            ("", &["Tcp"], None),
        ] {
            assert_eq!(meant(text, choices), expected, "{text}");
        }
        // Two may be meant.
        assert_eq!(meant("Readed", &["Reader", "Readee"]), None);
    }
}
