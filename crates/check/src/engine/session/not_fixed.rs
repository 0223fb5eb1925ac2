//! Reasons why files are not fixed.

use std::io;

use crate::files::{NotWritten, describe};

/// Reason why a file with fixable findings is not changed.
#[derive(Debug, thiserror::Error)]
pub enum NotFixed {
    /// The user did not name it or a folder that contains it.
    #[error("it is not among the paths that were named")]
    NotNamed,
    /// The permissions of the file forbid writing.
    #[error("it is read-only")]
    ReadOnly,
    /// The file has changed since the check.
    #[error("it has changed since it was checked")]
    Changed,
    /// The diff would contain control characters or workflow commands.
    #[error("its diff contains control characters or workflow commands")]
    Unprintable,
    /// The diff would show a secret.
    #[error("its diff contains a secret; `--fix` without `--diff` applies it")]
    Secret,
    /// The file cannot be read.
    #[error("{}", describe(.0))]
    Io(#[from] io::Error),
    /// The file cannot be replaced.
    #[error("it cannot be written: {0}")]
    Unwritten(#[from] NotWritten),
}
