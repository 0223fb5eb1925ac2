//! Values of a report, each with its bound.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::diagnostic::{Level, Outcome, Severity};

/// A text, cut where it is longer than `MAX` characters.
pub(crate) fn text<'de, const MAX: usize, D: Deserializer<'de>>(json: D) -> Result<String, D::Error> {
    String::deserialize(json).map(cut::<MAX>)
}

/// Like [`text`], or `null`.
pub(crate) fn text_or_null<'de, const MAX: usize, D: Deserializer<'de>>(json: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(json)?.map(cut::<MAX>))
}

fn cut<const MAX: usize>(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(MAX) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// A commit, or `null`.
pub(crate) fn sha_or_null<'de, D: Deserializer<'de>>(json: D) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(json)?.map(checked_sha).transpose()
}

fn checked_sha<E: Error>(text: String) -> Result<String, E> {
    if [40, 64].contains(&text.len()) && is_hexadecimal(&text) {
        return Ok(text);
    }
    Err(E::custom("expected the 40 or 64 hexadecimal digits of a commit"))
}

/// The identity of a finding.
pub(crate) fn fingerprint<'de, D: Deserializer<'de>>(json: D) -> Result<String, D::Error> {
    let text = String::deserialize(json)?;
    if (8..=64).contains(&text.len()) && is_hexadecimal(&text) {
        return Ok(text);
    }
    Err(D::Error::custom("expected 8 to 64 hexadecimal digits"))
}

/// Like [`fingerprint`]; `None` only where it is absent.
#[cfg(feature = "github")]
pub(crate) fn fingerprint_if_any<'de, D: Deserializer<'de>>(json: D) -> Result<Option<String>, D::Error> {
    fingerprint(json).map(Some)
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(crate) fn severity<'de, D: Deserializer<'de>>(json: D) -> Result<Severity, D::Error> {
    let number = u8::deserialize(json)?;
    let all = [Severity::High, Severity::Medium, Severity::Low];
    all.into_iter().find(|severity| severity.number() == number).ok_or_else(|| D::Error::custom("expected 1, 2 or 3"))
}

pub(crate) fn outcome<'de, D: Deserializer<'de>>(json: D) -> Result<Outcome, D::Error> {
    let word = String::deserialize(json)?;
    let all = [Outcome::Failed, Outcome::Unknown, Outcome::Suppressed, Outcome::Passed];
    let found = all.into_iter().find(|each| each.as_str() == word);
    found.ok_or_else(|| D::Error::custom("expected `failed`, `unknown`, `suppressed` or `passed`"))
}

pub(crate) fn level<'de, D: Deserializer<'de>>(json: D) -> Result<Level, D::Error> {
    let word = String::deserialize(json)?;
    let all = [Level::Error, Level::Warning, Level::Note];
    let found = all.into_iter().find(|each| each.as_str() == word);
    found.ok_or_else(|| D::Error::custom("expected `error`, `warning` or `note`"))
}

/// A list with at most `MAX` members.
pub(crate) fn list<'de, const MAX: usize, T: Deserialize<'de>, D: Deserializer<'de>>(
    json: D,
) -> Result<Vec<T>, D::Error> {
    json.deserialize_seq(List::<MAX, false, T>(PhantomData))
}

/// The first `MAX` members of a list.
#[cfg(feature = "github")]
pub(crate) fn first<'de, const MAX: usize, T: Deserialize<'de>, D: Deserializer<'de>>(
    json: D,
) -> Result<Vec<T>, D::Error> {
    json.deserialize_seq(List::<MAX, true, T>(PhantomData))
}

/// Reads a list, of which more than `MAX` members are either dropped or an error.
struct List<const MAX: usize, const IS_CUT: bool, T>(PhantomData<T>);

impl<'de, const MAX: usize, const IS_CUT: bool, T: Deserialize<'de>> Visitor<'de> for List<MAX, IS_CUT, T> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut members: A) -> Result<Vec<T>, A::Error> {
        let mut read = Vec::new();
        while read.len() < MAX {
            let Some(member) = members.next_element()? else { return Ok(read) };
            read.push(member);
        }
        while members.next_element::<IgnoredAny>()?.is_some() {
            if !IS_CUT {
                return Err(A::Error::custom(format_args!("more than {MAX} members")));
            }
        }
        Ok(read)
    }
}
