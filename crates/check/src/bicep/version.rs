//! Parses and compares versions of the Bicep CLI.

use std::fmt;
use std::str::FromStr;

/// A version such as `0.46.1`: major, minor and patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version([u32; 3]);

/// The text does not contain a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a version such as `0.46.1`")]
pub struct NoVersion;

impl FromStr for Version {
    type Err = NoVersion;

    /// Parses the first version in a text such as `Bicep CLI version 0.46.1 (1234abcd)`.
    fn from_str(text: &str) -> Result<Self, NoVersion> {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.');
        words.find_map(of_word).ok_or(NoVersion)
    }
}

/// Parses a word as a version: `0.46.1`, `v0.46` or `0.46`.
fn of_word(word: &str) -> Option<Version> {
    let digits = word.strip_prefix('v').unwrap_or(word);
    let mut parts = digits.split('.').map(str::parse::<u32>);
    let (major, minor) = (parts.next()?.ok()?, parts.next()?.ok()?);
    let patch = parts.next().map_or(Some(0), Result::ok)?;
    Some(Version([major, minor, patch]))
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [major, minor, patch] = self.0;
        write!(f, "{major}.{minor}.{patch}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<&str>) {
        let found = text.parse::<Version>().ok().map(|version| version.to_string());
        assert_eq!(found.as_deref(), expected);
    }

    #[test]
    fn the_first_version_in_a_text_is_parsed() {
        check("Bicep CLI version 0.46.1 (c7a1f2b3d4)", Some("0.46.1"));
        check("0.4.451", Some("0.4.451"));
        check("v0.30", Some("0.30.0"));
        check("no version", None);
        check("", None);
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        assert!(version("0.4.451") < version("0.29.45"));
        assert!(version("1.0.0") > version("0.99.99"));
    }
}
