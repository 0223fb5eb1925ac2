//! Dates as policies write them.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

/// The time that an ISO 8601 text with a date and a time says, in UTC if it names no zone.
pub(crate) fn instant(text: &str) -> Option<DateTime<chrono::Utc>> {
    let zoned = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    zoned.or_else(|| Some(NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok()?.and_utc()))
}

/// As [`instant`]; a date without a time is the beginning of its day in UTC, the earliest time that it can mean.
pub(crate) fn instant_or_day(text: &str) -> Option<DateTime<chrono::Utc>> {
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    instant(text).or_else(day)
}
