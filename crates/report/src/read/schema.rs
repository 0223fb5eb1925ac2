//! JSON of a schema.

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::read::bounded;
use crate::read::error::{self, ReportError};

/// The longest schema that is looked at, in characters.
const MAX_SCHEMA: usize = 300;

/// What kind of file it is.
#[derive(Deserialize)]
struct Schema {
    #[serde(deserialize_with = "bounded::text::<MAX_SCHEMA, _>")]
    schema: String,
}

/// Reads JSON of the schema `name` with at most `limit` bytes. The error names the member that is wrong.
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
