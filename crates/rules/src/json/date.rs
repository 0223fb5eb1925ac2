//! Parses dates that rules compare.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Utc};

/// Parses `yyyy-MM-dd`, `yyyy-MM-ddThh:mm:ssK`, `yyyy-MM-ddThh:mmK` or `yyyy-MM-dd hh:mm:ssK`. Seconds may have a
/// fraction; `K` is `Z`, an offset like `+02:00`, or nothing, which is UTC.
pub(super) fn parse(text: &str) -> Option<DateTime<Utc>> {
    let (date, rest) = text.split_at_checked(10)?;
    let shape_fits = text.is_ascii() && date.bytes().enumerate().all(|(at, byte)| digit_or_dash(at, byte));
    if !shape_fits {
        return None;
    }
    let date = NaiveDate::parse_from_str(date, "%Y-%m-%d").ok()?;
    if rest.is_empty() {
        return Some(date.and_time(NaiveTime::MIN).and_utc());
    }
    let (separator, rest) = rest.split_at_checked(1)?;
    let zone_at = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
    let (clock, zone) = rest.split_at_checked(zone_at)?;
    let with_seconds = clock.len() > 5;
    if !(separator == "T" || separator == " " && with_seconds) {
        return None;
    }
    in_utc(date.and_time(time(clock)?), offset(zone)?)
}

fn digit_or_dash(at: usize, byte: u8) -> bool {
    if at == 4 || at == 7 { byte == b'-' } else { byte.is_ascii_digit() }
}

/// Parses `hh:mm`, `hh:mm:ss` or `hh:mm:ss.f`. `chrono` alone would accept more.
fn time(text: &str) -> Option<NaiveTime> {
    let shape_fits = match text.len() {
        5 => has_two_digits(text, &[0, 3]),
        8 => has_two_digits(text, &[0, 3, 6]),
        10.. => text.get(8..).and_then(|rest| rest.strip_prefix('.')).is_some_and(is_digits),
        _ => false,
    };
    let format = if text.len() == 5 { "%H:%M" } else { "%H:%M:%S%.f" };
    shape_fits.then(|| NaiveTime::parse_from_str(text, format).ok()).flatten()
}

/// True if a text has two digits at each of these offsets.
fn has_two_digits(text: &str, offsets: &[usize]) -> bool {
    offsets.iter().all(|at| text.get(*at..at + 2).is_some_and(is_digits))
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses the offset from UTC.
fn offset(text: &str) -> Option<TimeDelta> {
    if matches!(text, "" | "Z" | "z") {
        return Some(TimeDelta::zero());
    }
    let (sign, rest) = text.split_at_checked(1)?;
    let (hours, minutes) = rest.split_once(':')?;
    let minutes = two_digit_number(hours, 14)? * 60 + two_digit_number(minutes, 59)?;
    TimeDelta::try_minutes(if sign == "-" { -minutes } else { minutes })
}

/// Returns the number of a text with two digits, if it is at most `most`.
fn two_digit_number(text: &str, most: i64) -> Option<i64> {
    let value = text.parse().ok()?;
    (text.len() == 2 && is_digits(text) && value <= most).then_some(value)
}

fn in_utc(local: NaiveDateTime, offset: TimeDelta) -> Option<DateTime<Utc>> {
    local.checked_sub_signed(offset).map(|utc| utc.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(parse(text).map(|date| date.to_rfc3339()).as_deref(), Some(expected), "{text}");
    }

    #[test]
    fn the_four_formats_are_read() {
        check("2021-02-28", "2021-02-28T00:00:00+00:00");
        check("2021-02-28T18:17:16Z", "2021-02-28T18:17:16+00:00");
        check("2021-02-28T18:17:16", "2021-02-28T18:17:16+00:00");
        check("2021-02-28T18:17:16+02:00", "2021-02-28T16:17:16+00:00");
        check("2021-02-28T18:17Z", "2021-02-28T18:17:00+00:00");
        check("2021-02-28 18:17:16-01:30", "2021-02-28T19:47:16+00:00");
        check("2021-02-28T18:17:16.543Z", "2021-02-28T18:17:16.543+00:00");
    }

    #[test]
    fn other_strings_are_not_dates() {
        let texts = [
            "",
            "2021",
            "2021-2-28",
            "2021-02-30",
            "2021-02-28T",
            "2021-02-28T18",
            "2021-02-28 18:17Z",
            "2021-02-28T25:00:00Z",
            "2021-02-28T18:17:16+2",
            "2021-02-28T18:17:16+15:00",
            "next week",
            "1.2",
            "2021-02-28T18:17:16.Z",
            "2021-02-28T18:17:1Z",
            "+021-02-28",
            "2021-02-28Z",
            "2021-02-28T18:17:16é",
            "2021-02-28T 1:17Z",
            "2021-02-28T18: 7Z",
            "2021-02-28T 8:17:16Z",
            "2021-02-28T18: 7:16Z",
            "2021-02-28T18:17: 6Z",
            "2021-02-28T18:17:16+2:00",
            "2021-02-28T18:17:16++2:00",
            "2021-02-28T18:17:16+02:5",
            "2021-02-28T18:17:16+02:60",
        ];
        for text in texts {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
