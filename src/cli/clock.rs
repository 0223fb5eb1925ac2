//! Current date, which decides whether suppressions have expired.

use std::time::{SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDate};

/// Returns the date in UTC, which is the same on every machine. `None` if the clock is not set.
#[expect(clippy::disallowed_methods, reason = "`--today` replaces the clock")]
pub(super) fn today() -> Option<NaiveDate> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).ok()?.as_secs();
    DateTime::from_timestamp(i64::try_from(seconds).ok()?, 0).map(|now| now.date_naive())
}
