//! The order of strings in the invariant culture.
//!
//! On ICU, which .NET uses since version 5, the invariant culture is the root collation of CLDR with its defaults: spaces
//! and punctuation are significant and sort before digits, digits before letters. Accents decide only between strings
//! with the same letters, and case only between strings with the same accents, lower case first. Control characters are
//! ignored.
//! See <https://learn.microsoft.com/dotnet/core/extensions/globalization-icu>.

use std::cmp::Ordering;
use std::sync::LazyLock;

use icu_collator::options::{CollatorOptions, Strength};
use icu_collator::{Collator, CollatorBorrowed, CollatorPreferences};

static EXACT: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| root(Strength::Tertiary));
static IGNORING_CASE: LazyLock<CollatorBorrowed<'static>> = LazyLock::new(|| root(Strength::Secondary));

#[expect(clippy::expect_used, reason = "the data of the root collation is compiled in")]
fn root(strength: Strength) -> CollatorBorrowed<'static> {
    let mut options = CollatorOptions::default();
    options.strength = Some(strength);
    Collator::try_new(CollatorPreferences::default(), options).expect("the root collation is compiled in")
}

/// Compares strings like `String.Compare(a, b, CultureInfo.InvariantCulture)`.
pub(crate) fn compare(a: &str, b: &str) -> Ordering {
    EXACT.compare(a, b)
}

/// Compares strings like `String.Compare(a, b, CultureInfo.InvariantCulture, CompareOptions.IgnoreCase)`.
pub(crate) fn compare_ignoring_case(a: &str, b: &str) -> Ordering {
    IGNORING_CASE.compare(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn ascending(texts: &[&str]) {
        for pair in texts.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
    }

    #[test]
    fn punctuation_comes_before_digits_and_digits_before_letters() {
        ascending(&["", " ", "_", "-", "!", "1", "10", "2", "a", "Z"]);
    }

    #[test]
    fn letters_decide_before_accents_and_accents_before_case() {
        ascending(&["a", "A", "ä", "aA", "ab", "aB", "Ab", "abc", "cafe", "café", "cafes", "z"]);
        ascending(&["tesT1", "Test1", "Test2"]);
        ascending(&["123Key", "456Key", "abcKey", "ABCKey", "defKey"]);
    }

    #[test]
    fn control_characters_are_ignored() {
        assert_eq!(compare("a\u{1}b", "ab"), Ordering::Equal);
        assert_eq!(compare("co\u{ad}op", "coop"), Ordering::Equal);
    }

    #[test]
    fn case_can_be_ignored() {
        assert_eq!(compare_ignoring_case("abc", "ABC"), Ordering::Equal);
        assert_eq!(compare_ignoring_case("cafe", "CAFÉ"), Ordering::Less);
    }
}
