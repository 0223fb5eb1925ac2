//! Dates in policies.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

/// Parses an ISO 8601 date with a time. Without a time zone, it is in UTC.
pub(crate) fn instant(text: &str) -> Option<DateTime<chrono::Utc>> {
    let zoned = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    zoned.or_else(|| Some(NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok()?.and_utc()))
}

/// Parses a date like [`instant`], where the time is optional. A date without one means the beginning of the day in
/// UTC, the earliest possible time.
pub(crate) fn instant_or_day(text: &str) -> Option<DateTime<chrono::Utc>> {
    let day = || NaiveDate::parse_from_str(text, "%Y-%m-%d").ok().map(|day| day.and_time(NaiveTime::MIN).and_utc());
    instant(text).or_else(day)
}
