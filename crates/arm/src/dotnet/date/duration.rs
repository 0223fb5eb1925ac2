//! ISO 8601 durations, as `System.Xml.XmlConvert.ToTimeSpan` reads them.
//!
//! A year is 365 days and a month 30 days, whatever the calendar says, but twelve months are a year:
//! <https://learn.microsoft.com/azure/azure-resource-manager/templates/template-functions-date#remarks>.

use crate::dotnet::date::{TICKS_PER_SECOND, ticks_of_fraction};

/// A length of time with a resolution of 100 nanoseconds. It may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Duration {
    ticks: i64,
}

/// The parts of a duration, in the order in which they must be written.
#[derive(Default)]
struct Parts {
    years: i64,
    months: i64,
    days: i64,
    hours: i64,
    minutes: i64,
    seconds: i64,
    /// The fraction of a second, in steps of 100 nanoseconds.
    ticks: i64,
}

impl Duration {
    /// Returns the length in steps of 100 nanoseconds.
    pub(super) fn ticks(self) -> i64 {
        self.ticks
    }

    /// Parses `P1DT2H`, `-PT90M` or `PT1.5S`. Each part is at most 2147483647; only seconds may have a fraction.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (negative, text) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let parts = Parts::parse(text.strip_prefix('P')?)?;
        let ticks = parts.ticks()?;
        Some(Self { ticks: if negative { -ticks } else { ticks } })
    }
}

impl Parts {
    /// Parses the part after the `P`.
    fn parse(mut text: &str) -> Option<Self> {
        let mut parts = Self::default();
        let mut any = false;
        for (unit, part) in [('Y', &mut parts.years), ('M', &mut parts.months), ('D', &mut parts.days)] {
            any |= take_part(&mut text, unit, part)?;
        }
        if text.is_empty() {
            return any.then_some(parts);
        }
        text = text.strip_prefix('T').filter(|rest| !rest.is_empty())?;
        for (unit, part) in [('H', &mut parts.hours), ('M', &mut parts.minutes), ('S', &mut parts.seconds)] {
            take_part(&mut text, unit, part)?;
        }
        if text.is_empty() {
            return Some(parts);
        }
        // Only seconds with a fraction, `1.5S`, are left. Both sides of the point may be empty.
        let (whole, fraction) = text.strip_suffix('S')?.split_once('.')?;
        parts.seconds = if whole.is_empty() { 0 } else { number(whole)? };
        parts.ticks = is_digits(fraction).then(|| ticks_of_fraction(fraction))?.into();
        Some(parts)
    }

    fn ticks(&self) -> Option<i64> {
        let days = (self.years + self.months / 12) * 365 + self.months % 12 * 30 + self.days;
        let hours = days.checked_mul(24)?.checked_add(self.hours)?;
        let minutes = hours.checked_mul(60)?.checked_add(self.minutes)?;
        let seconds = minutes.checked_mul(60)?.checked_add(self.seconds)?;
        seconds.checked_mul(TICKS_PER_SECOND)?.checked_add(self.ticks)
    }
}

/// Removes digits and `unit` from the front of `text` and stores the number in `part`. `Some(false)` if another unit
/// follows the digits, `None` if the number is too large.
fn take_part(text: &mut &str, unit: char, part: &mut i64) -> Option<bool> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number_text, rest) = text.split_at(digits);
    let Some(rest) = rest.strip_prefix(unit).filter(|_| digits > 0) else { return Some(false) };
    *part = number(number_text)?;
    *text = rest;
    Some(true)
}

fn number(digits: &str) -> Option<i64> {
    if !is_digits(digits) {
        return None;
    }
    digits.parse::<i32>().ok().map(i64::from)
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn seconds(text: &str, expected: i64) {
        assert_eq!(Duration::parse(text).map(|duration| duration.ticks), Some(expected * TICKS_PER_SECOND), "{text}");
    }

    #[test]
    fn parts_add_up() {
        seconds("P1D", 86_400);
        seconds("-PT90M", -5_400);
        seconds("P1DT1H1M1S", 90_061);
        seconds("PT0S", 0);
        seconds(" P7D ", 604_800);
    }

    #[test]
    fn years_and_months_have_fixed_lengths() {
        seconds("P1Y", 365 * 86_400);
        seconds("P1M", 30 * 86_400);
        seconds("P14M", (365 + 60) * 86_400);
        seconds("P1Y2M3D", (365 + 60 + 3) * 86_400);
    }

    #[test]
    fn seconds_may_have_a_fraction() {
        let ticks = |text| Duration::parse(text).map(|duration| duration.ticks);
        assert_eq!(ticks("PT1.5S"), Some(15_000_000));
        assert_eq!(ticks("PT.25S"), Some(2_500_000));
        assert_eq!(ticks("PT1.S"), Some(10_000_000));
        assert_eq!(ticks("PT0.123456789S"), Some(1_234_567));
        assert_eq!(ticks("-PT1H0.5S"), Some(-36_005_000_000));
    }

    #[test]
    fn other_strings_are_not_durations() {
        for text in [
            "",
            "P",
            "PT",
            "P1",
            "1D",
            "P1H",
            "P1D1H",
            "PT1D",
            "P1DT",
            "P1MT",
            "p1d",
            "P1W",
            "--P1D",
            "+P1D",
            "P-1D",
            "P 1D",
            "PT1.5H",
            "PT1.5.5S",
            "PT1S1M",
            "P1D1Y",
            "PT2147483648S",
            "P1.5D",
            "PTé",
            "P2147483647Y",
        ] {
            assert_eq!(Duration::parse(text), None, "{text}");
        }
    }
}
