//! Dates as policies write them.

use chrono::{DateTime, NaiveDateTime};

/// The time that an ISO 8601 text with a date and a time says, in UTC if it names no zone.
pub(crate) fn instant(text: &str) -> Option<DateTime<chrono::Utc>> {
    let zoned = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc());
    zoned.or_else(|| Some(NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f").ok()?.and_utc()))
}
