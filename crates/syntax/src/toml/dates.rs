//! Finds dates and times, which the parser rejects, and replaces them by strings of the same length.
//!
//! Reference: <https://toml.io/en/v1.0.0#offset-date-time>.

use std::ops::Range;

/// Ranges of the dates and times in a text, in order. Strings and comments are skipped.
#[derive(Debug, Default)]
pub(super) struct Dates(Vec<Range<usize>>);

impl Dates {
    pub(super) fn find(text: &str) -> Self {
        let (mut found, mut at) = (Vec::new(), 0);
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let length = match rest.as_bytes() {
                [b'#', ..] => rest.find('\n').unwrap_or(rest.len()),
                [quote @ (b'"' | b'\''), ..] => string(rest, *quote),
                [first, ..] if is_of_key(*first) => {
                    let word = rest.bytes().take_while(|byte| is_of_key(*byte)).count();
                    let date = date(rest.as_bytes());
                    found.extend(date.map(|length| at..at + length));
                    date.unwrap_or(word)
                }
                _ => rest.chars().next().map_or(1, char::len_utf8),
            };
            at += length;
        }
        Self(found)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the date that contains a position.
    pub(super) fn around(&self, at: usize) -> Option<Range<usize>> {
        let after = self.0.partition_point(|date| date.start <= at);
        self.0.get(after.checked_sub(1)?).filter(|date| date.contains(&at)).cloned()
    }

    /// Returns the text with quotation marks instead of the first and the last character of each date.
    pub(super) fn quoted(&self, text: &str) -> String {
        let (mut quoted, mut done) = (String::with_capacity(text.len()), 0);
        for date in &self.0 {
            quoted.push_str(text.get(done..date.start).unwrap_or_default());
            quoted.push('\'');
            quoted.push_str(text.get(date.start + 1..date.end - 1).unwrap_or_default());
            quoted.push('\'');
            done = date.end;
        }
        quoted.push_str(text.get(done..).unwrap_or_default());
        quoted
    }
}

/// True if a byte may be in a key without quotation marks.
fn is_of_key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Returns the length of the string at the beginning of a text, with its quotation marks. An unclosed string ends with
/// the line, or with the text if it has several lines.
fn string(text: &str, quote: u8) -> usize {
    let bytes = text.as_bytes();
    let is_long = bytes.starts_with(&[quote; 3]);
    let mut at = if is_long { 3 } else { 1 };
    while let Some(rest) = bytes.get(at..) {
        match rest {
            [] => break,
            [b'\\', _, ..] if quote == b'"' => at += 2,
            [b'\n', ..] if !is_long => break,
            // Up to two quotation marks may stand before those that end it.
            [first, ..] if *first == quote && is_long && rest.starts_with(&[quote; 3]) => {
                return at + rest.iter().take(5).take_while(|byte| **byte == quote).count();
            }
            [first, ..] if *first == quote && !is_long => return at + 1,
            _ => at += 1,
        }
    }
    text.floor_char_boundary(at.min(bytes.len()))
}

/// Returns the length of the date, time, or both at the beginning of a text. `None` if a longer word begins there.
fn date(text: &[u8]) -> Option<usize> {
    let date = pattern(text, b"0000-00-00");
    let length = match date {
        None => time(text)?,
        Some(length) => {
            let rest = text.get(length..)?;
            let of_time = rest.get(1..).filter(|_| matches!(rest.first(), Some(b'T' | b't' | b' '))).and_then(time);
            let with_time = of_time.map(|time| length + 1 + time);
            with_time.map_or(length, |length| length + text.get(length..).and_then(offset).unwrap_or_default())
        }
    };
    text.get(length).is_none_or(|byte| !is_of_key(*byte)).then_some(length)
}

/// Returns the length of a time, with the fraction of its seconds.
fn time(text: &[u8]) -> Option<usize> {
    let length = pattern(text, b"00:00:00")?;
    let rest = text.get(length..)?;
    let digits = rest.strip_prefix(b".").map(|rest| rest.iter().take_while(|byte| byte.is_ascii_digit()).count());
    Some(length + digits.filter(|count| *count > 0).map_or(0, |count| count + 1))
}

/// Returns the length of the offset of a time zone.
fn offset(text: &[u8]) -> Option<usize> {
    match text {
        [b'Z' | b'z', ..] => Some(1),
        [b'+' | b'-', rest @ ..] => Some(1 + pattern(rest, b"00:00")?),
        _ => None,
    }
}

/// Returns the length of `pattern` if a text begins with it, where `0` stands for any digit.
fn pattern(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.get(..pattern.len())?
        .iter()
        .zip(pattern)
        .all(|(byte, expected): (&u8, &u8)| if *expected == b'0' { byte.is_ascii_digit() } else { byte == expected })
        .then_some(pattern.len())
}
