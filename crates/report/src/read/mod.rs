//! Reads JSON reports back. They may come from a workflow that ran untrusted code, so everything has a bound, and errors
//! repeat nothing of a report.

pub(crate) mod bounded;
mod error;
mod schema;
pub use self::error::ReportError;
pub(crate) use self::schema::read_as;
