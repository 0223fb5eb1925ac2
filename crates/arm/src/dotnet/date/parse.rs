//! Parsing dates, as `System.DateTime.Parse` does in the invariant culture for strings with a complete date.
//!
//! A date without a zone is in UTC. .NET would take a missing year or date from the clock, so strings without one are
//! not dates here. `20200407T145314Z`, the default format of `utcNow`, is accepted in addition to the formats of .NET.

use chrono::{Datelike, NaiveDate, NaiveTime, TimeDelta};

use crate::dotnet::date::{DAYS, Instant, MONTHS, ticks_of_fraction};

/// The last year that two digits can mean: `49` is 2049, `50` is 1950.
const LAST_SHORT_YEAR: u32 = 2049;

impl Instant {
    /// Parses a date, with or without a time and a zone.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut fields = Fields::default();
        let mut rest = text.trim();
        while !rest.is_empty() {
            rest = fields.take(rest)?;
        }
        fields.instant()
    }
}

#[derive(Clone, Copy)]
struct Number {
    value: u32,
    digits: usize,
}

impl Number {
    fn is_year(self) -> bool {
        self.digits > 2
    }
}

/// The parts of a date that have been read so far.
#[derive(Default)]
struct Fields {
    /// The numbers of the date in the order in which they are written, without a month that is named.
    numbers: Vec<Number>,
    /// The number of a month that is named, from 1.
    month: Option<u32>,
    /// Number of entries of `numbers` before the name of the month.
    before_month: usize,
    /// The number of the day of the week, from 0 for Sunday.
    weekday: Option<u32>,
    time: Option<Time>,
    /// `true` for PM, `false` for AM.
    afternoon: Option<bool>,
    /// Minutes east of UTC.
    zone: Option<i32>,
}

#[derive(Clone, Copy)]
struct Time {
    hour: u32,
    minute: u32,
    second: u32,
    /// The fraction of a second.
    ticks: u32,
}

