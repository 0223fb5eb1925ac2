//! Reads JSON reports back. They may come from a workflow that ran untrusted code, so everything has a bound, and errors
//! repeat nothing of a report.

pub(crate) mod bounded;
#[cfg(feature = "cli")]
mod error;
#[cfg(feature = "cli")]
mod schema;

#[cfg(feature = "cli")]
pub(crate) use self::error::ReportError;
#[cfg(feature = "cli")]
pub(crate) use self::schema::read_as;
