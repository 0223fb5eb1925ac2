//! Errors of publishing. A token without write permission and a reached limit are not errors: the rest is skipped with a
//! notice.

/// Error: a report was not published, or only in part.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A variable or an argument is invalid.
    #[error("{0}")]
    Setup(String),
    /// The report file is invalid.
    #[error("the report cannot be used: {0}")]
    Report(String),
    /// A request to GitHub failed.
    #[error("GitHub could not be reached: {0}")]
    Unreachable(String),
    /// GitHub's answer has an unexpected form.
    #[error("GitHub refuses: {0}")]
    Refused(String),
}