impl Fields {
    /// Reads the next part of the date, and returns the rest of the text.
    fn take<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        match text.as_bytes().first()? {
            b'0'..=b'9' => self.take_number(text),
            b'+' | b'-' if self.time.is_some() => self.take_offset(text),
            b' ' | b'\t' | b'\n' | b'\r' | b',' | b'/' | b'-' | b'.' if self.time.is_none() => text.get(1..),
            b' ' | b'\t' | b'\n' | b'\r' | b',' => text.get(1..),
            b'a'..=b'z' | b'A'..=b'Z' => self.take_word(text),
            _ => None,
        }
    }

    fn take_number<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let (digits, rest) = split_digits(text);
        if rest.starts_with(':') {
            return self.take_time(digits, rest);
        }
        if digits.len() == 8
            && self.numbers.is_empty()
            && let Some(time) = rest.strip_prefix(['T', 't'])
        {
            return self.take_compact(digits, time);
        }
        if self.numbers.len() == 3 || digits.len() > 4 {
            return None;
        }
        self.numbers.push(Number { value: digits.parse().ok()?, digits: digits.len() });
        Some(rest)
    }

    /// Reads `20200407T145314` or `20200407T1453`, split at the letter.
    fn take_compact<'a>(&mut self, date: &str, text: &'a str) -> Option<&'a str> {
        let (time, rest) = split_digits(text);
        if !matches!(time.len(), 4 | 6) || self.time.is_some() {
            return None;
        }
        let (year, month_and_day) = date.split_at_checked(4)?;
        let (month, day) = month_and_day.split_at_checked(2)?;
        for part in [year, month, day] {
            self.numbers.push(Number { value: part.parse().ok()?, digits: part.len() });
        }
        let (hour, minute_and_second) = time.split_at_checked(2)?;
        let (minute, second) = minute_and_second.split_at_checked(2)?;
        let second = if second.is_empty() { 0 } else { second.parse().ok()? };
        self.time = Some(Time { hour: hour.parse().ok()?, minute: minute.parse().ok()?, second, ticks: 0 });
        Some(rest)
    }

    /// Reads the rest of a time whose hour has been read: `:mm`, `:mm:ss` or `:mm:ss.fffffff`.
    fn take_time<'a>(&mut self, hour: &str, text: &'a str) -> Option<&'a str> {
        if self.time.is_some() {
            return None;
        }
        let (minute, mut rest) = two_digits(text.strip_prefix(':')?)?;
        let (mut second, mut ticks) = (0, 0);
        if let Some(text) = rest.strip_prefix(':') {
            (second, rest) = two_digits(text)?;
            if let Some(text) = rest.strip_prefix('.') {
                let (digits, after) = split_digits(text);
                ticks = (!digits.is_empty()).then(|| ticks_of_fraction(digits))?;
                rest = after;
            }
        }
        self.time = Some(Time { hour: hour.parse().ok()?, minute, second, ticks });
        Some(rest)
    }

    /// Reads the offset of a zone: `+02:00`, `-0800` or `+2`.
    fn take_offset<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let sign = if text.starts_with('-') { -1 } else { 1 };
        let (digits, rest) = split_digits(text.get(1..)?);
        let (hours, minutes, rest): (u32, u32, &str) = match (digits.len(), rest.strip_prefix(':')) {
            (1 | 2, Some(text)) => {
                let (minutes, rest) = two_digits(text)?;
                (digits.parse().ok()?, minutes, rest)
            }
            (1 | 2, None) => (digits.parse().ok()?, 0, rest),
            (3 | 4, _) => {
                let (hours, minutes) = digits.split_at(digits.len() - 2);
                (hours.parse().ok()?, minutes.parse().ok()?, rest)
            }
            _ => return None,
        };
        let total = hours * 60 + minutes;
        // .NET accepts offsets of up to 14 hours.
        if minutes > 59 || total > 14 * 60 {
            return None;
        }
        set(&mut self.zone, sign * i32::try_from(total).ok()?)?;
        Some(rest)
    }

    fn take_word<'a>(&mut self, text: &'a str) -> Option<&'a str> {
        let end = text.bytes().take_while(u8::is_ascii_alphabetic).count();
        let (word, rest) = text.split_at(end);
        let is = |name: &str| word.eq_ignore_ascii_case(name);
        if is("T") {
            // The separator between a date and its time.
            return (!self.numbers.is_empty() && rest.starts_with(|c: char| c.is_ascii_digit())).then_some(rest);
        }
        if is("Z") || is("GMT") || is("UTC") {
            set(&mut self.zone, 0)?;
        } else if is("AM") || is("PM") || is("A") || is("P") {
            set(&mut self.afternoon, is("PM") || is("P"))?;
        } else if let Some(month) = position(&MONTHS, word) {
            set(&mut self.month, month + 1)?;
            self.before_month = self.numbers.len();
        } else {
            set(&mut self.weekday, position(&DAYS, word)?)?;
        }
        Some(rest)
    }

    fn instant(&self) -> Option<Instant> {
        let date = self.date()?;
        // .NET rejects a date with the wrong day of the week.
        if self.weekday.is_some_and(|weekday| weekday != date.weekday().num_days_from_sunday()) {
            return None;
        }
        let local = date.and_time(self.time_of_day()?);
        let utc = local.checked_sub_signed(TimeDelta::minutes(self.zone.unwrap_or_default().into()))?;
        Instant::from_utc(utc)
    }

    /// Distinguishes year, month and day by their order. A number of three or more digits is the year; otherwise the
    /// year is last, and the month before the day.
    fn date(&self) -> Option<NaiveDate> {
        let (year, month, day) = match (self.numbers.as_slice(), self.month) {
            (&[first, second, third], None) if first.is_year() => (first, second.value, third.value),
            (&[first, second, third], None) => (third, first.value, second.value),
            (&[first, second], Some(month)) if first.is_year() => (first, month, second.value),
            (&[first, second], Some(month)) => (second, month, first.value),
            // A month and a year mean the first day of the month.
            (&[year], Some(month)) if year.is_year() => (year, month, 1),
            (&[first, second], None) if first.is_year() => (first, second.value, 1),
            (&[first, second], None) if second.is_year() => (second, first.value, 1),
            _ => return None,
        };
        NaiveDate::from_ymd_opt(i32::try_from(full_year(year)).ok()?, month, day)
    }

    fn time_of_day(&self) -> Option<NaiveTime> {
        let Some(time) = self.time else {
            return (self.afternoon.is_none() && self.zone.is_none_or(|zone| zone == 0)).then_some(NaiveTime::MIN);
        };
        let hour = match self.afternoon {
            None => time.hour,
            Some(_) if !(1..=12).contains(&time.hour) => return None,
            Some(afternoon) => time.hour % 12 + if afternoon { 12 } else { 0 },
        };
        NaiveTime::from_hms_nano_opt(hour, time.minute, time.second, time.ticks * 100)
    }
}

