//! Dates and durations: parsing, formatting and adding them as `System.DateTime` does in the invariant culture.

mod duration;
mod format;
mod parse;

use chrono::{DateTime, NaiveDateTime, TimeDelta};

pub(crate) use self::duration::Duration;

/// The names of the months, from January. Their first three letters are the abbreviations.
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The names of the days, from Sunday. Their first three letters are the abbreviations.
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

/// A tick is 100 nanoseconds.
const TICKS_PER_SECOND: i64 = 10_000_000;

/// The range of `System.DateTime`, the years 1 to 9999, in seconds since 1970.
const UNIX_RANGE: std::ops::Range<i64> = -62_135_596_800..253_402_300_800;

/// Converts the decimal digits of a fraction of a second to ticks. Anything finer is truncated.
fn ticks_of_fraction(digits: &str) -> u32 {
    let padded = digits.bytes().chain(std::iter::repeat(b'0')).take(7);
    padded.fold(0, |ticks, digit| ticks * 10 + u32::from(digit.wrapping_sub(b'0')))
}

/// A point in time in UTC in the years 1 to 9999, with a resolution of 100 nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Instant {
    /// Ticks since the start of 1970.
    ticks: i64,
}

impl Instant {
    /// Returns the instant that is `ticks` after the start of 1970, or `None` outside the years 1 to 9999.
    fn from_ticks(ticks: i64) -> Option<Self> {
        UNIX_RANGE.contains(&ticks.div_euclid(TICKS_PER_SECOND)).then_some(Self { ticks })
    }

    /// Returns the instant that is `seconds` after the start of 1970, or `None` outside the years 1 to 9999.
    pub(crate) fn from_epoch(seconds: i64) -> Option<Self> {
        Self::from_ticks(seconds.checked_mul(TICKS_PER_SECOND)?)
    }

    /// Returns the instant of a calendar time in UTC, truncated to a tick. `None` outside the years 1 to 9999.
    fn from_utc(moment: NaiveDateTime) -> Option<Self> {
        let moment = moment.and_utc();
        let seconds = moment.timestamp().checked_mul(TICKS_PER_SECOND)?;
        Self::from_ticks(seconds.checked_add(i64::from(moment.timestamp_subsec_nanos() / 100))?)
    }

    /// Returns the calendar date and time in UTC.
    fn utc(self) -> NaiveDateTime {
        let seconds = self.ticks.div_euclid(TICKS_PER_SECOND);
        let rest = TimeDelta::nanoseconds(self.ticks.rem_euclid(TICKS_PER_SECOND) * 100);
        (DateTime::from_timestamp(seconds, 0).unwrap_or_default() + rest).naive_utc()
    }

    /// Returns the whole seconds after the start of 1970, rounded down.
    pub(crate) fn epoch(self) -> i64 {
        self.ticks.div_euclid(TICKS_PER_SECOND)
    }

    /// Adds a duration. `None` outside the years 1 to 9999.
    pub(crate) fn checked_add(self, duration: Duration) -> Option<Self> {
        Self::from_ticks(self.ticks.checked_add(duration.ticks())?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_is_that_of_dotnet() {
        assert!(Instant::from_epoch(-62_135_596_801).is_none());
        assert!(Instant::from_epoch(253_402_300_800).is_none());
        assert!(Instant::from_epoch(i64::MAX).is_none());
        let last = Instant::from_epoch(253_402_300_799).unwrap();
        assert_eq!(last.utc().to_string(), "9999-12-31 23:59:59");
        assert!(last.checked_add(Duration::parse("PT1S").unwrap()).is_none());
    }

    #[test]
    fn seconds_are_rounded_down_before_1970() {
        let instant = Instant::parse("1969-12-31T23:59:59.5Z").unwrap();
        assert_eq!(instant.epoch(), -1);
    }
}
