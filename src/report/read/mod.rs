//! Reads JSON reports back. They may come from a workflow that ran untrusted code, so everything has a bound, and errors
//! repeat nothing of a report.

pub(crate) mod bounded;
mod error;

use serde::Deserialize;
use serde::de::DeserializeOwned;

pub(crate) use self::error::ReportError;

const SCHEMA: &str = "formwork/report/v1";

/// The longest schema that is looked at, in characters.
const MAX_SCHEMA: usize = 300;

/// What kind of file it is.
#[derive(Deserialize)]
struct Schema {
    #[serde(deserialize_with = "bounded::text::<MAX_SCHEMA, _>")]
    schema: String,
}

/// Reads a report of the schema `formwork/report/v1` with at most `limit` bytes. The error names the member that is
/// wrong.
///
/// # Errors
///
/// Fails if the report is longer, if it is not JSON or has another schema, or if one of its members does not fit `T`.
pub(crate) fn read<T: DeserializeOwned>(bytes: &[u8], limit: u64) -> Result<T, ReportError> {
    read_as(SCHEMA, bytes, limit)
}

/// As [`read`], for another schema.
///
/// # Errors
///
/// As [`read`].
pub(crate) fn read_as<T: DeserializeOwned>(name: &'static str, bytes: &[u8], limit: u64) -> Result<T, ReportError> {
    if u64::try_from(bytes.len()).is_ok_and(|length| length > limit) {
        return Err(ReportError::TooLong { limit });
    }
    let Schema { schema } = error::read(bytes)?;
    if schema != name {
        return Err(ReportError::Schema { name });
    }
    error::read(bytes)
}