/// Returns the year of a number: a short one is in the century that ends with [`LAST_SHORT_YEAR`].
fn full_year(number: Number) -> u32 {
    let century = LAST_SHORT_YEAR / 100 * 100;
    match number.is_year() {
        true => number.value,
        false if number.value <= LAST_SHORT_YEAR % 100 => century + number.value,
        false => century - 100 + number.value,
    }
}

/// Sets a field that a date may specify only once. `None` if it is already set.
fn set<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

/// Returns the position of a name, or of its abbreviation, in the list.
fn position(names: &[&str], word: &str) -> Option<u32> {
    let matches = |name: &&str| {
        let abbreviation = name.get(..3).unwrap_or(name);
        word.eq_ignore_ascii_case(name) || word.eq_ignore_ascii_case(abbreviation)
    };
    names.iter().position(matches).and_then(|at| u32::try_from(at).ok())
}

fn split_digits(text: &str) -> (&str, &str) {
    text.split_at(text.bytes().take_while(u8::is_ascii_digit).count())
}

/// Returns the number of one or two digits at the start of `text`, and the rest of the text.
fn two_digits(text: &str) -> Option<(u32, &str)> {
    let (digits, rest) = split_digits(text);
    (digits.len() <= 2).then_some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let found = Instant::parse(text).and_then(|instant| instant.format("yyyy-MM-dd HH:mm:ss.FFFFFFF"));
        assert_eq!(found.as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn iso_dates_are_read_with_their_zone() {
        check("2020-04-07T14:53:14Z", "2020-04-07 14:53:14");
        check("2020-04-07 14:53:14Z", "2020-04-07 14:53:14");
        check("2020-04-07T14:53:14", "2020-04-07 14:53:14");
        check("2020-04-07T14:53:14+02:00", "2020-04-07 12:53:14");
        check("2020-04-07T14:53:14-08:00", "2020-04-07 22:53:14");
        check("2020-04-07T14:53:14 -0830", "2020-04-07 23:23:14");
        check("1999-12-31T12:30:05.1234567Z", "1999-12-31 12:30:05.1234567");
        check("2020-04-07T14:53", "2020-04-07 14:53:00");
        check("2020-04-07", "2020-04-07 00:00:00");
        check("2020-04", "2020-04-01 00:00:00");
        check("20200407T145314Z", "2020-04-07 14:53:14");
    }

    #[test]
    fn other_orders_are_those_of_the_invariant_culture() {
        check("04/07/2020", "2020-04-07 00:00:00");
        check("4/7/2020 2:53:14 PM", "2020-04-07 14:53:14");
        check("4/7/2020 12:05 am", "2020-04-07 00:05:00");
        check("4/7/49", "2049-04-07 00:00:00");
        check("4/7/50", "1950-04-07 00:00:00");
        check("2020/4/7 1:02", "2020-04-07 01:02:00");
        check("Tue, 07 Apr 2020 14:53:14 GMT", "2020-04-07 14:53:14");
        check("Tuesday, 07 April 2020 14:53", "2020-04-07 14:53:00");
        check("April 7, 2020", "2020-04-07 00:00:00");
        check("2020 April", "2020-04-01 00:00:00");
        check("7-Apr-2020", "2020-04-07 00:00:00");
    }

    #[test]
    fn other_strings_are_not_dates() {
        for text in [
            "",
            "nope",
            "2020",
            "14:53",
            "April 7",
            "4/7",
            "2020-13-01",
            "2021-02-29",
            "2020-04-07T24:00:01",
            "2020-04-07T14:60",
            "13:00 PM 2020-04-07",
            "Mon, 07 Apr 2020",
            "2020-04-07T",
            "2020-04-07T14:53:14ZZ",
            "2020-04-07T14:53:14+15:00",
            "2020-04-07T14:53:14.Z",
            "0001-01-01T00:00:00+01:00",
            "0000-01-01",
            "1-2-3-4",
            "99999999999999999999",
            "2020年4月7日",
        ] {
            assert!(Instant::parse(text).is_none(), "{text}");
        }
    }
}
