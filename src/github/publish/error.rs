//! What keeps a report from being published, where that is somebody's mistake or an outage. A token that may not write
//! and a limit that was reached are no errors: see [`mod@crate::github::publish`].

/// Why nothing, or not all, was published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A variable or an argument.
    #[error("{0}")]
    Setup(String),
    /// The file that was to be published.
    #[error("the report cannot be used: {0}")]
    Report(String),
    /// GitHub, or the way to it.
    #[error("GitHub could not be reached: {0}")]
    Unreachable(String),
    /// GitHub answered something that formwork cannot go on with.
    #[error("GitHub refuses: {0}")]
    Refused(String),
}
