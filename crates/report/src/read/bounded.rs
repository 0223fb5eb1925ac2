//! Readers of values in a report, with limits.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Error, IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// Reads a string, and cuts it to `MAX` characters.
pub(crate) fn text<'de, const MAX: usize, D: Deserializer<'de>>(json: D) -> Result<String, D::Error> {
    String::deserialize(json).map(cut::<MAX>)
}

/// Reads a string like [`text`], or `null`.
pub(crate) fn text_or_null<'de, const MAX: usize, D: Deserializer<'de>>(json: D) -> Result<Option<String>, D::Error> {
    Ok(Option::<String>::deserialize(json)?.map(cut::<MAX>))
}

/// Reads a string like [`text`], for a member that is borrowed when it is written.
pub(crate) fn cow<'de, 'a, const MAX: usize, D: Deserializer<'de>>(json: D) -> Result<Cow<'a, str>, D::Error> {
    text::<MAX, D>(json).map(Cow::Owned)
}

/// Reads a string like [`text_or_null`], for a member that is borrowed when it is written.
pub(crate) fn cow_or_null<'de, 'a, const MAX: usize, D: Deserializer<'de>>(
    json: D,
) -> Result<Option<Cow<'a, str>>, D::Error> {
    Ok(text_or_null::<MAX, D>(json)?.map(Cow::Owned))
}

fn cut<const MAX: usize>(mut text: String) -> String {
    if let Some((at, _)) = text.char_indices().nth(MAX) {
        text.truncate(at);
        text.push('…');
    }
    text
}

/// Reads a commit, or `null`.
pub(crate) fn commit_or_null<'de, T: From<String>, D: Deserializer<'de>>(json: D) -> Result<Option<T>, D::Error> {
    Option::<String>::deserialize(json)?
        .map(|text: String| {
            if [40, 64].contains(&text.len()) && is_hexadecimal(&text) {
                return Ok(T::from(text));
            }
            Err(D::Error::custom("expected the 40 or 64 hexadecimal digits of a commit"))
        })
        .transpose()
}

/// Reads the identity of a finding.
pub(crate) fn fingerprint<'de, T: From<String>, D: Deserializer<'de>>(json: D) -> Result<T, D::Error> {
    let text = String::deserialize(json)?;
    if (8..=64).contains(&text.len()) && is_hexadecimal(&text) {
        return Ok(text.into());
    }
    Err(D::Error::custom("expected 8 to 64 hexadecimal digits"))
}

fn is_hexadecimal(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Reads the code of a problem, or the kind of an unchecked input.
pub(crate) fn word<'de, T: From<String>, D: Deserializer<'de>>(json: D) -> Result<T, D::Error> {
    /// Characters of a code; the longest one has fewer.
    const MAX: usize = 100;
    let text = String::deserialize(json)?;
    if (1..=MAX).contains(&text.len())
        && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'/' | b'-'))
    {
        return Ok(text.into());
    }
    Err(D::Error::custom("expected words in lower case with `/` or `-` between them"))
}

/// Reads a word like [`word`], for an optional member.
pub(crate) fn word_if_any<'de, T: From<String>, D: Deserializer<'de>>(json: D) -> Result<Option<T>, D::Error> {
    word(json).map(Some)
}

/// Reads a value of an optional member, so that `null` differs from an absent member.
pub(crate) fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(json: D) -> Result<Option<T>, D::Error> {
    T::deserialize(json).map(Some)
}

/// Makes a module that writes and reads a type of which each value has a word or a number.
macro_rules! named {
    ($(#[$about:meta])* $module:ident, $type:ident [$($value:ident),*], $written:ident: $of:ty, $expected:literal) => {
        $(#[$about])*
        pub(crate) mod $module {
            use serde::de::Error as _;
            use serde::{Deserialize, Deserializer, Serialize, Serializer};

            use crate::diagnostic::$type;

            pub(crate) fn serialize<S: Serializer>(value: &$type, out: S) -> Result<S::Ok, S::Error> {
                value.$written().serialize(out)
            }

            pub(crate) fn deserialize<'de, D: Deserializer<'de>>(json: D) -> Result<$type, D::Error> {
                let found = <$of>::deserialize(json)?;
                let mut all = [$($type::$value),*].into_iter();
                all.find(|value| value.$written() == found).ok_or_else(|| D::Error::custom($expected))
            }
        }
    };
}

named!(severity, Severity[High, Medium, Low], number: u8, "expected 1, 2 or 3");
named!(
    outcome,
    Outcome[Failed, Unknown, Suppressed, Passed],
    as_str: String,
    "expected `failed`, `unknown`, `suppressed` or `passed`"
);
named!(level, Level[Error, Warning, Note], as_str: String, "expected `error`, `warning` or `note`");
named!(
    suppression_kind,
    SuppressionKind[Comment, Metadata, Settings, Baseline, Exemption],
    as_str: String,
    "expected `comment`, `metadata`, `settings`, `baseline` or `exemption`"
);

/// Reads a list with at most `MAX` members.
pub(crate) fn list<'de, const MAX: usize, T: Deserialize<'de>, D: Deserializer<'de>>(
    json: D,
) -> Result<Vec<T>, D::Error> {
    json.deserialize_seq(List::<MAX, T>(PhantomData))
}

/// Reads a list of strings, like [`list`].
pub(crate) fn strings<'de, 'a, const MAX: usize, D: Deserializer<'de>>(json: D) -> Result<Cow<'a, [String]>, D::Error> {
    list::<MAX, String, D>(json).map(Cow::Owned)
}

/// Reads a list like [`list`], for an optional member.
pub(crate) fn some_list<'de, const MAX: usize, T: Deserialize<'de>, D: Deserializer<'de>>(
    json: D,
) -> Result<Option<Vec<T>>, D::Error> {
    list::<MAX, T, D>(json).map(Some)
}

/// Reads a list, of which more than `MAX` members are an error.
struct List<const MAX: usize, T>(PhantomData<T>);

impl<'de, const MAX: usize, T: Deserialize<'de>> Visitor<'de> for List<MAX, T> {
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
        match members.next_element::<IgnoredAny>()? {
            Some(_) => Err(A::Error::custom(format_args!("more than {MAX} members"))),
            None => Ok(read),
        }
    }
}
