//! Reads JSON of a given schema.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::read::bounded;
use crate::read::error::{self, ReportError};

/// Characters of the longest schema name that is read.
const MAX_SCHEMA: usize = 300;

/// Schema of a file.
#[derive(Deserialize)]
struct Schema {
    #[serde(deserialize_with = "bounded::text::<MAX_SCHEMA, _>")]
    schema: String,
}

/// Reads JSON of the schema `name` with at most `limit` bytes. The error names the wrong member.
///
/// # Errors
///
/// Fails if the JSON is longer, if it has another schema, or if one of its members does not fit `T`.
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
