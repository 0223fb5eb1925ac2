//! Reading a pattern unit by unit: .NET's patterns, like its texts, are UTF-16.

use std::fmt;

/// Why a pattern cannot be used, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegexError {
    /// Lower case, no final stop.
    pub message: String,
    /// Offset in the pattern in UTF-16 code units.
    pub at: usize,
}

impl fmt::Display for RegexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at offset {}", self.message, self.at)
    }
}

/// A place in a pattern.
#[derive(Clone, Debug)]
pub(super) struct Cursor<'p> {
    units: &'p [u16],
    at: usize,
}

impl<'p> Cursor<'p> {
    pub(super) fn new(units: &'p [u16]) -> Self {
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

    /// The next unit.
    pub(super) fn peek(&self) -> Option<u16> {
        self.peek_at(0)
    }

    /// The unit `ahead` of the next.
    pub(super) fn peek_at(&self, ahead: usize) -> Option<u16> {
        self.units.get(self.at + ahead).copied()
    }

    /// Takes the next unit.
    pub(super) fn bump(&mut self) -> Option<u16> {
        let unit = self.peek()?;
        self.at += 1;
        Some(unit)
    }

    /// Takes the next unit if it is this one.
    pub(super) fn eat(&mut self, wanted: u8) -> bool {
        let found = self.looks_at(wanted);
        self.at += usize::from(found);
        found
    }

    /// Whether the next unit is this one.
    pub(super) fn looks_at(&self, wanted: u8) -> bool {
        self.peek() == Some(wanted.into())
    }

    /// Takes units while they are wanted.
    pub(super) fn take_while(&mut self, wanted: impl Fn(u16) -> bool) -> &'p [u16] {
        let start = self.at;
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
        &self.units[start..self.at]
    }

    /// Takes a decimal number. `None` if there is none, or it does not fit.
    pub(super) fn number(&mut self) -> Option<u32> {
        String::from_utf16_lossy(self.take_while(is_digit)).parse().ok()
    }

    /// Takes the name of a group; empty if there is none.
    pub(super) fn name(&mut self) -> String {
        String::from_utf16_lossy(self.take_while(is_word))
    }

    /// An error at the next unit.
    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, RegexError> {
        self.fail_at(self.at, message)
    }

    /// An error at `at`.
    #[expect(clippy::unused_self, reason = "reads like `fail`")]
    pub(super) fn fail_at<T>(&self, at: usize, message: impl Into<String>) -> Result<T, RegexError> {
        Err(RegexError { message: message.into(), at })
    }
}

/// `0` to `9`.
pub(super) fn is_digit(unit: u16) -> bool {
    (u16::from(b'0')..=u16::from(b'9')).contains(&unit)
}

/// What may stand in the name of a group, and may not be escaped without a meaning.
pub(super) fn is_word(unit: u16) -> bool {
    unit == u16::from(b'_') || char::from_u32(unit.into()).is_some_and(|it| it.is_alphanumeric() || it == '\u{200C}')
}
