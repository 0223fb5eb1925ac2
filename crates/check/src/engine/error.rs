//! Reasons why a run does not take place.

use rayon::ThreadPoolBuildError;

/// Reason why a run cannot start. A problem in a template is not such an error, but part of the result.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The operating system starts too few threads.
    #[error(
        "the threads of the run cannot be started; ask for fewer with `--threads`, or allow more threads or memory"
    )]
    Threads(#[from] ThreadPoolBuildError),
    /// The process finds out for its supervisor on which files it fails. Nobody reads this.
    #[error("the check was a probe")]
    Probe,
    /// A value is set for a parameter that no template declares.
    #[error("no template declares a parameter `{name}`{hint}")]
    UndeclaredParameter {
        /// The name that was given.
        name: String,
        /// The end of the message, which suggests another name.
        hint: String,
    },
}
