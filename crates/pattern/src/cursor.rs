//! Reading a pattern unit by unit. Patterns consist of the same units as the strings that they match.

use std::fmt;

/// Why a pattern cannot be used, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Lower case, without a final period.
    pub message: String,
    /// Offset in the pattern, in units. In Java's patterns, of the one without `\Q…\E`.
    pub at: usize,
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.message, self.at)
    }
}

/// A position in a pattern.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'p> {
    units: &'p [u32],
    at: usize,
}

impl<'p> Cursor<'p> {
    pub(super) fn new(units: &'p [u32]) -> Self {
        Self { units, at: 0 }
    }

    /// Offset of the next unit.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Goes back to an offset that [`Cursor::at`] gave.
    pub(super) fn reset(&mut self, at: usize) {
        self.at = at;
    }

    /// The next unit; `None` at the end.
    pub(super) fn peek(&self) -> Option<u32> {
        self.peek_at(0)
    }

    /// The unit that comes `ahead` units after the next one.
    pub(super) fn peek_at(&self, ahead: usize) -> Option<u32> {
        self.units.get(self.at + ahead).copied()
    }

    /// Takes the next unit.
    pub(super) fn bump(&mut self) -> Option<u32> {
        let unit = self.peek()?;
        self.at += 1;
        Some(unit)
    }

    /// Takes the next unit if it is `expected`, and says whether it was.
    pub(super) fn eat(&mut self, expected: u8) -> bool {
        let found = self.looks_at(expected);
        self.at += usize::from(found);
        found
    }

    /// Whether the next unit is `expected`.
    pub(super) fn looks_at(&self, expected: u8) -> bool {
        self.peek() == Some(expected.into())
    }

    /// Takes units as long as `accepts` holds for them.
    pub(super) fn take_while(&mut self, accepts: impl Fn(u32) -> bool) -> &'p [u32] {
        let rest = self.units.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|&unit| !accepts(unit)).unwrap_or(rest.len());
        self.at += len;
        rest.split_at_checked(len).map_or(rest, |(taken, _)| taken)
    }

    /// Takes a decimal number. `None` if there is no digit, or the number does not fit.
    pub(super) fn number(&mut self) -> Option<u32> {
        text_of(self.take_while(is_digit)).parse().ok()
    }

    /// Takes the name of a group; empty if there is none.
    pub(super) fn name(&mut self) -> String {
        text_of(self.take_while(is_word))
    }

    /// An error at the next unit.
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, PatternError> {
        self.fail_at(self.at, message)
    }

    /// An error at the offset `at`.
    #[expect(clippy::unused_self, reason = "reads like `fail`")]
    pub(super) fn fail_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T, PatternError> {
        Err(PatternError { message: message.into(), at })
    }
}

/// Units as a string, for names and messages. A surrogate shows as a replacement character.
pub(super) fn text_of(units: &[u32]) -> String {
    units.iter().map(|&unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Whether a unit is an ASCII digit.
pub(super) fn is_digit(unit: u32) -> bool {
    (u32::from(b'0')..=u32::from(b'9')).contains(&unit)
}

/// Whether the name of a group may have this unit. .NET does not let it be escaped unless the escape has a meaning.
pub(super) fn is_word(unit: u32) -> bool {
    char::from_u32(unit).is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '\u{200C}')
}

/// A Java pattern with the text between `\Q` and `\E` escaped instead. An `\E` may be missing at the end.
pub(super) fn without_quotation(pattern: impl Iterator<Item = u32>) -> Vec<u32> {
    const BACKSLASH: u32 = b'\\' as u32;
    let mut units = Vec::with_capacity(pattern.size_hint().0);
    let mut pattern = pattern.peekable();
    let mut quoted = false;
    while let Some(unit) = pattern.next() {
        let escaped = if unit == BACKSLASH { pattern.peek().copied() } else { None };
        if quoted {
            if escaped == Some(b'E'.into()) {
                pattern.next();
                quoted = false;
            } else {
                let has_meaning = char::from_u32(unit).is_some_and(|c| c.is_ascii() && !c.is_ascii_alphanumeric());
                units.extend(has_meaning.then_some(BACKSLASH));
                units.push(unit);
            }
        } else if escaped == Some(b'Q'.into()) {
            pattern.next();
            quoted = true;
        } else {
            units.push(unit);
            // An escaped backslash must not escape what comes after it.
            units.extend(escaped.and_then(|_| pattern.next()));
        }
    }
    units
}
